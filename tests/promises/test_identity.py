"""Each sentence of the promise about identity, held from both sides."""

import pytest

from tests.promises.pull import (
    ADA,
    BO,
    BOT,
    EVE,
    HEAD,
    account,
    ada,
    coauthor,
    commit,
    company,
    passes,
    people,
    sign_off,
    signature,
)

COVERED = {"signatures": [signature(11)]}
BOTH_SIGNED = {"signatures": [signature(11), signature(12)]}
RENAMED = account(11, "ada-lovelace")
REUSED = account(77, "ada")


@pytest.mark.parametrize(("place", "good"), [
    (lambda who: {"signatures": [signature(account=who)]}, "cla/individual"),
    (lambda who: {"companies": [company({"account": who})]}, "cla/company-account"),
    (lambda who: {"rulebook": {"people": {"exempt": [{"id": who["id"], "login": who["login"]}]}}}, "cla/exempt"),
    (lambda who: {"rulebook": {"people": {"members": "exempt"}}, "members": [who["id"]]}, "cla/member"),
    (lambda who: {"rulebook": {"people": {"override": "admins"}},
                  "overrides": [{"kind": "cla", "account": who, "head_sha": HEAD, "by": account(1, "chief"), "reason": "…"}]}, "cla/overridden"),
    (lambda who: {"companies": [company({"email": "ada@home.org"})], "emails": {str(who["id"]): ["ada@home.org"]},
                  "rulebook": {"people": {"domains": "enrolled"}}}, "cla/company-email"),
])  # fmt: skip
def test_a_person_is_a_numeric_id(place, good):
    assert ada(**place(RENAMED)) == good
    assert ada(**place(REUSED)) == "cla/unsigned"


@pytest.mark.parametrize(
    "name",
    [
        "ada",
        "Ada",
        "@ada",
        "11",
        "Ada <ada@home.org>",
        "helper[bot]",
        "dependabot[bot]",
        "Copilot",
        "web-flow",
        "ghost",
    ],
)
def test_git_names_match_nothing(name):
    book = {"people": {"exempt": [{"id": 99, "login": name}], "agents": {"accounts": [{"id": 5, "login": name}]}}}
    alone = commit(None, "x@nowhere.org", name=name)
    with_other = commit(coauthors=[coauthor(None, "x@nowhere.org", name)])
    assert ("cla/unlinked-email", "author", None) in people(alone, rulebook=book, **COVERED)
    assert ("cla/unlinked-email", "coauthor", None) in people(with_other, rulebook=book, **COVERED)
    assert ("cla/unsigned", "author", 66) in people(commit(EVE, "eve@x.org", name=name), rulebook=book, **COVERED)


@pytest.mark.parametrize(("linked", "email", "proven", "who"), [
    (BO, "bo@home.org", {}, 12), (BO, "ada@home.org", {"11": ["ada@home.org"]}, 12), (BO, "11+ada@users.noreply.github.com", {}, 12),
    (None, "11+ada@users.noreply.github.com", {}, 11), (None, "11+renamed@users.noreply.github.com", {}, 11),
    (None, "12+ada@users.noreply.github.com", {"11": ["12+ada@users.noreply.github.com"]}, 12),
    (None, "ada@home.org", {"11": ["Ada@HOME.org"]}, 11), (None, "ADA@home.org.", {"11": ["ada@home.org"]}, 11),
    (None, "ada@home.org", {"11": ["ada@home.org"], "12": ["ada@home.org"]}, None), (None, "ada@home.org", {}, None),
    (None, "ada@users.noreply.github.com", {}, None), (None, "+ada@users.noreply.github.com", {}, None), (None, "0+ada@users.noreply.github.com", {}, None),
    (None, "11+ada@users.noreply.github.com.evil.org", {}, None), (None, "11+ada@xusers.noreply.github.com", {}, None), (None, "11+ada@noreply.github.com", {}, None),
    (None, "11+ada@users.noreply.github.com@evil.org", {}, None), (None, "11 +ada@users.noreply.github.com", {}, None), (None, "-11+ada@users.noreply.github.com", {}, None),
    (None, "１１+ada@users.noreply.github.com", {}, None), (None, "11", {}, None), (None, "", {"11": [""]}, None), (None, "@@", {"11": ["@@"]}, None),
    (None, "a@b@home.org", {"11": ["a@b@home.org"]}, None), (None, '"ada"@home.org', {"11": ['"ada"@home.org']}, None),
])  # fmt: skip
def test_an_author_is_linked_then_noreply_then_proved_by_one_person(linked, email, proven, who):
    found = people(commit(linked, email), opener=account(1, "opener"), emails=proven)
    assert [number for _, role, number in found if role == "author"] == [who]


@pytest.mark.parametrize("others", [{}, {"verified": True}, {"committer_account": EVE}, {"parents": ["1", "2"]}])
def test_opener_and_senders_are_always_checked(others):
    borrowed = commit(BO, "bo@home.org", **others)
    assert ("cla/unsigned", "opener", 66) in people(borrowed, opener=EVE, **BOTH_SIGNED)
    assert ("cla/unsigned", "sender", 66) in people(borrowed, senders=[EVE], **BOTH_SIGNED)
    assert passes(borrowed, senders=[ADA, BO], **BOTH_SIGNED)


def test_a_verified_commit_proves_no_person():
    book = {"people": {"exempt": [{"id": 99}]}}
    for changes in ({"verified": True}, {"committer_account": BOT}, {"committer_account": ADA}):
        assert ("cla/bot-unproven", "author", 99) in people(commit(BOT, "h@x.org", **changes), rulebook=book, **COVERED)
    assert ("cla/exempt", "sender", 99) in people(commit(BOT, "h@x.org"), senders=[BOT], rulebook=book, **COVERED)


@pytest.mark.parametrize("no_account", [None, {}])
@pytest.mark.parametrize("email", ["x@nowhere.org", "", "no address", "a@b@c", "noreply@github.com", "x" * 400])
def test_an_address_of_no_account_is_never_skipped(no_account, email):
    assert ("cla/unlinked-email", "author", None) in people(commit(no_account, email), **COVERED)
    mentioned = commit(coauthors=[coauthor(no_account, email)])
    assert ("cla/unlinked-email", "coauthor", None) in people(mentioned, **COVERED)
    without = {key: value for key, value in commit(None, email).items() if key != "author_account"}
    assert ("cla/unlinked-email", "author", None) in people(without, **COVERED)


def test_listed_addresses_do_not_help_without_an_account():
    listed = company({"email": "x@firm.example"}, {"domain": "firm.example"})
    assert ("cla/unlinked-email", "author", None) in people(
        commit(None, "x@firm.example"), companies=[listed], **COVERED
    )
    assert ("cla/unlinked-email", "coauthor", None) in people(
        commit(coauthors=[coauthor(None, "x@firm.example")]), companies=[listed], **COVERED
    )
    linked = commit(BO, "x@firm.example")
    assert ("cla/company-email", "author", 12) in people(linked, companies=[listed], **COVERED)


@pytest.mark.parametrize(("who", "exempt", "acts", "code"), [
    (BOT, [], "no", "cla/bot-not-listed"), (BOT, [], "sender", "cla/bot-not-listed"), (BOT, [], "opener", "cla/bot-not-listed"),
    (BOT, [{"id": 99}], "no", "cla/bot-unproven"), (BOT, [{"id": 99}], "sender", "cla/exempt"), (BOT, [{"id": 99}], "opener", "cla/exempt"),
    (BOT, [{"id": 98, "login": "helper[bot]"}], "sender", "cla/bot-not-listed"), (BOT, [{"login": "helper[bot]"}], "sender", "cla/bot-not-listed"),
    (BO, [{"id": 12}], "no", "cla/bot-unproven"), (BO, [{"id": 12}], "sender", "cla/exempt"), (BO, [{"login": "bo"}], "sender", "cla/unsigned"),
    (BO, [{"id": None, "login": "bo"}], "opener", "cla/unsigned"),
])  # fmt: skip
def test_bots_and_exempt_accounts_must_act(who, exempt, acts, code):
    roles = {"no": {}, "sender": {"senders": [who]}, "opener": {"opener": who, "senders": []}}[acts]
    found = people(
        commit(who, "w@x.org"),
        rulebook={"people": {"exempt": exempt}},
        signatures=[signature(11), signature(99)],
        **roles,
    )
    assert code in [outcome for outcome, _, number in found if number == who["id"]]


@pytest.mark.parametrize("email", ["99+helper[bot]@users.noreply.github.com", "98+other[bot]@users.noreply.github.com"])
def test_a_bots_address_in_git_proves_no_bot(email):
    spoofed = commit(None, email, name="helper[bot]")
    book = {"people": {"exempt": [{"id": 99}]}}
    assert not passes(spoofed, rulebook=book, **COVERED)
    assert sign_off(spoofed, rulebook=book) == [("dco/bot-unproven",)]
    signed = {**spoofed, "message": f"Bump\n\nSigned-off-by: helper[bot] <{email}>"}
    assert sign_off(signed, rulebook=book) == [("dco/bot-unproven",)]


FLOW = {"name": "GitHub", "email": "noreply@github.com"}
BY_FLOW = "Edit\n\nSigned-off-by: GitHub <noreply@github.com>"


@pytest.mark.parametrize(("changes", "matching", "good"), [
    ({"committer": FLOW}, "evidence", False), ({"committer": FLOW}, "exact", True),
    ({"author": FLOW, "committer": FLOW}, "evidence", False), ({"author": FLOW, "committer": FLOW}, "exact", True),
    ({"committer": {**FLOW, "email": "NoReply@GitHub.com"}}, "evidence", False),
    ({"committer": FLOW, "committer_account": account(19864447, "web-flow")}, "evidence", False),
    ({"committer": FLOW, "verified": True}, "evidence", False),
])  # fmt: skip
def test_web_flow_certifies_nothing(changes, matching, good):
    assert passes(commit(message=BY_FLOW, **changes), require="dco", rulebook={"dco": {"matching": matching}}) is good


@pytest.mark.parametrize("matching", ["evidence", "exact"])
def test_web_flow_covers_no_commit(matching):
    book = {"dco": {"matching": matching}}
    assert not passes(commit(None, "noreply@github.com"), rulebook=book, **COVERED)
    assert not passes(commit(account(19864447, "web-flow"), "noreply@github.com"), rulebook=book, **COVERED)
    assert passes(commit(committer=FLOW, committer_account=account(19864447, "web-flow")), rulebook=book, **COVERED)


@pytest.mark.parametrize("keyless", [
    {"signatures": [signature(account=None), signature(account={})]}, {"members": [], "rulebook": {"people": {"members": "exempt"}}},
    {"companies": [company({}, {"domain": None}, {"email": None}, {"account": None}, {"account": {}}, {"email": ""}, {"domain": ""}, {"subdomains": True})]},
    {"rulebook": {"people": {"exempt": [{}, {"id": None}, {"login": "ada"}]}}}, {"rulebook": {"people": {"agents": {"accounts": [{}, {"id": None}]}}}},
    {"emails": {"11": ["", " ", "@", "."]}, "companies": [company({"email": ""}, {"email": "@"}, {"domain": "."})]},
    {"rulebook": {"people": {"override": "admins"}}, "overrides": [{"kind": "cla", "account": None, "head_sha": HEAD, "by": account(1)}]},
    {"rulebook": {"people": {"override": "admins"}}, "overrides": [{"kind": "cla", "account": {}, "head_sha": HEAD, "by": account(1)}]},
    {"rulebook": {"people": {"override": "admins"}}, "overrides": [{"kind": "cla", "account": ADA, "head_sha": HEAD, "by": None}]},
])  # fmt: skip
@pytest.mark.parametrize(
    "work",
    [
        commit(None, ""),
        commit(None, author=None),
        commit(None, "x@nowhere.org"),
        commit(coauthors=[coauthor(None, "")]),
    ],
)
def test_an_entry_without_its_key_covers_no_person(keyless, work):
    assert ("cla/unsigned", "opener", 11) in people(work, **keyless)
    signed = [*keyless.get("signatures", []), signature(11)]
    assert [code for code, _, number in people(work, **{**keyless, "signatures": signed}) if number is None] == [
        "cla/unlinked-email"
    ]


@pytest.mark.parametrize("place", [0, 29, 30, 99, 100, 249, 250, 251, 299])
def test_no_commit_is_overlooked(place):
    commits = [commit(sha=f"{number:040x}") for number in range(300)]
    assert passes(*commits, **COVERED)
    commits[place] = commit(EVE, "eve@x.org", sha=f"{place:040x}")
    assert ("cla/unsigned", "author", 66) in people(*commits, **COVERED)


AGENT = "noreply@agent.example"


@pytest.mark.parametrize(("email", "who", "agent"), [
    (AGENT, None, True), ("NoReply@Agent.Example", None, True), ("x@y.org", account(5, "renamed"), True), ("5+agent@users.noreply.github.com", None, True),
    (AGENT, BO, True), ("noreply@agent.example.evil.org", None, False), ("xnoreply@agent.example", None, False), ("noreply+1@agent.example", None, False),
    ("other@agent.example", None, False), ("noreply@sub.agent.example", None, False), ("x@y.org", account(55, "agent"), False),
    ("55+agent@users.noreply.github.com", None, False), ("agent@users.noreply.github.com", None, False), ("", None, False), ("n.oreply@agent.example", None, False),
])  # fmt: skip
@pytest.mark.parametrize("policy", ["ignore", "block"])
def test_agents_are_matched_exactly(email, who, agent, policy):
    book = {"people": {"agents": {"policy": policy, "accounts": [{"id": 5, "login": "agent"}], "emails": [AGENT]}}}
    found = [
        code
        for code, role, _ in people(commit(coauthors=[coauthor(who, email, "agent")]), rulebook=book, **COVERED)
        if role == "coauthor"
    ]
    wanted = {"ignore": "cla/agent-ignored", "block": "cla/agent-blocked"}[policy] if agent else None
    assert found == [wanted] if agent else found[0] in ("cla/unlinked-email", "cla/unsigned", "cla/cannot-sign")


@pytest.mark.parametrize("policy", ["ignore", "responsible", "block"])
@pytest.mark.parametrize("role", ["opener", "sender", "author", "committer"])
def test_an_agent_is_one_in_every_role(role, policy):
    book = {"people": {"agents": {"policy": policy, "accounts": [{"id": 12}]}}}
    given = {"opener": {"opener": BO}, "sender": {"senders": [BO]}}.get(role, {})
    work = commit(BO, "bo@home.org") if role == "author" else commit()
    if role == "committer":
        work |= {"committer": {"name": "Bo", "email": "bo@home.org"}, "committer_account": BO}
    wanted = "cla/agent-blocked" if policy == "block" else "cla/agent-ignored"
    assert (wanted, role, 12) in people(work, rulebook=book, **COVERED, **given)


def test_an_author_whose_account_is_no_agents_is_a_person():
    """A person can add an address that the rulebook lists to their own account."""
    book = {"people": {"agents": {"emails": ["bo@home.org"]}}}
    assert ("cla/unsigned", "author", 12) in people(commit(BO, "bo@home.org"), rulebook=book, **COVERED)


def test_each_person_is_judged_once():
    work = commit(
        BO, "bo@home.org", coauthors=[coauthor(ADA, "ada@home.org"), coauthor(BO), coauthor(EVE, "eve@x.org")]
    )
    found = people(work, senders=[BO], **BOTH_SIGNED)
    assert found == [
        ("cla/unsigned", "coauthor", 66),
        ("cla/individual", "opener", 11),
        ("cla/individual", "sender", 12),
    ]
