"""The mail sender sends waiting e-mails through a real mail server, notes each result, and logs no name."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes

import pytest
from structlog.testing import capture_logs

from agreements.facts import Account
from agreements.store.ledger import transient_rows
from agreements.store.people import email_codes, person_rows
from agreements.vault import KeyRing, Vault
from bot.mail.mail_sender import MailSender, purge
from bot.mail.smtp import MailServer
from bot.records.record_access import RecordAccess
from bot.store import outbox
from bot.store.outbox import Email
from tests.bot.claims import send_due, take
from tests.bot.jobs.inline import InlineEngine
from tests.within import within

pytestmark = pytest.mark.sqlite_alone  # tests/bot/store/test_outbox.py looks at both kinds

AT = datetime(2026, 1, 1, tzinfo=UTC)
VALUES = {"code": "123456", "login": "kanarienvogel", "url": "http://localhost"}


class Clock:
    """A clock that tests turn."""

    at = AT

    def __call__(self):
        return self.at

    def later(self, **how_much):
        self.at += timedelta(**how_much)


@pytest.fixture(name="clock")
def _clock():
    return Clock()


@pytest.fixture(name="mail_sender")
def _mail_sender(sessions, vault, clock, smtp):
    """A mail sender whose mail server is the test's."""
    return MailSender(
        records=RecordAccess(sessions, vault, clock), server=MailServer.parse(smtp.url), sender="C <cla@example.org>"
    )


@pytest.fixture(name="write")
def _write(sessions, vault, clock):
    """Put an e-mail into the outbox."""

    def write(mail_id="m1", to="kanarienvogel@example.org", kind="code", **values):
        email = Email(kind=kind, to=to, language="en", values={**VALUES, **values}, account_id=11)
        with sessions() as session:
            outbox.add(within(session, vault, clock(), mail_id), email)

    return write


def found(sessions, mail_id="m1"):
    """The row as it is now."""
    with sessions() as session:
        return outbox.find(session, mail_id)


def test_every_waiting_email_is_sent_once_to_its_own_address(mail_sender, write, smtp, sessions):
    for number in range(3):
        write(f"m{number}", to=f"kanarienvogel{number}@example.org")
    with capture_logs() as logs:
        send_due(mail_sender)
        send_due(mail_sender)

    assert sorted(message.to[0] for message in smtp.got) == [
        f"kanarienvogel{number}@example.org" for number in range(3)
    ]
    assert {found(sessions, f"m{number}").state for number in range(3)} == {"sent"}
    assert [log["event"] for log in logs] == ["mail.sent"] * 3
    assert "kanarienvogel" not in str(logs)


def test_a_temporary_refusal_is_tried_again_and_noted_without_a_name(mail_sender, write, smtp, sessions, clock):
    write()
    smtp.answers["rcpt"] = "451 4.7.1 greylisted <kanarienvogel@example.org>"
    with capture_logs() as logs:
        send_due(mail_sender)
    mail = found(sessions)
    assert (mail.state, mail.attempts, mail.due_at) == ("waiting", 1, AT + timedelta(seconds=5))
    assert mail.error == "the mail server refused the recipient: 451 4.7.1"
    assert "kanarienvogel" not in str(logs)
    smtp.answers.clear()
    send_due(mail_sender)
    assert smtp.got == []
    clock.later(seconds=5)
    send_due(mail_sender)
    assert len(smtp.got) == 1
    assert (found(sessions).state, found(sessions).error) == ("sent", None)


def test_an_address_that_does_not_exist_ends_the_email_at_once(mail_sender, write, smtp, sessions):
    write()
    smtp.answers["rcpt"] = "550 5.1.1 no such user"
    send_due(mail_sender)

    assert (found(sessions).state, found(sessions).attempts) == ("failed", 1)
    assert found(sessions).error == "the mail server refused the recipient: 550 5.1.1"


def test_a_mail_sender_killed_before_noting_sends_the_same_message_id_again(mail_sender, write, smtp, sessions, clock):
    write(kind="receipt", title="x", version="x", receipt="x", time="x", site="x")
    with sessions() as session:
        lease = take(session, outbox.EMAILS, at=clock())
    mail_sender._hand_over(lease.row, mail_sender.server)  # and then nothing more: kill -9
    with sessions() as session:
        [again] = outbox.EMAILS.claim(session, InlineEngine(), "outgoing", lease.holder.partition("/")[0], at=clock())
    mail_sender.send(again)
    assert (found(sessions).state, found(sessions).attempts) == ("waiting", 1)
    send_due(mail_sender)
    assert len(smtp.got) == 1
    for _ in range(2):
        clock.later(seconds=5)
        send_due(mail_sender)
    ids = [message_from_bytes(message.content)["Message-ID"] for message in smtp.got]

    assert ids == ["<m1@example.org>"] * 2
    assert found(sessions).state == "sent"


def test_an_old_code_is_not_sent(mail_sender, write, smtp, sessions, clock):
    """An old code would be of no use, and would look like a second one."""
    write()
    smtp.answers["data"] = "451 later"
    send_due(mail_sender)
    smtp.answers.clear()
    clock.later(minutes=10)
    send_due(mail_sender)

    assert smtp.got == []
    assert (found(sessions).state, found(sessions).error) == ("failed", "the code in it has expired")


@pytest.mark.parametrize("changed", [{"kind": "nothing"}, {"kind": "receipt"}, {"to": "a@b, c@d"}])
def test_an_email_that_cannot_be_written_fails_and_holds_up_no_other(mail_sender, write, smtp, sessions, changed):
    write(**changed)
    write("m2", to="other@example.org")
    with capture_logs() as logs:
        send_due(mail_sender)

    assert found(sessions).state == "failed"
    assert found(sessions, "m2").state == "sent"
    assert "kanarienvogel" not in str(logs)
    assert "mail.unwritable" in {log["event"] for log in logs}


@pytest.mark.parametrize(("kind", "told"), [("receipt", 1), ("admin-notification", 0)])
def test_an_email_given_up_is_told_with_the_time_alone(mail_sender, write, sessions, kind, told):
    found = []
    write(to="not an address", kind=kind, total="1")
    send_due(replace(mail_sender, on_failed=lambda _session, at: found.append(at)))
    assert found == [mail_sender.records.clock()] * told


def test_an_email_under_a_lost_key_fails(mail_sender, write, sessions):
    write()
    other = replace(mail_sender.records, vault=Vault(KeyRing.parse(KeyRing.generate("k2"))))
    send_due(replace(mail_sender, records=other))

    assert found(sessions).state == "failed"


def test_without_a_mail_server_emails_are_kept_and_one_line_says_how_to_read_them(mail_sender, write, sessions, vault):
    write()
    keeper = MailSender(records=mail_sender.records, server=None, sender="")
    with capture_logs() as logs:
        send_due(keeper)
        send_due(keeper)

    assert outbox.opened(vault, found(sessions)).values["code"] == "123456"
    assert [(log["event"], log["read"]) for log in logs] == [("mail.kept", "countersign mail show m1")]


def test_no_transaction_is_open_while_the_mail_server_is_spoken_to(sessions, vault, clock, write, raw_smtp):
    import threading

    raw_smtp.lines = [b"220 hi\r\n", b"250 me\r\n"]
    write()
    server = MailServer(host="127.0.0.1", port=raw_smtp.port, security="none")
    mail_sender = MailSender(records=RecordAccess(sessions, vault, clock), server=server, sender="cla@example.org")
    thread = threading.Thread(target=send_due, args=(mail_sender,))
    thread.start()
    while not found(sessions).lease_by:
        pass
    write("m2", kind="nothing")
    with sessions() as session:
        assert take(session, outbox.EMAILS, at=AT).row.id == "m2"
    raw_smtp.ended.set()
    thread.join()
    assert found(sessions).state == "waiting"


def test_old_emails_lose_their_contents_and_old_codes_go(mail_sender, write, sessions, vault, clock):
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, AT, "p"), Account(11, "ada"))
        email_codes.issue(within(session, vault, AT, "c"), person, "a@b.example", company_id=None)
    write()
    with sessions() as session:
        outbox.kept(session, take(session, outbox.EMAILS, at=AT))
    clock.later(days=31)
    purge(sessions, clock)

    assert found(sessions).sealed is None
    with sessions() as session:
        assert transient_rows.purge(session, at=clock()) == 0
