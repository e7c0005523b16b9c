"""When commits are complete."""

from dataclasses import replace

import pytest

from agreements.completeness import AUTHORS, CHANGED, COAUTHORS, DIFFERS, MOVED, NO_COUNT, NO_HEAD, REPEATED
from agreements.facts import Commit
from bot.github.by_graphql import fetch_snapshot
from bot.github.client.transport import Answer
from bot.github.histories import settle
from bot.github.ports import Place, PullRequestSnapshot
from tests.bot.github.shapes import connection, look_data, sha


class Told:
    """A line with one answer."""

    def query(self, _document, _variables):
        return Answer(look_data(connection([1, 2], 2), head=sha(2)))


START: PullRequestSnapshot = fetch_snapshot(Told(), Place(77, "cann", "ops", 900), 3, ())


@pytest.mark.parametrize(
    ("shas", "head", "count", "doubt"),
    [
        ([1, 2], 2, 2, ""),
        ([1, 2, 2], 2, 2, ""),
        ([1, 2], 3, 2, MOVED),
        ([1, 2], 2, None, NO_COUNT),
        ([1, 2], 2, 3, CHANGED),
        ([2], 2, 2, DIFFERS),
        ([1, 3], 2, 2, NO_HEAD),
        ([], 2, 2, DIFFERS),
    ],
)
def test_counted_unique_and_of_one_head(shas, head, count, doubt):
    """Complete only when nothing speaks against it; doubles count once."""
    commits = tuple(Commit(sha=sha(number)) for number in shas)

    found = settle(START, commits=commits, head_sha=sha(head), count=count)

    assert (found.complete, found.doubt) == (not doubt, doubt)
    assert len({commit.sha for commit in found.commits}) == len(found.commits)


def test_a_doubt_known_already_is_enough():
    """Even when all the numbers fit; but that co-authors are missing says least."""
    fitting = {"commits": START.commits, "head_sha": sha(2), "count": 2}

    assert settle(START, **fitting).complete
    assert settle(START, **fitting, doubt=REPEATED).doubt == REPEATED
    assert settle(START, **fitting, doubt=AUTHORS).doubt == AUTHORS
    assert settle(START, **{**fitting, "count": 3}, doubt=COAUTHORS).doubt == CHANGED
    assert settle(START, **{**fitting, "count": 3}, doubt=REPEATED).doubt == REPEATED


def test_no_commits_are_no_gap():
    """None reported and none read is complete; that nothing passes without commits is the judge's word."""
    nothing = replace(START, commits=(), commit_count=0)

    assert settle(nothing, commits=(), head_sha=sha(2), count=0).complete
