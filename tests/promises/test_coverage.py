"""When a person is covered at a moment: each sentence of the promise about CLAs, held from both sides."""

import pytest

from tests.promises.pull import (
    ADA,
    BO,
    LATER,
    NOW,
    THEN,
    account,
    ada,
    coauthor,
    commit,
    company,
    facts,
    passes,
    people,
    signature,
    verdict,
)

BEFORE = "2026-11-20T23:59:59Z"
ACCOUNT = {"account": 11}
DOMAIN = {"domain": "home.org"}


def accept(icla=None, ccla=None, **corporate):
    """A rulebook that accepts these versions."""
    given = {name: value for name, value in (("icla", icla), ("ccla", ccla)) if value is not None}
    return {"rulebook": {"agreements": {"accept": given, "corporate": corporate}}}


@pytest.mark.parametrize(("start", "end", "code"), [
    (None, None, "good"), (NOW, None, "good"), (LATER, None, "cla/unsigned"), (None, LATER, "good"), (None, NOW, "cla/company-ended"), (NOW, LATER, "good"),
    (BEFORE, NOW, "cla/company-ended"),
])  # fmt: skip
@pytest.mark.parametrize(
    ("entry", "good"),
    [
        (ACCOUNT, "cla/company-account"),
        (DOMAIN, "cla/company-domain"),
        ({"email": "ada@home.org"}, "cla/company-email"),
    ],
)
def test_every_corporate_entry_has_from_and_until(entry, good, start, end, code):
    assert ada(companies=[company({**entry, "from": start, "until": end})]) == (good if code == "good" else code)


@pytest.mark.parametrize(("versions", "signed", "code"), [
    (None, "2.0", "cla/individual"), (None, "2", "cla/individual"), (None, "2.0.0", "cla/individual"), (None, "2.1", "cla/outdated"), (None, "20", "cla/outdated"),
    ([{"versions": ">=2.0"}], "2.0", "cla/individual"), ([{"versions": ">=2.0"}], "3.0", "cla/individual"), ([{"versions": ">=2.0"}], "10.0", "cla/individual"),
    ([{"versions": ">=2.0"}], "1.9", "cla/outdated"), ([{"versions": ">=1.9"}], "1.10", "cla/individual"), ([{"versions": "1.x"}], "1.10", "cla/individual"),
    ([{"versions": "1.x"}], "11.0", "cla/outdated"), ([{"versions": "1.x"}], "1", "cla/individual"), ([{"versions": "1.1.x"}], "1", "cla/outdated"),
    ([{"versions": ">=1.0,<2.0"}], "1.99", "cla/individual"), ([{"versions": ">=1.0,<2.0"}], "2.0", "cla/outdated"), ([], "2.0", "cla/outdated"),
    ([{"versions": ">=2.0"}], "", "cla/outdated"), ([{"versions": ">=2.0"}], "v2.0", "cla/outdated"), ([{"versions": ">=2.0"}], "２.0", "cla/outdated"),
    ([{"versions": ">=2.0"}], "2.0 ", "cla/outdated"), ([{"versions": ">=2.0"}], "-2.0", "cla/outdated"), ([{"versions": ">=0"}], "9999999999", "cla/outdated"),
])  # fmt: skip
def test_accept_says_which_versions_still_count(versions, signed, code):
    assert ada(signatures=[signature(version=signed)], **accept(versions)) == code
    firm = company(ACCOUNT, version=signed)
    assert ada(companies=[firm], **accept(ccla=versions)) == code.replace("individual", "company-account")


OLD = [{"versions": "1.x", "until": LATER}, {"versions": ">=2.0"}]


def test_a_grace_passes_with_a_note_until_its_end():
    (note,) = verdict(facts(signatures=[signature(version="1.0")], **accept(OLD))).checks[0].notes
    assert (note.code, note.values) == ("cla/grace", {"agreement": "icla", "version": "1.0", "until": LATER})
    assert ada(signatures=[signature(version="1.0")], **accept([{**OLD[0], "until": NOW}])) == "cla/outdated"
    assert ada(signatures=[signature(version="1.0"), signature()], **accept(OLD)) == "cla/individual"
    assert (
        ada(signatures=[signature(version="1.0")], companies=[company(ACCOUNT)], **accept(OLD)) == "cla/company-account"
    )
    longer = [*OLD, {"versions": "1.5", "until": "2027-01-01"}]
    (note,) = (
        verdict(facts(signatures=[signature(version="1.0"), signature(version="1.5")], **accept(longer)))
        .checks[0]
        .notes
    )
    assert note.values["version"] == "1.5"


@pytest.mark.parametrize(
    ("icla", "ccla"),
    [(LATER, "2027-01-01T00:00:00Z"), ("2027-01-01T00:00:00Z", LATER), (LATER, None), (None, LATER), (LATER, LATER)],
)
def test_with_sign_too_the_grace_ends_with_the_first(icla, ccla):
    rules = accept([{"versions": "1.x", "until": icla}], [{"versions": "1.x", "until": ccla}], employees="sign-too")
    given = facts(signatures=[signature(version="1.0")], companies=[company(ACCOUNT, version="1.0")], **rules)
    (note,) = verdict(given).checks[0].notes
    assert (note.code, note.values["until"]) == ("cla/grace", LATER)


FROM_THEN = {"account": 11, "from": THEN}


@pytest.mark.parametrize(
    "removal", [{"excludes": [FROM_THEN]}, {"ended_at": NOW}, {"covers": [{**ACCOUNT, "until": NOW}]}, {"covers": []}]
)
@pytest.mark.parametrize(("others", "covered"), [
    ({}, False), ({"signatures": [signature()]}, True), ({"signatures": [signature(12)]}, False),
    ({"more": [company(ACCOUNT, name="Other")]}, True), ({"more": [company({"account": 12}, name="Other")]}, False),
    ({"more": [company(DOMAIN, name="Other")]}, True), ({"more": [company(ACCOUNT, name="Other", excludes=[FROM_THEN])]}, False),
])  # fmt: skip
def test_removing_an_employee_recomputes_over_all_rules(removal, others, covered):
    removed = {**company(ACCOUNT, DOMAIN), **removal}
    companies = [removed, *others.get("more", [])]
    assert passes(companies=companies, signatures=others.get("signatures", [])) is covered
    assert passes(companies=companies[::-1], signatures=others.get("signatures", [])) is covered


@pytest.mark.parametrize("elsewhere", [
    {"committer": {"name": "Ada", "email": "ada@firm.example"}}, {"message": "Add\n\nSigned-off-by: Ada <ada@firm.example>"},
    {"coauthors": [coauthor(BO, "ada@firm.example")]}, {"author": {"name": "ada@firm.example", "email": "ada@home.org"}},
])  # fmt: skip
def test_a_bare_git_address_never_counts(elsewhere):
    found = people(commit(**elsewhere), companies=[company({"domain": "firm.example"})], signatures=[signature(12)])
    assert ("cla/unsigned", "opener", 11) in found


@pytest.mark.parametrize("email", ["", "@", "ada", "ada@", "@home.org", "ada@@home.org", "a@b@home.org", '"ada"@home.org', "ada@home..org", "ada@.home.org", ".ada@home.org",
                                   "ada.@home.org", "a..a@home.org", "ada@home.org\n", "ada@home.org\x00", "a da@home.org", "ada@[127.0.0.1]", "ada@home.org,x@y.org", "ada@home.org..",
                                   "ada@home_x.home.org", "ada@-x.home.org", "<ada@home.org>", "ada(c)@home.org", "ada@xn--x.home.org", "\u200bada@home.org", "a" * 65 + "@home.org"])  # fmt: skip
def test_an_invalid_address_counts_for_nothing(email):
    firm = company(DOMAIN, {"email": email})
    assert ada(commit(ADA, email), companies=[firm], emails={"11": [email]}) == "cla/unsigned"


def test_every_person_needs_a_cover_and_has_a_note_of_its_kind():
    given = {
        "signatures": [signature(11), signature(13, version="1.0")], "companies": [company({"account": 12})], "senders": [account(14)],
        "rulebook": {"people": {"exempt": [{"id": 14}]}, "agreements": {"accept": {"icla": OLD}}},
    }  # fmt: skip
    commits = [commit(BO, "bo@x.org", sha="b" * 40), commit(account(13), "cy@x.org")]
    assert [code for code, _, _ in people(*commits, **given)] == [
        "cla/individual",
        "cla/exempt",
        "cla/company-account",
        "cla/grace",
    ]
    for lack in ("signatures", "companies", "rulebook"):
        assert not passes(*commits, **{**given, lack: {} if lack == "rulebook" else []})
