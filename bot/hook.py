"""POST /webhook: seal checked, event typed, delivery and job stored in one transaction, answered at once."""

import json
import re
from collections.abc import Sequence

import structlog
from flask import Blueprint, Response, request
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from bot import arrivals, events, seal
from bot.clock import Clock
from bot.db import Sessions
from bot.engine.port import Engine
from bot.flows.served import Served
from bot.payload import BadPayload

LARGEST = 25 * 1024 * 1024
"""GitHub sends no larger payload (docs.github.com, "Webhook events and payloads")."""

GUID = re.compile(r"[0-9A-Za-z-]{1,64}")

log = structlog.get_logger()


class Refusal(Exception):  # noqa: N818 - reads as what happened
    """This request is not taken; `status` and the message are the answer."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


def make_hook(
    *, secrets: Sequence[bytes], app_id: int, sessions: Sessions, engine: Engine, served: Served, clock: Clock
) -> Blueprint:
    """The blueprint with the one route that GitHub posts to."""
    hook = Blueprint("hook", __name__)

    @hook.post("/webhook")
    def receive() -> Response:
        try:
            guid, name, payload = opened(secrets)
            event = events.parse(name, payload, app_id=app_id)
            if event is None or not _is_ours(event, served):
                log.info("webhook.ignored", guid=guid, github_event=name)
                return answer(202, "nothing to do")
            with sessions() as session:
                new = arrivals.accept(session, engine, event, guid=guid, name=name, at=clock())
        except Refusal as error:
            log.warning("webhook.refused", status=error.status, why=str(error))
            return answer(error.status, str(error))
        except BadPayload as error:
            log.warning("webhook.misshapen", why=str(error))
            return answer(400, str(error))
        except SQLAlchemyError as error:
            log.error("webhook.not-stored", why=type(error).__name__)  # noqa: TRY400 - a trace may hold values
            return answer(503, "not stored, please deliver again")
        log.info("webhook.accepted" if new else "webhook.known", guid=guid, github_event=name)
        return answer(202, "accepted" if new else "already known")

    return hook


def opened(secrets: Sequence[bytes]) -> tuple[str, str, dict[str, object]]:
    """GUID, event name and payload of the present request, once its seal is proven. Raises `Refusal`, `BadPayload`."""
    body = _body()
    try:
        seal.verify(secrets, body, request.headers.get("X-Hub-Signature-256"))
    except seal.BadSeal as error:
        raise Refusal(401, str(error)) from None
    guid, name = request.headers.get("X-GitHub-Delivery", ""), request.headers.get("X-GitHub-Event", "")
    if not name or not GUID.fullmatch(guid):
        raise Refusal(400, "X-GitHub-Delivery or X-GitHub-Event is missing or misshapen")
    return guid, name, _payload(body)


def answer(status: int, message: str) -> Response:
    """A short JSON answer, shown in GitHub's list of deliveries."""
    return Response(json.dumps({"message": message}) + "\n", status, mimetype="application/json")


def _body() -> bytes:
    """The raw body; refused before it is read when it says that it is too long."""
    request.max_content_length = LARGEST
    try:
        return request.get_data(cache=False, parse_form_data=False)
    except RequestEntityTooLarge:
        raise Refusal(413, "payload over 25 MB") from None
    except ClientDisconnected:
        raise Refusal(400, "payload cut short") from None


def _payload(body: bytes) -> dict[str, object]:
    """The JSON object in the body. Raises `BadPayload`."""
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        raise BadPayload("the body is not JSON; set the webhook's content type to application/json") from None
    if not isinstance(payload, dict):
        raise BadPayload("the body is not a JSON object")
    return payload


def _is_ours(event: events.Event, served: Served) -> bool:
    """False for an account that we do not serve; one that we may serve counts as ours, the flow asks GitHub."""
    if isinstance(event, events.AuthorizationRevoked):
        return True
    if isinstance(event, events.InstallationChanged):
        return served.may_be(event.account.id, event.account.login)
    return served.may_be(event.repository.owner_id, event.repository.owner)
