"""A real receiver believes what is signed; while it is away webhooks wait, and come later with the ids that they had."""

import contextlib
import time
from dataclasses import replace

import pytest
from sqlalchemy import update
from structlog.testing import capture_logs

from bot.notifications import webhook_sender
from bot.notifications.endpoints import Endpoint
from bot.notifications.webhook_sender import signature
from bot.store import outgoing_webhooks
from bot.store.outgoing import MAX_TRIES
from bot.store.outgoing_webhooks import OutgoingWebhook
from bot.telemetry import metrics
from tests.bot.claims import send_due
from tests.bot.notifications.chat_server import PATHS, ROBOT_SECRET, SIGNED, TOKEN
from tests.bot.notifications.conftest import SITE
from tests.bot.notifications.receiver import SECRET


def count(outcome):
    """What the metric says."""
    return metrics.OUTGOING_WEBHOOKS.labels(outcome)._value.get()


def test_a_signature_is_githubs_own_example():
    """GitHub's documentation has it: 'Validating webhook deliveries'."""
    wanted = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signature(b"It's a Secret to Everybody", b"Hello, World!") == wanted


def test_a_webhook_is_tried_by_the_same_id_until_the_receiver_is_back(told):
    told.sign()
    told.round()
    [(webhook, (state, attempts, error))] = told.rows().items()
    assert (state, attempts) == ("waiting", 1)
    assert error.startswith("the endpoint cannot be reached: ")
    told.later(seconds=4)
    told.round()
    assert told.rows()[webhook][1] == 1

    told.receiver.start()
    told.later(seconds=1)
    told.round()
    told.round()

    [received] = told.receiver.received
    assert (received["event"], received["delivery"]) == ("signed", webhook)
    assert received["body"]["account"] == {"id": 11, "login": "ada"}
    assert told.rows() == {webhook: ("sent", 2, None)}


def test_a_refused_webhook_comes_again_with_the_same_id(told):
    told.receiver.start(answer=503)
    told.sign()
    told.round()
    told.receiver.stop()
    told.receiver.start()
    told.later(minutes=2)
    told.round()

    first, second = told.receiver.received
    assert first == second
    with told.sessions() as session:
        assert outgoing_webhooks.again(session, [first["delivery"]], at=told.at)
    told.round()
    assert told.receiver.received == [first] * 3


@pytest.mark.parametrize("answer", [301, 302, 307, 400, 404, 500])
def test_only_a_2xx_answer_counts_as_taken(told, answer):
    told.receiver.start(answer=answer)
    told.sign()
    told.round()

    assert [*told.rows().values()] == [("waiting", 1, f"the endpoint answered {answer}")]
    assert len(told.receiver.received) == 1


def test_a_wrong_secret_is_not_believed(told):
    told.receiver.start()
    told.endpoints = (Endpoint("warehouse", told.receiver.url, b"another-secret-of-ours", told.endpoints[0].events),)
    told.sign()
    told.round()
    assert told.receiver.received == [None]
    assert [*told.rows().values()] == [("waiting", 1, "the endpoint answered 401")]


@pytest.mark.parametrize(("is_away", "tried"), [(True, 1), (False, 3)])
def test_an_endpoint_that_is_away_is_tried_with_one_webhook_and_a_refusing_one_with_all(told, is_away, tried):
    if not is_away:
        told.receiver.start(answer=400)
    told.sign()
    told.sign(12, "bo")
    told.sign(13, "cy")
    told.round()
    assert sum(attempts for _, attempts, _ in told.rows().values()) == tried
    with told.sessions() as session:
        session.execute(update(OutgoingWebhook).where(OutgoingWebhook.attempts > 0).values(attempts=MAX_TRIES - 1))
    told.later(hours=1)
    told.round()
    states = [state for state, _, _ in told.rows().values()]
    assert states.count("failed") == tried


@pytest.mark.slow
def test_a_webhook_is_given_up_after_a_day_without_names_in_the_log(told):
    before = count("put_off"), count("given_up")
    told.sign()
    with capture_logs() as logs:
        for _ in range(MAX_TRIES):
            told.round()
            told.later(hours=1)

    assert [(state, tries) for state, tries, _ in told.rows().values()] == [("failed", MAX_TRIES)]
    assert (count("put_off") - before[0], count("given_up") - before[1]) == (MAX_TRIES - 1, 1)
    assert [log["state"] for log in logs] == ["waiting"] * (MAX_TRIES - 1) + ["failed"]
    for secret in (SECRET, told.receiver.url, "ada", "127.0.0.1"):
        assert secret not in str(logs)


def test_webhooks_of_an_endpoint_that_is_no_longer_named_are_given_up_until_asked_for_again(told):
    told.receiver.start()
    told.sign()
    told.webhooks.follow_log()
    endpoints, told.endpoints = told.endpoints, ()
    send_due(told.sender)
    [(webhook, given_up)] = told.rows().items()
    told.endpoints = endpoints
    told.later(hours=1)
    send_due(told.sender)
    assert told.rows()[webhook] == given_up == ("failed", 1, "the endpoint is no longer in COUNTERSIGN_WEBHOOKS")

    with told.sessions() as session:
        assert outgoing_webhooks.again(session, [webhook], at=told.at) == [webhook]
    send_due(told.sender)
    assert [post["delivery"] for post in told.receiver.received] == [webhook]
    assert told.rows()[webhook][0] == "sent"


def test_the_form_that_an_endpoint_asked_for_is_signed(told):
    [endpoint] = told.endpoints
    told.endpoints = (replace(endpoint, body=lambda event: b'{"bytes": %d}' % len(event)),)
    told.receiver.start()
    told.sign()
    told.round()

    [received] = told.receiver.received
    assert received["event"] == "signed"
    assert received["body"]["bytes"] > 100


@pytest.mark.parametrize("name", PATHS)
def test_a_chat_takes_a_message_as_its_company_documents_it(told, chats, name):
    chat = chats(name, ROBOT_SECRET.encode() if name in SIGNED else b"")
    told.endpoints = tuple(replace(endpoint, language="zh") for endpoint in told.endpoints)
    told.sign()
    told.round()
    assert [*told.rows().values()] == [("sent", 1, None)]
    [message] = chat.messages
    assert "ada（账号 11）签署了 icla 2.0。" in str(message)
    assert f"{SITE}/admin/people/11" in str(message)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("feishu", "the endpoint refused it with code 19021"),
        ("lark", "the endpoint refused it with code 19021"),
        ("dingtalk", "the endpoint refused it with errcode 310000"),
        ("wecom", "the endpoint refused it with errcode 93000"),
        ("slack", "the endpoint answered 403"),
        ("teams", "the endpoint answered 403"),
    ],
)
def test_a_chats_refusal_is_tried_again_also_if_its_answer_is_200(told, chats, name, said):
    chat = chats(name, b"another-secret-of-ours" if name in SIGNED else b"")
    [endpoint] = told.endpoints
    if name not in SIGNED:
        told.endpoints = (replace(endpoint, url=endpoint.url.replace(TOKEN, f"x{TOKEN[1:]}")),)
        if name == "wecom":
            chat.answer = 200, b'{"errcode":93000,"errmsg":"invalid webhook url"}'
    told.sign()
    with capture_logs() as logs:
        told.round()
    assert [*told.rows().values()] == [("waiting", 1, said)]
    for secret in (ROBOT_SECRET, "another-secret", TOKEN[1:], "127.0.0.1", "ada"):
        assert secret not in str(logs)

    chat.answer = None
    told.endpoints = (replace(endpoint, secret=ROBOT_SECRET.encode() if name in SIGNED else b""),)
    told.later(hours=2)  # The signature is of the moment of the try.
    told.round()
    assert [state for state, _, _ in told.rows().values()] == ["sent"]
    assert len(chat.messages) == 1


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("feishu", (200, b'{"code":11232,"msg":"frequency limited"}')),
        ("dingtalk", (200, b'{"errcode":130101,"errmsg":"send too fast, exceed 20 times per minute"}')),
        ("wecom", (200, b'{"errcode":45009,"errmsg":"api freq out of limit"}')),
        ("slack", (429, b"rate_limited")),
        ("teams", (429, b"")),
    ],
)
def test_a_chat_that_has_got_too_many_is_left_alone_with_the_others(told, chats, name, answer):
    chats(name).answer = answer
    for number in range(3):
        told.sign(11 + number, f"ada{number}")
    told.round()
    assert sum(attempts for _, attempts, _ in told.rows().values()) == 1


@pytest.mark.parametrize("said", [b"", b"ok", b'{"StatusCode":0}', b'{"code":"0"}', b" " * 100_000 + b'{"code":0}'])
def test_an_answer_without_a_number_counts_as_a_refusal(told, chats, said):
    chats("feishu").answer = 200, said
    told.sign()
    told.round()
    assert [*told.rows().values()] == [("waiting", 1, "the endpoint's answer has no number 'code'")]


@pytest.mark.parametrize("piece", [b" ", b" " * 4096])
def test_an_answer_without_end_is_left(told, chats, monkeypatch, piece):
    def drip(handler):
        handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n")
        with contextlib.suppress(OSError):
            while True:
                handler.wfile.write(piece)
                handler.wfile.flush()
                time.sleep(0.05)

    monkeypatch.setattr(webhook_sender, "READ_SECONDS", 0.5)
    chats("dingtalk").answer = drip
    told.sign()
    begun = time.monotonic()
    told.round()
    assert time.monotonic() - begun < 5
    assert [*told.rows().values()] == [("waiting", 1, "the endpoint's answer has no number 'errcode'")]


def test_an_answer_in_many_pieces_and_one_that_breaks_off_are_told_apart(told, chats):
    def pieces(*parts):
        def answer(handler):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for part in parts:
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                handler.wfile.flush()
                time.sleep(0.05)

        return answer

    chat = chats("wecom")
    chat.answer = pieces(b'{"errcode":', b"0}")
    told.sign()
    told.round()
    assert [error for _, _, error in told.rows().values()] == ["the endpoint cannot be reached: ProtocolError"]
    chat.answer = pieces(b'{"errcode":', b"0}", b"")
    told.later(minutes=1)
    told.round()
    assert [state for state, _, _ in told.rows().values()] == ["sent"]


def test_a_chat_with_a_secret_of_ours_gets_our_signature_and_one_without_gets_none(told, chats):
    seen = []
    chat = chats("slack")
    chat.answer = lambda handler: (seen.append(handler.headers.get("X-Countersign-Signature-256")), ok(handler))

    def ok(handler):
        handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\nok")

    told.sign()
    told.round()
    told.endpoints = tuple(replace(endpoint, secret=SECRET.encode()) for endpoint in told.endpoints)
    told.sign(12, "bo")
    told.round()
    assert seen[0] is None
    assert seen[1].startswith("sha256=")
