"""A stopped worker, a backup that is late, webhooks that stay away: each named, each with its remedy; a fresh start is none of them."""

from datetime import UTC, datetime, timedelta

import pytest

from bot import clock
from bot.store import executors, inbox, service_record
from bot.store.pulls import paused_items, posts
from bot.store.service_record import LastDelivery
from tests.bot import deliveries
from tests.bot.jobs.inline import InlineEngine

HOUR = timedelta(hours=1)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def remember(deployed, *, served=None, backup=None, delivery=None):
    """What happened so long ago; gives the moment from which it is counted back."""
    now = clock.now()
    with deployed.sessions() as session:
        if served is not None:
            service_record.served(session, at=now - served)
        if backup is not None:
            service_record.backed_up(session, at=now - backup)
    if delivery is not None:
        last = LastDelivery(lambda: now - delivery)
        last.note()
        last.store(deployed.sessions)
    return now


def whole(deployed, name):
    """An item with its severity and remedy."""
    [found] = [item for item in deployed.report().items if item.id == name]
    return found


@pytest.mark.slow
def test_only_workers_heard_of_lately_count(deployed):
    assert deployed.item("work.workers") == ("pass", "1 worker is running.")
    with deployed.sessions() as session:
        executors.beat(session, "other", at=clock.now())
        executors.beat(session, "dead", at=clock.now() - timedelta(minutes=1))
    assert deployed.item("work.workers") == ("pass", "2 workers are running.")


def test_a_stopped_server_is_a_d_with_the_way_to_start_it(deployed):
    with deployed.sessions() as session:
        executors.forget(session, "worker")
        executors.beat(session, "killed", at=clock.now() - timedelta(minutes=1))
    found = whole(deployed, "work.workers")
    assert (found.status, found.message) == ("fail", "No worker is running, so every pull request waits.")
    assert "countersign serve" in found.remedy
    assert deployed.report().grade == "D"


@pytest.mark.slow
def test_no_backup_on_the_first_day_is_no_failure(deployed):
    said = "No backup of this database was ever recorded"
    assert deployed.item("database.backup") == ("not-applicable", f"{said}; it has not been served yet.")
    remember(deployed, served=3 * HOUR)
    assert deployed.item("database.backup") == ("not-applicable", f"{said}; it has been served for 3 hours.")
    kinds = ("database.", "work.", "webhook.silence")
    assert all(item.is_met for item in deployed.report().items if item.id.startswith(kinds))


def test_no_backup_after_the_first_day_fails_with_its_remedy(deployed):
    remember(deployed, served=40 * HOUR)
    found = whole(deployed, "database.backup")
    assert (found.status, found.severity) == ("fail", "high")
    assert found.message == "No backup of this database was ever recorded; it has been served for 40 hours."
    assert "countersign backup FILE" in found.remedy
    assert "--done-elsewhere" in found.remedy


@pytest.mark.parametrize(
    ("age", "status", "said"), [(2 * HOUR, "pass", "2 hours old"), (90 * HOUR, "fail", "3 days old")]
)
def test_the_last_backup_is_judged_by_its_age(deployed, age, status, said):
    moment = remember(deployed, served=900 * HOUR, backup=age) - age
    found = deployed.item("database.backup")
    assert found == (status, f"The last backup that was recorded is {said} ({moment:%Y-%m-%d %H:%M} UTC).")


@pytest.mark.slow
def test_the_last_webhook_is_judged_by_its_age(deployed):
    assert deployed.item("webhook.silence") == ("not-applicable", "No webhook has come yet.")
    remember(deployed, delivery=5 * HOUR)
    status, said = deployed.item("webhook.silence")
    assert (status, said.partition(" (")[0]) == ("pass", "The last webhook came 5 hours ago")

    deployed.at = timedelta(days=6)
    found = whole(deployed, "webhook.silence")
    assert (found.status, found.message.partition(" (")[0]) == ("unknown", "The last webhook came 6 days ago")
    assert found.message.endswith("Either nobody works, or GitHub sends none.")
    assert "webhook is active" in found.remedy
    assert "Redeliver" in found.remedy


def test_webhooks_that_another_server_takes_fail_after_two_sweeps(deployed):
    since = clock.now() - timedelta(minutes=40)
    for minutes in (0, 20):
        with deployed.sessions() as session:
            service_record.lost(session, 1200, at=since + timedelta(minutes=minutes))
    found = whole(deployed, "webhook.silence")
    said = f"GitHub sends webhooks that do not arrive, since {since:%Y-%m-%d %H:%M} UTC: 1,200 by now."
    assert (found.status, found.message) == ("fail", said)
    assert "another server answers" in found.remedy


def arrive(deployed, guid, ago):
    """One delivery that came so long ago."""
    with deployed.sessions() as session:
        inbox.store(session, [inbox.ReviewDelivery(guid=guid, event="push", ids={})], at=clock.now() - ago)


def test_a_backlog_of_ten_minutes_fails(deployed):
    arrive(deployed, "new", timedelta(seconds=5))
    assert deployed.item("work.backlog") == ("pass", "1 delivery is waiting, none for long.")
    arrive(deployed, "old", timedelta(minutes=30))
    assert deployed.item("work.backlog") == ("fail", "2 deliveries are waiting, the oldest for 30 minutes.")


def test_deliveries_that_failed_for_good_are_told(deployed):
    arrive(deployed, "a", timedelta(seconds=5))
    with deployed.sessions() as session:
        inbox.failed(session, "a")
    assert deployed.item("work.failed") == ("fail", "1 delivery failed after a day of retries.")
    assert deployed.item("work.backlog") == ("pass", "No deliveries are waiting.")


def reverse(deployed, number, *kinds, by):
    """The account `by` reversed each of these three times on that pull request of ours."""
    box = deliveries.pull_request(11, number, name="ops")
    with deployed.sessions() as session:
        (posted,) = posts.post_all(session, InlineEngine(), [posts.Post(pull=box, after="a" * 40)])
        for kind in kinds:
            about = {"label": paused_items.about_label("a" * 40, ""), "check": "a" * 40, "comment": ""}[kind]
            for _ in range(3):
                paused_items.count_reversal(session, posted.pull_id, kind, about, reversed_by=by, at=clock.now())


def test_without_reversals_the_item_passes(deployed):
    assert deployed.item("work.reversed") == ("pass", "Nobody keeps reversing what is written at GitHub.")


@pytest.mark.parametrize(
    ("kind", "by", "said", "remedy"),
    [
        ("label", "other-cla[bot]", "the App other-cla[bot] keeps reversing the label", "different labels"),
        ("check", paused_items.OWN_APP, "another server of the same App keeps reversing the check run", "other server"),
        ("label", paused_items.PERSON, "a person or a workflow with a person's token keeps reversing the label", "Ask"),
        ("comment", paused_items.UNKNOWN, "somebody keeps reversing the comment (it is deleted)", "timeline"),
    ],
)  # fmt: skip
def test_a_reversal_is_told_with_its_place_cause_and_remedy(deployed, kind, by, said, remedy):
    reverse(deployed, 5, kind, by=by)
    found = next(item for item in deployed.report().items if item.id == "work.reversed")
    assert (found.status, found.message) == ("fail", f"cann/ops#5: {said}.")
    assert remedy in found.remedy
    assert "/cla-check" in found.remedy


def test_five_of_many_reversals_are_named(deployed):
    for number in range(1, 8):
        reverse(deployed, number, "label", by="other-cla[bot]")
    status, said = deployed.item("work.reversed")
    assert (status, said.count("#"), said.endswith("2 more.")) == ("fail", 5, True)
