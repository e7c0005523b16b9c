"""When commits are complete."""

from dataclasses import replace

import pytest

from agreements.facts import Commit
from bot.hub.by_graphql import look
from bot.hub.histories import settle
from bot.hub.line import Answer
from bot.hub.ports import Look, Place
from tests.bot.hub.shapes import connection, look_data, sha


class Told:
    """A line with one answer."""

    def query(self, _document, _variables):
        return Answer(look_data(connection([1, 2], 2), head=sha(2)))


START: Look = look(Told(), Place(77, "cann", "ops", 900), 3, ())


@pytest.mark.parametrize(
    ("shas", "head", "count", "why"),
    [
        ([1, 2], 2, 2, ""),
        ([1, 2, 2], 2, 2, ""),
        ([1, 2], 3, 2, "the head moved while the commits were read"),
        ([1, 2], 2, None, "GitHub did not say how many commits there are"),
        ([1, 2], 2, 3, "the number of commits changed while they were read"),
        ([2], 2, 2, "1 of 2 commits could be read"),
        ([1, 3], 2, 2, "the head is not among the commits"),
        ([], 2, 2, "0 of 2 commits could be read"),
    ],
)
def test_counted_unique_and_of_one_head(shas, head, count, why):
    """Complete only when nothing speaks against it; doubles count once."""
    commits = tuple(Commit(sha=sha(number)) for number in shas)

    found = settle(START, commits=commits, head_sha=sha(head), count=count)

    assert (found.complete, found.why) == (not why, why)
    assert len({commit.sha for commit in found.commits}) == len(found.commits)


def test_a_doubt_of_the_look_or_of_a_page_is_enough():
    """Even when all the numbers fit."""
    fitting = {"commits": START.commits, "head_sha": sha(2), "count": 2}

    assert settle(START, **fitting).complete
    assert settle(replace(START, doubt="twenty"), **fitting).why == "twenty"
    assert settle(START, **fitting, why="page").why == "page"


def test_no_commits_are_no_gap():
    """None reported and none read is complete; that nothing passes without commits is the judge's word."""
    nothing = replace(START, commits=(), commit_count=0)

    assert settle(nothing, commits=(), head_sha=sha(2), count=0).complete
