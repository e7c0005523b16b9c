"""A program that verifies a log alone or with several processes, and prints its findings."""

import json
import sys
from pathlib import Path

from agreements.store.integrity.verification import Tampered
from agreements.vault import KeyRing
from bot import db
from bot.records import log_verification
from bot.records.erasure_keys import ErasureKeyFile
from bot.store.logged_tables import TABLES


def main(url: str, ring: str, erasure_keys: str | None, kept: str | None, least: int) -> dict[str, object]:
    """What is found, with the number of entries and rows; or the entry that is wrong, and why."""
    steps: list[int] = []
    keys = log_verification.Keys(KeyRing.parse(ring), ErasureKeyFile(Path(erasure_keys)) if erasure_keys else None)
    engine = db.open_engine(url)
    try:
        found = log_verification.verify(engine, keys, TABLES, kept=kept, done=steps.append, least=least)
    except Tampered as tampered:
        return {"entry": tampered.entry, "what": tampered.what}
    finally:
        engine.dispose()
    return {"found": repr(found), "rows": found.rows, "entries": found.entries, "steps": sum(steps)}


if __name__ == "__main__":
    json.dump(main(**json.load(sys.stdin)), sys.stdout)
