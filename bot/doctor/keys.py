"""The key ring for personal data: readable, for its owner alone, and whole enough to open everything in the database."""

from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from agreements.vault import KeyRing, KeysInvalid
from bot import db
from bot.db import Sessions
from bot.doctor.report import Check, Item
from bot.records import key_rotation
from bot.settings import Settings

_RING: Final = Check("keys.ring", "critical")
_PRIVATE: Final = Check("keys.private", "high")
_COMPLETE: Final = Check("keys.complete", "critical")


def judge(settings: Settings, sessions: Sessions | None) -> list[Item]:
    """`sessions` of the database, None where it cannot be used."""
    try:
        ring = KeyRing.parse(settings.keys.reveal()) if settings.keys else None
    except KeysInvalid as error:
        return [
            _RING.failed(f"COUNTERSIGN_KEYS: {error}", "Give the key ring as `countersign keys generate` wrote it.")
        ]
    if ring is None:
        remedy = "Set COUNTERSIGN_KEYS_FILE to the key ring of this database; `countersign keys generate` makes one for a new one."
        return [_RING.failed("there is no key ring", remedy)]
    return [
        _RING.passed(f"the key ring has {len(ring.ids)} key{'s' if len(ring.ids) > 1 else ''}"),
        _private(settings),
        _complete(ring, sessions),
    ]


def _private(settings: Settings) -> Item:
    file = settings.keys_file
    if file is None:
        return _PRIVATE.not_applicable("the key ring is in no file")
    rights = file.stat().st_mode & 0o777
    if rights & 0o007:
        return _PRIVATE.failed(
            f"{file} can be read by every account of this machine ({rights:o})", f"Run `chmod 600 {file}`."
        )
    return _PRIVATE.passed(f"{file} is for its owner ({rights:o})")


def _complete(ring: KeyRing, sessions: Sessions | None) -> Item:
    if sessions is None:
        return _COMPLETE.unknown("the database was not asked", "Correct what is said about the database first.")
    try:
        lacking = sorted(set(key_rotation.held(sessions)) - set(ring.ids))
    except SQLAlchemyError as error:
        return _COMPLETE.unknown(db.explain(error), "Correct what is said about the database first.")
    if lacking:
        return _COMPLETE.failed(
            f"records are under keys that the ring has not: {', '.join(lacking)}",
            "Put these keys back into the ring, from wherever it is kept; without them nobody can open those records.",
        )
    return _COMPLETE.passed("the ring has every key that the records are under")
