"""A real receiver believes what is signed; while it is away webhooks wait, and come later with the ids that they had."""

from dataclasses import replace

import pytest
from sqlalchemy import update
from structlog.testing import capture_logs

from bot.notifications.endpoints import Endpoint
from bot.notifications.webhook_sender import signature
from bot.store import outgoing_webhooks
from bot.store.outgoing import MAX_TRIES
from bot.store.outgoing_webhooks import OutgoingWebhook
from bot.telemetry import metrics
from tests.bot.claims import send_due
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


def test_a_webhook_is_given_up_after_a_day_without_names_in_the_log(told):
    before = count("put_off"), count("given_up")
    told.sign()
    with capture_logs() as logs:
        for _ in range(MAX_TRIES):
            told.round()
            told.later(hours=1)

    assert [(state, tries) for state, tries, _ in told.rows().values()] == [("failed", MAX_TRIES)]
    assert (count("put_off") - before[0], count("given_up") - before[1]) == (MAX_TRIES - 1, 1)
    assert [one["state"] for one in logs] == ["waiting"] * (MAX_TRIES - 1) + ["failed"]
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
    assert [one["delivery"] for one in told.receiver.received] == [webhook]
    assert told.rows()[webhook][0] == "sent"


def test_the_form_that_an_endpoint_asked_for_is_signed(told):
    [one] = told.endpoints
    told.endpoints = (replace(one, body=lambda event: b'{"bytes": %d}' % len(event)),)
    told.receiver.start()
    told.sign()
    told.round()

    [received] = told.receiver.received
    assert received["event"] == "signed"
    assert received["body"]["bytes"] > 100
