"""The key ring for personal data: valid, private, and with every key that the database needs; whether it is its ring, `refusals` says."""

from typing import Final

from agreements.vault import KeyRing, KeysInvalid
from bot.db import Sessions
from bot.doctor import database_checks
from bot.doctor.doctor_report import DoctorCheck, DoctorResult
from bot.records import key_rotation
from bot.settings import Settings

_RING: Final = DoctorCheck("keys.ring", "critical")
_PRIVATE: Final = DoctorCheck("keys.private", "high")
_COMPLETE: Final = DoctorCheck("keys.complete", "critical")


def checks(settings: Settings) -> tuple[DoctorCheck, ...]:
    """The checks that `judge` has a result for."""
    return (_RING, _PRIVATE, _COMPLETE) if settings.keys else (_RING,)


def judge(settings: Settings, sessions: Sessions | None) -> list[DoctorResult]:
    """`sessions` of the database, None where it cannot be used."""
    try:
        ring = KeyRing.parse(settings.keys.reveal()) if settings.keys else None
    except KeysInvalid as error:
        return [
            _RING.failed(f"COUNTERSIGN_KEYS: {error}.", "Use the key ring as `countersign keys generate` wrote it.")
        ]
    if ring is None:
        remedy = "Set COUNTERSIGN_KEYS_FILE to the key ring of this database. For a new database, `countersign keys generate` makes one."
        return [_RING.failed("There is no key ring: COUNTERSIGN_KEYS is not set.", remedy)]
    return [
        _RING.passed(f"The key ring has {len(ring.ids)} key{'s' if len(ring.ids) > 1 else ''}."),
        _private(settings),
        *database_checks.read(sessions, lambda found: [_complete(ring, found)], _COMPLETE),
    ]


def _private(settings: Settings) -> DoctorResult:
    file = settings.keys_file
    if file is None:
        return _PRIVATE.not_applicable("The key ring is not in a file.")
    return _PRIVATE.private(file, f"Other accounts of this machine cannot read {file}.")


def _complete(ring: KeyRing, sessions: Sessions) -> DoctorResult:
    if lacking := sorted(set(key_rotation.held(sessions)) - set(ring.ids)):  # Records name their keys.
        return _COMPLETE.failed(
            f"Records are encrypted with keys that the ring does not have: {', '.join(lacking)}.",
            "Add these keys to the ring from your copy of it. Without them nobody can read those records.",
        )
    return _COMPLETE.passed("The key ring has every key that the records need.")
