"""Tampers with a database and says what was not found: `python tests/tampering/run.py [ATTACKS [FIRST_SEED]]`."""

import random
import sqlite3
import sys
from collections import Counter
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

sys.path.append(str(Path(__file__).parents[2]))

import migrations
from agreements.store.integrity.verification import Tampered
from agreements.vault import KeyRing, Vault
from tests.tampering.attacks import ATTACKS
from tests.tampering.history import History


class Target:
    """A database in memory with an ordinary history, made as good as new before every attack."""

    def __init__(self):
        self.database = sqlite3.connect(":memory:", check_same_thread=False)
        engine = create_engine("sqlite://", creator=lambda: self.database, poolclass=StaticPool)
        migrations.upgrade(engine)
        self.history = History(engine, Vault(KeyRing.parse(KeyRing.generate("k1"))))
        self.history.live()
        self.database.text_factory = lambda held: held.decode("utf-8", "surrogateescape")
        for (name,) in self.database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            self.database.execute(f"DROP TRIGGER {name}")
        self.database.commit()
        self._whole = sqlite3.connect(":memory:", check_same_thread=False)
        self.database.backup(self._whole)

    def attack(self, seed):
        """One attack that changed something: what it did, and what `verify` said (None: nothing)."""
        chance, before = random.Random(seed), None
        while True:
            self.restore()
            before = list(self.database.iterdump())
            try:
                attack = chance.choice(ATTACKS)
                where = attack(self.database, chance)
            except sqlite3.IntegrityError:
                continue  # the database itself refused
            self.database.commit()
            if list(self.database.iterdump()) != before:
                return f"{attack.__name__} {where}", self.said()

    def restore(self):
        """As good as new."""
        self.database.rollback()
        self._whole.backup(self.database)

    def said(self, kept=None):
        """What is wrong by `verify`; None when nothing is."""
        self.database.text_factory = str
        try:
            self.history.verified(kept)
        except Tampered as found:
            return f"entry {found.entry}: {found.what}"
        finally:
            self.database.text_factory = lambda held: held.decode("utf-8", "surrogateescape")
        return None


def run(seeds):
    """The attacks that were not found, and how often each kind was tried."""
    target, missed, tried = Target(), [], Counter()
    for seed in seeds:
        did, said = target.attack(seed)
        tried[did.split()[0]] += 1
        if said is None:
            missed.append(f"seed {seed}: {did}")
    target.restore()
    if said := target.said():
        missed.append(f"false alarm: {said}")
    return missed, tried


def main(attacks=1000, first=0):
    """Exit code 1 when one was missed."""
    missed, tried = run(range(int(first), int(first) + int(attacks)))
    print("\n".join(missed))
    print(f"{sum(tried.values())} attacks on records and log, {len(missed)} not found: {dict(tried)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
