"""The outbox stores e-mails sealed, once for each occasion, sends each once, and then deletes its contents."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from bot.store import activity_erasure, outbox
from bot.store.outbox import Email, Mail
from tests.bot.claims import take
from tests.bot.jobs.inline import InlineEngine
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.fixture(name="add")
def _add(sessions, vault):
    """Store an e-mail to ada; `minutes` after the start."""

    def add(mail_id, minutes=0, **told):
        email = Email(**{"kind": "receipt", "to": "ada@example.org", "language": "en", "account_id": 11, **told})
        with sessions() as session:
            return outbox.add(within(session, vault, AT + minutes * MINUTE, mail_id), email)

    return add


@pytest.fixture(name="claim")
def _claim(sessions):
    """The lease of a new job on what is due some minutes after the start."""

    def claim(minutes=0):
        with sessions() as session:
            return take(session, outbox.EMAILS, at=AT + minutes * MINUTE)

    return claim


def states(sessions):
    """What is in the table."""
    with sessions() as session:
        return {mail.id: (mail.state, mail.attempts, mail.sealed is not None) for mail in outbox.EMAILS.listed(session)}


def test_a_recent_email_is_found_by_account_and_literal_prefix_of_its_occasion(sessions, add):
    add("m1", once="welcome:a_c:1")
    add("m2", minutes=5, once="welcome:a_c:2", account_id=12)

    def lately(account_id, occasion, minutes):
        with sessions() as session:
            return outbox.sent_recently(session, account_id, occasion, since=AT + minutes * MINUTE)

    assert lately(11, "welcome:a_c:", -1)
    assert lately(12, "welcome:a_c:", 4)
    for other in ((11, "welcome:a_c:", 0), (12, "welcome:a_c:", 5), (11, "welcome:a_c:2", -1), (13, "welcome", -1)):
        assert not lately(*other), other
    add("m3", minutes=9, once="welcome:abc:1")
    assert not lately(11, "welcome:a_c:", 1)


def test_the_accounts_of_an_occasion_are_counted_once_each(sessions, add):
    add("m1", once="cover:a_c:11:1")
    add("m2", once="cover:a_c:11:2")
    add("m3", minutes=5, once="cover:a_c:12:1", account_id=12)
    add("m4", once="cover:abc:13:1", account_id=13)
    with sessions() as session:
        counts = [outbox.count_accounts(session, "cover:a_c:", since=AT + n * MINUTE) for n in (-1, 0, 5)]

    assert counts == [2, 1, 0]


def test_a_suppressed_email_is_counted_and_never_sent(sessions, add, claim):
    add("m1")
    add("m2", kind="code")
    add("m3", account_id=12)
    with sessions() as session:
        outbox.record_suppressed(within(session, None, AT + MINUTE, "m4"), "receipt", 11)
    with sessions() as session:
        counts = [outbox.count(session, "receipt", 11, since=AT + minutes * MINUTE) for minutes in (-1, 0, 1)]

    assert counts == [2, 1, 0]
    assert states(sessions)["m4"] == ("withheld", 0, False)
    assert {claim(5).row.id, claim(5).row.id, claim(5).row.id} == {"m1", "m2", "m3"}
    assert claim(5) is None


def test_an_email_is_sealed_and_opens_as_it_was(sessions, vault):
    email = Email(kind="receipt", to="ada@example.org", language="zh", values={"name": "李四"})
    with sessions() as session:
        assert outbox.add(within(session, vault, AT, "m1"), email)
    with sessions() as session:
        mail = session.exec(select(Mail)).one()
        assert outbox.opened(vault, mail) == email
        assert b"ada@example.org" not in mail.sealed


def test_an_occasion_has_one_email(add):
    for number, (once, stored) in enumerate([("r1", True), ("r1", False), (None, True), (None, True)]):
        assert add(f"m{number}", once=once) is stored


def test_racing_replicas_store_one_email_for_an_occasion(add, sessions):
    stored, begin = [], threading.Barrier(8)

    def work(number):
        begin.wait()
        stored.append(add(f"m{number}", once="r1"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(stored) == [False] * 7 + [True]
    assert len(states(sessions)) == 1


def test_the_least_tried_emails_are_claimed_first(add, claim, sessions):
    for number in range(3):
        add(f"tried{number}")
        with sessions() as session:
            assert outbox.EMAILS.put_off(session, take(session, outbox.EMAILS, at=AT), "x", at=AT) == "waiting"
    add("new", 2)
    add("later", 30)

    with sessions() as session:
        lot = outbox.EMAILS.claim(session, InlineEngine(), "outgoing", "job", at=AT + 5 * MINUTE, limit=2)
    assert {lease.row.id for lease in lot} == {"tried0", "new"}
    assert [claim(5).row.id for _ in range(2)] == ["tried1", "tried2"]
    assert claim(5) is None


def test_codes_are_claimed_first(add, claim, sessions):
    for number in range(30):
        add(f"m{number}")
    add("c", 1, kind="code")

    assert claim(2).row.id == "c"
    with sessions() as session:
        assert outbox.EMAILS.due(session, at=AT + MINUTE) == ("outgoing",)


def test_a_sent_email_is_deleted_from_its_row(add, claim, sessions, vault):
    add("m1")
    with sessions() as session:
        outbox.EMAILS.sent(session, claim(), at=AT + MINUTE)
    with sessions() as session:
        mail = outbox.find(session, "m1")
        assert (mail.state, mail.sent_at, mail.sealed, mail.error) == ("sent", AT + MINUTE, None, None)
        assert outbox.opened(vault, mail) is None
        assert outbox.find(session, "") is None


def test_an_email_kept_without_a_mail_server_is_readable_and_not_sent_later(add, claim, sessions, vault):
    add("m1")
    with sessions() as session:
        outbox.kept(session, take(session, outbox.EMAILS, at=AT))
    with sessions() as session:
        assert outbox.opened(vault, outbox.find(session, "m1")).to == "ada@example.org"
        assert [mail.id for mail in outbox.EMAILS.listed(session, "kept")] == ["m1"]
        assert list(outbox.EMAILS.listed(session, "failed")) == []
    assert claim(60) is None


def test_claiming_and_purging_skip_rows_locked_by_another_transaction(add, sessions, database_url):
    add("m1")
    add("m2")
    with sessions() as other:
        other.exec(select(Mail).where(Mail.id == "m2").with_for_update()).one()
        if database_url.startswith("postgres"):
            with sessions() as session:
                session.connection().exec_driver_sql("SET LOCAL lock_timeout = '5s'")
                outbox.kept(session, take(session, outbox.EMAILS, at=AT))
                assert take(session, outbox.EMAILS, at=AT) is None
                outbox.purge(session, at=AT + 401 * DAY)
        activity_erasure.forget(other, 11)


def test_forgetting_an_account_deletes_its_emails_alone(add, sessions):
    for number, account_id in enumerate([11, 11, 12, None]):
        add(f"m{number}", account_id=account_id)
    with sessions() as session:
        activity_erasure.forget(session, 11)
        with pytest.raises(ValueError, match="account id"):
            activity_erasure.forget(session, None)
    assert set(states(sessions)) == {"m2", "m3"}


def test_a_kept_email_is_readable_for_30_days_and_its_occasion_known_for_400(add, sessions):
    add("kept", once="r1")
    with sessions() as session:
        outbox.kept(session, take(session, outbox.EMAILS, at=AT))
    add("waits")
    for days, left in (
        (29, {"kept": ("kept", 0, True), "waits": ("waiting", 0, True)}),
        (30, {"kept": ("kept", 0, False), "waits": ("waiting", 0, True)}),
        (399, {"kept": ("kept", 0, False), "waits": ("waiting", 0, True)}),
        (400, {"waits": ("waiting", 0, True)}),
    ):
        with sessions() as session:
            outbox.purge(session, at=AT + days * DAY)
        assert states(sessions) == left, days
