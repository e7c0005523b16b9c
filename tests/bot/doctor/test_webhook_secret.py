"""A secret that is only wrong in its own settings is found: by GitHub's signatures, else by the running server."""

import json
from contextlib import contextmanager
from threading import Thread

import pytest
from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response

from bot.webhook.signature import ABSENT, MISMATCH, BadSignature, WebhookSignature


@contextmanager
def server(secret, refused=""):
    """A server that verifies webhooks as ours does, and its address; `seen` has the events that it was sent.

    With `refused`, a proxy before it answers each with 401 and that body.
    """
    seen = []

    @Request.application
    def answer(request):
        seen.append(request.headers["X-GitHub-Event"])
        if refused:
            return Response(refused, status=401)
        found = WebhookSignature([secret], request.headers["X-Hub-Signature-256"])
        found.update(request.get_data())
        try:
            found.verify()
        except BadSignature as error:
            return Response(json.dumps({"message": str(error)}), status=401)
        return Response(status=202)

    listening = make_server("127.0.0.1", 0, answer)
    thread = Thread(target=listening.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.port}", seen
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()


def test_one_matching_signature_in_githubs_log_proves_the_secret(deployed):
    deployed.world.rename(deployed.repository, '数学\x7f\u2028 "ops\\u00ff"', deployed.boss)
    deployed.answered(502)
    status, message = deployed.item("webhook.secret", WEBHOOK_SECRET="next, s3cret")
    assert status == "pass"
    assert message.startswith("GitHub signed its webhook of ")


def test_a_secret_that_the_server_does_not_have_fails(deployed):
    with server(b"s3cret") as (url, seen):
        status, message = deployed.item("webhook.secret", WEBHOOK_SECRET="typo", URL=url)
    assert (status, message) == (
        "fail",
        f"The server at {url}/webhook has a different webhook secret: it refused a test webhook (401).",
    )
    assert seen == ["ping"]


@pytest.mark.parametrize(
    ("refused", "status", "said"),
    [
        ("<h1>Sign in</h1>", "unknown", "answered 401, but it was not Countersign that answered."),
        ('["Unauthorized"]', "unknown", "answered 401, but it was not Countersign that answered."),
        (json.dumps({"message": ABSENT}), "fail", "The signature of a test webhook did not reach Countersign behind"),
    ],
)
def test_a_proxys_refusal_or_dropped_header_is_no_wrong_secret(deployed, refused, status, said):
    with server(b"s3cret", refused) as (url, seen):
        found, message = deployed.item("webhook.secret", WEBHOOK_SECRET="typo", URL=url)
    assert (found, said in message, seen) == (status, True, ["ping"]), message


@pytest.mark.parametrize(
    ("newest", "body", "status"),
    [
        (202, "", "pass"),
        (401, MISMATCH, "fail"),
        (401, "Sign in", "unknown"),
        (502, "", "unknown"),
        (None, "", "unknown"),
    ],
)
def test_without_signed_bytes_in_the_log_the_answers_decide(deployed, newest, body, status):
    """GitHub's log may not show the very bytes that it signed."""
    deployed.answered(newest, json.dumps({"message": body}))
    deployed.app.webhook_secret = "another"
    deployed.world.hooks.log[-1].payload = b'{"other": "bytes"}'
    for delivery in deployed.world.hooks.log:
        delivery.payload = delivery.payload[:-1] + b', "more": 1}'
    with server(b"s3cret") as (url, _):
        assert deployed.item("webhook.secret", URL=url)[0] == status


def test_without_signed_bytes_and_a_server_the_secret_is_unknown(deployed):
    for delivery in deployed.world.hooks.log:
        delivery.payload = delivery.payload[:-1] + b', "more": 1}'
    report = deployed.report()
    [found] = [item for item in report.items if item.id == "webhook.secret"]

    assert found.status == "unknown"
    assert "/webhook did not answer" in found.message
    assert (report.grade, report.is_fine) == ("D", False)


def test_a_missing_secret_on_either_side_fails(deployed):
    assert deployed.item("webhook.secret", WEBHOOK_SECRET="")[0] == "fail"
    deployed.app.webhook_secret = ""
    assert deployed.item("webhook.secret")[1] == "GitHub does not sign webhooks: the App has no webhook secret."
