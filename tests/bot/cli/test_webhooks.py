"""`webhooks` lists outgoing webhooks without people, and queues them again."""

import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from agreements.vault import KeyRing, Vault
from bot.cli.webhooks import command
from bot.store import outgoing_webhooks
from bot.store.outgoing_webhooks import QUEUE
from tests.bot.claims import take
from tests.within import within

pytestmark = pytest.mark.sqlite_alone  # tests/bot/store/test_outgoing_webhooks.py looks at both kinds

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(name="run")
def _run(sessions, database_url):
    """The command on a database with a webhook that was given up and one that waits."""
    vault = Vault(KeyRing.parse(KeyRing.generate("k1")))
    for row_id in ("failed", "waiting"):
        with sessions() as session:
            outgoing_webhooks.add(within(session, vault, NOON, row_id), b"{}", endpoints=["chat"], event="signed", account_id=11)  # fmt: skip
        if row_id == "failed":
            with sessions() as session:
                QUEUE.failed(session, take(session, QUEUE, at=NOON), "the endpoint answered 410")
    return lambda *arguments: CliRunner(env={"COUNTERSIGN_DATABASE_URL": database_url}).invoke(command, arguments)


def test_list_prints_the_documented_fields(run):
    result = run("list")
    assert result.exit_code == 0
    assert json.loads(result.stdout.splitlines()[0]) == {
        "id": "failed", "endpoint": "chat", "event": "signed", "state": "failed", "attempts": 1,
        "made_at": "2026-11-21T12:00:00Z", "sent_at": None, "error": "the endpoint answered 410",
    }  # fmt: skip
    assert (
        run("list", "--state", "waiting", "--format", "text")
        .stdout.splitlines()[1]
        .startswith("waiting\tchat\tsigned\t")
    )


def test_again_queues_failed_webhooks_and_no_waiting_one(run):
    result = run("again", "failed", "waiting")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "waiting cannot be sent again; only sent or failed webhooks can" in result.stderr
    assert run("again", "failed").stdout == "1 queued\n"
    assert len(run("list", "--state", "waiting").stdout.splitlines()) == 2


def test_an_unprintable_id_exits_with_2_in_one_line(run):
    result = run("again", "\udcff")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
