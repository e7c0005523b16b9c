"""Hands what waits to its endpoint, signed as GitHub signs; tried again for a day, by the same id, then given up."""

import hashlib
import hmac
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import structlog

from agreements.vault import DecryptionFailed
from bot import __version__
from bot.notifications.chat_formats import ChatFormat
from bot.notifications.endpoints import Endpoint
from bot.records.record_access import RecordAccess
from bot.store import outgoing_webhooks
from bot.store.leases import Lease
from bot.store.outgoing import INTERRUPTED
from bot.store.outgoing_webhooks import QUEUE, OutgoingWebhook
from bot.telemetry import metrics

if TYPE_CHECKING:
    import requests

CONNECT_SECONDS: Final = 5.0
READ_SECONDS: Final = 10.0
"""Seconds that an endpoint may take to connect, and for each part of its answer."""
MAX_ANSWER_BYTES: Final = 4096
"""Bytes of a chat's answer that are read; documented ones are shorter than 200."""
_TOO_MANY_REQUESTS: Final = 429

log = structlog.get_logger()


class WebhookRefused(Exception):
    """The endpoint did not take it; the message holds no address and nothing that the endpoint said but its number."""


class EndpointUnavailable(WebhookRefused):
    """The endpoint did not answer at all, or has got too many: it would not take another webhook now either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSender:
    """Sends the webhooks of the `queue` to `endpoints`; one for an endpoint that is not among them any more has failed."""

    records: RecordAccess
    endpoints: tuple[Endpoint, ...]
    queue: ClassVar = QUEUE

    def send(self, lease: Lease[OutgoingWebhook]) -> None:
        """Send the webhook once. No transaction is open during the request, since an endpoint may be slow."""
        row = lease.row
        endpoint = next((endpoint for endpoint in self.endpoints if endpoint.name == row.endpoint), None)
        state = "sent"
        try:
            to = _recipient(row, endpoint)
            event = outgoing_webhooks.body(self.records.vault, row)
            url, body = to.request(event, site=self.records.url, at=self.records.clock())
            post(to, url, body, event=row.event, delivery=row.id)
        # No later try could do better.
        except (LookupError, DecryptionFailed) as error:
            with self.records.sessions() as session:
                state = self.queue.failed(session, lease, why := str(error))
        except Exception as error:  # noqa: BLE001 - every failure is a reason to try again
            why = str(error) if isinstance(error, WebhookRefused) else f"internal error ({type(error).__name__})"
            with self.records.sessions() as session:
                state = self.queue.put_off(session, lease, why, at=(at := self.records.clock()))
                # Each of the others for it would wait as long for nothing.
                if isinstance(error, EndpointUnavailable):
                    outgoing_webhooks.put_off_others(session, lease, at=at)
        else:
            with self.records.sessions() as session:
                self.queue.sent(session, lease, at=self.records.clock())
            log.info("outgoing-webhook.sent", webhook=row.id, endpoint=row.endpoint, kind=row.event)
        if state != "sent":
            log.warning(
                "outgoing-webhook.not-taken",
                webhook=row.id,
                endpoint=row.endpoint,
                kind=row.event,
                tries=row.attempts + 1,
                state=state,
                why=why,
            )
        metrics.OUTGOING_WEBHOOKS.labels({"sent": "sent", "waiting": "put_off", "failed": "given_up"}[state]).inc()


def _recipient(row: OutgoingWebhook, endpoint: Endpoint | None) -> Endpoint:
    if endpoint is None:
        raise LookupError("the endpoint is no longer in COUNTERSIGN_WEBHOOKS")
    # The run before ended in the middle, perhaps by this very message: it counts as a try.
    if row.lease_by is not None:
        raise WebhookRefused(INTERRUPTED)
    return endpoint


def signature(secret: bytes, body: bytes) -> str:
    """`sha256=` and the HMAC-SHA-256 of the body, as GitHub writes it."""
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def post(endpoint: Endpoint, url: str, body: bytes, *, event: str, delivery: str) -> None:
    """Send it once. Raises WebhookRefused unless the answer is 2xx, and a chat says that it took it; a redirect is not followed."""
    import requests  # noqa: PLC0415 - most servers have no endpoint to send to
    from urllib3.exceptions import HTTPError  # noqa: PLC0415 - comes with requests

    headers = {
        # JSON is UTF-8 anyway, but DingTalk asks for the words.
        "Content-Type": "application/json; charset=utf-8" if endpoint.chat else "application/json",
        "User-Agent": f"Countersign/{__version__}",
        "Accept-Encoding": "identity",  # A few compressed bytes may hide many.
        "X-Countersign-Event": event,
        "X-Countersign-Delivery": delivery,
    }
    if endpoint.secret:
        headers["X-Countersign-Signature-256"] = signature(endpoint.secret, body)
    try:
        with requests.post(
            url,
            data=body,
            headers=headers,
            auth=lambda request: request,  # Never a password from ~/.netrc.
            timeout=(CONNECT_SECONDS, READ_SECONDS),
            allow_redirects=False,  # Only the named server may read it.
            stream=True,  # The body of an answer may have no end.
        ) as answer:
            status = answer.status_code
            said = _begin(answer) if endpoint.chat and endpoint.chat.result else b""
    except (requests.RequestException, HTTPError, OSError, ValueError) as error:
        raise EndpointUnavailable(f"the endpoint cannot be reached: {type(error).__name__}") from None
    if status == _TOO_MANY_REQUESTS:
        raise EndpointUnavailable(f"the endpoint answered {status}")
    if not 200 <= status < 300:
        raise WebhookRefused(f"the endpoint answered {status}")
    if endpoint.chat and endpoint.chat.result:
        _check(endpoint.chat, said)


def _begin(answer: "requests.Response") -> bytes:
    """The beginning of an answer: so many bytes, and as much as comes in time."""
    said, ends = bytearray(), time.monotonic() + READ_SECONDS
    while len(said) < MAX_ANSWER_BYTES and time.monotonic() < ends:
        # At most what one packet brings: else one byte in a while would hold this thread for hours.
        piece = answer.raw.read1(MAX_ANSWER_BYTES - len(said))
        if not piece:
            break
        said += piece
    return bytes(said)


def _check(chat: ChatFormat, said: bytes) -> None:
    number = chat.number(said)
    if number is None:
        raise WebhookRefused(f"the endpoint's answer has no number {chat.result!r}")
    if number:
        kind = EndpointUnavailable if number in chat.busy else WebhookRefused
        raise kind(f"the endpoint refused it with {chat.result} {number}")
