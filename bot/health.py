"""/livez: this process answers. /readyz: it can do its work."""

import json
from collections.abc import Mapping

import structlog
from flask import Blueprint, Response
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

import migrations
from bot.flows import served as accounts
from bot.flows.served import Served
from bot.logs import scrubbed

log = structlog.get_logger()


def make_health(engine: Engine, served: Served) -> Blueprint:
    """The blueprint with both; neither asks GitHub anything."""
    health = Blueprint("health", __name__)

    @health.get("/livez")
    def livez() -> Response:
        return _answer(200, {"status": "alive"})

    @health.get("/readyz")
    def readyz() -> Response:
        try:
            with engine.connect() as connection:
                connection.execute(text("SELECT 1"))
            at = migrations.current(engine)
        except SQLAlchemyError as error:
            log.warning("ready.no-database", why=type(error).__name__)
            return _answer(503, {"status": "not ready", "why": "the database does not answer"})
        if at != migrations.newest():
            return _answer(
                503, {"status": "not ready", "why": "the database has an older schema: run countersign migrate"}
            )
        return _accounts(served)

    return health


def _accounts(served: Served) -> Response:
    """Ready as long as one account is served or may be; a login that nobody has is named."""
    warnings = [scrubbed(accounts.unknown(login)) for login in served.unknown]
    if warnings and served.known == frozenset():
        why = f"GitHub knows none of the accounts in {accounts.SETTING}, so nothing is served"
        return _answer(503, {"status": "not ready", "why": why, "warnings": warnings})
    return _answer(200, {"status": "ready", **({"warnings": warnings} if warnings else {})})


def _answer(status: int, body: Mapping[str, str | list[str]]) -> Response:
    return Response(json.dumps(body) + "\n", status, mimetype="application/json", headers={"Cache-Control": "no-store"})
