"""E-mails leave by the worker, soon: a mail server that hangs delays nothing else, and a killed process loses none of them."""

import socket

import pytest

from agreements.vault import KeyRing, Vault
from bot import db
from bot.clock import new_id, now
from bot.store import outbox
from bot.store.outbox import Email
from tests.mail_server import Desk, running
from tests.within import within

pytestmark = pytest.mark.slow

VALUES = {"code": "12345678", "login": "ada", "url": "http://localhost"}


def write(play, many):
    """Codes that are asked for at this moment, each with an address of its own."""
    vault = Vault(KeyRing.parse(play.stage.settings.keys.reveal()))
    engine = db.open_engine(play.stage.settings.database_url)
    for number in range(many):
        email = Email(kind="code", to=f"c{number}@example.org", language="en", values=VALUES)
        with db.sessions(engine)() as session:
            outbox.add(within(session, vault, now(), new_id), email)
    engine.dispose()


@pytest.mark.nightly
def test_a_mail_server_that_hangs_delays_no_verdict_and_loses_no_email(staged):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and never says a word
        port = silent.getsockname()[1]
        address = {"COUNTERSIGN_SMTP_URL": f"smtp://127.0.0.1:{port}", "COUNTERSIGN_MAIL_FROM": "cla@example.org"}
        play = staged(settings=address)
        play.community()
        play.stage.serve()
        play.calm()
        write(play, 20)
        play.until(lambda: play.rows("SELECT id FROM mail WHERE lease_by IS NOT NULL"))
        _, pull = play.opens(play.person("ada", "ada@example.org"))
        play.judged(pull, "failure", within=10)
        assert play.rows("SELECT id FROM mail WHERE lease_by IS NOT NULL")
        assert not play.rows("SELECT id FROM mail WHERE state != 'waiting'")
        play.stage.kill()
    for desk in running(Desk(), "smtp", port=port):
        play.stage.serve()
        play.until(lambda: not play.rows("SELECT id FROM mail WHERE state = 'waiting'"), within=30)
        assert sorted(message.to[0] for message in desk.got) == sorted(f"c{number}@example.org" for number in range(20))
