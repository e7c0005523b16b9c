"""Each reason for which `serve` refuses a database that it can read, found by the same functions (`bot.startup.REFUSALS`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agreements.vault import KeysInvalid
from bot import startup
from bot.db import Sessions
from bot.doctor import database_checks
from bot.doctor.doctor_report import DoctorCheck, DoctorResult, sentence
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class Refusal:
    """The `check` for a reason: its words when it `passed`, the `remedy` when not, and whether it `needs_ring`."""

    check: DoctorCheck
    passed: str
    remedy: str
    needs_ring: bool = False


# By the names of `startup.REFUSALS`.
ITEMS: Final[Mapping[str, Refusal]] = {
    "log": Refusal(
        DoctorCheck("database.log", "critical"),
        "The records have their log.",
        "Restore a backup, or see 'The log of records' in the documentation.",
    ),
    "ring": Refusal(
        DoctorCheck("keys.fit", "critical"),
        "The key ring opens what is encrypted in the database.",
        "Set COUNTERSIGN_KEYS_FILE to the ring of this database, or COUNTERSIGN_DATABASE_URL to the database of this ring.",
        needs_ring=True,
    ),
    "log-changed": Refusal(
        DoctorCheck("database.log-signed", "critical"),
        "The newest entries of the log are signed by its key.",
        "Restore a backup: see 'The log of records' in the documentation.",
        needs_ring=True,
    ),
    "erasure-keys": Refusal(
        DoctorCheck("keys.erasure", "critical"),
        "The erasure keys belong to the database, or it has none.",
        "Set COUNTERSIGN_ERASURE_KEYS_FILE to the file of this database, in a folder that the server can write. If it is lost, put its "
        "newest copy back (see 'Back up and restore' in the documentation): without it those records open for nobody.",
    ),
}


def checks(settings: Settings) -> tuple[DoctorCheck, ...]:
    """The checks that apply to these settings."""
    return tuple(ITEMS[name].check for name in startup.REFUSALS if settings.keys or not ITEMS[name].needs_ring)


def judge(settings: Settings, sessions: Sessions | None) -> list[DoctorResult]:
    """`sessions` of the database, None where it cannot be used. Without a key ring keys.ring says so."""
    return database_checks.read(sessions, lambda found: _judged(settings, found), *checks(settings))


def _judged(settings: Settings, sessions: Sessions) -> list[DoctorResult]:
    found: list[DoctorResult] = []
    for name, look in startup.REFUSALS.items():
        item = ITEMS[name]
        if item.needs_ring and not settings.keys:
            continue  # keys.ring says so.
        warnings: list[str] = []
        try:
            with sessions() as session:
                problem = look(session, settings, warnings.append)
        except KeysInvalid:
            found.append(
                item.check.unknown("Not checked: the key ring is not valid.", "Correct it first: see keys.ring.")
            )
            continue
        said = [problem] if problem else warnings
        found.append(
            item.check.failed(" ".join(map(sentence, said)), item.remedy) if said else item.check.passed(item.passed)
        )
    return found
