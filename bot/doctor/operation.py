"""Checks of what must go on all the time: workers, backups, webhooks that come and are handled, and what stays as we wrote it at GitHub."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Engine

from bot import db
from bot.clock import Clock
from bot.db import Sessions
from bot.doctor import database_checks
from bot.doctor.doctor_report import DoctorCheck, DoctorResult
from bot.doctor.webhook_secret import SEND_ONE
from bot.monitoring import operating_facts
from bot.monitoring.operating_facts import OperatingFacts, duration
from bot.store import inbox
from bot.store.inbox import Backlog
from bot.store.pulls import paused_items
from bot.store.pulls.paused_items import ReversedItem

_WORKERS: Final = DoctorCheck("work.workers", "critical")
_BACKUP: Final = DoctorCheck("database.backup", "high")
_SILENCE: Final = DoctorCheck("webhook.silence", "medium")
_BACKLOG: Final = DoctorCheck("work.backlog", "high")
_FAILED: Final = DoctorCheck("work.failed", "medium")
_REVERSED: Final = DoctorCheck("work.reversed", "medium")
CHECKS: Final = (_WORKERS, _BACKUP, _SILENCE, _BACKLOG, _FAILED, _REVERSED)
_HOW_TO_BACK_UP: Final = (
    "Run `countersign backup FILE` every day (see 'Back up and restore' in the documentation). If another tool makes backups, run "
    "`countersign backup --done-elsewhere` after each of its successes."
)
_MAX_SHOWN: Final = 5  # Pull requests that are named; one cause is behind them mostly.
_MAX_WAIT: Final = timedelta(minutes=10)  # Seconds are usual; this only without a worker, or without GitHub.

_ITEMS: Final = {"check": "check run", "comment": "comment (it is deleted)", "label": "label"}
_REVERSERS: Final = {
    paused_items.OWN_APP: "another server of the same App",
    paused_items.PERSON: "a person or a workflow with a person's token",
    paused_items.UNKNOWN: "somebody",
}
_RESUME: Final = "Countersign writes again at the next push, or after a comment `/cla-check`."
_OTHER_APP: Final = f"Give the two Apps different labels (`labels` in the rulebook), or remove one of them. {_RESUME}"
_REMEDIES: Final = {
    paused_items.OWN_APP: "Stop the other server, or give it an App of its own: see 'Two servers on one organisation' in the documentation. "
    + _RESUME,
    paused_items.PERSON: "Ask in the repository why. " + _RESUME,
    paused_items.UNKNOWN: "See in the pull request's timeline who it was: a maintainer, another App, or another server "
    "of this App. " + _RESUME,
}


def judge(engine: Engine | None, clock: Clock) -> list[DoctorResult]:
    """`engine` is None where the database cannot be used."""
    sessions = db.sessions(engine) if engine is not None else None

    def operated(found: Sessions) -> list[DoctorResult]:
        assert engine is not None
        facts = operating_facts.read(found, engine, at=clock())
        return [_workers(facts), _backup(facts), _silence(facts)]

    def worked(found: Sessions) -> list[DoctorResult]:
        with found() as session:
            backlog, stopped = inbox.backlog(session), paused_items.stopped(session, at=clock())
            return [_waiting(backlog, clock()), _failed(backlog), _reversal(stopped)]

    # Each is read alone: what fails in one leaves the other its answers.
    return database_checks.read(sessions, operated, *CHECKS[:3]) + database_checks.read(sessions, worked, *CHECKS[3:])


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
    last = facts.delivered_at
    if facts.is_losing and facts.lost_since is not None:
        return _SILENCE.failed(
            f"GitHub sends webhooks that do not arrive, since {_utc(facts.lost_since)}: {facts.lost_deliveries:,} by now.",
            'In the App\'s settings at GitHub, "Recent Deliveries" shows each answer. '
            "If it is 413, let the proxy take bodies of 25 MB at /webhook, and run countersign redeliver. "
            "If it is 2xx, another server answers at the webhook's address: see to whom it leads.",
        )
    if last is None:
        return _SILENCE.not_applicable("No webhook has come yet.")
    said = f"The last webhook came {duration(facts.at - last)} ago ({_utc(last)})."
    # That alone is no failure, and cannot be told from a webhook that was switched off.
    if facts.is_silent:
        return _SILENCE.unknown(
            f"{said} Either nobody works, or GitHub sends none.",
            f"In the App's settings at GitHub, see that the webhook is active. {SEND_ONE}",
        )
    return _SILENCE.passed(said)


def _waiting(backlog: Backlog, at: datetime) -> DoctorResult:
    many, oldest = backlog.waiting, backlog.oldest
    if oldest is not None and at - oldest > _MAX_WAIT:
        minutes = int((at - oldest).total_seconds() // 60)
        return _BACKLOG.failed(
            f"{many:,} deliver{'y is' if many == 1 else 'ies are'} waiting, the oldest for {minutes:,} minutes.",
            "Make sure that a worker is running (`countersign serve`, role all or worker), and see what its log says about GitHub.",
        )
    said = f"{many or 'No'} deliver{'y is' if many == 1 else 'ies are'} waiting{', none for long' if many else ''}."
    return _BACKLOG.passed(said)


def _failed(backlog: Backlog) -> DoctorResult:
    if not backlog.failed:
        return _FAILED.passed("No delivery has failed.")
    return _FAILED.failed(
        f"{backlog.failed:,} deliver{'y' if backlog.failed == 1 else 'ies'} failed after a day of retries.",
        "See why with `countersign deliveries --state failed`, then check the pull requests again with "
        "`countersign recheck OWNER/REPO`.",
    )


def _reversal(items: Sequence[ReversedItem]) -> DoctorResult:
    if not items:
        return _REVERSED.passed("Nobody keeps reversing what is written at GitHub.")
    shown = [
        f"{item.repository}#{item.number}: {_REVERSERS.get(item.reversed_by, f'the App {item.reversed_by}')} keeps "
        f"reversing the {_ITEMS[item.kind]}"
        for item in items[:_MAX_SHOWN]
    ]
    more = [f"{len(items) - _MAX_SHOWN:,} more"] if len(items) > _MAX_SHOWN else []
    remedies = dict.fromkeys(_REMEDIES.get(item.reversed_by, _OTHER_APP) for item in items)  # Each is said once.
    return _REVERSED.failed(f"{'; '.join(shown + more)}.", " ".join(remedies))


def _utc(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
