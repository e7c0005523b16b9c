"""The pull requests that are red now with their reasons, and verdicts in numbers."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from agreements.facts import Check, Conclusion, Note, Problem, Verdict
from agreements.vault import WrappedKey
from bot.store.pulls import posts, pull_state, red_pulls, stored_facts, verdicts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.red_pulls import OpenTotals, RedFilter
from bot.store.pulls.stored_facts import EncryptedFacts
from bot.store.records import PullRecord
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
BOX = PullRequestIdentity(repository_id=11, number=1, installation_id=1, owner_id=7, owner="cann", name="ge")
GREEN = Verdict(conclusion=Conclusion.SUCCESS, checks=())


def red(*codes):
    """A verdict that has these problems."""
    problems = tuple(Problem(code=code) for code in codes)
    check = Check(name="CLA", conclusion=Conclusion.FAILURE, problems=problems)
    return Verdict(conclusion=Conclusion.FAILURE, checks=(check,))


@pytest.fixture(name="pulls")
def _pulls(sessions):
    """1 is red for two reasons; 2 was red and is green since; 3 was green and is red; 4 is red and closed; 5 is not judged."""
    with sessions() as session:
        ids = []
        for number in range(1, 6):
            box = replace(BOX, number=number, **({"name": "hal", "repository_id": 12} if number == 3 else {}))
            ids.append(posts.post(session, InlineEngine(), box)[0])
        given = (
            (0, red("cla/unsigned", "dco/missing", "dco/missing"), 0), (1, red("cla/unsigned"), 0), (1, GREEN, 3),
            (2, GREEN, 1), (2, red("cla/unlinked-email"), 2), (3, red("cla/unsigned"), 0),
        )  # fmt: skip
        for index, verdict, hours in given:
            verdicts.add(session, ids[index], "a" * 40, verdict, at=NOON + hours * HOUR)
        session.get(PullRecord, ids[3]).open = False
    return ids


def found(sessions, skip=0, most=9, **wanted):
    """Numbers of those that are listed."""
    with sessions() as session:
        return [pull.number for pull in red_pulls.listed(session, RedFilter(**wanted), skip=skip, most=most)]


def test_an_old_pull_request_that_turned_red_just_now_is_the_newest(sessions, pulls):
    with sessions() as session:
        verdicts.add(session, pulls[1], "a" * 40, red("dco/missing"), at=NOON + 9 * HOUR)
    assert found(sessions) == [2, 3, 1]
    assert found(sessions, oldest=True) == [1, 3, 2]
    assert found(sessions, skip=1, most=1) == [3]


def test_open_pull_requests_whose_newest_verdict_is_red_are_listed(sessions, pulls):
    assert found(sessions) == [3, 1]
    assert found(sessions, oldest=True) == [1, 3]
    assert found(sessions, skip=1) == [1]
    assert found(sessions, most=1) == [3]
    with sessions() as session:
        first, last = red_pulls.listed(session, RedFilter(), skip=0, most=9)
    assert (last.owner, last.name, last.since, last.codes) == ("cann", "ge", NOON, ("cla/unsigned", "dco/missing"))
    assert red_pulls.reasons([first, last]) == {"cla/unsigned": 1, "dco/missing": 1, "cla/unlinked-email": 1}


def test_a_pull_request_is_red_since_it_last_turned_red(sessions, pulls):
    with sessions() as session:
        for hours, verdict in ((4, red("cla/unsigned")), (9, red("dco/missing"))):
            verdicts.add(session, 3, "b" * 40, verdict, at=NOON + hours * HOUR)
        for hours, verdict in ((5, GREEN), (5, red("cla/unsigned"))):
            verdicts.add(session, 2, "b" * 40, verdict, at=NOON + hours * HOUR)
        since = {pull.number: pull.since for pull in red_pulls.listed(session, RedFilter(), skip=0, most=9)}
    assert since == {1: NOON, 2: NOON + 5 * HOUR, 3: NOON + 2 * HOUR}


def test_red_pull_requests_are_filtered_by_repository_and_whole_code(sessions, pulls):
    assert found(sessions, repository="HAL") == [3]
    assert found(sessions, repository="cann/ge") == [1]
    assert found(sessions, repository="other/ge") == []
    assert found(sessions, code="dco/missing") == [1]
    assert found(sessions, code="cla/uns") == []
    assert found(sessions, code="cla/unlinked%") == []


def test_red_pull_requests_of_given_participants_are_listed_once(sessions, pulls):
    with sessions() as session:
        for pull_id, people in zip(session.exec(select(PullRecord.id).order_by(PullRecord.id)).all(), ((11, 12), (11,), (12,), (11,), (11,)), strict=True):  # fmt: skip
            pull_state.replace_participants(session, pull_id, people)
        session.get(PullRecord, 1).private, session.get(PullRecord, 3).private = False, True
    with sessions() as session:
        named = {ids: [(account.number, account.private) for account in red_pulls.of_accounts(session, ids)] for ids in ((11,), (11, 12), (13,), ())}  # fmt: skip
    assert named == {(11,): [(1, False)], (11, 12): [(1, False), (3, True)], (13,): [], (): []}


def test_verdicts_are_counted_by_span_with_their_times_to_green(sessions, pulls):
    with sessions() as session:
        spans = ((NOON, NOON + HOUR), (NOON + HOUR, NOON + 9 * HOUR))
        assert red_pulls.judged_between(session, *spans) == (3, 3)
        assert list(red_pulls.times_to_green(session, NOON)) == [(NOON + 3 * HOUR, 3 * HOUR)]
        assert list(red_pulls.times_to_green(session, NOON + HOUR)) == []


def test_red_verdicts_are_given_with_each_code_once(sessions, pulls):
    with sessions() as session:
        everything = [sorted(codes) for _, _, codes in red_pulls.red_by_reason(session, NOON)]
        later = [(at, codes) for at, _, codes in red_pulls.red_by_reason(session, NOON + HOUR)]
    assert sorted(everything) == [
        ["cla/unlinked-email"],
        ["cla/unsigned"],
        ["cla/unsigned"],
        ["cla/unsigned", "dco/missing"],
    ]
    assert later == [(NOON + 2 * HOUR, {"cla/unlinked-email"})]


def test_open_pull_requests_are_counted_by_account_and_verdict(sessions, pulls):
    note = Check(name="CLA", conclusion=Conclusion.NEUTRAL, notes=(Note(code="rules/before-since"),))
    older = Verdict(conclusion=Conclusion.NEUTRAL, checks=(note,))
    facts = EncryptedFacts(b"sealed", WrappedKey("k1", b"key"))
    with sessions() as session:
        ids = list(session.exec(select(PullRecord.id).order_by(PullRecord.id)))
        verdicts.add(session, ids[1], "a" * 40, older, at=NOON + 9 * HOUR)
        elsewhere, _ = posts.post(session, InlineEngine(), replace(BOX, owner_id=8, repository_id=13))
        for pull_id in (ids[0], ids[3]):
            stored_facts.keep(session, pull_id, "a" * 40, facts, at=NOON)
        for pull_id, people in ((ids[0], (11, 12)), (ids[1], (12,)), (ids[3], (13,)), (elsewhere, (14,))):
            pull_state.replace_participants(session, pull_id, people)
    with sessions() as session:
        found = {owner_id: red_pulls.open_totals(session, owner_id) for owner_id in (7, 8, 9, None)}
        people = {owner_id: sorted(session.scalars(red_pulls.people_of_open(owner_id))) for owner_id in (7, 8, 9, None)}

    ours = OpenTotals(known=4, red=2, passing=1, before_since=1, replayable=1)
    empty = OpenTotals(known=0, red=0, passing=0, before_since=0, replayable=0)
    assert found == {7: ours, 8: replace(empty, known=1), 9: empty, None: replace(ours, known=5)}
    assert people == {7: [11, 12], 8: [14], 9: [], None: [11, 12, 14]}


def test_red_pull_requests_are_listed_by_the_id_of_their_owner(sessions, pulls):
    with sessions() as session:
        session.get(PullRecord, 3).owner_id = 8
    assert found(sessions, owner_id=7) == [1]
    assert found(sessions, owner_id=8) == [3]
