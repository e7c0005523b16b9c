"""Step 0031 says of what is sent when it is due: what waits as of before, codes before the rest; what is over is never due."""

import pytest
from sqlalchemy import text

import migrations
from bot import db
from bot.clock import now
from bot.store.outbox import EMAILS
from bot.store.outgoing_webhooks import QUEUE
from tests.bot.claims import take
from tests.bot.jobs.inline import InlineEngine

pytestmark = pytest.mark.from_step("0030")

PAST, FUTURE = "2026-01-01 00:00:00.000000+00:00", "2999-01-01 00:00:00.000000+00:00"
MAIL = (
    "INSERT INTO mail (id, kind, state, attempts, not_before, made_at)"
    f" VALUES (:id, :kind, :state, 2, :not_before, '{PAST}')"
)
WEBHOOK = (
    "INSERT INTO outgoing_webhook (id, state, attempts, not_before, made_at, endpoint, event, sealed)"
    f" VALUES (:id, :state, 1, :not_before, '{PAST}', 'chat', 'signed', :sealed)"
)


def store(engine, rows, prefix=""):
    """E-mails and outgoing webhooks as the release before writes them."""
    with engine.begin() as connection:
        for number, (kind, state, not_before) in enumerate(rows, 1):
            about = {"id": f"{prefix}{number}", "state": state, "not_before": not_before}
            connection.execute(text(MAIL), {**about, "kind": kind})
            connection.execute(text(WEBHOOK), {**about, "sealed": b""})


@pytest.fixture(name="engine")
def _engine(engine):
    """What the release before left, brought to this step."""
    store(
        engine,
        [("receipt", "waiting", PAST), ("code", "waiting", PAST), ("code", "waiting", FUTURE), ("code", "sent", PAST)],
    )
    assert migrations.upgrade(engine, "0031") == ("0031",)
    return engine


@pytest.mark.slow
def test_waiting_rows_are_due_at_their_moment_and_codes_first(engine):
    with db.sessions(engine)() as session:
        assert EMAILS.depth(session, at=now()) == {"outgoing": 2}
        assert QUEUE.depth(session, at=now()) == {"outgoing": 2}
        found = [take(session, EMAILS, at=now()).row for _ in range(2)]
    assert [(row.id, row.attempts) for row in found] == [("2", 2), ("1", 2)]


def test_the_release_before_writes_on(engine):
    store(engine, [("receipt", "waiting", PAST)], prefix="new")
    with db.sessions(engine)() as session:
        for queue in (EMAILS, QUEUE):
            queue.repair(session, InlineEngine(), at=now())
            assert "new1" in {take(session, queue, at=now()).row.id for _ in range(4)}
