"""`matching: exact` does what its description says, and nothing else: the published cases, each sentence, and an oracle."""

import json
from collections import Counter
from pathlib import Path

import pytest

from agreements.json.facts_reader import read
from agreements.judge import judge
from tests.promises.exact_cases import case
from tests.promises.exact_oracle import answer, valid
from tests.promises.pull import ADA, BO, BOT, HEAD, commit, passes, sign_off

VECTORS = Path(__file__).parents[3] / "shared" / "data" / "dco_vectors.jsonl"
REASONS = {
    "dco/signed": "signed", "dco/remediated": "remediated", "dco/merge": "merge", "dco/bot": "bot", "dco/member": "member",
    "dco/invalid-email": "invalid-email", "dco/missing": "missing", "dco/malformed": "missing", "dco/member-unverified": "member-unverified",
    "dco/mismatch": "mismatch", "dco/name-differs": "mismatch", "dco/email-differs": "mismatch", "dco/invisible": "mismatch",
}  # fmt: skip
FIX = "f" * 40
ADA_GIT = {"name": "Ada", "email": "ada@home.org"}
BO_GIT = {"name": "Bo", "email": "bo@home.org"}


def exact(**more):
    """A rulebook that matches as the DCO apps do."""
    return {"dco": {"matching": "exact", **more}}


def found(facts):
    """What the decision says of these facts, in the oracle's words; no commits where the facts can't be judged."""
    verdict = judge(read(facts))
    statuses = verdict.checks[0].commits
    return verdict.conclusion.passes, [
        (status.sha, status.status, {REASONS[code] for code in status.codes}) for status in statuses
    ]


def difference(facts):
    """Where the decision and the oracle part, or None."""
    expected, (good, commits) = answer(facts), found(facts)
    same = good is expected.passes and (commits == expected.commits or (commits == [] and not good))
    return None if same else {"expected": expected, "found": (good, commits), "facts": facts}


@pytest.mark.skipif(not VECTORS.exists(), reason="the cases of other projects are not here")
def test_the_oracle_knows_the_published_cases():
    for line in VECTORS.read_text(encoding="utf-8").splitlines():
        vector = json.loads(line)
        good, commits = answer(vector["facts"])
        statuses = [{"sha": sha, "status": status} for sha, status, _ in commits]
        assert (good, statuses) == (vector["expected"]["result"] == "pass", vector["expected"]["commits"]), vector["id"]
        assert difference(vector["facts"]) is None, vector["id"]


@pytest.mark.slow
def test_the_decision_is_the_oracles():
    for seed in range(1000):
        assert difference(case(seed)) is None, seed


def test_the_hostile_cases_hold_every_reason_and_both_results():
    reasons, wholes = Counter(), Counter()
    for seed in range(300):
        expected = answer(case(seed))
        wholes[expected.passes] += 1
        reasons.update(reason for _, _, several in expected.commits for reason in several)
    assert set(reasons) == set(REASONS.values())
    assert min(reasons.values()) > 5, reasons
    assert min(wholes[True], wholes[False]) > 30, wholes


@pytest.mark.parametrize(("line", "good"), [
    ("Signed-off-by: Ada <ada@home.org>", True), ("sIGNED-OFF-BY: aDA <ADA@HOME.ORG>", True), ("\u017figned-off-by: Ada <ada@home.org>", True), ("Sıgned-off-by: Ada <ada@home.org>", False),
    ("Signed-off-by: Ada <ada@home.org>\r", True), ("Signed-off-by: Ada <ada@home.org> \t\v\f\x85\u00a0\u1680\u2007\u2028\u3000", True), ("Signed-off-by: Ada <ada@home.org>\x1c", False), ("Signed-off-by: Ada <ada@home.org>\u200b", False),
    ("x\rSigned-off-by: Ada <ada@home.org>", False), ("x\u2028Signed-off-by: Ada <ada@home.org>", False), ("x\x85Signed-off-by: Ada <ada@home.org>", False), ("\rSigned-off-by: Ada <ada@home.org>", False),
    (" Signed-off-by: Ada <ada@home.org>", False), ("Signed-off-by:Ada <ada@home.org>", False), ("Signed-off-by:\tAda <ada@home.org>", False), ("Signed-off-by:  Ada <ada@home.org>", False),
    ("Signed-off-by: Ada  <ada@home.org>", False), ("Signed-off-by: Ada <ada@home.org >", False), ("Signed-off-by: Ada < ada@home.org>", False), ("Signed-off-by: Ada<ada@home.org>", False), ("Signed-off-by: Ada <ada@home.org>>", False),
    ("Signed-off-by: Eve <x@y> <ada@home.org>", False), ("Signed-off-by: Ada <ada@home.org> # I did", False), ("Signed-off-by: Ada\n <ada@home.org>", False),
])  # fmt: skip
def test_a_sign_off_line_is_taken_to_the_letter(line, good):
    assert passes(commit(message=f"Add\n\n{line}\n"), require="dco", rulebook=exact()) is good


@pytest.mark.parametrize(("name", "email", "line"), [
    ("", "ada@home.org", " <ada@home.org>"), ("Ada ", "ada@home.org", "Ada  <ada@home.org>"), ("Ada <x", "ada@home.org", "Ada <x <ada@home.org>"), ("Ada <x@y>", "ada@home.org", "Ada <x@y> <ada@home.org>"),
    ("İlker", "a@b", "i\u0307LKER <a@b>"), ("\u212aim", "\u212a@b", "kim <k@b>"), ("Ada", '"a>b"@x.org', 'Ada <"a>b"@x.org>'), ("ΑΣ", "a@b", "ας <A@B>"),
])  # fmt: skip
def test_neither_name_nor_address_is_trimmed(name, email, line):
    assert passes(commit(name=name, email=email, message=f"Signed-off-by: {line}"), require="dco", rulebook=exact())


def test_an_empty_address_is_invalid_also_when_it_is_signed():
    assert sign_off(commit(name="", email="", message="Signed-off-by:  <>"), rulebook=exact()) == [
        ("dco/invalid-email",)
    ]
    for missing in ("author", "committer"):
        for no_person in (None, {}):
            work = commit(message="Signed-off-by: Ada <ada@home.org>", **{missing: no_person})
            assert sign_off(work, rulebook=exact()) == [("dco/signed",)]


@pytest.mark.parametrize(("line", "good"), [
    (f"I, Ada <ada@home.org>, hereby add my Signed-off-by to this commit: {HEAD}", True), (f"i, ada <ADA@home.org>, HEREBY ADD MY SIGNED-OFF-BY TO THIS COMMIT: {HEAD}", True),
    (f"On behalf of Ada <ada@home.org>, I, Bo <bo@home.org>, hereby add my Signed-off-by to this commit: {HEAD}", True),
    (f"On behalf of Bo <bo@home.org>, I, Ada <ada@home.org>, hereby add my Signed-off-by to this commit: {HEAD}", False),
    (f"I, Eve <eve@x.org>, hereby add my Signed-off-by to this commit: {HEAD}", False), (f" I, Ada <ada@home.org>, hereby add my Signed-off-by to this commit: {HEAD}", False),
    *((f"I, Ada <ada@home.org>, hereby add my Signed-off-by to this commit: {sha}", False)
      for sha in (f"{HEAD}\r", f"{HEAD} ", f" {HEAD}", f"{HEAD}.", f"{HEAD} {FIX}", HEAD.upper(), HEAD[:12], "")),
    (f"I, Ada <ada@home.org>, hereby add my Signed-off-by to this commit: x this commit: {HEAD}", False),
])  # fmt: skip
@pytest.mark.parametrize("parents", [["0" * 40], ["0" * 40, HEAD]])
def test_a_remediation_is_taken_to_the_letter(line, good, parents):
    on = exact(remediation={"individual": True, "third_party": True})
    carrier = commit(BO, sha=FIX, message=f"Fix\n\n{line}", parents=parents, author=BO_GIT, committer=ADA_GIT)
    for order in ((commit(), carrier), (carrier, commit())):
        codes = dict(zip((work["sha"] for work in order), sign_off(*order, rulebook=on), strict=True))
        assert codes[HEAD] == (("dco/remediated",) if good else ("dco/missing",))
        assert codes[FIX] == (("dco/merge",) if len(parents) > 1 else ("dco/missing",))


@pytest.mark.parametrize(("individual", "third_party", "good"), [
    (True, True, {"own", "behalf"}), (True, False, {"own"}), (False, True, set()), (False, False, set()),
])  # fmt: skip
def test_third_party_remediations_need_the_individual_ones(individual, third_party, good):
    on = exact(remediation={"individual": individual, "third_party": third_party})
    first, second = commit(email="wut"), commit(sha="b" * 40)
    own = f"I, Ada <wut>, hereby add my Signed-off-by to this commit: {HEAD}"
    behalf = f"On behalf of Ada <ada@home.org>, I, Bo <bo@home.org>, hereby add my Signed-off-by to this commit: {second['sha']}"
    later = commit(BO, sha=FIX, message=f"{own}\n{behalf}", author=BO_GIT, committer={"name": "Ada", "email": "wut"})
    codes = sign_off(first, second, later, rulebook=on)
    assert {kind for kind, code in zip(("own", "behalf"), codes, strict=False) if code == ("dco/remediated",)} == good


@pytest.mark.parametrize(("changes", "code"), [
    ({"author_account": BOT}, "dco/bot"), ({"author_account": BOT, "author": None}, "dco/bot"), ({"author_account": {**BOT, "type": "User"}}, "dco/missing"), ({"committer_account": BOT}, "dco/member-unverified"),
    ({"verified": True}, "dco/member"), ({"verified": True, "committer_account": BO}, "dco/member"), ({"verified": True, "committer_account": None}, "dco/member"), ({"verified": False}, "dco/member-unverified"), ({"verified": None}, "dco/member-unverified"),
    ({"verified": True, "author_account": BO, "committer_account": ADA}, "dco/missing"), ({"verified": True, "author_account": None}, "dco/missing"), ({"verified": True, "author_account": {}}, "dco/missing"),
    ({"verified": True, "parents": ["1", "2", "3"]}, "dco/merge"), ({"verified": True, "message": "Signed-off-by: Eve <eve@x.org>"}, "dco/member"),
    ({"verified": False, "message": "Signed-off-by: Eve <eve@x.org>"}, "dco/mismatch"),
])  # fmt: skip
def test_the_authors_account_decides_which_commits_are_skipped(changes, code):
    assert sign_off(commit(**changes), members=[11], rulebook=exact(members="exempt")) == [(code,)]


def test_under_exact_the_browsers_own_sign_off_counts():
    """The DCO apps take GitHub's web-flow as a committer."""
    web = commit(
        message="Signed-off-by: GitHub <noreply@github.com>",
        committer={"name": "GitHub", "email": "noreply@github.com"},
    )
    agent = commit(name="Agent", email="noreply@agent.example", message="Signed-off-by: Agent <noreply@agent.example>")
    listed = {"people": {"agents": {"emails": ["noreply@agent.example"]}}}
    for work in (web, agent):
        assert passes(work, require="dco", rulebook={**exact(), **listed})
        assert not passes(work, require="dco", rulebook=listed)


def test_the_grammar_of_addresses_is_that_of_the_sentence():
    for good in ("a@b", "a@b.c", "é@b", "é" * 32 + "@b", '"@"@b', "a@[]", "a@[1]", "x y[bot]@users.noreply.github.com"):
        assert valid(good), good
    for bad in (
        "",
        "a",
        "a@",
        "@b",
        "a@b.",
        "a@.b",
        "a.@b",
        ".a@b",
        "a@b@c",
        "é" * 33 + "@b",
        '""@b',
        "a@[é]",
        "a b@c",
        "a@b c",
        "[bot]@USERS.noreply.github.com",
    ):
        assert not valid(bad), bad
