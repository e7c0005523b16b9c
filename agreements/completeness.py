"""Tells if the facts are complete: commits, co-authors and pushes that are missing are a problem, never a pass."""

from typing import Final

from agreements.facts import Facts, Problem

NO_COUNT: Final = "their number is not known"
DIFFERS: Final = "their number differs from what GitHub reports"
NO_HEAD: Final = "the head commit is not among them"
MOVED: Final = "somebody pushed while they were read"
CHANGED: Final = "their number changed while they were read"
REPEATED: Final = "GitHub repeated a page of them"
TOO_MANY: Final = "no more than 10,000 are read"
REST_ONLY: Final = "GitHub's GraphQL API does not answer, and its REST API lists no more than 250"
COAUTHORS: Final = "the accounts of co-authors are not known"
"""GitHub's GraphQL API does not tell them, and its REST API never does."""
AUTHORS: Final = "not all co-authors were read"
ACCOUNTS: Final = "the accounts of authors are not known"
"""GitHub refuses to tell them: that is not the same as an address without an account."""

DOUBTS: Final = (
    NO_COUNT,
    DIFFERS,
    NO_HEAD,
    MOVED,
    CHANGED,
    REPEATED,
    TOO_MANY,
    REST_ONLY,
    COAUTHORS,
    AUTHORS,
    ACCOUNTS,
)
"""The doubts about the commits that the caller may state, or the facts show."""
OF_PEOPLE: Final = {COAUTHORS: "accounts-of-coauthors", AUTHORS: "coauthors", ACCOUNTS: "accounts-of-authors"}
"""The doubts in which all commits are there, and what is in doubt instead."""


def commits_problem(facts: Facts, *, coauthors: bool) -> Problem | None:
    """The reason why the commits can't be judged (none, some missing, not those of this head); None when they can.

    `coauthors`: whether it matters who the co-authors are. The authors always matter: one may be an AI agent.
    """
    # A commit that is listed twice counts once.
    have, reported = len({commit.sha for commit in facts.commits}), facts.commit_count
    if not have and reported == 0:
        return Problem(code="facts/empty")
    of_people = OF_PEOPLE.get(facts.commits_doubt)
    if reported is None:
        why = NO_COUNT
    elif facts.commits_doubt and of_people is None:
        why = facts.commits_doubt
    elif have != reported:
        why = DIFFERS
    # A push since then: the facts are of two heads.
    elif all(commit.sha != facts.pull_request.head_sha for commit in facts.commits):
        why = NO_HEAD
    elif of_people and (coauthors or facts.commits_doubt == ACCOUNTS):
        return Problem(code="facts/incomplete", values={"of": of_people})
    else:
        return None
    return Problem(code="facts/incomplete", values={"have": have, "reported": reported, "why": why})


def pushes_problem(facts: Facts, override: str) -> Problem | None:
    """The problem that a pusher is not known; None when all are known. `override`: who may set it aside."""
    if not facts.unknown_pushes:
        return None
    heads = tuple(sha[:7] for sha in facts.unknown_pushes)
    # Never final: the person who reopens the pull request answers for all of its pushes.
    return Problem(code="facts/incomplete", values={"of": "pushes", "heads": heads, "override": override})
