"""`deliveries` lists deliveries as one JSON object a line, oldest first."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from agreements.facts import Account
from bot.cli.deliveries import command
from bot.store import inbox
from bot.store.inbox import ReviewDelivery
from bot.webhook import events
from tests.bot import deliveries
from tests.bot.jobs.inline import InlineEngine

HEAD = "a" * 40
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(name="run")
def _run(sessions, database_url):
    """The command on a database with a failed delivery and a newer one that waits."""
    about = events.ids(
        events.PullRequestChanged(
            installation=1, repository=events.EventRepository(2, 3, "cann", "ops-math"), number=9, action="opened",
            sender=Account(4, "ada"), after=HEAD,
        )
    )  # fmt: skip
    for number, (guid, name, ids) in enumerate(
        [("old", "installation", {"kind": "InstallationChanged"}), ("new", "pull_request", about)]
    ):
        item = ReviewDelivery(guid=guid, event=name, ids=ids)
        with sessions() as session:
            deliveries.store(session, InlineEngine(), item, at=NOON + timedelta(minutes=number))
    with sessions() as session:
        inbox.tried(session, "old", "GitHub says no")
        inbox.failed(session, "old")
    environ = {"COUNTERSIGN_DATABASE_URL": database_url}
    return lambda *arguments: CliRunner(env=environ).invoke(command, arguments)


def test_each_delivery_is_one_line_of_json_oldest_first(run):
    result = run()

    assert result.exit_code == 0
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {
            "guid": "old",
            "event": "installation",
            "received_at": "2026-11-21T12:00:00Z",
            "state": "failed",
            "attempts": 1,
            "error": "GitHub says no",
            "repository": None,
            "number": None,
            "head": None,
        },
        {
            "guid": "new",
            "event": "pull_request",
            "received_at": "2026-11-21T12:01:00Z",
            "state": "received",
            "attempts": 0,
            "error": None,
            "repository": "cann/ops-math",
            "number": 9,
            "head": HEAD,
        },
    ]


def test_deliveries_are_filtered_by_state_and_printed_as_text(run):
    assert [
        json.loads(line)["guid"] for line in run("--state", "received", "--format", "json").stdout.splitlines()
    ] == ["new"]
    assert run("--state", "done").stdout == ""
    names, old, new = (line.split("\t") for line in run("--format", "text").stdout.splitlines())
    assert names == ["guid", "event", "received_at", "state", "attempts", "error", "repository", "number", "head"]
    assert (old[:2], old[3:]) == (["old", "installation"], ["failed", "1", "GitHub says no", "", "", ""])
    assert new[3:] == ["received", "0", "", "cann/ops-math", "9", HEAD]


def test_a_missing_database_is_not_created(tmp_path):
    file = tmp_path / "typo.db"
    environ = {"COUNTERSIGN_DATABASE_URL": f"sqlite:///{file}"}
    result = CliRunner(env=environ).invoke(command, [])

    assert result.exit_code == 2
    assert (
        result.stderr
        == f"countersign: there is no database at {file}: set COUNTERSIGN_DATABASE_URL to the server's, or run `countersign migrate` to make one\n"
    )
    assert not file.exists()
