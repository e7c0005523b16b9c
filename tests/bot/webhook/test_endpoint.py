"""The webhook: only GitHub's deliveries, each stored once with its job, every refusal in one line."""

import gzip
import hashlib
import hmac
import json

import pytest
from sqlalchemy import text

from bot import db
from bot.access.served_accounts import ServedAccounts
from bot.clock import now
from bot.github.ports import Missing
from bot.job_queue import Job
from bot.server.asgi import AsgiApplication
from bot.store import inbox
from bot.webhook.delivery_writer import DeliveryWriter
from bot.webhook.endpoint import Webhook
from tests.asgi import Client, run
from tests.bot.jobs.inline import InlineEngine

OWNER, APP = 500, 77
GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"


class UnaskedGitHub:
    """A GitHub that must not be asked."""

    def account_by_login(self, login):
        """The hook never calls this."""
        raise AssertionError(login)


class Empty:
    """A GitHub without any account."""

    def account_by_login(self, login):
        """No account has this login."""
        raise Missing(login)


RECORDERS = []


@pytest.fixture(autouse=True)
def _end_recorders():
    """No thread is left of a test."""
    yield
    while RECORDERS:
        RECORDERS.pop().stop()


async def other_address(exchange):
    """No test asks for another address."""
    raise AssertionError(exchange.path)


@pytest.fixture(name="jobs")
def _jobs():
    return InlineEngine()


def client_for(sessions, jobs, accounts=(str(OWNER),), repositories=None):
    """A client of an app that has the webhook and nothing else."""
    served = ServedAccounts(accounts, repositories or UnaskedGitHub(), sessions, engine=jobs, clock=now)
    if repositories is not None:
        served.refresh()
    recorder = DeliveryWriter(sessions, jobs, now)
    recorder.start()
    RECORDERS.append(recorder)
    hook = Webhook(secrets=[b"new", b"old"], app_id=APP, url="https://cla.example.org", writer=recorder, served=served)
    return Client(AsgiApplication({"/webhook": hook}, other_address))


@pytest.fixture(name="client")
def _client(sessions, jobs):
    return client_for(sessions, jobs)


def payload(action="synchronize", owner=OWNER, **more):
    """What GitHub sends for a pull request, cut down to what is read."""
    return {
        "action": action,
        "number": 7,
        "pull_request": {"number": 7, "head": {"sha": "a" * 40}, "title": "secret@title.example"},
        "repository": {
            "id": 9,
            "name": "ops-math",
            "full_name": "cann/ops-math",
            "owner": {"id": owner, "login": "cann", "type": "Organization"},
        },
        "sender": {"id": 11, "login": "ada", "type": "User"},
        "installation": {"id": 3},
        **more,
    }


def post(client, body, *, secret=b"new", event="pull_request", guid=GUID, signature=None, headers=None):
    """Deliver as GitHub does."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    signature = signature or "sha256=" + hmac.new(secret, raw, hashlib.sha256).hexdigest()
    sent = {"X-GitHub-Event": event, "X-GitHub-Delivery": guid, "X-Hub-Signature-256": signature, **(headers or {})}
    return client.post(
        "/webhook", data=raw, content_type="application/json", headers={k: v for k, v in sent.items() if v}
    )


def stored(sessions):
    """All deliveries as (guid, state)."""
    with sessions() as session:
        return [(delivery.guid, delivery.state) for delivery in inbox.listed(session)]


def test_a_delivery_is_stored_with_its_job(client, sessions, jobs):
    answer = post(client, payload())

    assert 202 == answer.status_code
    assert [(GUID, "received")] == stored(sessions)
    assert [Job("review", (), "now")] == list(jobs.waiting)


def test_the_stored_delivery_holds_ids_only(client, sessions, engine):
    post(client, payload())

    with engine.connect() as connection:
        rows = str(connection.execute(text("SELECT * FROM delivery")).all())
    assert "a" * 40 in rows
    assert "secret@title.example" not in rows


def test_the_same_delivery_twice_is_known(client, sessions, jobs):
    post(client, payload())
    answer = post(client, payload())

    assert 202 == answer.status_code
    assert b"already known" in answer.data
    assert 1 == len(stored(sessions))
    assert 1 == len(jobs.waiting)


def test_a_failed_delivery_is_queued_again(client, sessions, jobs):
    post(client, payload())
    with sessions() as session:
        inbox.tried(session, GUID, "why")
        inbox.failed(session, GUID)

    assert b"accepted" in post(client, payload()).data
    assert [(GUID, "received")] == stored(sessions)


@pytest.mark.parametrize("secret", [b"new", b"old"])
def test_both_secrets_count_while_rotating(client, secret):
    assert 202 == post(client, payload(), secret=secret).status_code


@pytest.mark.parametrize(
    "signature",
    ["sha256=" + "0" * 64, "sha256=", "sha1=" + "0" * 40, "0" * 64, "sha256=" + "é" * 64, "SHA256=" + "0" * 64],
)
def test_a_bad_signature_is_refused(client, sessions, signature):
    assert 401 == post(client, payload(), signature=signature).status_code
    assert [] == stored(sessions)


def test_a_missing_signature_is_refused(client, sessions):
    answer = client.post("/webhook", data=b"{}", headers={"X-GitHub-Event": "ping", "X-GitHub-Delivery": GUID})

    assert 401 == answer.status_code
    assert [] == stored(sessions)


def test_the_signature_is_over_the_raw_bytes(client):
    body = json.dumps(payload()).encode()
    signature = "sha256=" + hmac.new(b"new", body, hashlib.sha256).hexdigest()

    assert 401 == post(client, body + b" ", signature=signature).status_code


@pytest.mark.parametrize(
    "body",
    [b"", b"not json", b"[1]", b'"x"', b"\xff\xfe", b"[" * 100_000, gzip.compress(b"{}"), b'{"action": "opened"'],
    ids=["empty", "words", "list", "text", "bytes", "deep", "gzip", "cut"],
)
def test_a_body_that_is_no_json_object_is_refused(client, sessions, body):
    answer = post(client, body)

    assert 400 == answer.status_code
    assert b"Traceback" not in answer.data
    assert [] == stored(sessions)


@pytest.mark.parametrize("missing", ["X-GitHub-Event", "X-GitHub-Delivery"])
def test_missing_headers_are_refused(client, missing):
    assert 400 == post(client, payload(), headers={missing: ""}).status_code


@pytest.mark.parametrize("guid", ["x" * 65, "with space", "a'b"])
def test_a_misshapen_guid_is_refused(client, guid):
    assert 400 == post(client, payload(), guid=guid).status_code


@pytest.mark.parametrize("lost", ["repository", "sender", "pull_request"])
def test_an_event_without_a_needed_part_is_refused_by_its_name(client, sessions, lost):
    body = payload()
    del body[lost]
    answer = post(client, body)

    assert 400 == answer.status_code
    assert lost.encode() in answer.data
    assert [] == stored(sessions)


def test_half_a_character_is_refused(client, sessions):
    """No database can hold half a character."""
    body = payload()
    body["repository"]["name"] = "ops-\ud800"

    assert 400 == post(client, body).status_code
    assert 202 == post(client, payload(), guid="next").status_code
    assert [("next", "received")] == stored(sessions)


def test_a_huge_body_is_refused_unread(client, sessions):
    answer = run(client.ask("POST", "/webhook", [("Content-Length", str(26 * 1024 * 1024))], [None]))

    assert 413 == answer.status_code
    assert [] == stored(sessions)


@pytest.mark.parametrize(
    ("event", "body"),
    [("star", payload("created")), ("pull_request", payload("assigned")), ("ping", {"zen": "x", "hook_id": 1})],
)
def test_an_unhandled_event_is_acknowledged_and_not_stored(client, sessions, event, body):
    assert 202 == post(client, body, event=event).status_code
    assert [] == stored(sessions)


def test_an_account_that_we_do_not_serve_is_ignored(client, sessions, jobs):
    assert 202 == post(client, payload(owner=999)).status_code
    assert [] == stored(sessions)
    assert () == jobs.waiting


def test_an_unknown_login_in_the_settings_turns_no_other_account_away(sessions, jobs):
    client = client_for(sessions, jobs, accounts=(str(OWNER), "CANN-later"), repositories=Empty())

    for number, (owner, login) in enumerate([(OWNER, "any"), (998, "stranger"), (999, "cann-later")]):
        event = payload(owner=owner)
        event["repository"]["owner"]["login"] = login
        assert 202 == post(client, event, guid=str(number)).status_code
    assert [("0", "received"), ("2", "received")] == stored(sessions)


def test_while_a_login_waits_for_its_id_deliveries_are_kept(sessions, jobs):
    client = client_for(sessions, jobs, accounts=("cann",))

    assert 202 == post(client, payload()).status_code
    assert [(GUID, "received")] == stored(sessions)


def test_a_database_that_is_away_is_answered_503(jobs, tmp_path):
    """GitHub keeps the delivery for redelivery."""
    engine = db.open_engine(f"sqlite:///{tmp_path / 'empty.db'}")
    client = client_for(db.sessions(engine), jobs)

    answer = post(client, payload())

    engine.dispose()
    assert 503 == answer.status_code
    assert b"deliver again" in answer.data
    assert () == jobs.waiting


def test_a_forged_press_of_a_button_is_refused_and_a_signed_one_is_stored(client, sessions):
    run = {"head_sha": "a" * 40, "app": {"id": APP}, "external_id": "countersign:9:7"}
    press = payload("requested_action", check_run=run, requested_action={"identifier": "answer-for-agents"})

    assert post(client, press, event="check_run", secret=b"guessed").status_code in (401, 403)
    assert stored(sessions) == []
    assert post(client, press, event="check_run").status_code == 202
    assert stored(sessions) == [(GUID, "received")]
