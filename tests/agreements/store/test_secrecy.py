"""The database never holds a name or an address in clear, neither in tables nor in the files beneath them."""

import json
from pathlib import Path

import pytest
from sqlalchemy import MetaData, text
from sqlalchemy.exc import IntegrityError

from agreements.facts import Account, Entry
from agreements.store.people import emails, person_rows, signatures, withdrawals
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.records import PersonRecord
from tests.agreements.store.company import add_company
from tests.within import within

WRITTEN = ("person", "signature", "withdrawal", "company", "company_entry", "proof")
NAME = "Kanarienvogel 金丝雀"
LOCAL = "canary-7f3a"
FIELD = "Vogelstrasse 42"


@pytest.fixture(name="written")
def _written(sessions, vault, at, draft):
    """Every way in which personal data get into the records, committed."""
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, at, "p1"), Account(11, "public-login"))
        drafted = draft(name=NAME, email=f"{LOCAL}@huawei.com", fields={"address": FIELD})
        signed = signatures.add(within(session, vault, at, "s1"), person, drafted, receipt="R1")
        proven = ProvenAddress(address=f"{LOCAL}@huawei.com", how="mailed-code", at=at)
        emails.prove(within(session, vault, new_id="q1"), person, proven)
        add_company(session, vault, at, "c1", Entry(email=f"{LOCAL}@partner.org"), name="One")
    with sessions() as session:
        withdrawals.withdraw(within(session, vault, at, by=11), signed.row.receipt)
        assert signatures.receipt(session, vault, "R1", 11).draft == drafted
        assert emails.proven(session, vault, [11], at) == {11: (f"{LOCAL}@huawei.com",)}


def spellings(words):
    """Each word as bytes, as the text of such bytes (PostgreSQL prints them so), and as JSON would escape it."""
    for word in words:
        for encoding in ("utf-8", "utf-16-le"):
            yield word.encode(encoding)
            yield word.encode(encoding).hex().encode()
        yield json.dumps(word).strip('"').encode()


def held(engine):
    """Everything that the database holds: all rows as text, on SQLite its files too."""
    everything = MetaData()
    everything.reflect(engine)
    with engine.connect() as connection:
        quoted = [f'"{name}"' for name in everything.tables]
        if engine.dialect.name == "sqlite":
            rows = [str(tuple(row)) for name in quoted for row in connection.execute(text(f"SELECT * FROM {name}"))]
        else:
            rows = [row[0] for name in quoted for row in connection.execute(text(f"SELECT t::text FROM {name} t"))]
    found = "\n".join(rows).encode()
    if engine.dialect.name == "sqlite":
        path = Path(engine.url.database)
        found += b"".join(part.read_bytes() for part in path.parent.glob(path.name + "*"))
    return found


@pytest.mark.slow
def test_no_personal_data_are_in_the_database_files_in_the_clear(engine, written):
    for _ in range(2):
        content = held(engine)
        assert not [word for word in spellings([NAME, "Kanarienvogel", "金丝雀", LOCAL, FIELD]) if word in content]
        assert all(word.encode() in content for word in ("public-login", "R1", "github-oauth", "One"))
        if engine.dialect.name == "sqlite":
            with engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def test_the_search_finds_a_name_in_a_clear_column(engine, sessions, vault, at):
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, at, "p1"), Account(11, LOCAL))
        person.wrapped_key = NAME.encode()
        session.add(person)
    content = held(engine)
    for words in ([LOCAL], [NAME]):
        assert any(word in content for word in spellings(words))


def test_database_errors_hold_no_values_of_the_row(sessions, vault, at):
    with sessions() as session:
        person_rows.ensure(within(session, vault, at, "p1"), Account(11, "ada"))
    row = PersonRecord(
        id="p2", account_id=11, login=LOCAL, login_since=at, wrapped_key=b"", ring_key_id="k", created_at=at
    )
    with pytest.raises(IntegrityError) as caught, sessions() as session:
        session.add(row)
    assert LOCAL not in str(caught.value)


def test_the_search_covers_every_table_of_the_records(engine, written):
    """Without a row in each table the search would prove nothing."""
    with engine.connect() as connection:
        assert [connection.execute(text(f"SELECT count(*) FROM {name}")).scalar() for name in WRITTEN] == [1] * 6
