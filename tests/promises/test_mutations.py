"""Facts with pieces missing, emptied or of another kind: one clear line or a verdict, and nothing is gained by leaving things out."""

import json
import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreements.json.facts_reader import FactsInvalid, read
from agreements.json.verdict_writer import plain
from agreements.judge import judge
from bot.report.words import text
from tests.promises.pull import (
    ADA,
    BO,
    BOT,
    EVE,
    HEAD,
    LATER,
    NOW,
    account,
    coauthor,
    commit,
    company,
    facts,
    signature,
)

EXAMPLES = Path(__file__).parents[2] / "examples" / "facts"
PASSES, FAILS = (json.loads((EXAMPLES / f"{name}.json").read_text("utf-8")) for name in ("passes", "fails"))
SIGNED = "Add\n\nSigned-off-by: Ada <ada@home.org>"
FIRM = company({"domain": "home.org"}, domains="linked")


def failing(*commits, **changes):
    """A pull request in which everything is given, and one thing is wrong."""
    whole = {
        "require": "both", "signatures": [signature(withdrawn_at=None)], "companies": [company({"account": 15}, excludes=[{"account": 16}])],
        "senders": [{**ADA, "may_write": False}], "members": [11], "emails": {"11": ["ada@home.org"]}, "mailmap": "", "overrides": [],
    }  # fmt: skip
    book = {
        "organization": "X", "since": "2025-01-01",
        "agreements": {"individual": {"text": "icla", "version": "2.0"}, "accept": {"icla": [{"versions": "1.x", "until": NOW}, {"versions": ">=2.0"}]}},
        "people": {"check": ["opener", "senders", "authors", "coauthors"], "exempt": [{"id": 99, "login": "helper[bot]"}], "members": "required", "domains": "linked", "override": "admins",
                   "agents": {"policy": "block", "accounts": [{"id": 5, "login": "agent"}], "emails": ["bot@agent.example"]}},
        "dco": {"matching": "evidence", "members": "required", "override": "maintainers"}, "changelog": {"require": False},
    }  # fmt: skip
    return facts(
        *(commits or (commit(message=SIGNED),)),
        **{**whole, **changes, "rulebook": {**book, **changes.get("rulebook", {})}},
    )


BO_SIGNED = {"message": "Add\n\nSigned-off-by: Bo <bo@x.org>", "name": "Bo"}
CASES = {
    "unsigned": failing(signatures=[]),
    "withdrawn": failing(signatures=[signature(withdrawn_at=NOW)]),
    "outdated": failing(signatures=[signature(version="1.0")]),
    "signed later": failing(signatures=[signature(signed_at=LATER)]),
    "another person signed": failing(signatures=[signature(12)]),
    "company ended": failing(signatures=[], companies=[{**FIRM, "ended_at": NOW}]),
    "company later": failing(signatures=[], companies=[{**FIRM, "signed_at": LATER}]),
    "company outdated": failing(signatures=[], companies=[{**FIRM, "version": "1.0"}]),
    "entry ended": failing(signatures=[], companies=[company({"domain": "home.org", "until": NOW})]),
    "entry later": failing(signatures=[], companies=[company({"domain": "home.org", "from": LATER})]),
    "excluded account": failing(signatures=[], companies=[{**FIRM, "excludes": [{"account": 11}]}]),
    "excluded address": failing(signatures=[], companies=[{**FIRM, "excludes": [{"email": "ada@home.org"}]}]),
    "enrolled only": failing(signatures=[], emails={}, companies=[{**FIRM, "domains": "enrolled"}]),
    "no subdomains": failing(commit(email="ada@rd.home.org", message=SIGNED.replace("@", "@rd.")), signatures=[], emails={}, companies=[company({"domain": "home.org", "subdomains": False})]),
    "ghost": failing(opener=None),
    "stranger pushed": failing(senders=[{**EVE, "may_write": False}]),
    "other author": failing(commit(BO, "bo@x.org", **BO_SIGNED)),
    "linked to another": failing(commit(BO, message=SIGNED)),
    "no account": failing(commit(None, "bo@x.org", **BO_SIGNED)),
    "proven by two": failing(commit(None, "bo@x.org", **BO_SIGNED), emails={"11": ["bo@x.org"], "13": ["bo@x.org"]}),
    "coauthor": failing(commit(message=SIGNED, coauthors=[coauthor(BO)])),
    "coauthor in the message": failing(commit(message=f"{SIGNED}\nCo-authored-by: Bo <bo@x.org>"), require="cla"),
    "agent": failing(commit(message=SIGNED, coauthors=[coauthor(None, "bot@agent.example")])),
    "agent by id": failing(commit(message=SIGNED, coauthors=[coauthor(account(5, "agent"), "ada@home.org")])),
    "bot": failing(commit(BOT, "h@x.org", committer={"name": "Ada", "email": "ada@home.org"}, message=SIGNED)),
    "bot opened": failing(opener=account(98, "other[bot]", "Bot")),
    "no sign-off": failing(commit()),
    "another's sign-off": failing(commit(message="Add\n\nSigned-off-by: Eve <eve@x.org>")),
    "invalid author": failing(commit(email="ada", message=SIGNED, committer={"name": "Ada", "email": "ada@home.org"}), emails={"11": []}),
    "too few commits": failing(commit_count=2),
    "another head": failing(request={"head_sha": "c" * 40}),
    "exact and incomplete": failing(commit_count=3, rulebook={"dco": {"matching": "exact"}}),
    "no changelog": failing(rulebook={"changelog": {"require": True}}),
    "override of another head": failing(commit(), overrides=[{"kind": "dco", "account": None, "head_sha": "d", "by": account(1), "reason": "…"}]),
    "override for an account": failing(commit(), overrides=[{"kind": "dco", "account": EVE, "head_sha": HEAD, "by": account(1), "reason": "…"}]),
    "own override": failing(signatures=[], overrides=[{"kind": "cla", "account": ADA, "head_sha": HEAD, "by": ADA, "reason": "…"}]),
    "member unverified": failing(commit(verified=False), rulebook={"dco": {"members": "exempt"}}),
    "example": FAILS,
}  # fmt: skip

OPTIONAL = {
    "signatures.*.withdrawn_at": "without it nothing was withdrawn", "companies.*.ended_at": "without it the agreement goes on",
    "companies.*.covers.*.until": "no bound", "companies.*.covers.*.from": "no bound", "companies.*.covers.*.subdomains": "missing is true", "companies.*.domains": "the rulebook's choice",
    "companies.*.excludes*": "without it, or without its key, no person is excluded",
    "senders*": "missing means none: who gathers the facts answers for it", "commits.*.author_account": "without an account the address is whose it was proven to be",
    "commits.*.author": "null and {} are no person, and have no address that could be invalid", "emails.*": "proven by one alone, it is that one's",
    "commits.*.coauthors*": "none are none; missing, they are in the message", "commits.*.message": "no message names no co-authors",
    "overrides.*.account": "null is what an override of the DCO has",
    "rulebook": "{} is all defaults: a sign-off", "rulebook.repositories*": "the default is a sign-off", "rulebook.people.check*": "whom the rulebook asks for is its choice",
    "rulebook.people.agents.policy": "the default is ignore", "rulebook.agreements.accept.icla.*.until": "no end of the grace", "rulebook.changelog*": "not required by default",
}  # fmt: skip
"""All that may be left out or emptied so that what failed passes, and why it says so in the description of the facts."""

WITH_RULES = (
    "unsigned",
    "outdated",
    "ghost",
    "stranger pushed",
    "other author",
    "coauthor",
    "agent",
    "no changelog",
    "no sign-off",
    "exact and incomplete",
)
NEEDED = (
    "rulebook", "repository", "repository.full_name", "pull_request", "pull_request.number", "pull_request.head_sha", "commits", "commits.0.sha", "now", "signatures.0.agreement",
    "signatures.0.version", "signatures.0.signed_at", "companies.0.name", "companies.0.agreement", "companies.0.version", "companies.0.signed_at", "pull_request.opener.id", "senders.0.id",
)  # fmt: skip


def places(value, path=()):
    """The path of everything in plain data."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield (*path, key)
        yield from places(part, (*path, key))


def changed(value, path, new):
    """The data with something else in that place; `GONE` takes it out. What lies beside the path is shared."""
    if isinstance(value, dict):
        rest = {key: part for key, part in value.items() if key != path[0]}
        return rest if new is GONE and len(path) == 1 else {**rest, path[0]: _inside(value, path, new)}
    rest = list(value)
    rest[path[0] : path[0] + 1] = [] if new is GONE and len(path) == 1 else [_inside(value, path, new)]
    return rest


def _inside(value, path, new):
    return new if len(path) == 1 else changed(value[path[0]], path[1:], new)


def dotted(path):
    return ".".join(map(str, path))


GONE = object()
ADDRESS = re.compile(r"\b(ada|bo|eve|x)@(home|x|example|agent|firm)\b")


def outcome(given):
    """True or False for a verdict, else the one line that says what is wrong; either way nothing private and nothing unprintable."""
    try:
        found = judge(read(given))
    except FactsInvalid as invalid:
        line = str(invalid)
        assert line.isprintable()
        assert not ADDRESS.search(line)
        assert len(line) < 1000
        return line
    shown = json.dumps(plain(found, lambda item: text(item, "en")), ensure_ascii=False)
    shown.encode()
    assert not ADDRESS.search(shown)
    return found.conclusion.passes


@cache
def gains(case):
    """The paths without which, or with nothing in which, the case passes; one in four cases has its rulebook changed, too."""
    given = CASES[case]
    tried = [path for path in places(given) if path[0] != "rulebook" or case in WITH_RULES]
    return {dotted(path) for path in tried for new in (GONE, None, {}, [], "") if passes(changed(given, path, new))}


def passes(given):
    """Whether these facts pass; wrong ones don't."""
    try:
        return judge(read(given)).conclusion.passes
    except FactsInvalid:
        return False


@pytest.mark.parametrize("case", CASES)
def test_leaving_out_facts_gains_nothing(case):
    assert outcome(CASES[case]) is False
    assert [path for path in gains(case) if not any(fnmatchcase(path, pattern) for pattern in OPTIONAL)] == []


def test_every_optional_fact_is_optional_for_some_case():
    found = {path for case in CASES for path in gains(case)}
    assert [pattern for pattern in OPTIONAL if not any(fnmatchcase(path, pattern) for path in found)] == []


@pytest.mark.parametrize("key", NEEDED)
def test_a_missing_needed_fact_is_one_line_with_its_path(key):
    path = tuple(int(part) if part.isdigit() else part for part in key.split("."))
    for new in (GONE, None):
        line = outcome(changed(failing(), path, new))
        assert isinstance(line, str)
        assert line.startswith(f"{key}: ")


WRONG = [None, True, False, 0, -1, 1.5, 1e400, 10**30, "", "x", "\ud800", "a\x00b", "@", "ada@home.org\n\u202e", [], {}, [[]], [None], [{}], {"a": 1}, {"id": 0}, {"id": True}, {"id": "11"},
         {"ada@home.org": 1}, "2026-01-01", "2026-01-01T00:00:00", "99999-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", ["excluded account", "override for an account"])
def test_any_value_in_any_place_is_one_line_or_a_verdict(case):
    given = CASES[case]
    for path in places(given):
        for new in WRONG:
            line = outcome(changed(given, path, new))
            if isinstance(line, str):
                named = line.partition(": ")[0]
                if path[0] == "rulebook":
                    named = named[: len("rulebook")]  # another key there may be what no longer fits
                assert dotted(path).startswith(named) or named.startswith(dotted(path)), (path, new, line)


@pytest.mark.slow
def test_half_a_surrogate_pair_is_refused_in_every_text_that_is_read():
    unread = {
        dotted(path)
        for path in places(CASES["coauthor"])
        if not isinstance(outcome(changed(CASES["coauthor"], path, "\ud800")), str)
    }
    assert unread == set()


OPERATIONS = st.sampled_from([GONE, None, {}, [], "", *WRONG])


@pytest.mark.slow
@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.sampled_from([PASSES, FAILS, *CASES.values()]),
    st.lists(st.tuples(st.integers(0, 10**6), OPERATIONS), min_size=1, max_size=4),
)
def test_several_changes_at_once_never_make_a_failure_pass(given, changes):
    changed_rules = False
    now = given
    for number, new in changes:
        there = list(places(now))
        if there:
            path = there[number % len(there)]
            changed_rules = changed_rules or path[0] == "rulebook"
            now = changed(now, path, new)
    found = outcome(now)
    if given is FAILS and not changed_rules:
        assert found is not True
