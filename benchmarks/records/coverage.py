"""Who is covered, looked up among a million signatures: what a review asks of the records for one pull request."""

import random
import time
from datetime import UTC, datetime
from functools import partial
from typing import Any

import databases
from figures import Figure, percentiles
from sqlalchemy import BigInteger, Connection, Engine, String, cast, func, insert, select, text
from sqlmodel import SQLModel

from agreements.catalog import Catalog
from agreements.facts import Entry
from agreements.store import coverage_records
from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from agreements.store.ledger import row_macs, stored_ledger
from agreements.store.ledger.row_check import RowCheck
from agreements.store.record_context import RecordContext
from agreements.store.tables.ledger_records import RowMac
from agreements.store.tables.records import PersonRecord, Proof, SignatureRecord
from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.store.statements import table

AT = datetime(2026, 1, 1, tzinfo=UTC)
SIGNATURES, COMPANIES, LOOK_UPS, PEOPLE = 1_000_000, 1_000, 6_000, 5
EVERY = 10
"""One in so many has a proven address, and can be asked for; the rows between are copies that fill the tables."""
LOT = 20_000
_NOTHING = text("SELECT 1")


def measure(*, quick: bool) -> list[Figure]:
    """Five people and their addresses a look-up: signatures, proven addresses, companies; beside one `SELECT 1`."""
    count = SIGNATURES // 50 if quick else SIGNATURES
    text_key = Catalog.load().get("icla", "2.0", "en")
    assert text_key is not None
    figures = []
    for kind in databases.kinds():
        with databases.opened(kind) as engine:
            vault = Vault(KeyRing.parse(KeyRing.generate("k1")))
            _fill(engine, vault, count, text_key.sha256)
            databases.settle(engine)
            asked = db.look_ups(engine)
            _waits(asked, vault, count)  # Until everything is where it stays, the machine's own pace too
            bare, waits = _waits(asked, vault, count)
            what = f"coverage looked up among {count:,} signatures, {kind}, {{}}"
            targets = {"p50": "", "p99": "p99 ≤ 5 ms"}
            figures += percentiles(what, waits, bare, beside="an empty question", targets=targets)
    return figures


def _waits(engine: Engine, vault: Vault, count: int) -> tuple[list[float], list[float]]:
    """Seconds of each empty question and of each look-up of coverage, one after the other."""
    numbers = random.Random(1)  # The same people every time
    accepted = Catalog.load().accepted()
    bare, waits = [], []
    for _ in range(LOOK_UPS):
        people = [EVERY * numbers.randint(1, count // EVERY) for _ in range(PEOPLE)]
        bare.append(_timed(engine, _empty))
        waits.append(_timed(engine, partial(_covered, vault=vault, people=people, accepted=accepted)))
    return bare, waits


def _timed(engine: Engine, work: Any) -> float:
    start = time.perf_counter()
    with engine.connect() as connection:
        work(connection)
    return time.perf_counter() - start


def _empty(connection: Connection) -> None:
    connection.execute(_NOTHING).all()


def _covered(connection: Connection, vault: Vault, people: list[int], accepted: Any) -> None:
    known = {f"a{people[0]}@company{people[0] % COMPANIES}.example.org"}
    found = coverage_records.records(RowCheck(connection, vault), people, known, accepted=accepted, at=AT, now=AT)
    # A wrong answer would be fast, too.
    assert len(found.signatures) == len(set(people))
    assert len(found.companies) == 1
    assert not found.unlogged


def _fill(engine: Engine, vault: Vault, count: int, sha256: str) -> None:
    """Each person with a signature, every tenth with a proven address, and companies with a domain each."""
    hashes = {"source_sha256": sha256, "shown_sha256": sha256, "statement_sha256": sha256}
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA cache_size=-200000")  # 200 MB: filling does not wait for the disk.
        for start in range(EVERY, count + 1, LOT):
            ids = range(start, min(start + LOT, count + 1), EVERY)
            rows = [
                databases.person_and_proof(vault, number, f"a{number}@home{number}.example.net", AT) for number in ids
            ]
            connection.execute(insert(PersonRecord), [person for person, _ in rows])
            connection.execute(insert(SignatureRecord), [_signature(number, hashes) for number in ids])
            # At a domain of its own, for which companies are looked up once more.
            connection.execute(insert(Proof), [proof for _, proof in rows])
            signed = [SignatureRecord(**_signature(number, hashes)) for number in ids]
            named = [*signed, *(Proof(**proof) for _, proof in rows)]
            connection.execute(
                insert(RowMac), [row_macs.columns(vault, 0, stored_ledger.written(sql_model)) for sql_model in named]
            )
        for further in range(1, EVERY):
            _copy(connection, PersonRecord, further, id="p")
            _copy(connection, SignatureRecord, further, id="s", person_id="p", receipt="R")
            _copy_codes(connection, further)
    _fill_companies(engine, vault)


def _fill_companies(engine: Engine, vault: Vault) -> None:
    """Companies with an agreement and a domain each."""
    with db.sessions(engine)() as session:
        for number in range(COMPANIES):
            draft = CompanyDraft(
                party="The CANN Authors",
                name=f"C{number}",
                agreement="ccla",
                version="2.0",
                signed_at=AT,
                countersigned_at=AT,
            )
            context = RecordContext(session, vault, None, AT, clock.new_id)
            row = companies.add(context, draft, f"c{number}")
            entry = Entry(domain=f"company{number}.example.org")
            domain = companies.add_entry(context, row, entry)
            party = companies.party_rows(session, row)
            row_macs.write(
                session, vault, [(0, stored_ledger.written(sql_model)) for sql_model in (row, domain, *party)]
            )


def _copy(connection: Connection, model: type[SQLModel], further: int, **named: str) -> None:
    """Copy each row of the people that can be asked for, numbered so much further; `named` columns hold a letter and the number."""
    columns = table(model).columns
    number = columns["account_id"] + further
    changed = {name: letter + cast(number, String) for name, letter in named.items()} | {"account_id": number}
    rows = select(*(changed.get(column.name, column) for column in columns)).where(columns["account_id"] % EVERY == 0)
    connection.execute(insert(model).from_select([column.name for column in columns], rows))


def _copy_codes(connection: Connection, further: int) -> None:
    """As many codes as there are signatures; those of the copies, which are never checked, are not right."""
    columns = table(RowMac).columns
    number = cast(func.substr(columns["key"], 2), BigInteger)
    changed = {"key": "s" + cast(number + further, String)}
    asked = (columns["table_name"] == "signature", number % EVERY == 0)
    rows = select(*(changed.get(column.name, column) for column in columns)).where(*asked)
    connection.execute(insert(RowMac).from_select([column.name for column in columns], rows))


def _signature(number: int, hashes: dict[str, str]) -> dict[str, Any]:
    return {
        "id": f"s{number}", "person_id": f"p{number}", "account_id": number, "login": "", "agreement": "icla", "version": "2.0",
        "language": "en", "statement_id": "agree-1", "identity_proof": "github-oauth", "signed_at": AT, "receipt": f"R{number}",
        "evidence": b"x" * 160, "party": "The CANN Authors", **hashes,
    }  # fmt: skip
