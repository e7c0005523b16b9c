"""/livez says that the process answers, /readyz that it can do its work; neither says more."""

import asyncio
import json
import threading
from datetime import UTC, datetime
from functools import partial

import pytest
from sqlalchemy.exc import OperationalError

import migrations
from agreements.facts import Account
from bot import clock, db
from bot.access.app_key import AppKey
from bot.access.roles import NO_MEMBERS, RoleMembers
from bot.access.served_accounts import ServedAccounts
from bot.access.teams import Teams
from bot.github.availability import GitHubState
from bot.github.ports import Missing, Refused, Unreachable
from bot.health import Health
from bot.server.asgi import AsgiApplication
from tests.asgi import Client, run
from tests.bot.jobs.inline import InlineEngine


@pytest.fixture(name="client")
def _client(database_url):
    """A browser before both, on a database that is still empty."""
    engine = db.open_engine(database_url)
    made = client_for(engine, served("7"))
    made.engine = engine
    yield made
    engine.dispose()


def client_for(engine, accounts, appointed=None, *reasons, **more):
    """A browser before both."""
    pages = Health(engine, accounts, appointed or teams(), *reasons, **more)
    return Client(AsgiApplication({"/livez": partial(pages.livez, process="p1"), "/readyz": pages.readyz}, None))


class GitHub:
    """Knows cann; with `away` it does not answer. Counts how often it was asked."""

    def __init__(self, *, away=False):
        self.away, self.asked = away, 0

    def team_by_name(self, organization, team):
        """Which team that is; there is none."""
        self.asked += 1
        raise Missing(f"nothing of {organization}/{team}")

    def team_members(self, team):
        """No caller asks for members: there is no team."""
        raise AssertionError(team)

    def account_by_login(self, login):
        """Who has that login."""
        self.asked += 1
        if self.away:
            raise Unreachable("GitHub answered 502")
        if login != "cann":
            raise Missing("nobody")
        return Account(500, "cann", "Organization")


def served(*accounts, github=None, sessions=None):
    """These accounts in the settings; asked of GitHub when there is one."""
    made = ServedAccounts(accounts, github, sessions, engine=InlineEngine(), clock=clock.now)
    if github:
        made.ask()
    return made


def teams(team="", **parts):
    """A team in the settings, if any; asked of GitHub when there is one."""
    made = Teams(RoleMembers.parse(team), NO_MEMBERS, parts.get("github"), parts.get("sessions"), served("500"))
    made.refresh()
    return made


def ready(client):
    """Status and answer of /readyz."""
    answer = client.get("/readyz")
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.status_code, answer.get_json()


@pytest.mark.slow
@pytest.mark.from_nothing
def test_the_server_is_ready_once_the_schema_is_migrated(client):
    assert client.get("/livez").get_json() == {"status": "alive", "process": "p1"}
    why = "the database has an older schema: run countersign migrate"
    assert ready(client) == (503, {"status": "not ready", "why": why})

    migrations.upgrade(client.engine)

    assert ready(client) == (200, {"status": "ready"})


def test_a_replica_serves_on_after_a_later_release_migrated(client):
    for oldest, status in ((migrations.newest(), 200), ("9001", 503)):
        migrations.upgrade(client.engine)
        with client.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9001'")
            connection.exec_driver_sql(f"UPDATE schema_floor SET oldest = '{oldest}'")
        found, body = ready(client)
        assert (found, body.get("why")) == (status, None if status == 200 else migrations.NEWER)


@pytest.mark.parametrize(
    "url", ["sqlite:////nowhere/at/all.db", "postgresql://countersign:secret@127.0.0.1:9/x?connect_timeout=1"]
)
def test_without_a_database_the_server_is_alive_and_not_ready(url):
    engine = db.open_engine(url)
    client = client_for(engine, served("nobody-here"))

    assert client.get("/livez").status_code == 200
    assert ready(client) == (503, {"status": "not ready", "why": "the database does not answer"})
    engine.dispose()


@pytest.mark.parametrize(
    ("accounts", "away", "status", "warnings"),
    [
        (("cann", "7"), False, 200, []),
        (("cann", "Nobody-Here"), False, 200, ["Nobody-Here"]),
        (("7", "nobody-here"), False, 200, ["nobody-here"]),
        (("zz", "nobody-here"), False, 503, ["nobody-here", "zz"]),
        (("cann", "nobody-here"), True, 200, []),
        (("nobody-here",), True, 200, []),
    ],
)
def test_unknown_accounts_are_named_and_only_none_left_is_not_ready(engine, sessions, accounts, away, status, warnings):
    github = GitHub(away=away)
    client = client_for(engine, served(*accounts, github=github, sessions=sessions))
    asked = github.asked

    for _ in range(2):
        found, body = ready(client)

    assert (found, body["status"]) == (status, "ready" if status == 200 else "not ready")
    said = [
        f"COUNTERSIGN_ACCOUNTS: GitHub knows no account '{login}': "
        "correct COUNTERSIGN_ACCOUNTS, or use the account's numeric id"
        for login in warnings
    ]
    assert body.get("warnings", []) == said
    assert body.get("why") == (
        None if status == 200 else "GitHub knows none of the accounts in COUNTERSIGN_ACCOUNTS, so nothing is served"
    )
    assert github.asked == asked


def test_a_team_that_gives_no_role_is_named_and_no_obstacle(engine, sessions):
    github = GitHub()
    accounts = served("cann", "Nobody-Here", github=github, sessions=sessions)
    client = client_for(engine, accounts, teams("cann/x", github=github, sessions=sessions))
    asked = github.asked

    status, body = ready(client)

    assert (status, body["status"]) == (200, "ready")
    assert body["warnings"][0].startswith("COUNTERSIGN_ACCOUNTS: ")
    assert body["warnings"][1:] == [
        (
            "COUNTERSIGN_ADMIN_TEAM: nobody has this role: "
            "GitHub shows the App no team cann/x: correct the name, or install the App in that organisation"
        )
    ]
    assert github.asked == asked


class App:
    """Answers as its turn says; None: it takes the key."""

    def __init__(self, *turns):
        self.turns = list(turns)

    def identity(self, *, again):
        """Who we are."""
        assert again
        if turn := self.turns.pop(0):
            raise turn


def test_a_key_that_github_refuses_makes_the_server_not_ready(engine, sessions):
    refused = Refused("the private key belongs to App 8, not to App 7")
    key = AppKey(App(Unreachable("away"), refused, Unreachable("away"), None))
    client = client_for(engine, served("7"), None, lambda: None, lambda: key.refused)
    why = "COUNTERSIGN_APP_ID, COUNTERSIGN_PRIVATE_KEY: the private key belongs to App 8, not to App 7"
    no, yes = (503, {"status": "not ready", "why": why}), (200, {"status": "ready"})

    found = [ready(client)]
    for _ in range(4):
        key.refresh()
        found.append(ready(client))

    assert found == [yes, yes, no, no, yes]


def test_records_that_cannot_be_used_make_the_server_not_ready(engine):
    why = "the ring opens nothing"
    client = client_for(engine, served("7"), records=lambda _connection: why)
    assert ready(client) == (503, {"status": "not ready", "why": why})


def test_an_address_in_a_setting_is_not_published(engine, sessions):
    client = client_for(engine, served("ada@example.org", github=GitHub(), sessions=sessions))

    assert b"ada" not in client.get("/readyz").data


def test_the_health_pages_are_only_read(client):
    assert (client.open("HEAD", "/livez").status_code, client.open("HEAD", "/livez").data) == (200, b"")
    refused = client.post("/livez")
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET, HEAD")


class Stuck:
    """A database that hangs as long as it is told to; counts who looked."""

    def __init__(self):
        self.looks, self.go_on = 0, threading.Event()

    def connect(self):
        """Waits, then fails as a database that has gone."""
        self.looks += 1
        self.go_on.wait(10)
        raise OperationalError("SELECT 1", {}, Exception("gone"))


def test_a_database_that_hangs_is_looked_at_once():
    stuck = Stuck()
    client = client_for(stuck, served("7"), patience=0.2)

    async def many():
        answers = await asyncio.gather(*[client.ask("GET", "/readyz") for _ in range(20)])
        stuck.go_on.set()
        return answers

    assert [(503, "the database does not answer")] * 20 == [
        (answer.status_code, answer.get_json()["why"]) for answer in run(many())
    ]
    assert stuck.looks == 1


def test_an_outage_of_github_is_told_and_no_reason_for_503(engine):
    until = datetime(2026, 11, 21, 12, tzinfo=UTC)
    states = [
        GitHubState("host", None, "healthy"),
        GitHubState("installation", 7, "open", "GitHub asks us to wait: 403", None, until, 0),
        GitHubState("app", None, "failing", "502 to GET /app by ann@example.org"),
    ]
    answer = client_for(engine, served("7"), github=lambda: states).get("/readyz")

    assert answer.status_code == 200
    assert json.loads(answer.data)["github"] == [
        {
            "scope": "installation",
            "installation": 7,
            "condition": "open",
            "why": "GitHub asks us to wait: 403",
            "until": "2026-11-21T12:00:00Z",
        },
        {"scope": "app", "condition": "failing", "why": "502 to GET /app by [address]"},
    ]
    assert b"github" not in client_for(engine, served("7"), github=lambda: states[:1]).get("/readyz").data


@pytest.mark.slow
def test_other_warnings_are_listed_without_addresses(client):
    migrations.upgrade(client.engine)
    warned = client_for(client.engine, served("7"), warnings=lambda: ["somebody keeps reversing ada@cann.example"])
    status, answer = ready(warned)
    assert (status, answer["warnings"]) == (200, ["somebody keeps reversing [address]"])
