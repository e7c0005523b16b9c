"""The file of endpoints: read as it is meant, or refused by one line that says where, and never shows a secret."""

import threading
from dataclasses import replace

import pytest

from agreements.store.ledger.stored_ledger import SERVER, Change
from bot.mail.mail_sender import MailSender
from bot.mail.smtp import MailServer
from bot.notifications import endpoints
from bot.notifications.chat_formats import CHAT_FORMATS
from bot.notifications.endpoints import EndpointsInvalid, tell_undelivered
from bot.notifications.payloads import Notification
from bot.records.record_access import RecordAccess
from bot.store import outbox
from bot.store.outbox import Email
from bot.store.outgoing_webhooks import QUEUE
from tests.bot.claims import send_due
from tests.bot.notifications.conftest import AT
from tests.conftest import free_port
from tests.within import within

SECRET = "correct-horse-battery"
GOOD = f"webhooks:\n  chat:\n    url: https://hooks.example.org/T0K3N\n    secret: {SECRET}\n    events: [signed, withdrawn]\n"


@pytest.fixture(name="load")
def _load(tmp_path):
    """Read that text from a file."""

    def load(text):
        (tmp_path / "webhooks.yml").write_text(text, encoding="utf-8")
        return endpoints.load(tmp_path / "webhooks.yml")

    return load


def test_without_the_setting_there_are_no_endpoints():
    assert endpoints.load(None) == ()


def test_an_endpoint_hides_its_address_and_secret(load):
    [endpoint] = load(GOOD)
    assert (endpoint.name, endpoint.url, endpoint.secret) == (
        "chat",
        "https://hooks.example.org/T0K3N",
        SECRET.encode(),
    )
    assert endpoint.events == {"signed", "withdrawn"}
    assert "T0K3N" not in repr(endpoint)
    assert SECRET not in repr(endpoint)


def test_a_secret_may_stand_in_a_file_beside(load, tmp_path):
    (tmp_path / "chat.secret").write_text(SECRET + "\n")
    [endpoint] = load(GOOD.replace(f"secret: {SECRET}", "secret_file: chat.secret"))
    assert endpoint.secret == SECRET.encode()


@pytest.mark.parametrize("url", ["http://localhost:9/x", "http://127.0.0.1/x", "http://[::1]:80/"])
def test_only_loopback_needs_no_tls(load, url):
    """A bridge may run on the same machine."""
    assert load(GOOD.replace("https://hooks.example.org/T0K3N", url))[0].url == url


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("https://hooks", "http://hooks", "line 3: webhooks.chat: url must begin with https://"),
        ("https://hooks", "ftp://hooks", "line 3: webhooks.chat: url must begin with https://"),
        ("https://hooks", "https://me:pw@hooks", "line 3: webhooks.chat: url must have no user name"),
        ("https://hooks.example.org/T0K3N", "https://[", "line 3: webhooks.chat: url must be an https address"),
        (SECRET, "short", "line 2: webhooks.chat: the secret must be text of at least 16 characters"),
        (f"    secret: {SECRET}\n", "", "line 2: webhooks.chat: needs either secret or secret_file"),
        (f"secret: {SECRET}", "secret_file: none", "secret_file: cannot read"),
        ("[signed, withdrawn]", "[signed, exploded]", "events must list some of signed, withdrawn, company-changed"),
        ("[signed, withdrawn]", "[]", "events must list some of"),
        (
            "    events",
            "    color: red\n    events",
            "must have url or url_file, events, secret or secret_file, format and language if need be, and nothing else",
        ),
        ("    events", "    format: [x]\n    events", "line 5: webhooks.chat: format must be one of countersign"),
        ("chat:", "Chat Room:", "a name must be 1 to 40 lower-case letters"),
        ("webhooks:", "hooks:", "must contain only `webhooks:`"),
        ("    events: [signed", "    events: [signed]\n    events: [signed", "the key 'events' appears twice"),
    ],
)
def test_a_mistake_is_one_line_with_the_file_and_without_secrets(load, tmp_path, old, new, said):
    with pytest.raises(EndpointsInvalid) as refused:
        load(GOOD.replace(old, new))
    line = str(refused.value)
    assert said in line
    assert str(tmp_path) in line
    assert "\n" not in line
    assert SECRET not in line
    assert "T0K3N" not in line


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(EndpointsInvalid, match=r"cannot read .*none\.yml: No such file"):
        endpoints.load(tmp_path / "none.yml")


CHAT = GOOD.replace(f"    secret: {SECRET}\n", "    format: slack\n")


@pytest.mark.parametrize("name", CHAT_FORMATS)
def test_a_chat_needs_no_secret_and_speaks_english_unless_told(load, name):
    [endpoint] = load(CHAT.replace("slack", name))
    assert (endpoint.chat, endpoint.secret, endpoint.language) == (CHAT_FORMATS[name], b"", "en")
    [endpoint] = load(CHAT.replace("slack", f"{name}\n    language: zh\n    secret: {SECRET}"))
    assert (endpoint.secret, endpoint.language) == (SECRET.encode(), "zh")


def test_an_address_may_stand_in_a_file_beside(load, tmp_path):
    (tmp_path / "chat.url").write_text("https://hooks.example.org/T0K3N\n")
    [endpoint] = load(CHAT.replace("url: https://hooks.example.org/T0K3N", "url_file: chat.url"))
    assert endpoint.url == "https://hooks.example.org/T0K3N"


URL = "url: https://hooks.example.org/T0K3N"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("slack", "slak", "line 4: webhooks.chat: format must be one of countersign, slack, feishu, lark, dingtalk, "),
        ("slack", "slack\n    language: fr", "line 5: webhooks.chat: language must be one of en, zh, with a format of slack,"),
        ("slack", "slack\n    language: [zh]", "line 5: webhooks.chat: language must be one of en, zh"),
        ("format: slack", f"secret: {SECRET}\n    language: zh", "line 5: webhooks.chat: language must be one of en, zh"),
        ("format: slack", "format: countersign", "line 2: webhooks.chat: needs either secret or secret_file"),
        ("slack", "slack\n    secret:", "line 2: webhooks.chat: the secret must be text of at least 16 characters"),
        (f"    {URL}\n", "", "line 2: webhooks.chat: url must be an https address"),
        (URL, f"url_file: u\n    {URL}", "line 4: webhooks.chat: needs either url or url_file"),
        (URL, "url_file: none", "line 3: webhooks.chat: url_file: cannot read the file that it names: No such file"),
        (URL, "url_file: latin", "line 3: webhooks.chat: url_file: cannot read the file that it names: not UTF-8 text"),
        (URL, "url_file: plain", "line 3: webhooks.chat: url must begin with https://"),
        (URL, "url_file: [T0K3N]", "line 3: webhooks.chat: url_file must be a path"),
        # What someone in a hurry writes.
        (URL, "url_file: https://hooks.example.org/T0K3N", "line 3: webhooks.chat: url_file: cannot read the file"),
        ("chat:", "https://hooks.example.org/T0K3N:", "line 2: webhooks: a name must be 1 to 40 lower-case letters"),
        (URL, "https://hooks.example.org/T0K3N: ''", "line 2: webhooks.chat: must have url or url_file, events"),
        (URL, "https://x.org/T0K3N: a\n    https://x.org/T0K3N: b", "line 4: the key '…' appears twice"),
        (URL, "url: *https://x.org/T0K3N", "line 3: not valid YAML: "),
    ],
)  # fmt: skip
def test_a_mistake_about_a_chat_is_one_line_that_never_shows_its_address(load, tmp_path, old, new, said):
    (tmp_path / "latin").write_bytes(b"\xff")
    (tmp_path / "plain").write_text("http://hooks.example.org/T0K3N")
    with pytest.raises(EndpointsInvalid) as refused:
        load(CHAT.replace(old, new))
    line = str(refused.value)
    assert said in line
    assert "\n" not in line
    assert "T0K3N" not in line
    assert SECRET not in line


NEWS = Notification("verdict-changed", {"number": 1}, AT)


def test_a_webhook_is_stored_with_the_transaction_or_not_at_all(told):
    def fail():
        with told.sessions() as session:
            told.webhooks.enqueue(session, [NEWS])
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert told.rows() == {}
    with told.sessions() as session:
        told.webhooks.enqueue(session, [NEWS])
    assert len(told.rows()) == 1


def test_each_endpoint_gets_the_events_that_it_chose(told):
    [endpoint] = told.endpoints
    told.endpoints = (
        endpoint,
        replace(endpoint, name="chat", events=frozenset({"withdrawn"})),
        replace(endpoint, name="hr"),
    )
    told.sign()
    told.webhooks.follow_log()
    with told.sessions() as session:
        assert sorted(row.endpoint for row in QUEUE.listed(session)) == ["hr", "warehouse"]


def test_each_record_is_told_once_by_its_own_event(told):
    told.receiver.start()
    for number in range(5):
        told.sign(11 + number, f"ada{number}")
    told.change_company()
    threads = [threading.Thread(target=told.webhooks.follow_log) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told.round()

    found = sorted((post["event"], str(post["body"].get("account", {}).get("id"))) for post in told.receiver.received)
    assert found == [("company-changed", "None"), *(("signed", str(11 + number)) for number in range(5))]


def test_records_from_before_the_first_endpoint_are_not_told(told):
    endpoints, told.endpoints = told.endpoints, ()
    told.webhooks.follow_log()
    told.sign()
    told.webhooks.follow_log()
    told.endpoints = endpoints
    told.webhooks.follow_log()
    assert told.rows() == {}
    told.sign(12, "bob")
    told.webhooks.follow_log()
    assert len(told.rows()) == 1


def test_an_undeliverable_email_is_told_once_without_its_address(told):
    told.endpoints = tuple(replace(endpoint, events=frozenset({"attention-needed"})) for endpoint in told.endpoints)
    told.receiver.start()
    with told.sessions() as session:
        for kind in ("nothing", "code"):  # no text is of that kind, and no mail server takes the other
            email = Email(
                kind=kind, to="ada@lovelace.example", language="en", values={"code": "1", "login": "ada", "url": "x"}
            )
            outbox.add(within(session, told.vault, AT, kind), email)
    records, on_failed = (
        RecordAccess(told.sessions, told.vault, lambda: told.at),
        tell_undelivered(told.webhooks.enqueue),
    )
    server = MailServer.parse(f"smtp://127.0.0.1:{free_port()}")
    for _ in range(3):
        send_due(MailSender(records=records, server=server, sender="C <cla@example.org>", on_failed=on_failed))
        told.round()

    [received] = told.receiver.received
    said = {"event": "attention-needed", "change": "mail.failed", "page": "/admin"}
    assert received["body"] == said | {"schema": 1, "occurred_at": "2026-01-01T00:00:00Z"}


def test_a_companys_request_is_told_as_waiting_for_attention(told):
    told.endpoints = tuple(replace(endpoint, events=frozenset({"attention-needed"})) for endpoint in told.endpoints)
    with told.sessions() as session:
        change = Change(kind="company.requested", actor_id=11, subject=SERVER, rows=(), details={})
        within(session, told.vault, AT, "asked").append(change)
    told.webhooks.follow_log()
    with told.sessions() as session:
        assert [row.event for row in QUEUE.listed(session)] == ["attention-needed"]
