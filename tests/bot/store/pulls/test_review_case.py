"""One query reads all that is stored of a pull request and its head."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event

from agreements.facts import Account, Conclusion, Verdict
from bot.store import license_checks, owners, sweeps
from bot.store.license_checks import Head
from bot.store.pulls import (
    heads,
    overrides,
    paused_items,
    posts,
    pull_state,
    pushes,
    review_case,
    verdicts,
    why_questions,
)
from bot.store.pulls.heads import CheckRunOwner
from bot.store.pulls.overrides import OverrideDraft
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.published_item_rows import KnownItem, PullRequestItem
from bot.store.records import DeliveryRecord, PullRecord
from bot.store.statements import change
from tests.bot.store.pulls.test_pull_state import fetch_snapshot
from tests.within import within

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HEAD, OTHER = "a" * 40, "b" * 40
BOX = PullRequestIdentity(repository_id=11, number=5, installation_id=1, owner_id=7, owner="cann", name="ge")
RED, GREEN = (Verdict(conclusion=conclusion) for conclusion in (Conclusion.FAILURE, Conclusion.SUCCESS))


@pytest.fixture(name="pull_id")
def _pull_id(sessions, jobs, vault):
    """A pull request about which everything is stored, beside another one of which it is, too."""
    with sessions() as session:
        numbers = [posts.post(session, jobs, replace(BOX, number=number))[0] for number in (5, 6)]
    for number, pull_id in enumerate(numbers, 5):
        with sessions() as session:
            for sequence, head in enumerate((OTHER, HEAD), 1):
                pushes.record(session, pull_id, Account(number, "ann"), after=head, before="", sequence=sequence)
                verdicts.add(session, pull_id, head, RED, at=NOON - timedelta(hours=sequence))
            pushes.write_attribution(session, pull_id, pushes.Attribution((), new_batch=(2, [HEAD])))
            change(session, PullRecord, {"id": pull_id}, attributed=2)
            pull_state.replace_participants(session, pull_id, {number, 40})
            heads.keep(session, 11, HEAD, pull_id, number)
            PullRequestItem(pull_id, "check", HEAD).intend(session, at=NOON)
            why_questions.ask(session, pull_id)
            paused_items.remember_refusal(session, pull_id, "comment", HEAD, at=NOON)
            for at, head in enumerate((OTHER, HEAD)):
                draft = OverrideDraft(
                    pull_id=pull_id, kind="cla", account_id=42, head_sha=head, by=Account(1, "boss"), by_role="admin",
                    comment_id=10 * number + at, reason="known",
                )  # fmt: skip
                overrides.add(within(session, vault, NOON, f"{number}-{at}"), draft)
    return numbers[0]


def read(sessions, pull_id):
    """As a review at HEAD does, and how many statements that took."""
    asked = []
    with sessions() as session:
        connection = session.connection()
        event.listen(connection, "before_cursor_execute", lambda *given: asked.append(given[2]))
        return review_case.read(session, pull_id, fetch_snapshot(head_sha=HEAD)), len(asked)


def test_one_query_reads_all_that_is_stored_of_a_pull_request_and_its_head(sessions, pull_id, jobs):
    with sessions() as session:
        owners.remember_rules(session, fetch_snapshot().owner_id, "version: 1\n", valid=True, at=NOON)
        sweeps.restored(session, at=NOON)
        license_checks.ask(session, jobs, Head(11, HEAD), {5: "x"}, queue="later")
    case, statements = read(sessions, pull_id)

    assert statements == 1
    assert (case.pull.id, case.pull.number, case.pull.latest) == (pull_id, 5, 1)
    assert [(push.sequence, push.after, push.sender_id) for push in case.pushes.pushes] == [(1, OTHER, 5), (2, HEAD, 5)]
    assert (case.pushes.batches, case.pushes.attributed) == ({2: frozenset({HEAD})}, 2)
    assert case.participants == {5, 40}
    assert [(override.id, override.at) for override in case.overrides] == [("5-1", NOON)]
    assert case.keeper == CheckRunOwner(pull_id, 5)
    assert case.items == {("check", HEAD): KnownItem(NOON)}
    assert (case.last.head_sha, case.last.judged_at) == (OTHER, NOON - timedelta(hours=1))
    assert not case.is_new_head
    assert case.question.waiting
    assert case.paused.is_refused("comment", HEAD, at=NOON)
    assert (case.owner.rules, case.has_licenses, case.restored_at) == ("version: 1\n", True, NOON)


def test_a_new_pull_request_has_its_row_alone(sessions, jobs):
    with sessions() as session:
        pull_id, _ = posts.post(session, jobs, BOX)
    case, _ = read(sessions, pull_id)

    assert (case.pushes.pushes, case.participants, case.overrides, dict(case.items)) == ((), frozenset(), (), {})
    assert (case.keeper, case.last, case.question, case.owner, case.restored_at) == (None,) * 5
    assert (case.is_new_head, case.has_licenses) == (True, False)


def test_of_two_verdicts_at_one_moment_the_one_stored_later_is_the_last(sessions, pull_id):
    with sessions() as session:
        verdicts.add(session, pull_id, HEAD, GREEN, at=NOON - timedelta(hours=1))
    assert read(sessions, pull_id)[0].last.conclusion == "success"


def test_what_a_squash_holds_is_as_the_newest_event_of_the_pull_request_tells(sessions, pull_id, jobs):
    def told(guid, sequence, event="pull_request", **ids):
        with sessions() as session:
            row = DeliveryRecord(guid=guid, event=event, action="x", received_at=NOON, state="done", ids=ids)
            row.pull_id, row.sequence = pull_id, sequence
            session.add(row)
        return read(sessions, pull_id)[0].squash

    assert read(sessions, pull_id)[0].squash == ""
    assert told("b", 3, squash="BLANK") == "BLANK"
    assert told("a", 2, squash="PR_BODY") == "BLANK"
    assert told("c", 4, event="issue_comment") == "BLANK"
    assert told("d", 5) == "", "of the release before, or not told"
