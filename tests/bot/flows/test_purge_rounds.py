"""A round of deletions goes lot by lot, ends in time, and the next one goes on."""

from datetime import UTC, datetime, timedelta

from sqlmodel import func, select

from audit.facts import Source
from audit.licenses.declared_license import DeclaredLicense
from audit.sources.answers import Answer
from audit.store import answer_rows
from bot.flows.purge_rounds import BATCH_ROWS, Retention
from bot.store.merge_groups import MergeGroup
from bot.store.pulls.stored_facts import StoredFacts
from bot.store.records import DeliveryRecord, PullRecord, VerdictRecord

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
OLD = NOW - timedelta(days=401)


def left(sessions, table):
    """How many rows there are."""
    with sessions() as session:
        return session.exec(select(func.count()).select_from(table)).one()


def deliver(sessions, count):
    """So many old deliveries."""
    with sessions() as session:
        session.add_all(
            DeliveryRecord(guid=f"g{number}", event="x", action="", received_at=OLD, state="done", ids={})
            for number in range(count)
        )


def close(sessions, count):
    """So many pull requests that were closed long ago."""
    with sessions() as session:
        for number in range(1, count + 1):
            session.add(
                PullRecord(
                    repository_id=1, number=number, installation_id=1, owner_id=1, owner="o", name="n", open=False,
                    latest=1, evaluated=1, updated_at=OLD, evaluated_at=OLD, head_sha=f"{number:040d}",
                )
            )  # fmt: skip
        session.flush()
        for pull_id in session.exec(select(PullRecord.id)).all():
            session.add(VerdictRecord(pull_id=pull_id, head_sha="a", judged_at=OLD, conclusion="success", codes=[]))


def test_a_round_deletes_all_that_is_due_in_lots_with_pauses(sessions):
    deliver(sessions, 2 * BATCH_ROWS + 1)
    close(sessions, 45)
    pauses = []
    work = Retention(sessions, lambda: NOW, pause=lambda: pauses.append(1) or True)

    assert work.round() == 2 * BATCH_ROWS + 1 + 45
    assert (left(sessions, DeliveryRecord), left(sessions, VerdictRecord), left(sessions, PullRecord)) == (0, 0, 45)
    assert len(pauses) >= 4
    assert work.round() == 0


def test_old_facts_answers_and_merge_groups_are_deleted_in_lots(sessions):
    close(sessions, BATCH_ROWS + 2)
    with sessions() as session:
        ids = session.exec(select(PullRecord.id)).all()
        session.add_all(
            StoredFacts(pull_id=pull_id, head_sha="a", stored_at=at, sealed=b"", wrapped_key=b"", ring_key_id="k")
            for pull_id, at in zip(ids, [NOW, *[OLD] * (BATCH_ROWS + 1)], strict=True)
        )
        session.add_all(
            MergeGroup(
                repository_id=1, head_sha=f"{number}", installation_id=1, owner_id=1, owner="o", name="n", branch="main",
                numbers=[], requested_at=OLD if number else NOW, latest=1, judged=1, queued=0, attempts=0,
            )
            for number in range(BATCH_ROWS + 2)
        )  # fmt: skip
        for number in range(BATCH_ROWS + 2):
            said = Answer(DeclaredLicense("MIT"), Source.REGISTRY, "")
            answer_rows.keep(session, f"p{number}", said, at=OLD if number else NOW)
    pauses = []

    Retention(sessions, lambda: NOW - timedelta(days=1), pause=lambda: pauses.append(1) or True).round()

    assert [left(sessions, table) for table in (MergeGroup, answer_rows.AskedLicense)] == [1, 1]
    assert left(sessions, StoredFacts) == 1
    assert len(pauses) >= 3


def test_a_round_that_is_stopped_ends_after_its_lot_and_the_next_goes_on(sessions):
    deliver(sessions, 2 * BATCH_ROWS)
    close(sessions, 45)
    asked = iter([False, False])
    work = Retention(sessions, lambda: NOW, pause=lambda: next(asked, True))

    assert work.round() == BATCH_ROWS + 20
    assert work.round() == BATCH_ROWS + 25
    assert (left(sessions, DeliveryRecord), left(sessions, VerdictRecord)) == (0, 0)


def test_a_round_ends_after_its_time(sessions):
    deliver(sessions, 2 * BATCH_ROWS)
    assert Retention(sessions, lambda: NOW, seconds=0).round() == BATCH_ROWS
