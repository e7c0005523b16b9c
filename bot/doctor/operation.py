"""Checks of what must go on all the time: workers that live, backups, webhooks that come."""

from datetime import datetime
from typing import Final

from sqlalchemy import Engine

from bot import db
from bot.clock import Clock
from bot.db import Sessions
from bot.doctor import database
from bot.doctor.report import DoctorCheck, DoctorResult
from bot.doctor.webhook_secret import SEND_ONE
from bot.monitoring import operating_facts
from bot.monitoring.operating_facts import OperatingFacts, duration

_WORKERS: Final = DoctorCheck("work.workers", "critical")
_BACKUP: Final = DoctorCheck("database.backup", "high")
_SILENCE: Final = DoctorCheck("webhook.silence", "medium")
CHECKS: Final = (_WORKERS, _BACKUP, _SILENCE)
_HOW_TO_BACK_UP: Final = (
    "Run `countersign backup FILE` every day (see docs/how-to/backups.md). If another tool makes backups, run "
    "`countersign backup --done-elsewhere` after each of its successes."
)


def judge(engine: Engine | None, clock: Clock) -> list[DoctorResult]:
    """`engine` is None where the database cannot be used."""
    sessions = db.sessions(engine) if engine is not None else None

    def judged(found: Sessions) -> list[DoctorResult]:
        assert engine is not None
        facts = operating_facts.read(found, engine, at=clock())
        return [_workers(facts), _backup(facts), _silence(facts)]

    return database.read(sessions, judged, *CHECKS)


def _workers(facts: OperatingFacts) -> DoctorResult:
    if not facts.workers:
        return _WORKERS.failed(
            "No worker is running, so every pull request waits.",
            "Start `countersign serve`, with role all or worker. If it ends by itself, the last lines of its log say why.",
        )
    return _WORKERS.passed(f"{facts.workers:,} worker{' is' if facts.workers == 1 else 's are'} running.")


def _backup(facts: OperatingFacts) -> DoctorResult:
    last, since = facts.backed_up_at, facts.served_since
    if last is not None:
        said = f"The last backup that was recorded is {duration(facts.at - last)} old ({_utc(last)})."
        return _BACKUP.failed(said, _HOW_TO_BACK_UP) if facts.is_backup_due else _BACKUP.passed(said)
    never = "No backup of this database was ever recorded"
    if since is None:
        return _BACKUP.not_applicable(f"{never}; it has not been served yet.")
    said = f"{never}; it has been served for {duration(facts.at - since)}."
    return _BACKUP.failed(said, _HOW_TO_BACK_UP) if facts.is_backup_due else _BACKUP.not_applicable(said)


def _silence(facts: OperatingFacts) -> DoctorResult:
    """That nobody works is no failure, and cannot be told from a webhook that was switched off."""
    last = facts.delivered_at
    if facts.is_losing and facts.lost_since is not None:
        return _SILENCE.failed(
            f"GitHub sends webhooks that do not arrive, since {_utc(facts.lost_since)}: {facts.lost_deliveries:,} by now.",
            "If webhook.address and webhook.answered pass, another server answers at the webhook's address: see to whom it leads.",
        )
    if last is None:
        return _SILENCE.not_applicable("No webhook has come yet.")
    said = f"The last webhook came {duration(facts.at - last)} ago ({_utc(last)})."
    if facts.is_silent:
        return _SILENCE.unknown(
            f"{said} Either nobody works, or GitHub sends none.",
            f"In the App's settings at GitHub, see that the webhook is active. {SEND_ONE}",
        )
    return _SILENCE.passed(said)


def _utc(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
