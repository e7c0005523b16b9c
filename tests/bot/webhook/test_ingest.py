"""A typed event becomes a delivery with its job: which pull request, who pushed, how urgent."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select
from structlog.testing import capture_logs

from agreements.facts import Account, Conclusion, Verdict
from bot.job_queue import Job
from bot.report.comment_commands import COMMANDS
from bot.store import inbox, license_checks
from bot.store.license_checks import LICENSE_CHECKS
from bot.store.pulls import heads, paused_items, published_item_rows, pull_state, review_mailbox, verdicts
from bot.store.pulls.paused_items import PausedItem
from bot.store.pulls.published_item_rows import ConfirmedItem, PullRequestItem
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.pulls.why_questions import QuestionRecord
from bot.store.records import PublishedItemRow, PullRecord, PushRecord
from bot.store.statements import change
from bot.webhook import events, external_ids
from bot.webhook.ingest import MIN_COMMAND_INTERVAL
from tests.bot import claims, deliveries
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
GE = events.EventRepository(11, 7, "cann", "ge")
MIA = Account(42, "mia")
AFTER = "a" * 40


@pytest.fixture(name="jobs")
def _jobs(sessions):
    """An engine that shows what was queued and what is due."""
    return InlineEngine(lambda: NOON, sessions)


@pytest.fixture(name="arrive")
def _arrive(sessions, jobs):
    """Take in an event; gives whether it was new."""
    numbers = iter(range(10**6))

    def arrive(event, *, at=NOON, guid=None, name="any"):
        with sessions() as session:
            return deliveries.accept(session, jobs, event, guid=guid or f"guid-{next(numbers)}", name=name, at=at)

    return arrive


def changed(number=5, action="synchronize", **more):
    """A pull request event."""
    after = AFTER if action in ("opened", "reopened", "synchronize") else None
    return events.PullRequestChanged(
        installation=1, repository=GE, number=number, action=action, sender=MIA, after=after, **more
    )


def command(number=5, asked="check"):
    """Mia asked for a new judgement, or gave another command, in a comment."""
    return events.CommandGiven(installation=1, repository=GE, number=number, comment_id=900, command=asked, sender=MIA)


def reviewed(sessions, jobs):
    """Pull request 5, of which the newest is judged if anything is new."""
    with sessions() as session:
        pull = review_mailbox.find(session, 11, 5)
        if claim := claims.begin(session, REVIEWS, jobs, pull.id, at=NOON):
            REVIEWS.finish(session, jobs, claim, at=NOON)
    return pull


def rerequested(external_id, head_sha=AFTER):
    """Mia pressed "Re-run"."""
    return events.CheckRerequested(
        installation=1, repository=GE, head_sha=head_sha, external_id=external_id, sender=MIA
    )


def rows(sessions):
    """All deliveries."""
    with sessions() as session:
        return list(inbox.listed(session))


def test_a_push_has_a_sender_and_an_urgent_review(sessions, jobs, arrive):
    assert arrive(changed(), guid="g", name="pull_request")

    (row,) = rows(sessions)
    assert (row.guid, row.event, row.action, row.received_at) == ("g", "pull_request", "synchronize", NOON)
    assert events.from_ids(row.ids) == changed()
    with sessions() as session:
        pull = review_mailbox.find(session, 11, 5)
        (push,) = session.exec(select(PushRecord)).all()
    assert (pull.owner, pull.name, pull.owner_id, pull.installation_id) == ("cann", "ge", 7, 1)
    assert (push.sender_id, push.sender_login, push.after) == (42, "mia", AFTER)
    assert jobs.waiting == (Job("review", (pull.id,), "now"),)


@pytest.mark.parametrize("action", ["labeled", "edited", "closed"])
def test_a_person_who_only_labels_is_no_sender(sessions, arrive, action):
    arrive(changed(action=action))

    with sessions() as session:
        assert session.exec(select(PushRecord)).all() == []


@pytest.mark.parametrize(
    ("action", "label", "by_labels", "reviewed"),
    [
        ("labeled", "CLA-Required", True, False),
        ("labeled", "cla-signed", False, True),
        ("labeled", "skip-changelog", True, True),
        ("labeled", "skip-changelog", False, False),
        ("unlabeled", "cla-required", False, True),
        ("unlabeled", "cla-signed", True, False),
        ("unlabeled", "skip-changelog", True, True),
        ("unlabeled", "skip-changelog", False, False),
        ("unlabeled", "", True, True),
    ],
)
def test_a_label_that_decides_nothing_asks_for_no_review(sessions, arrive, action, label, by_labels, reviewed):
    arrive(changed())
    with sessions() as session:
        pull = review_mailbox.find(session, 11, 5)
        pull_state.labelled(session, pull.id, "cla-required")
        change(session, PullRecord, {"id": pull.id}, quiet=False, by_labels=by_labels)
    arrive(changed(action=action, label=label), guid="g")

    with sessions() as session:
        assert review_mailbox.find(session, 11, 5).latest == 1 + reviewed
    assert "g" in {row.guid for row in rows(sessions)}


@pytest.mark.parametrize(("action", "queue"), [("labeled", "later"), ("unlabeled", "later"), ("closed", "now")])
def test_a_label_is_not_urgent(jobs, arrive, action, queue):
    """Our own labels come back as events, and people set them by the dozen."""
    arrive(changed(action=action, label="bug"))
    assert [job.queue for job in jobs.waiting] == [queue]


def test_the_same_delivery_twice_counts_once(sessions, jobs, arrive):
    assert arrive(changed(), guid="g")
    assert not arrive(changed(), guid="g")
    assert arrive(command(6), guid="h")
    before = jobs.waiting
    assert not arrive(command(6), guid="h")

    assert jobs.waiting == before
    assert len(rows(sessions)) == 2


def test_a_command_is_judged_and_answered(sessions, jobs, arrive):
    arrive(command(), guid="g", name="issue_comment")

    assert {job.name for job in jobs.waiting} == {"review", "answer"}
    assert {job.queue for job in jobs.waiting} == {"now"}


def test_commands_pause_for_ten_seconds_on_one_pull_request(sessions, jobs, arrive):
    def latest(number=5):
        with sessions() as session:
            return review_mailbox.find(session, 11, number).latest

    for seconds in (0, 4, 9):
        arrive(command(), at=NOON + timedelta(seconds=seconds), name="issue_comment")
    assert latest() == 1
    assert [job.name for job in jobs.waiting].count("answer") == 3

    arrive(command(6), at=NOON + timedelta(seconds=9), name="issue_comment")
    assert latest(6) == 1

    arrive(command(), at=NOON + MIN_COMMAND_INTERVAL, name="issue_comment")
    assert latest() == 2


@pytest.mark.parametrize("seconds", [0, 5, 60])
def test_a_why_command_is_judged_even_within_the_pause(sessions, jobs, arrive, seconds):
    arrive(command(), at=NOON - timedelta(seconds=seconds), name="issue_comment")
    arrive(command(asked="why"), at=NOON, name="issue_comment")

    with sessions() as session:
        pull = review_mailbox.find(session, 11, 5)
        assert pull.latest == 2
        assert session.get(QuestionRecord, pull.id).waiting


def test_a_person_who_joins_within_the_pause_is_judged_after_it(sessions, jobs, arrive):
    arrive(command(), at=NOON, name="issue_comment")
    pull = reviewed(sessions, jobs)
    before = jobs.waiting
    arrive(
        replace(command(asked="me"), sender=Account(43, "ada")),
        at=NOON + MIN_COMMAND_INTERVAL / 2,
        name="issue_comment",
    )
    arrive(command(), at=NOON + MIN_COMMAND_INTERVAL / 2, name="issue_comment")

    with sessions() as session:
        assert pull_state.participants(session, pull.id) == {43}
        assert review_mailbox.get(session, pull.id).latest == 2
    fresh = [job for job in jobs.waiting if job not in before and job.name == "review"]
    assert fresh == [Job("review", (pull.id,), "later", MIN_COMMAND_INTERVAL)]


def test_a_why_command_does_not_shorten_the_pause(sessions, jobs, arrive):
    arrive(command(), at=NOON, name="issue_comment")
    pull = reviewed(sessions, jobs)
    before = jobs.waiting
    arrive(command(asked="why"), at=NOON + timedelta(seconds=5), name="issue_comment")

    fresh = [job for job in jobs.waiting if job not in before and job.name == "review"]
    assert fresh == [Job("review", (pull.id,), "later", MIN_COMMAND_INTERVAL)]


def test_a_check_command_does_not_show_the_evidence(sessions, arrive):
    arrive(command(), name="issue_comment")
    with sessions() as session:
        assert session.get(QuestionRecord, review_mailbox.find(session, 11, 5).id) is None


@pytest.mark.parametrize("asked", ["exempt", "override"])
def test_an_override_is_a_job_of_its_own(sessions, jobs, arrive, asked):
    arrive(command(asked=asked), name="issue_comment", guid="never-judged")
    arrive(changed())
    with sessions() as session:
        pull = review_mailbox.find(session, 11, 5)
        change(session, PullRecord, {"id": pull.id}, head_sha="b" * 40)  # seen, and not judged yet
        verdicts.add(session, pull.id, AFTER, Verdict(conclusion=Conclusion.SUCCESS), at=NOON)
    arrive(command(), name="issue_comment")
    arrive(command(asked=asked), name="issue_comment", guid="g")

    assert [job.ids for job in jobs.waiting if job.name == "event"] == [("never-judged",), ("g",)]
    about = {row.guid: row.ids["head_sha"] for row in rows(sessions) if row.guid in ("never-judged", "g")}
    assert about == {"never-judged": "", "g": AFTER}
    with sessions() as session:
        assert review_mailbox.find(session, 11, 5).latest == 2, "the push and the command, not the overrides"
        assert not inbox.commanded(session, 11, 5, since=NOON)


@pytest.mark.parametrize("asked", COMMANDS)
def test_every_command_is_answered_or_recorded(jobs, arrive, asked):
    arrive(changed())
    arrive(command(asked=asked), name="issue_comment", guid="g")

    assert ("event" if COMMANDS[asked].handling == "record" else "answer") in {
        job.name for job in jobs.waiting if job.ids == ("g",)
    }


def test_a_push_is_never_paused(sessions, arrive):
    arrive(command(), name="issue_comment")
    arrive(changed(), name="pull_request", at=NOON + timedelta(seconds=1))

    with sessions() as session:
        assert review_mailbox.find(session, 11, 5).latest == 2


def test_a_rerun_names_its_pull_request(sessions, jobs, arrive):
    arrive(changed())
    with sessions() as session:
        pull_id = review_mailbox.find(session, 11, 5).id
        PullRequestItem(pull_id, "check", AFTER).intend(session, at=NOON)
        published_item_rows.confirm_all(session, [ConfirmedItem(PullRequestItem(pull_id, "check", AFTER), 9, "d")])

    arrive(rerequested(external_ids.of_pull(11, 5)))

    with sessions() as session:
        assert review_mailbox.find(session, 11, 5).latest == 2
        assert PullRequestItem(pull_id, "check", AFTER).get(session).digest == ""


def test_our_button_is_the_same_as_the_command(sessions, jobs, arrive):
    arrive(changed())
    with sessions() as session:
        pull_id = review_mailbox.find(session, 11, 5).id
        PullRequestItem(pull_id, "check", AFTER).intend(session, at=NOON)
        published_item_rows.confirm_all(session, [ConfirmedItem(PullRequestItem(pull_id, "check", AFTER), 9, "d")])
    button = replace(rerequested(external_ids.of_pull(11, 5)), paced=True)

    for guid, seconds in (("one", 20), ("two", 29), ("three", 31)):
        arrive(button, guid=guid, name="check_run", at=NOON + timedelta(seconds=seconds))
    arrive(command(), guid="four", name="issue_comment", at=NOON + timedelta(seconds=40))

    with sessions() as session:
        assert review_mailbox.find(session, 11, 5).latest == 3, "opened, one and three"
        assert PullRequestItem(pull_id, "check", AFTER).get(session).digest == ""
    assert [job.ids for job in jobs.waiting if job.name == "event"] == [("two",), ("four",)]


def test_our_button_on_an_unknown_run_judges_nothing(sessions, jobs, arrive):
    arrive(replace(rerequested("countersign:12:5"), paced=True), guid="g", name="check_run")
    assert jobs.waiting == (Job("event", ("g",), "now"),)


def test_a_rerun_judges_every_pull_request_on_the_head_once(sessions, jobs, arrive):
    arrive(changed(5))
    arrive(changed(6))
    with sessions() as session:
        keeper, other = (review_mailbox.find(session, 11, number) for number in (5, 6))
        change(session, PullRecord, {"id": keeper.id}, head_sha=AFTER, open=False)
        change(session, PullRecord, {"id": other.id}, head_sha=AFTER)
        heads.keep(session, 11, AFTER, keeper.id, keeper.number)
        PullRequestItem(keeper.id, "check", AFTER).intend(session, at=NOON)
        published_item_rows.confirm_all(session, [ConfirmedItem(PullRequestItem(keeper.id, "check", AFTER), 9, "d")])

    arrive(rerequested(external_ids.of_pull(11, 5)), guid="g")
    arrive(rerequested(external_ids.of_pull(11, 5)), guid="g")

    with sessions() as session:
        assert [review_mailbox.find(session, 11, number).latest for number in (5, 6)] == [2, 2]
        assert PullRequestItem(keeper.id, "check", AFTER).get(session).digest == ""


@pytest.mark.parametrize(
    "external_id",
    [
        "countersign:12:5",
        "countersign:11:",
        "countersign:11:-5",
        "countersign:11:5:6",
        "other:11:5",
        "5",
        "countersign",
    ],
)
def test_an_external_id_that_is_not_ours_here_is_not_believed(sessions, jobs, arrive, external_id):
    arrive(changed())
    arrive(rerequested(external_id), guid="g")

    with sessions() as session:
        assert review_mailbox.find(session, 11, 5).latest == 1
        assert review_mailbox.find(session, 12, 5) is None
    assert Job("event", ("g",), "now") in jobs.waiting


def test_a_rerun_of_a_whole_suite_is_an_event(sessions, jobs, arrive):
    arrive(rerequested(None), guid="g")

    assert jobs.waiting == (Job("event", ("g",), "now"),)


@pytest.mark.parametrize(
    "event",
    [
        events.RulebookPushed(installation=1, repository=GE, whole_owner=True),
        events.RepositoryMoved(installation=1, repository=GE),
        events.RepositoryDeleted(installation=1, repository=GE),
        events.InstallationChanged(installation=1, account=MIA, action="created", repositories=(GE,)),
        events.AuthorizationRevoked(account_id=42),
    ],
    ids=lambda event: type(event).__name__,
)
def test_reviews_that_no_person_waits_for_go_later(sessions, jobs, arrive, event):
    arrive(event, guid="g")

    assert jobs.waiting == (Job("event", ("g",), "later"),)
    assert events.from_ids(rows(sessions)[0].ids) == event


def test_a_membership_change_goes_before_the_nights_work(sessions, jobs, arrive):
    event = events.MembershipChanged(installation=1, owner=MIA, account_id=42)
    arrive(event, guid="g")

    assert jobs.waiting == (Job("event", ("g",), "now"),)
    assert events.from_ids(rows(sessions)[0].ids) == event


def test_the_job_is_stored_with_the_delivery_or_not_at_all(sessions, jobs):
    def die():
        with sessions() as session:
            deliveries.accept(session, jobs, command(), guid="g", name="issue_comment", at=NOON)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        die()

    assert (rows(sessions), jobs.waiting) == ([], ())


def test_licences_are_judged_again_on_command(arrive, sessions, jobs):
    arrive(changed())
    head = license_checks.Head(GE.id, AFTER)
    with sessions() as session:
        license_checks.ask(session, jobs, head, {5: "x"}, queue="later")
        claim = claims.begin(session, LICENSE_CHECKS, jobs, head, at=NOON)
        LICENSE_CHECKS.finish(session, jobs, claim, at=NOON)
    arrive(command())
    arrive(command(), at=NOON + MIN_COMMAND_INTERVAL / 2)
    assert [job for job in jobs.waiting if job.name == "licenses" and job.queue == "now"] == [
        Job("licenses", (GE.id, AFTER), "now")
    ]


def replaced(check_id=60):
    """Another deployment of our App wrote its run on the head of pull request 5."""
    return events.CheckRunReplaced(
        installation=1, repository=GE, head_sha=AFTER, external_id=external_ids.of_pull(11, 5), check_id=check_id
    )


@pytest.fixture(name="shown")
def _shown(sessions, jobs, arrive):
    """Pull request 5 is judged, and its run shows the verdict; gives its row id."""
    arrive(changed())
    pull = reviewed(sessions, jobs)
    with sessions() as session:
        heads.keep(session, 11, AFTER, pull.id, 5)
        item = PullRequestItem(pull.id, "check", AFTER)
        item.intend(session, at=NOON)
        published_item_rows.confirm_all(session, [ConfirmedItem(item, 50, "shown")])
    jobs._committed.clear()
    return pull.id


def run_of(sessions, pull_id):
    """Which run we write, and whether it is known to show what it should."""
    with sessions() as session:
        found = PullRequestItem(pull_id, "check", AFTER).get(session)
    return found.remote_id, bool(found.digest)


def test_a_replaced_run_is_written_again_twice_and_then_left(sessions, jobs, arrive, shown):
    seen = []
    with capture_logs() as lines:
        for check_id in (60, 55, 70, 80):
            assert arrive(replaced(check_id))
            seen.append((*run_of(sessions, shown), [job.name for job in jobs.waiting]))
            jobs._committed.clear()
            reviewed(sessions, jobs)
            with sessions() as session:
                change(session, PublishedItemRow, {"pull_id": shown}, digest="shown")

    assert seen == [(60, False, ["review"]), (60, False, ["review"]), (70, True, ["event"]), (80, True, ["event"])]
    assert [(line["event"], line["item"], line["times"], line["repository"], line["number"]) for line in lines] == [
        ("publish.reversed", "check", 3, "cann/ge", 5)
    ]


def test_the_same_delivery_of_a_replaced_run_counts_once(sessions, jobs, arrive, shown):
    assert [arrive(replaced(), guid="g") for _ in range(5)] == [True, *[False] * 4]
    assert run_of(sessions, shown) == (60, False)
    with sessions() as session:
        assert session.get(PausedItem, (shown, "check", "reversed")).times == 1


def test_a_run_on_a_head_that_we_never_judged_is_no_reversal(sessions, jobs, arrive):
    arrive(changed())
    jobs._committed.clear()
    assert arrive(replaced())
    assert [job.name for _, job in jobs._committed] == ["event"]
    with sessions() as session:
        assert session.exec(select(PausedItem)).all() == []


@pytest.mark.parametrize("asked", [command(), command(asked="why"), rerequested(external_ids.of_pull(11, 5))])
def test_a_command_writes_everything_again(sessions, jobs, arrive, shown, asked):
    for _ in range(3):
        arrive(replaced())
    with sessions() as session:
        paused_items.remember_refusal(session, shown, "comment", AFTER, at=NOON)
    arrive(asked, at=NOON + timedelta(minutes=1))

    with sessions() as session:
        assert session.exec(select(PausedItem)).all() == []
    assert run_of(sessions, shown) == (60, False)
