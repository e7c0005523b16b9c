"""Who is covered, looked up among a million signatures: what a review asks of the records for one pull request."""

import random
import time
from datetime import UTC, datetime
from typing import Any

import databases
from figures import Figure, quantile
from sqlalchemy import Engine, insert, text
from sqlmodel import Session

from agreements.catalog import Catalog
from agreements.facts import Entry
from agreements.store import companies, emails, signatures
from agreements.store.companies import CompanyDraft
from agreements.store.records import Person, Proof, Signature
from agreements.vault import KeyRing, Vault
from bot import db

AT = datetime(2026, 1, 1, tzinfo=UTC)
SIGNATURES, COMPANIES, LOOK_UPS, PEOPLE = 1_000_000, 1_000, 2_000, 5
LOT = 20_000
_NOTHING = text("SELECT 1")


def measure(*, quick: bool) -> list[Figure]:
    """Five people and their addresses a look-up: signatures, proven addresses, companies; beside three times `SELECT 1`."""
    count = SIGNATURES // 50 if quick else SIGNATURES
    text_key = Catalog.load().get("icla", "2.0", "en")
    assert text_key is not None
    figures = []
    for kind in databases.kinds():
        with databases.opened(kind) as engine:
            vault = Vault(KeyRing.parse(KeyRing.generate("k1")))
            _fill(engine, vault, count, text_key.sha256)
            bare, waits = _waits(engine, vault, count)
            warm = LOOK_UPS // 10
            figures += [
                Figure(
                    what=f"coverage looked up among {count:,} signatures, {kind}, {name}",
                    value=quantile(waits[warm:], share) * 1000,
                    unit="ms",
                    target="p99 ≤ 5 ms" if name == "p99" else "",
                    baseline=quantile(bare[warm:], share) * 1000,
                    beside="three empty questions in a transaction",
                )
                for name, share in (("p50", 0.5), ("p99", 0.99))
            ]
    return figures


def _waits(engine: Engine, vault: Vault, count: int) -> tuple[list[float], list[float]]:
    """Seconds of each three empty questions and of each look-up of coverage, which asks three, one after the other."""
    numbers = random.Random(1)  # the same people every time
    accepted = Catalog.load().accepted()
    bare, waits = [], []
    for _ in range(LOOK_UPS):
        people = [numbers.randint(1, count) for _ in range(PEOPLE)]
        bare.append(_timed(engine, _empty))
        waits.append(_timed(engine, lambda session, who=people: _covered(session, vault, who, accepted)))  # type: ignore[misc]
    return bare, waits


def _timed(engine: Engine, work: Any) -> float:
    start = time.perf_counter()
    with db.sessions(engine)() as session:
        work(session)
    return time.perf_counter() - start


def _empty(session: Session) -> None:
    for _ in range(3):
        session.connection().execute(_NOTHING).all()


def _covered(session: Session, vault: Vault, people: list[int], accepted: Any) -> None:
    found = signatures.of(session, people, accepted=accepted)
    proven = emails.proven(session, vault, people, AT, how=("mailed-code",))
    known = {f"a{people[0]}@company{people[0] % COMPANIES}.example.org"}.union(*proven.values())
    companies.relevant(session, vault, people, known)
    assert len(found) == len(set(people))


def _fill(engine: Engine, vault: Vault, count: int, sha256: str) -> None:
    """Each person with a signature, every tenth with a proven address, and companies with a domain each."""
    _, wrapped = vault.new_data_key("person", "p1")
    hashes = {"source_sha256": sha256, "shown_sha256": sha256, "statement_sha256": sha256}
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA cache_size=-200000")
        for start in range(1, count + 1, LOT):
            ids = range(start, min(start + LOT, count + 1))
            connection.execute(insert(Person), [_person(one, wrapped.sealed) for one in ids])
            connection.execute(insert(Signature), [_signature(one, hashes) for one in ids])
            proofs = [_proof(vault, one) for one in ids if one % 10 == 0]
            if proofs:
                connection.execute(insert(Proof), proofs)
    with db.sessions(engine)() as session:
        for number in range(COMPANIES):
            draft = CompanyDraft(name=f"C{number}", agreement="ccla", version="2.0", signed_at=AT, countersigned_at=AT)
            row = companies.add(session, vault, draft, new_id=f"c{number}")
            entry = Entry(domain=f"company{number}.example.org")
            companies.add_entry(session, vault, row, entry, at=AT, new_id=f"e{number}")
    with engine.connect() as connection:
        connection.execute(text("ANALYZE"))
        connection.commit()


def _person(number: int, wrapped: bytes) -> dict[str, Any]:
    return {"id": f"p{number}", "account_id": number, "login": f"u{number}", "login_since": AT, "wrapped_key": wrapped, "ring_key_id": "k1", "created_at": AT}  # fmt: skip


def _signature(number: int, hashes: dict[str, str]) -> dict[str, Any]:
    return {
        "id": f"s{number}", "person_id": f"p{number}", "account_id": number, "login": "", "agreement": "icla", "version": "2.0",
        "language": "en", "statement_id": "agree-1", "identity_proof": "github-oauth", "signed_at": AT, "receipt": f"R{number}",
        "evidence": b"x" * 160, **hashes,
    }  # fmt: skip


def _proof(vault: Vault, number: int) -> dict[str, Any]:
    """Its address can't be opened (the key is another's), so such people are not among those who are looked up by it."""
    return {
        "id": f"q{number}", "person_id": f"p{number}", "account_id": number, "address": b"x" * 60,
        "address_index": vault.blind_index("email", f"a{number}@example.org"), "how": "github-verified", "at": AT, "until": None,
    }  # fmt: skip
