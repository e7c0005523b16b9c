"""POST /webhook: refused by its head, else verified, typed, stored with its job, and answered at once."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError
from structlog.contextvars import bound_contextvars

from bot.access.served_accounts import ServedAccounts
from bot.clock import monotonic
from bot.server import request_body
from bot.server.exchange import Exchange, Rejected
from bot.server.request_body import MemoryBudget
from bot.telemetry import metrics, tracing
from bot.webhook import event_parser, events
from bot.webhook.delivery_writer import DeliveryWriter, NotStored
from bot.webhook.ingest import LABEL_ACTIONS, ReceivedDelivery
from bot.webhook.payload import BadPayload
from bot.webhook.signature import BadSignature, WebhookSignature

MAX_PAYLOAD_BYTES: Final = 25 * 1024 * 1024  # GitHub sends no larger one ("Webhook events and payloads").
PAYLOADS_BUDGET_BYTES: Final = 32 * 1024 * 1024  # At once: one of the largest, and many of the usual 10 to 60 KB.

GUID = re.compile(r"[0-9A-Za-z-]{1,64}")  # It goes into logs and into the database.
_LONG_PAYLOAD_BYTES = 256 * 1024  # Longer ones are parsed beside the event loop, which answers others meanwhile.

log = structlog.get_logger()


class Webhook:
    """The one address that GitHub posts to. Answers on the event loop; storing is the DeliveryWriter's."""

    def __init__(
        self, *, secrets: Sequence[bytes], app_id: int, url: str, writer: DeliveryWriter, served: ServedAccounts
    ) -> None:
        """`url` is our public address, to which our check runs link."""
        self._secrets = secrets
        self._app_id = app_id
        self._url = url
        self._writer = writer
        self._served = served
        self._budget = MemoryBudget(PAYLOADS_BUDGET_BYTES)

    async def __call__(self, exchange: Exchange) -> None:
        """202 when it is stored, or nothing is to be; otherwise the reason. Raises `Rejected`, `Disconnected`."""
        begun = monotonic()
        try:
            guid, name, signature = self._head(exchange)
        except BadSignature as error:
            raise _refused(401, str(error)) from None
        with bound_contextvars(delivery=guid, github_event=name), tracing.delivery_received(guid):
            try:
                is_stored = await self._take(exchange, guid, name, signature)
            except BadSignature as error:
                raise _refused(401, str(error)) from None
            except BadPayload as error:
                metrics.DELIVERIES.labels("misshapen").inc()
                log.warning("webhook.misshapen", why=str(error))
                raise Rejected(400, str(error)) from None
        if is_stored:
            metrics.ACKNOWLEDGEMENT_SECONDS.observe(monotonic() - begun)

    async def _take(self, exchange: Exchange, guid: str, name: str, signature: WebhookSignature) -> bool:
        """True when it is stored, or was. Raises what is wrong with it."""
        body = await request_body.read(exchange, self._budget, limit=MAX_PAYLOAD_BYTES, each=signature.update)
        try:
            if body.size > MAX_PAYLOAD_BYTES:
                raise _refused(413, "payload over 25 MB")
            # Nothing of the payload is parsed before its signature is proven.
            signature.verify()
            event = await self._event(name, body.data)
        finally:
            body.give_back()
        # Any genuine delivery shows that webhooks arrive, even one that asks nothing.
        self._writer.last_delivery.note()
        if event is None:
            return await self._ignore(exchange, "it asks nothing of us", log.debug)
        about = events.subject(event)
        tracing.annotate(**about, github_event=name)
        with bound_contextvars(**about):
            try:
                return await self._store(exchange, ReceivedDelivery(event, guid=guid, name=name))
            except UnicodeError:  # Half of a character, which JSON can hold and no database
                raise _refused(400, "the payload contains text that is not valid Unicode") from None
            except (SQLAlchemyError, NotStored) as error:
                metrics.DELIVERIES.labels("not_stored").inc()
                log.error("webhook.not-stored", why=type(error).__name__)  # noqa: TRY400 - a trace may hold values
                raise Rejected(503, "not stored, please deliver again") from None

    async def _ignore(self, exchange: Exchange, why: str, log_line: Callable[..., object]) -> bool:
        metrics.DELIVERIES.labels("ignored").inc()
        log_line("webhook.ignored", why=why)
        await exchange.answer(202, {"message": "nothing to do"})
        return False

    async def _store(self, exchange: Exchange, received: ReceivedDelivery) -> bool:
        if not self._is_ours(received.event):
            return await self._ignore(exchange, "its account is not served", log.info)
        new = await asyncio.wrap_future(self._writer.submit(received))
        metrics.DELIVERIES.labels("accepted" if new else "known").inc()
        action = getattr(received.event, "action", None)
        log_line = log.debug if action in LABEL_ACTIONS else log.info  # Labels come by the dozen.
        log_line("webhook.accepted" if new else "webhook.known", action=action)
        await exchange.answer(202, {"message": "accepted" if new else "already known"})
        return True

    def _head(self, exchange: Exchange) -> tuple[str, str, WebhookSignature]:
        """GUID, event's name and the signature that its body must have. Raises `Rejected`, `BadSignature`."""
        if exchange.method != "POST":
            raise Rejected(405, "GitHub posts its deliveries here", ("Allow", "POST"))
        # Refused by its head, before 25 MB are read.
        if exchange.length > MAX_PAYLOAD_BYTES:
            raise _refused(413, "payload over 25 MB")
        signature = WebhookSignature(self._secrets, exchange.header("x-hub-signature-256"))
        guid, name = exchange.header("x-github-delivery") or "", exchange.header("x-github-event") or ""
        if not name or not GUID.fullmatch(guid):
            raise _refused(400, "X-GitHub-Delivery or X-GitHub-Event is missing or malformed")
        return guid, name, signature

    async def _event(self, name: str, body: bytes) -> events.Event | None:
        """The typed event, None for one that asks nothing of us. Raises `BadPayload`."""
        if len(body) > _LONG_PAYLOAD_BYTES:
            return await asyncio.to_thread(self._parsed, name, body)
        return self._parsed(name, body)

    def _parsed(self, name: str, body: bytes) -> events.Event | None:
        try:
            payload = json.loads(body)
        except (ValueError, RecursionError):
            raise BadPayload("the body is not JSON; set the webhook's content type to application/json") from None
        if not isinstance(payload, dict):
            raise BadPayload("the body is not a JSON object")
        return event_parser.parse(name, payload, app_id=self._app_id, url=self._url)

    def _is_ours(self, event: events.Event) -> bool:
        """False for an account that we do not serve; one that we may serve counts as ours, the flow asks GitHub."""
        if isinstance(event, events.AuthorizationRevoked):
            return True  # A person revokes, not an account that is served.
        if isinstance(event, events.InstallationChanged):
            return self._served.may_be(event.account.id, event.account.login)
        if isinstance(event, events.MembershipChanged):
            return self._served.may_be(event.owner.id, event.owner.login)
        return self._served.may_be(event.repository.owner_id, event.repository.owner)


def _refused(status: int, message: str) -> Rejected:
    metrics.DELIVERIES.labels("refused").inc()
    log.warning("webhook.refused", status=status, why=message)
    return Rejected(status, message)
