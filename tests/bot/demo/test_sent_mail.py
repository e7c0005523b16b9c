"""The demo's mailbox reads the outbox of its own server."""

from datetime import UTC, datetime, timedelta

import migrations
from agreements.vault import KeyRing, Vault
from bot import db
from bot.demo.sent_mail import SentMail
from bot.settings import Secret, Settings
from bot.store import outbox
from bot.store.outbox import Email
from tests.bot.claims import take

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
RING = KeyRing.generate("k1")


def test_the_newest_first(tmp_path):
    """What waits and what was kept, whole; not what is forgotten; an e-mail without a template says so."""
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
            outbox.add(session, vault, email, at=NOON + timedelta(minutes=number), new_id=f"m{number}")
            if number == 0:
                outbox.EMAILS.sent(session, take(session, outbox.EMAILS, at=NOON), at=NOON)
            if number == 1:
                outbox.kept(session, take(session, outbox.EMAILS, at=NOON + timedelta(minutes=1)))
    shown = mailbox()
    mailbox.close()
    engine.dispose()

    assert [one.at.minute for one in shown] == [3, 2, 1]
    assert shown[0].body.startswith("000003\n")
    assert (shown[0].to, shown[0].subject) == ("a@b.example", "Your one-time code for Countersign")
    assert "cannot be written" in shown[1].subject
