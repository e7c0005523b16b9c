"""Outgoing webhooks: the file of endpoints is valid and private, and no webhook failed lately."""

from pathlib import Path
from typing import Final

from bot.db import Sessions
from bot.doctor import database_checks
from bot.doctor.doctor_report import DoctorCheck, DoctorResult
from bot.notifications import endpoints
from bot.notifications.endpoints import EndpointsInvalid
from bot.settings import Settings
from bot.store.outgoing_webhooks import QUEUE

_ENDPOINTS: Final = DoctorCheck("webhooks.endpoints", "high")
_DELIVERED: Final = DoctorCheck("webhooks.taken", "medium")


def checks(settings: Settings) -> tuple[DoctorCheck, ...]:
    """The checks that `judge` has a result for."""
    return (_ENDPOINTS, _DELIVERED) if settings.webhooks_path else (_ENDPOINTS,)


def judge(settings: Settings, sessions: Sessions | None) -> list[DoctorResult]:
    """`sessions` of the database, None where it cannot be used."""
    file = settings.webhooks_path
    if file is None:
        return [_ENDPOINTS.not_applicable("COUNTERSIGN_WEBHOOKS is not set: no outgoing webhooks are sent.")]
    return [_file(file), *database_checks.read(sessions, lambda found: [_delivered(found)], _DELIVERED)]


def _file(file: Path) -> DoctorResult:
    try:
        found = endpoints.load(file)
    except EndpointsInvalid as error:
        return _ENDPOINTS.failed(
            f"COUNTERSIGN_WEBHOOKS: {error}.", "Correct the file (see 'Outgoing webhooks' in the documentation)."
        )
    said = f"Outgoing webhooks go to {', '.join(endpoint.name for endpoint in found)}."
    results = [
        _ENDPOINTS.private(path, said) for path in (file, *(path for endpoint in found for path in endpoint.files))
    ]
    return next((result for result in results if not result.is_met), results[0])


def _delivered(sessions: Sessions) -> DoctorResult:
    with sessions() as session:
        failed = QUEUE.counts(session).get("failed", 0)
    if failed:
        return _DELIVERED.failed(
            f"{failed:,} outgoing webhook{'s' if failed > 1 else ''} failed after a day of retries.",
            "See why with `countersign webhooks list --state failed`, then send one again with `countersign webhooks again ID`.",
        )
    return _DELIVERED.passed("No outgoing webhook failed in the last 30 days.")
