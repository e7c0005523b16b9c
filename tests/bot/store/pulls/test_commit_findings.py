"""Findings about commits: recorded once, renewed, counted as news, listed, forgotten; and what is known of a head."""

from datetime import timedelta

import pytest

from agreements.facts import Check, Conclusion, Verdict
from bot.github.ports import RepositoryPlace
from bot.store.pulls import commit_findings, posts, review_mailbox, verdicts
from bot.store.pulls.commit_findings import FINDING_RETENTION, HeadVerdict, PushedBranch, UnjudgedCommit
from tests.bot.jobs.inline import InlineEngine
from tests.bot.store.pulls.test_red_pulls import BOX, NOON

PUSH = PushedBranch(place=RepositoryPlace(5, "cann", "ops", 11), branch="main", base_shas=("0" * 40,))
STRAIGHT, LOST = UnjudgedCommit("a" * 40, "no-pull-request"), UnjudgedCommit("b" * 40, "lost-signoff", 7, 2)
HOUR = timedelta(hours=1)


def record(sessions, *found, at=NOON, push=PUSH):
    """Record these; the numbers of new ones."""
    with sessions() as session:
        return dict(commit_findings.record(session, push, found, at=at))


def test_a_finding_is_new_once_and_keeps_its_moment_when_it_is_found_again(sessions):
    assert record(sessions, STRAIGHT, LOST) == {"no-pull-request": 1, "lost-signoff": 1}
    assert record(sessions, UnjudgedCommit("a" * 40, "not-judged", 8), at=NOON + HOUR) == {}
    with sessions() as session:
        row = commit_findings.find(session, 11, "a" * 40)
        assert (row.kind, row.number, row.found_at, row.base_sha) == ("not-judged", 8, NOON, "0" * 40)
        commit_findings.settle(session, 11, "a" * 40)
    with sessions() as session:
        assert [row.count for row in commit_findings.listed(session, skip=0, most=9)] == [2]


def test_findings_are_listed_by_repository_and_kind_the_newest_first(sessions):
    record(sessions, STRAIGHT)
    record(sessions, LOST, at=NOON + HOUR)
    with sessions() as session:

        def shas(**wanted):
            return [row.sha[0] for row in commit_findings.listed(session, skip=0, most=9, **wanted)]

        assert shas() == ["b", "a"]
        assert shas(kind="no-pull-request", repository="CANN/ops") == ["a"]
        assert shas(repository="hal") == []
        assert shas(kind="none of these") == ["b", "a"]


def test_lost_sign_offs_of_one_repository_are_news_once_in_a_row_and_other_findings_each_time(sessions):
    for day in range(9):
        at = NOON + timedelta(days=day)
        record(
            sessions,
            UnjudgedCommit(f"{day:040}", "lost-signoff", day),
            UnjudgedCommit(f"f{day:039}", "not-judged"),
            at=at,
        )
    with sessions() as session:
        news = [
            commit_findings.count_news(session, NOON + timedelta(days=day, hours=-1), NOON + timedelta(days=day))
            for day in range(9)
        ]
    assert news == [2, *[1] * 6, 1, 1]


def test_old_findings_are_forgotten_in_lots(sessions):
    record(sessions, STRAIGHT, LOST)
    late = NOON + FINDING_RETENTION + HOUR
    with sessions() as session:
        assert commit_findings.purge(session, at=NOON + FINDING_RETENTION, most=9) == 0
        assert [commit_findings.purge(session, at=late, most=1) for _ in range(3)] == [1, 1, 0]


@pytest.mark.parametrize(
    ("ended", "head", "expected"),
    [
        (Conclusion.SUCCESS, "a" * 40, HeadVerdict(passes=True, asks_for_signoffs=False)),
        (Conclusion.NEUTRAL, "a" * 40, HeadVerdict(passes=True, asks_for_signoffs=False)),
        (Conclusion.ACTION_REQUIRED, "a" * 40, HeadVerdict(passes=False, asks_for_signoffs=False)),
        (Conclusion.SUCCESS, "b" * 40, None),
    ],
)
def test_only_the_newest_verdict_counts_and_only_for_its_head(sessions, ended, head, expected):
    with sessions() as session:
        assert commit_findings.verdict_on(session, BOX.repository_id, BOX.number, head) is None
        pull_id = posts.post(session, InlineEngine(), BOX)[0]
        assert review_mailbox.find(session, BOX.repository_id, BOX.number) is not None
        assert commit_findings.verdict_on(session, BOX.repository_id, BOX.number, head) is None
        given = Verdict(conclusion=ended, checks=(Check(name="CLA", conclusion=ended),))
        verdicts.add(session, pull_id, "b" * 40, given, at=NOON - HOUR)
        verdicts.add(session, pull_id, "a" * 40, given, at=NOON)
        assert commit_findings.verdict_on(session, BOX.repository_id, BOX.number, head) == expected
