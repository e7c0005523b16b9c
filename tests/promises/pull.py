"""A pull request as JSON facts, so that a promise is a line in a table: Ada (11) opens it and wrote its one commit."""

import json

from agreements.json.facts_reader import read
from agreements.judge import judge

HEAD = "a" * 40
THEN = "2026-01-01T00:00:00Z"
NOW = "2026-11-21T00:00:00Z"
LATER = "2026-11-21T00:00:01Z"


def account(number, login="", kind="User"):
    """An account as GitHub sends it."""
    return {"id": number, "login": login, "type": kind}


ADA, BO, EVE = account(11, "ada"), account(12, "bo"), account(66, "eve")
BOT = account(99, "helper[bot]", "Bot")


def commit(who=ADA, email="ada@home.org", *, name="Ada", message="Add it", sha=HEAD, **changes):
    """A commit by that account with that git identity; `who` None is an address of no account."""
    git = {"name": name, "email": email}
    whole = {"sha": sha, "message": message, "parents": ["0" * 40], "verified": None, "authored_at": THEN,
             "author": git, "author_account": who, "committer": git, "committer_account": who}  # fmt: skip
    return json.loads(json.dumps({**whole, **changes}))


def coauthor(who=None, email="bo@home.org", name="Bo"):
    """A co-author as GitHub lists them."""
    return {"name": name, "email": email, "account": who}


def signature(number=11, **changes):
    """That account's signature of the present ICLA."""
    return {"agreement": "icla", "version": "2.0", "account": {"id": number, "login": ""}, "signed_at": THEN, **changes}


def company(*covers, excludes=(), **changes):
    """A company with the present CCLA that covers these entries."""
    whole = {"name": "Firm", "agreement": "ccla", "version": "2.0", "signed_at": THEN, "ended_at": None}
    return {**whole, "covers": list(covers), "excludes": list(excludes), **changes}


def facts(*commits, require="cla", rulebook=None, opener=ADA, request=None, **changes):
    """The whole facts; `signatures`, `companies`, `emails`, `senders` and the like are none unless given."""
    commits = commits or (commit(),)
    book = {"version": 1, "repositories": [{"match": ["*"], "require": require}], **(rulebook or {})}
    asked = {"number": 7, "opener": opener, "created_at": THEN, "base": "main", "head_sha": commits[-1]["sha"],
             "labels": [], "files": []}  # fmt: skip
    whole = {"rulebook": book, "repository": {"full_name": "cann/ops", "owner_type": "Organization"},
             "pull_request": {**asked, **(request or {})}, "commit_count": len(commits), "commits": list(commits), "now": NOW}  # fmt: skip
    return json.loads(json.dumps({**whole, **changes}))


def verdict(given):
    """The verdict, by the way that every caller takes: plain data, reader, judge."""
    return judge(read(given))


def passes(*commits, **changes):
    """Whether these facts pass."""
    return verdict(facts(*commits, **changes)).conclusion.passes


def people(*commits, **changes):
    """What the CLA check says: a list of (code, role, account id or None), problems first."""
    check = next(check for check in verdict(facts(*commits, **changes)).checks if check.name == "CLA")
    assert check.conclusion.passes is (not check.problems)
    return [
        (problem.code, problem.role, problem.account.id if problem.account else None)
        for problem in (*check.problems, *check.notes)
    ]


def ada(*commits, **changes):
    """The one code that the check gives for Ada."""
    (code,) = [code for code, _, number in people(*commits, **changes) if number == 11]
    return code


def sign_off(*commits, **changes):
    """The codes of each commit in the DCO check."""
    check = next(check for check in verdict(facts(*commits, require="dco", **changes)).checks if check.name == "DCO")
    assert check.conclusion.passes is (not check.problems)
    return [result.codes for result in check.commits]
