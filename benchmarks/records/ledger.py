"""The log verified: 100,000 entries with their signatures, each opened, hashed and compared; beside reading the same rows."""

import hashlib
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import databases
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from figures import Figure, best_of
from sqlalchemy import Engine, insert, select
from sqlmodel import Session

from agreements import ledger
from agreements.ledger import Checkpoint, MerkleTree
from agreements.store.ledger.stored_ledger import DETAILS_KEY, about_detail, columns, written
from agreements.store.record_context import RecordContext
from agreements.store.tables.ledger_records import LedgerCheckpoint, LedgerEntry, LedgerKey
from agreements.store.tables.records import PersonRecord, SignatureRecord
from agreements.vault import KeyRing, Vault, place
from bot import db
from bot.records.log_verification import Keys, verify
from bot.store.statements import table

AT = datetime(2026, 1, 1, 12, 30, 45, 678, tzinfo=UTC)
ENTRIES, LOT = 100_000, 5_000


def measure(*, quick: bool) -> list[Figure]:
    """Seconds for all of it, and the memory that it takes at most, on each database."""
    count = ENTRIES // 20 if quick else ENTRIES
    figures = []
    for kind in databases.kinds():
        with databases.opened(kind) as engine:
            ring = KeyRing.parse(KeyRing.generate("k1"))
            _fill(engine, Vault(ring), count)
            databases.settle(engine)
            read, took = best_of(2, partial(_read, engine)), best_of(2, partial(_verify, engine, ring))
            figures += [
                Figure(
                    what=f"log of {count:,} entries and signatures verified, {kind}", value=took, unit="s",
                    target="≤ 5 s", baseline=read, beside="reading these rows",
                ),
                Figure(what=f"memory of its first process, {kind}", value=_memory(partial(_verify, engine, ring)), unit="MiB"),
            ]  # fmt: skip
    return figures


def _memory(work: Callable[[], None]) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def _verify(engine: Engine, ring: KeyRing) -> None:
    verify(engine, Keys(ring), (PersonRecord, SignatureRecord))


def _read(engine: Engine) -> None:
    with engine.connect() as connection:
        for model in (LedgerEntry, LedgerCheckpoint, PersonRecord, SignatureRecord):
            # In lots, as verifying reads.
            found = connection.execution_options(yield_per=1000).execute(select(table(model)))
            for _ in found:
                pass


def _fill(engine: Engine, vault: Vault, count: int) -> None:
    """As many people who signed, written as the log writes it, but in lots."""
    with db.sessions(engine)() as session:
        RecordContext(session, vault, None, AT, lambda: "first").log("log.begun")
        last = session.get(LedgerCheckpoint, 1)
        kept = session.get(LedgerKey, "checkpoint")
        assert last is not None
        assert kept is not None
        secret = vault.decrypt_for_server(kept.sealed, place("ledger_key", "sealed", "checkpoint"))
        made = _rows(vault, count, last, Ed25519PrivateKey.from_private_bytes(secret))
        for start in range(0, count, LOT):
            _store(session, [next(made) for _ in range(min(LOT, count - start))])


def _store(session: Session, lot: list[tuple[Any, ...]]) -> None:
    for model, rows in zip(
        (PersonRecord, SignatureRecord, LedgerEntry, LedgerCheckpoint), zip(*lot, strict=True), strict=True
    ):
        session.execute(insert(model), [row.model_dump() for row in rows])


def _rows(vault: Vault, count: int, last: LedgerCheckpoint, key: Ed25519PrivateKey) -> Iterator[tuple[Any, ...]]:
    # The first entry began the log.
    tree = MerkleTree(1, [bytes.fromhex(last.root)])
    origin = ledger.origin(key.public_key().public_bytes_raw())
    for number in range(1, count + 1):
        name, salt, details = f"{number:032x}", hashlib.sha256(str(number).encode()).digest(), {"agreement": "icla"}
        at = AT + timedelta(seconds=number)
        secret, wrapped = vault.new_data_key("person", name)
        person = PersonRecord(
            id=name, account_id=number, login=f"u{number}", login_since=at, created_at=at,
            wrapped_key=wrapped.sealed, ring_key_id=wrapped.ring_key_id,
        )  # fmt: skip
        signature = SignatureRecord(
            id=name, person_id=name, account_id=number, login=f"u{number}", agreement="icla", version="2.0", language="en",
            source_sha256="a" * 64, shown_sha256="b" * 64, statement_id="agree-1", statement_sha256="c" * 64,
            identity_proof="github-oauth", party="The CANN Authors", signed_at=at, receipt=f"R-{number}",
            evidence=vault.encrypt(secret, b"x" * 150, place("signature", "evidence", name)),
        )  # fmt: skip
        detail = ledger.canonical({"salt": salt.hex(), DETAILS_KEY: details})
        entry = LedgerEntry(
            number=number, id=name, at=at, kind="signature.added", actor_id=number, subject_kind="person", subject_id=name,
            rows=ledger.rows_text([written(signature), written(person)]), commitment=ledger.commitment(salt, details),
            detail=vault.encrypt(secret, detail, about_detail(name)),
        )  # fmt: skip
        tree.add(ledger.leaf(columns(entry), ledger.signed_hash(**last.model_dump())))
        signed = ledger.sign(Checkpoint(origin, tree.size, tree.root), key)
        last = LedgerCheckpoint(size=tree.size, root=tree.root.hex(), frontier=tree.frontier_text, signature=signed)
        yield person, signature, entry, last
