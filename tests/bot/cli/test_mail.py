"""`mail` lists the outbox without addresses, shows one e-mail, and sends again."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from agreements.vault import KeyRing, Vault
from bot.cli.mail import command
from bot.store import outbox
from bot.store.outbox import Email
from tests.bot.claims import take
from tests.within import within

pytestmark = pytest.mark.sqlite_alone  # tests/bot/store/test_outbox.py looks at both kinds

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
RING = KeyRing.generate("k1")


@pytest.fixture(name="run")
def _run(sessions, database_url):
    """The command on a database with a kept e-mail, one that failed, and one that was sent."""
    vault = Vault(KeyRing.parse(RING))
    values = {"code": "123456", "login": "ada", "url": "http://localhost"}
    for number, mail_id in enumerate(["kept", "failed", "sent"]):
        with sessions() as session:
            email = Email(kind="code", to="ada@example.org", language="en", values=values)
            outbox.add(within(session, vault, NOON + timedelta(minutes=number), mail_id), email)
            at = NOON + timedelta(hours=1)
            lease = take(session, outbox.EMAILS, at=at)
            if mail_id == "kept":
                outbox.kept(session, lease)
            elif mail_id == "failed":
                outbox.EMAILS.failed(session, lease, "550")
            else:
                outbox.EMAILS.sent(session, lease, at=at)
    server = {"COUNTERSIGN_SMTP_URL": "smtp://localhost", "COUNTERSIGN_MAIL_FROM": "cla@example.org"}
    environ = {"COUNTERSIGN_DATABASE_URL": database_url, "COUNTERSIGN_KEYS": RING, **server}
    return lambda *arguments, **changed: CliRunner(env={**environ, **changed}).invoke(command, arguments)


def test_the_list_is_oldest_first_without_addresses(run):
    result = run("list")
    emails = [json.loads(line) for line in result.stdout.splitlines()]

    assert result.exit_code == 0
    assert [email["id"] for email in emails] == ["kept", "failed", "sent"]
    assert emails[1] == {
        "id": "failed", "kind": "code", "state": "failed", "attempts": 1, "made_at": "2026-11-21T12:01:00Z",
        "sent_at": None, "error": "550",
    }  # fmt: skip
    assert "ada" not in result.stdout


def test_emails_are_filtered_by_state_and_printed_as_text(run):
    names, email = (line.split("\t") for line in run("list", "--state", "sent", "--format", "text").stdout.splitlines())

    assert names == ["id", "kind", "state", "attempts", "made_at", "sent_at", "error"]
    assert email == ["sent", "code", "sent", "1", "2026-11-21T12:02:00Z", "2026-11-21T13:00:00Z", ""]


@pytest.mark.parametrize("which", ["kept", "failed"])
def test_show_prints_recipient_subject_and_body(run, which):
    result = run("show", which)

    assert result.exit_code == 0
    assert result.stdout.startswith("To: ada@example.org\nSubject: Your one-time code for Countersign\n\n123456\n")


@pytest.mark.parametrize(
    ("which", "changed", "said"),
    [
        ("sent", {}, "the e-mail sent is sent, and its text was deleted"),
        ("other", {}, "there is no e-mail other: `countersign mail list` shows the ids"),
        (
            "kept",
            {"COUNTERSIGN_KEYS": KeyRing.generate("k2")},
            "the e-mail kept cannot be read: the key that encrypted",
        ),
        ("kept", {"COUNTERSIGN_KEYS": ""}, "COUNTERSIGN_KEYS is not set"),
        ("\udcff", {}, r"'\udcff' is not the id of an e-mail: `countersign mail list` shows the ids"),
    ],
)
def test_an_email_that_cannot_be_read_exits_with_2_in_one_line(run, which, changed, said):
    result = run("show", which, **changed)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"countersign: {said}")
    assert result.stderr.count("\n") == 1


def test_without_a_mail_server_send_queues_nothing(run):
    refused = run("send", "--all", COUNTERSIGN_SMTP_URL=None, COUNTERSIGN_MAIL_FROM=None)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "COUNTERSIGN_SMTP_URL is not set" in refused.stderr
    assert json.loads(run("list").stdout.splitlines()[0])["state"] == "kept"


def test_send_queues_failed_and_kept_emails_but_no_code_and_nothing_sent(run, sessions):
    with sessions() as session:
        email = Email(kind="receipt", to="ada@example.org", language="en", values={})
        outbox.add(within(session, Vault(KeyRing.parse(RING)), NOON, "r"), email)
        outbox.kept(session, take(session, outbox.EMAILS, at=NOON + timedelta(hours=2)))

    for wrong in ((), ("--all", "r"), ("sent",), ("r", "failed"), ("nobody",), ("r", "\udcff")):
        assert run("send", *wrong).exit_code == 2
    assert "nothing was queued: failed cannot be sent again" in run("send", "r", "failed").stderr
    assert run("send", "r").stdout == "1 queued\n"
    assert json.loads(run("list", "--state", "waiting").stdout)["id"] == "r"
    assert run("send", "--all").stdout == "0 queued\n"
