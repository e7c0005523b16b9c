"""All that the database has on one pull request is read at once."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import update

from agreements.facts import Check, Conclusion, Problem, Verdict
from bot.store import inbox
from bot.store.inbox import ReviewDelivery
from bot.store.pulls import recorded_pull, review_mailbox, verdicts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.published_item_rows import PullRequestItem
from bot.store.records import PullRecord
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
BOX = PullRequestIdentity(repository_id=11, number=1, installation_id=1, owner_id=7, owner="cann", name="ge")
OTHER = PullRequestIdentity(repository_id=11, number=2, installation_id=1, owner_id=7, owner="cann", name="ge")
HEAD = "a" * 40
RED = Verdict(
    conclusion=Conclusion.FAILURE,
    checks=(Check(name="DCO", conclusion=Conclusion.FAILURE, problems=(Problem(code="dco/missing", sha=HEAD),)),),
)


def arrive(session, guid, event, action, *, pull=BOX, after=0):
    """A delivery, stored and queued."""
    arrival = ReviewDelivery(guid=guid, event=event, action=action, pull=pull, ids={})
    inbox.store(session, [arrival], at=NOON + timedelta(seconds=after))
    inbox.queue(session, InlineEngine(), [arrival])


def test_a_recorded_pull_request_is_read_from_its_deliveries_to_its_comment(sessions):
    with sessions() as session:
        assert recorded_pull.read(session, 11, 1) is None
        arrive(session, "g2", "issue_comment", "created", after=5)
        arrive(session, "g1", "pull_request", "opened")
        arrive(session, "g3", "pull_request", "opened", pull=OTHER)
        found = recorded_pull.read(session, 11, 1)
    assert [delivery.guid for delivery in found.deliveries] == ["g1", "g2"]
    assert found.delivery("pull_request", "opened").received_at == NOON
    assert found.delivery("issue_comment").guid == "g2"
    assert found.delivery("pull_request", "closed") is None
    assert (found.is_settled, found.conclusion, found.has_comment, found.label) == (False, None, False, "")

    with sessions() as session:
        pull_id = review_mailbox.find(session, 11, 1).id
        inbox.tried(session, "g1", "GitHub answered 502")
        verdicts.add(session, pull_id, HEAD, RED, at=NOON)
        found = recorded_pull.read(session, 11, 1)
        assert (found.conclusion, found.error) == (None, "GitHub answered 502"), "the head is not known yet"
        session.execute(update(PullRecord).values(head_sha=HEAD, evaluated=2, evaluated_at=NOON, label="cla-required"))
        PullRequestItem(pull_id, "comment", "").intend(session, at=NOON)
        found = recorded_pull.read(session, 11, 1)
    assert (found.conclusion, found.judged_at, found.settled_at) == ("failure", NOON, NOON)
    assert [(code["code"], code["sha"]) for code in found.codes] == [("dco/missing", HEAD)]
    assert (found.is_settled, found.has_comment, found.label, found.is_open) == (True, True, "cla-required", True)
