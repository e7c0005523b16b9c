"""Whether the webhook secret of the settings is the one that GitHub signs with, by what it sent or by the server."""

from http import HTTPStatus
from typing import Final

import requests
from urllib3.exceptions import HTTPError

from bot.clock import new_id
from bot.doctor.doctor_report import TRY_AGAIN, DoctorCheck, DoctorResult
from bot.github.app_registration import WebhookConfig
from bot.github.delivery_log import DeliveryAttempt, SentWebhook
from bot.github.hub import Hub
from bot.github.ports import HubError
from bot.notifications.webhook_sender import signature
from bot.settings import Settings
from bot.webhook.signature import ABSENT, MISMATCH, BadSignature, WebhookSignature, refusal

SECRET: Final = DoctorCheck("webhook.secret", "critical")
_MAX_COMPARED: Final = 3  # One call to GitHub for each.
_TIMEOUT_SECONDS: Final = 5.0  # To connect, and for each part of the answer.
_MAX_READ: Final = 4096  # Bytes of an answer; Countersign's refusal has fewer.
_PING: Final = b'{"zen":"Sent by countersign doctor."}'
_SAME: Final = (
    "Set the same secret in the App's settings at GitHub (General, Webhook secret) and in COUNTERSIGN_WEBHOOK_SECRET, "
    "here and where the server runs, then restart the server."
)
_ELSEWHERE: Final = (
    "Run `countersign doctor` with these settings on a machine that reaches the public address. If webhook.answered says that "
    "GitHub's webhooks are accepted, the running server has the right secret."
)
FORWARD_SIGNATURE: Final = (
    "Have the proxy pass the header X-Hub-Signature-256, and check that the App has a webhook secret at GitHub."
)
OPEN_TO_WEBHOOKS: Final = (
    "Let POST requests to /webhook through whatever is in front of the server: no sign-in, no password, no client certificate. "
    "Countersign verifies GitHub's signature. Then select Redeliver in the App's settings (Advanced, Recent deliveries)."
)
_DELIVER_FIRST: Final = "Fix what webhook.answered says, then run `countersign doctor` again."
SEND_ONE: Final = "Have GitHub send a webhook: push to a branch, or select Redeliver in the App's settings (Advanced, Recent deliveries)."


def check(settings: Settings, config: WebhookConfig, newest: tuple[DeliveryAttempt, ...], hub: Hub) -> DoctorResult:
    """`newest` are GitHub's newest attempts to send a webhook, the newest first."""
    if not config.has_secret:
        return SECRET.failed("GitHub does not sign webhooks: the App has no webhook secret.", _SAME)
    if not settings.webhook_secrets:
        return SECRET.failed("COUNTERSIGN_WEBHOOK_SECRET is not set.", _SAME)
    if not newest:
        return SECRET.unknown(
            "GitHub sent no webhook in the last three days, so the secret cannot be checked.", SEND_ONE
        )
    secrets = [secret.reveal().encode() for secret in settings.webhook_secrets]  # More than one while it is replaced.
    try:
        # GitHub never shows the secret. Its log shows what it signed, as JSON: a signature that fits proves the secret.
        sent = [hub.sent_webhook(attempt.id) for attempt in newest[:_MAX_COMPARED]]
        for attempt, webhook in zip(newest, sent, strict=False):
            if _fits(webhook, secrets):
                return SECRET.passed(f"GitHub signed its webhook of {attempt.at:%Y-%m-%d %H:%M} UTC with this secret.")
    except HubError as error:
        return SECRET.unknown(f"GitHub did not show its newest webhooks: {error}.", TRY_AGAIN)
    # Where none fits, the JSON may differ from the bytes that were signed: the running server is sent a ping, signed
    # with our secret, which it verifies and then ignores.
    return _by_server(f"{settings.url}/webhook", secrets, newest[0], sent[0].answer)


def _fits(sent: SentWebhook, secrets: list[bytes]) -> bool:
    try:
        found = WebhookSignature(secrets, sent.signature)
        found.update(sent.body)
        found.verify()
    except BadSignature:
        return False
    return True


def _by_server(url: str, secrets: list[bytes], newest: DeliveryAttempt, body: str) -> DoctorResult:
    """`body` is that with which GitHub's newest webhook was answered."""
    answers, reasons = zip(*(_ping(url, secret) for secret in secrets), strict=True)
    if HTTPStatus.UNAUTHORIZED in answers:
        return _unauthorized(url, reasons[answers.index(HTTPStatus.UNAUTHORIZED)])
    if not all(answer is not None and 200 <= answer < 300 for answer in answers):
        return SECRET.unknown(
            "No signature in GitHub's log fits this secret, and the running server could not confirm it: "
            f"{url} {'did not answer' if None in answers else f'answered {max(filter(None, answers))}'}.",
            _ELSEWHERE,
        )
    if newest.is_accepted:
        return SECRET.passed(
            f"The server at {url} accepted a test webhook with this secret, and GitHub's newest webhook."
        )
    said = f"The server at {url} accepts this secret, but GitHub's newest webhook was"
    if newest.status == HTTPStatus.UNAUTHORIZED and refusal(body) == MISMATCH:
        return SECRET.failed(f"{said} answered 401.", _SAME)
    return SECRET.unknown(f"{said} {f'answered {newest.status}' if newest.status else 'not answered'}.", _DELIVER_FIRST)


def _unauthorized(url: str, reason: str | None) -> DoctorResult:
    if reason == MISMATCH:
        return SECRET.failed(
            f"The server at {url} has a different webhook secret: it refused a test webhook (401).", _SAME
        )
    if reason == ABSENT:
        return SECRET.failed(
            f"The signature of a test webhook did not reach Countersign behind {url}.", FORWARD_SIGNATURE
        )
    return SECRET.unknown(f"{url} answered 401, but it was not Countersign that answered.", OPEN_TO_WEBHOOKS)


def _ping(url: str, secret: bytes) -> tuple[int | None, str | None]:
    """The status with which the server answers, None when it does not, and why Countersign refuses its signature."""
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "ping",
        "X-GitHub-Delivery": new_id(),
        "X-Hub-Signature-256": signature(secret, _PING),
    }
    try:
        with requests.post(
            url, data=_PING, headers=headers, timeout=_TIMEOUT_SECONDS, allow_redirects=False, stream=True
        ) as answer:
            said = answer.raw.read(_MAX_READ) if answer.status_code == HTTPStatus.UNAUTHORIZED else b""
            return answer.status_code, refusal(said.decode(errors="replace"))
    except (requests.RequestException, HTTPError, OSError, ValueError):
        return None, None
