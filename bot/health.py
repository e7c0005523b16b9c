"""/livez: this process answers. /readyz: it can do its work."""

import json

import structlog
from flask import Blueprint, Response
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

import migrations

log = structlog.get_logger()


def make_health(engine: Engine) -> Blueprint:
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
        return _answer(200, {"status": "ready"})

    return health


def _answer(status: int, body: dict[str, str]) -> Response:
    return Response(json.dumps(body) + "\n", status, mimetype="application/json", headers={"Cache-Control": "no-store"})
