"""Old rows are deleted in lots, except evidence and what open pull requests need."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func
from sqlmodel import select

from agreements.facts import Account
from bot.store import history_retention, inbox
from bot.store.license_checks import LicenseCheck
from bot.store.pulls import heads, posts, pushes
from bot.store.pulls.overrides import OverrideRow
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.published_item_rows import PullRequestItem
from bot.store.records import (
    DeliveryRecord,
    FirstSeen,
    Participant,
    PublishedItemRow,
    PullRecord,
    PushRecord,
    VerdictRecord,
)
from tests.bot.jobs.inline import InlineEngine

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
OLD = NOW - timedelta(days=401)
HISTORY = (PushRecord, FirstSeen, VerdictRecord, Participant, heads.HeadRow, LicenseCheck)


def deliver(session, guid, state, at):
    """One stored delivery."""
    session.add(DeliveryRecord(guid=guid, event="pull_request", action="opened", received_at=at, state=state, ids={}))


def left(session, table=DeliveryRecord):
    """How many rows."""
    return session.exec(select(func.count()).select_from(table)).one()


def test_deliveries_are_deleted_by_age_and_waiting_ones_stay(sessions):
    days = timedelta(days=1)
    with sessions() as session:
        for age in (1, 4, 29, 31, 32, 33, 91):
            for state in ("done", "failed", "received"):
                deliver(session, f"{state}-{age}", state, NOW - age * days)
    with sessions() as session:
        assert history_retention.deliveries(session, at=NOW, most=2) == 2
        assert inbox.arrived(session, ["done-91", "done-33", "done-32"]) == {"done-32"}
    with sessions() as session:
        assert history_retention.deliveries(session, at=NOW, most=100) == 3
        assert history_retention.deliveries(session, at=NOW, most=100) == 0
        assert sorted(row.guid for row in inbox.listed(session)) == sorted(
            [f"done-{age}" for age in (1, 4, 29)]
            + [f"failed-{age}" for age in (1, 4, 29, 31, 32, 33)]
            + [f"received-{age}" for age in (1, 4, 29, 31, 32, 33, 91)]
        )


def test_a_guid_is_known_for_longer_than_github_redelivers(sessions):
    assert history_retention.DONE_RETENTION > timedelta(days=3)
    with sessions() as session:
        deliver(session, "g", "done", NOW - timedelta(days=4))
        assert history_retention.deliveries(session, at=NOW, most=10) == 0
        arrival = inbox.ReviewDelivery(guid="g", event="pull_request", ids={})
        assert inbox.store(session, [arrival], at=NOW) == [False]


def pull(session, number, *, at=OLD, sha="a" * 40, **changes):
    """A closed pull request with everything that is kept of one; its id."""
    box = PullRequestIdentity(repository_id=11, number=number, installation_id=1, owner_id=7, owner="cann", name="ge")
    pull_id = posts.post(session, InlineEngine(), box)[0]
    values = {
        "open": False,
        "head_sha": sha,
        "updated_at": at,
        "evaluated_at": at,
        "evaluated": 1,
        "due_at": None,
    } | changes
    row = session.get(PullRecord, pull_id)
    for name, value in values.items():
        setattr(row, name, value)
    pushes.record_all(session, [pushes.HeadPush(pull_id, Account(42, "mia"), sha, "", 1)])
    session.add(FirstSeen(pull_id=pull_id, sequence=1, shas=[sha]))
    session.add(VerdictRecord(pull_id=pull_id, head_sha=sha, judged_at=at, conclusion="success", codes=[]))
    session.add(Participant(pull_id=pull_id, account_id=42))
    session.flush()
    heads.keep(session, 11, sha, pull_id, row.number)
    if session.get(LicenseCheck, (11, sha)) is None:
        session.add(LicenseCheck(repository_id=11, head_sha=sha, basis={}))
    for kind, head in (("check", sha), ("comment", "")):
        PullRequestItem(pull_id, kind, head).intend(session, at=at)
    session.flush()
    return pull_id


def forget(sessions):
    """Everything that is due, as a round does."""
    with sessions() as session:
        due, last = history_retention.closed_pulls(session, after=0, at=NOW, most=100)
    with sessions() as session:
        deleted = history_retention.forget_history(session, due, at=NOW)
    with sessions() as session:
        assert history_retention.closed_pulls(session, after=last or 0, at=NOW, most=100) == ([], None)
        assert history_retention.closed_pulls(session, after=0, at=NOW, most=100)[0] == [], "once"
    return due, deleted


def test_the_history_of_a_closed_pull_request_is_deleted_and_its_row_stays(sessions):
    with sessions() as session:
        pull_id = pull(session, 5)
    assert forget(sessions) == ([pull_id], 7)
    with sessions() as session:
        assert [left(session, table) for table in HISTORY] == [0] * 6
        assert left(session, PullRecord) == 1
        assert [row.kind for row in session.exec(select(PublishedItemRow))] == ["comment"]


@pytest.mark.parametrize(
    "changes",
    [
        {"open": True},
        {"at": NOW - timedelta(days=399)},
        {"evaluated": 0},
        {"lease_by": "job/1", "lease_until": NOW + timedelta(minutes=1)},
        {"updated_at": NOW},
        {"evaluated_at": NOW},
        {"updated_at": None, "evaluated_at": None},
    ],
    ids=str,
)
def test_the_history_of_a_pull_request_that_may_be_needed_stays(sessions, changes):
    with sessions() as session:
        pull_id = pull(session, 5, **changes)
    assert forget(sessions) == ([], 0)
    with sessions() as session:
        assert history_retention.forget_history(session, [pull_id], at=NOW) == 0, (
            "also when it became so after it was found"
        )
        assert [left(session, table) for table in HISTORY] == [1] * 6


def test_the_history_stays_while_an_open_pull_request_shares_the_run(sessions):
    with sessions() as session:
        pull(session, 5)
        other = pull(session, 6, open=True)
    assert forget(sessions) == ([], 0)
    with sessions() as session:
        session.get(PullRecord, other).open = False
    assert len(forget(sessions)[0]) == 2


def test_overrides_stay_as_evidence(sessions):
    with sessions() as session:
        pull_id = pull(session, 5)
        session.add(
            OverrideRow(
                id="o", pull_id=pull_id, kind="dco", head_sha="a" * 40, by_account_id=1, by_login="b", by_role="admin",
                comment_id=7, reason=b"x", at=OLD,
            )
        )  # fmt: skip
    assert forget(sessions)[0] == [pull_id]
    with sessions() as session:
        assert left(session, OverrideRow) == 1


def test_a_pull_request_reopened_later_begins_anew(sessions):
    with sessions() as session:
        pull_id = pull(session, 5)
    forget(sessions)
    with sessions() as session:
        box = PullRequestIdentity(repository_id=11, number=5, installation_id=1, owner_id=7, owner="cann", name="ge")
        again, sequence = posts.post(session, InlineEngine(), box)[:2]
        assert (again, sequence) == (pull_id, 2)
        pushes.record_all(session, [pushes.HeadPush(pull_id, Account(43, "bob"), "a" * 40, "", 2)])
        assert [row.sender_id for row in session.exec(select(PushRecord))] == [43]
