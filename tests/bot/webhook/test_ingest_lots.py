"""Many deliveries in one transaction leave the same as each in its own transaction, for any history."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlmodel import SQLModel

from agreements.facts import Account, Conclusion, Verdict
from bot import db
from bot.store import inbox, license_checks
from bot.store.license_checks import Head
from bot.store.pulls import heads, published_item_rows, pull_state, review_mailbox, verdicts
from bot.store.pulls.published_item_rows import ConfirmedItem, PullRequestItem
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import PullRecord
from bot.store.statements import change
from bot.webhook import event_parser, events, external_ids, ingest
from bot.webhook.ingest import ReceivedDelivery
from tests.bot import claims
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SHAS = [letter * 40 for letter in "abc"]
PLACES = [(11, 1), (11, 2), (11, 3), (12, 1)]
SENDERS = [Account(42, "mia"), Account(43, "eve"), Account(44, "robot[bot]", "Bot")]


def repository(number):
    """Its id is its identity; owner and name are what they were called when the event was sent."""
    return st.builds(
        events.EventRepository, st.just(number), st.just(7), st.sampled_from(["cann", "CANN"]), st.just("ge")
    )


@st.composite
def changes(draw):
    """A pull request was opened, pushed to, labelled, closed."""
    place, action = draw(st.sampled_from(PLACES)), draw(st.sampled_from(sorted(event_parser._PULL_ACTIONS)))
    pushed = action in ("opened", "reopened", "synchronize")
    return events.PullRequestChanged(
        installation=draw(st.integers(1, 2)),
        repository=draw(repository(place[0])),
        number=place[1],
        action=action,
        sender=draw(st.sampled_from(SENDERS)),
        after=draw(st.sampled_from(SHAS)) if pushed else None,
        before=draw(st.sampled_from(["", *SHAS])) if action == "synchronize" else "",
        label=draw(st.sampled_from(["", "CLA-Signed", "cla-required", "bug"])) if "labeled" in action else "",
    )


@st.composite
def commands(draw):
    """An account gave a command in a comment."""
    place = draw(st.sampled_from(PLACES))
    asked = draw(st.sampled_from(["check", "check", "why", "exempt", "override", "unknown"]))
    return events.CommandGiven(
        installation=1, repository=draw(repository(place[0])), number=place[1], comment_id=9, command=asked, sender=SENDERS[0]
    )  # fmt: skip


@st.composite
def reruns(draw):
    """An account pressed "Re-run"."""
    named, at = draw(st.sampled_from(PLACES)), draw(st.sampled_from([11, 12]))
    told = draw(st.sampled_from([None, external_ids.of_pull(*named), external_ids.of_licenses(*named), "other"]))
    return events.CheckRerequested(
        installation=1, repository=draw(repository(at)), head_sha=draw(st.sampled_from(SHAS)), external_id=told, sender=SENDERS[0]
    )  # fmt: skip


OTHERS = st.sampled_from(
    [
        events.RulebookPushed(installation=1, repository=events.EventRepository(11, 7, "cann", "ge"), whole_owner=True),
        events.InstallationChanged(installation=1, account=SENDERS[0], action="created"),
        events.AuthorizationRevoked(account_id=42),
    ]
)
NAMES = {events.PullRequestChanged: "pull_request", events.CommandGiven: "issue_comment"}


def received(event, number):
    """The same GUID may come again, even with something else in it."""
    return ReceivedDelivery(event, f"guid-{number}", NAMES.get(type(event), "other"))


LOT = st.lists(
    st.builds(received, st.one_of(changes(), changes(), changes(), commands(), reruns(), OTHERS), st.integers(0, 40)),
    min_size=1,
    max_size=12,
)
MEANWHILE = st.tuples(
    st.sampled_from(["begin", "finish", "give up", "gone", "label", "rules", "fail", "ask", "said", "shown", "wait"]),
    st.sampled_from(PLACES),
    st.integers(0, 40),
)
HISTORY = st.lists(st.one_of(LOT, LOT, MEANWHILE), min_size=1, max_size=12)


class Played:
    """A history on an empty database; `one_lot` accepts a lot as it is, else each delivery in a transaction of its own."""

    def __init__(self, engine, history, *, one_lot):
        self.engine, self.sessions, self.jobs = (
            engine,
            db.sessions(engine),
            InlineEngine(lambda: self.at, db.sessions(engine)),
        )
        self.at, self.claims, self.answers = NOON, {}, []
        self.wipe()
        for step in history:
            if isinstance(step, tuple):
                self.meanwhile(*step)
                continue
            for lot in [step] if one_lot else [[delivery] for delivery in step]:
                with self.sessions() as session:
                    self.answers += ingest.accept_all(session, self.jobs, lot, at=self.at)
            self.at += timedelta(seconds=4)

    def wipe(self):
        """Nothing has happened yet."""
        with self.engine.begin() as connection:
            for table in reversed(SQLModel.metadata.sorted_tables):
                if table.name in USED:
                    connection.execute(table.delete())

    def meanwhile(self, what, place, number):
        """Something else happens between two lots."""
        if what == "wait":
            self.at += timedelta(seconds=number)
        with self.sessions() as session:
            if what == "fail":
                inbox.failed(session, f"guid-{number}")
            pull = review_mailbox.find(session, *place)
            if pull is not None:
                self.about(session, what, pull, number)

    def about(self, session, what, pull, number):
        """It happens to a pull request."""
        sha = SHAS[number % 3]
        match what:
            case "begin":
                self.claims[pull.id] = claims.begin(session, REVIEWS, self.jobs, pull.id, at=self.at)
            case "finish" if self.claims.get(pull.id):
                REVIEWS.finish(session, self.jobs, self.claims.pop(pull.id), at=self.at)
            case "give up" if self.claims.get(pull.id):
                REVIEWS.give_up(session, self.jobs, self.claims.pop(pull.id), "away", at=self.at)
            case "gone":
                pull_state.mark_missing(session, self.jobs, pull.id)
            case "label":
                pull_state.labelled(session, pull.id, ["", "cla-signed", "Bug"][number % 3])
            case "rules":
                change(session, PullRecord, {"id": pull.id}, quiet=False, by_labels=bool(number % 2))
            case "ask":
                license_checks.ask(session, self.jobs, Head(pull.repository_id, sha), {pull.number: "x"}, queue="later")
            case "said":
                verdicts.add(session, pull.id, sha, Verdict(conclusion=Conclusion.SUCCESS), at=self.at)
            case "shown":
                heads.keep(session, pull.repository_id, sha, pull.id, pull.number)
                PullRequestItem(pull.id, "check", sha).intend(session, at=self.at)
                published_item_rows.confirm_all(
                    session, [ConfirmedItem(PullRequestItem(pull.id, "check", sha), 9, "d")]
                )

    def left(self):
        """Every row that tells something, and every job; a pull request by its place and not by its row id."""
        with self.engine.connect() as connection:
            found = connection.execute(text("SELECT id, repository_id, number FROM pull"))
            named = {row.id: f"{row.repository_id}#{row.number}" for row in found}
            rows = []
            for table in SQLModel.metadata.sorted_tables:
                if table.name in USED:
                    rows += [(table.name, *told(row, named)) for row in connection.execute(table.select()).mappings()]
        jobs = [(job.name, job.queue, job.delay) + ((named[job.ids[0]],) if job.name == "review" else job.ids)
                for job in self.jobs.waiting]  # fmt: skip
        return self.answers, sorted(rows), sorted(jobs)


USED = [
    "delivery",
    "pull",
    "push",
    "participant",
    "question",
    "paused_item",
    "license_check",
    "head",
    "publication",
    "verdict",
    "first_seen",
]


def told(row, named):
    """Its values, without what is only counted or drawn by lot."""
    values = {name: value for name, value in row.items() if name != "id"}
    if "pull_id" in values:
        values["pull_id"] = named.get(values["pull_id"])
    values["lease_by"] = str(values.get("lease_by")).partition("/")[0]
    return sorted((name, str(value)) for name, value in values.items())


@pytest.mark.slow
@pytest.mark.parametrize("examples", [15, pytest.param(1500, marks=pytest.mark.nightly)])
def test_a_lot_leaves_the_same_as_its_deliveries_one_after_the_other(engine, examples):
    @settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
    @given(HISTORY)
    def same(history):
        together = Played(engine, history, one_lot=True).left()
        assert together == Played(engine, history, one_lot=False).left()

    same()
