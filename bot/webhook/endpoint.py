"""POST /webhook: refused by its head, else verified, typed, stored with its job, and answered at once."""

import asyncio
import json
import re
from collections.abc import Sequence
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bot.access.served_accounts import ServedAccounts
from bot.server import request_body
from bot.server.exchange import Exchange, Rejected
from bot.server.memory_budget import MemoryBudget
from bot.webhook import events
from bot.webhook.delivery_writer import DeliveryWriter, NotStored
from bot.webhook.ingest import Received
from bot.webhook.payload import BadPayload
from bot.webhook.signature import BadSignature, WebhookSignature

LARGEST: Final = 25 * 1024 * 1024
"""GitHub sends no larger payload (docs.github.com, "Webhook events and payloads")."""
BUDGET: Final = 32 * 1024 * 1024
"""Bytes of payloads that may be arriving at once: one of the largest, and many as they are every day (10 to 60 KB)."""

GUID = re.compile(r"[0-9A-Za-z-]{1,64}")
_LONG = 256 * 1024
"""From so many bytes on a payload is parsed beside the event loop, which answers others meanwhile."""

log = structlog.get_logger()


class Webhook:
    """The one address that GitHub posts to. Answers on the event loop; storing is the recorder's."""

    def __init__(
        self, *, secrets: Sequence[bytes], app_id: int, recorder: DeliveryWriter, served: ServedAccounts
    ) -> None:
        self._secrets = secrets
        self._app_id = app_id
        self._recorder = recorder
        self._served = served
        self._budget = MemoryBudget(BUDGET)

    async def __call__(self, exchange: Exchange) -> None:
        """202 when it is stored, or nothing is to be stored; otherwise the reason. Raises `Rejected`, `Disconnected`."""
        try:
            await self._take(exchange)
        except BadSignature as error:
            raise _refused(401, str(error)) from None
        except BadPayload as error:
            log.warning("webhook.misshapen", why=str(error))
            raise Rejected(400, str(error)) from None
        except UnicodeError:  # half of a character, which JSON can hold and no database
            raise _refused(400, "the payload has text that is none") from None
        except (SQLAlchemyError, NotStored) as error:
            log.error("webhook.not-stored", why=type(error).__name__)  # noqa: TRY400 - a trace may hold values
            raise Rejected(503, "not stored, please deliver again") from None

    async def _take(self, exchange: Exchange) -> None:
        guid, name, signature = self._head(exchange)
        body = await request_body.read(exchange, self._budget, limit=LARGEST, each=signature.update)
        try:
            if body.size > LARGEST:
                raise _refused(413, "payload over 25 MB")
            signature.verify()
            event = await self._event(name, body.data)
        finally:
            body.give_back()
        if event is None or not self._is_ours(event):
            log.info("webhook.ignored", guid=guid, github_event=name)
            return await exchange.answer(202, {"message": "nothing to do"})
        new = await asyncio.wrap_future(self._recorder.submit(Received(event, guid=guid, name=name)))
        log.info("webhook.accepted" if new else "webhook.known", guid=guid, github_event=name)
        return await exchange.answer(202, {"message": "accepted" if new else "already known"})

    def _head(self, exchange: Exchange) -> tuple[str, str, WebhookSignature]:
        """GUID, event's name and the signature that its body must have. Raises `Rejected`, `BadSignature`."""
        if exchange.method != "POST":
            raise Rejected(405, "GitHub posts its deliveries here", ("Allow", "POST"))
        if exchange.length > LARGEST:
            raise _refused(413, "payload over 25 MB")
        signature = WebhookSignature(self._secrets, exchange.header("x-hub-signature-256"))
        guid, name = exchange.header("x-github-delivery") or "", exchange.header("x-github-event") or ""
        if not name or not GUID.fullmatch(guid):
            raise _refused(400, "X-GitHub-Delivery or X-GitHub-Event is missing or misshapen")
        return guid, name, signature

    async def _event(self, name: str, body: bytes) -> events.Event | None:
        """The typed event, None for one that asks nothing of us. Raises `BadPayload`."""
        if len(body) > _LONG:
            return await asyncio.to_thread(self._parsed, name, body)
        return self._parsed(name, body)

    def _parsed(self, name: str, body: bytes) -> events.Event | None:
        try:
            payload = json.loads(body)
        except (ValueError, RecursionError):
            raise BadPayload("the body is not JSON; set the webhook's content type to application/json") from None
        if not isinstance(payload, dict):
            raise BadPayload("the body is not a JSON object")
        return events.parse(name, payload, app_id=self._app_id)

    def _is_ours(self, event: events.Event) -> bool:
        """False for an account that we do not serve; one that we may serve counts as ours, the flow asks GitHub."""
        if isinstance(event, events.AuthorizationRevoked):
            return True
        if isinstance(event, events.InstallationChanged):
            return self._served.may_be(event.account.id, event.account.login)
        if isinstance(event, events.MembershipChanged):
            return self._served.may_be(event.owner.id, event.owner.login)
        return self._served.may_be(event.repository.owner_id, event.repository.owner)


def _refused(status: int, message: str) -> Rejected:
    log.warning("webhook.refused", status=status, why=message)
    return Rejected(status, message)
