"""Outgoing webhooks: the file of endpoints can be used and is private, and none was given up lately."""

from pathlib import Path
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from bot import db
from bot.db import Sessions
from bot.doctor.report import Check, Item
from bot.notifications import endpoints
from bot.notifications.endpoints import EndpointsInvalid
from bot.settings import Settings
from bot.store.outgoing_webhooks import QUEUE

_ENDPOINTS: Final = Check("webhooks.endpoints", "high")
_TAKEN: Final = Check("webhooks.taken", "medium")


def judge(settings: Settings, sessions: Sessions | None) -> list[Item]:
    """`sessions` of the database, None where it cannot be used."""
    file = settings.webhooks_path
    if file is None:
        return [_ENDPOINTS.not_applicable("COUNTERSIGN_WEBHOOKS is not set: no other server is told anything")]
    return [_file(file), _taken(sessions)]


def _file(file: Path) -> Item:
    try:
        found = endpoints.load(file)
    except EndpointsInvalid as error:
        return _ENDPOINTS.failed(
            f"COUNTERSIGN_WEBHOOKS: {error}", "Correct the file (docs/reference/outgoing-webhooks.md)."
        )
    rights = file.stat().st_mode & 0o777
    if rights & 0o007:
        return _ENDPOINTS.failed(
            f"{file} can be read by every account of this machine ({rights:o})", f"Run `chmod 600 {file}`."
        )
    return _ENDPOINTS.passed(f"endpoints that are told what happens here: {', '.join(one.name for one in found)}")


def _taken(sessions: Sessions | None) -> Item:
    if sessions is None:
        return _TAKEN.unknown("the database was not asked", "Correct what is said about the database first.")
    try:
        with sessions() as session:
            failed = QUEUE.counts(session).get("failed", 0)
    except SQLAlchemyError as error:
        return _TAKEN.unknown(db.explain(error), "Correct what is said about the database first.")
    if failed:
        return _TAKEN.failed(
            f"{failed:,} outgoing webhook{'s' if failed > 1 else ''} given up",
            "`countersign webhooks list --state failed` says why; `countersign webhooks again ID` sends one again.",
        )
    return _TAKEN.passed("no outgoing webhook was given up in the last 30 days")
