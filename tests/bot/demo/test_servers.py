"""A stage starts both servers, wired to each other, and leaves no process behind."""

import contextlib
import os
import signal
import socket
import time
import urllib.request
from datetime import UTC, datetime, timedelta

import pytest

import migrations
from agreements.vault import KeyRing, Vault
from bot import db
from bot.demo.servers import DemoServers, SentMail, ServerNotReady
from bot.github.connection import connect
from bot.network import dns
from bot.secret import Secret
from bot.settings import Settings
from bot.store import outbox
from bot.store.outbox import Email
from tests.bot.claims import take
from tests.conftest import free_port
from tests.within import within


def stage(folder, **options):
    """A stage on free ports."""
    return DemoServers(folder, port=free_port(), github_port=free_port(), **options)


def gone(number):
    """True once no process has that number."""
    for _ in range(100):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def listens(url):
    """True when a server answers there."""
    with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2):
        return True
    return False


def test_the_settings_fit_the_small_github(tmp_path):
    with stage(tmp_path / "s", settings={"COUNTERSIGN_ACCOUNTS": "other,7"}) as made:
        settings = made.settings
        assert settings.accounts == ("other", "7")
        assert {server.address for server in settings.dns_servers} == {"127.0.0.1"}
        made.world.zone["_cla-challenge.example.org"] = ["cla-verify=t0ken"]
        assert dns.shows("example.org", "t0ken", settings.dns_servers) == "shown"
        hub = connect(
            server=settings.github_server,
            api_url=settings.github_api_url,
            app_id=settings.app_id,
            private_key=settings.private_key.reveal(),
            pause=0,
        )
        assert (hub.identity().id, hub.identity().slug) == (made.app.id, "countersign")
        hub.close()
    assert not listens(made.github_url)


def test_the_app_is_as_its_manifest_describes_it(tmp_path):
    with stage(tmp_path / "s") as made:
        assert made.app.hook_url == f"{made.url}/webhook"
        assert made.app.callbacks == [f"{made.url}/login/callback"]
        assert (made.app.bot.name, made.app.owner.name) == ("Countersign", "the Countersign project")
        assert made.app.permissions["checks"] == "write"
        assert "pull_request" in made.app.events
        assert (tmp_path / "s" / "keys").stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_the_server_leaves_no_process_after_stop_or_kill(tmp_path):
    with stage(tmp_path / "s") as made:
        made.world.organization("cann", admins=[made.world.user("boss")])
        made.serve()
        first = made.process.pid
        assert listens(f"{made.url}/readyz")
        made.stop()
        assert gone(first)
        assert not listens(f"{made.url}/livez")

        made.serve()
        second = made.process.pid
        os.killpg(second, 0)
        made.kill()
        assert gone(second)
        assert not listens(f"{made.url}/livez")

        made.serve()
        third = made.process.pid
    assert gone(third)


def test_a_server_that_does_not_start_says_the_end_of_its_log(tmp_path):
    with stage(tmp_path / "s", settings={"COUNTERSIGN_APP_ID": ""}) as made:
        with pytest.raises(ServerNotReady, match="COUNTERSIGN_APP_ID"):
            made.serve()
        assert "Traceback" not in made.log_end()


def test_a_server_that_is_not_ready_in_time_is_given_up_with_its_log(tmp_path, monkeypatch):
    silent = socket.create_server(("127.0.0.1", 0))
    url = f"postgresql://countersign@127.0.0.1:{silent.getsockname()[1]}/silent"
    with silent, stage(tmp_path / "s", settings={"COUNTERSIGN_DATABASE_URL": url}) as made:
        monkeypatch.setattr("bot.demo.servers.READY_WITHIN", 2.0)
        with pytest.raises(ServerNotReady) as told:
            made.serve()
        assert str(told.value) in made.log_end()
        assert made.process.poll() is None


def test_a_layer_around_the_small_github_sees_each_request(tmp_path):
    seen = []

    def wrap(app):
        def layer(environ, start):
            seen.append(environ["PATH_INFO"])
            return app(environ, start)

        return layer

    with stage(tmp_path / "s", wrap=wrap) as made:
        assert listens(made.github_url)
    assert seen == ["/"]


def test_each_call_takes_the_latency_that_was_asked_for(tmp_path):
    with stage(tmp_path / "s", latency=0.2) as made:
        start = time.perf_counter()
        assert listens(f"{made.github_url}/api/v3/rate_limit")
        assert time.perf_counter() - start >= 0.2


@pytest.mark.slow
def test_the_terminals_interrupt_does_not_reach_the_server(tmp_path):
    with stage(tmp_path / "s") as made:
        made.world.organization("cann", admins=[made.world.user("boss")])
        made.serve()
        assert os.getpgid(made.process.pid) == made.process.pid != os.getpgid(0)
        made.process.send_signal(signal.SIGTERM)
        assert made.process.wait(timeout=30) == 0


NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
RING = KeyRing.generate("k1")


def test_waiting_and_kept_mail_is_shown_newest_first(tmp_path):
    url = f"sqlite:///{tmp_path / 'demo.db'}"
    mailbox = SentMail(lambda: Settings(database_url=url, keys=Secret(RING)))
    assert mailbox() == []
    assert not (tmp_path / "demo.db").exists()
    engine, vault = db.open_engine(url), Vault(KeyRing.parse(RING))
    with engine.connect():
        assert mailbox() == []  # no tables yet
    migrations.upgrade(engine)
    values = {"login": "ada", "url": "http://localhost"}
    for number, kind in enumerate(["code", "code", "nothing", "code"]):
        with db.sessions(engine)() as session:
            email = Email(kind=kind, to="a@b.example", language="en", values={**values, "code": f"00000{number}"})
            outbox.add(within(session, vault, NOON + timedelta(minutes=number), f"m{number}"), email)
            if number == 0:
                outbox.EMAILS.sent(session, take(session, outbox.EMAILS, at=NOON), at=NOON)
            if number == 1:
                outbox.kept(session, take(session, outbox.EMAILS, at=NOON + timedelta(minutes=1)))
    shown = mailbox()
    mailbox.close()
    engine.dispose()

    assert [mail.at.minute for mail in shown] == [3, 2, 1]
    assert shown[0].body.startswith("000003\n")
    assert (shown[0].to, shown[0].subject) == ("a@b.example", "Your one-time code for Countersign")
    assert "cannot be written" in shown[1].subject
