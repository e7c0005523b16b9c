"""A program that declares one more table and prints what knows it; `test_logged_tables` runs it as a process."""

import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import pytest
from sqlalchemy import text
from sqlmodel import Field, Session, SQLModel, select

from agreements.facts import Account
from agreements.store import erasures, reencryption
from agreements.store.integrity import verification
from agreements.store.integrity.verification import Tampered, VerificationOptions
from agreements.store.ledger import transient_rows
from agreements.store.people import person_rows
from agreements.store.record_context import RecordContext
from agreements.store.tables.columns import Moment
from agreements.store.tables.declarations import EMAIL_INDEX, BlindIndex, RowRetention, declare
from agreements.vault import KeyRing, Vault, place
from bot import db

AT = datetime(2026, 1, 1, tzinfo=UTC)
OLD, NEW = KeyRing.generate("old"), KeyRing.generate("new")


class Pledge(SQLModel, table=True):
    """A person's promise, with an address that is looked up and a note that the key ring seals."""

    __table_args__ = declare(
        logged=True, erased="person", sealed="note", indexes={"address_index": BlindIndex("address")},
    )  # fmt: skip

    id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id")
    address: bytes
    address_index: bytes
    note: bytes


class Visitor(SQLModel, table=True):
    """A row of an hour, with a code of its own."""

    __table_args__ = declare(authenticated=True, retention=RowRetention("came_at", timedelta(hours=1)))

    id: str = Field(primary_key=True)
    came_at: datetime = Field(sa_type=Moment)
    mac: str | None = None


from bot.records import key_rotation as rotation  # noqa: E402 - after the tables, as if they stood in a store
from bot.records.export_files import RecordReader  # noqa: E402 - as above
from bot.store.logged_tables import EXPORTED, TABLES  # noqa: E402 - as above
from docs import generate  # noqa: E402 - as above


def main() -> None:
    """One line for each that knows it."""
    engine = db.open_engine(f"sqlite:///{sys.argv[1]}/new.db")
    SQLModel.metadata.create_all(engine)
    vault, ids = Vault(KeyRing.parse(OLD)), count()
    with Session(engine) as session:
        context = RecordContext(session, vault, 1, AT, lambda: f"r{next(ids)}")
        person = person_rows.ensure(replace(context, new_id=lambda: "p1"), Account(11, "ada"))
        key = person_rows.data_key(vault, person)
        pledge = Pledge(
            id="1",
            person_id="p1",
            address=vault.encrypt(key, b"a@x.org", place("pledge", "address", "1")),
            address_index=vault.blind_index(EMAIL_INDEX, "a@x.org"),
            note=vault.encrypt_for_server(b"note", place("pledge", "note", "1")),
        )
        visitor = Visitor(id="v", came_at=AT)
        transient_rows.authenticate(vault, visitor)
        session.add_all([pledge, visitor])
        context.log("pledge.added", 11, rows=[pledge])
        session.commit()
        assert Pledge in TABLES
        print("logged")
        assert [row[2:4] for row in generate.ledger_columns() if row[:2] == ("pledge", "address_index")] == [
            ("bytes", "no: derived")
        ]
        print("documented")
        assert Pledge in EXPORTED
        [row] = RecordReader(session, vault).rows(Pledge)
        assert row == {"id": "1", "person_id": "p1", "address": "a@x.org", "note": "note"}
        print("exported")
    is_found(engine, vault, "address_index", b"x", "the look-up of the row pledge 1 that it names was changed")
    is_found(engine, vault, "address", b"x", "the row pledge 1 that it names was changed")
    print("verified")
    rotate(engine)
    with Session(engine) as session:
        assert transient_rows.purge(session, at=AT + timedelta(hours=1)) == 1
        print("purged")
        changes = erasures.delete(session, 11, person_rows.find(session, 11))
        assert changes.deleted[0] == ("pledge", "1")
        assert session.exec(select(Pledge)).all() == []
        print("erased")


def is_found(engine, vault, column, value, said) -> None:
    """An attacker changed the pledge in the database: verifying says so."""
    was = change(engine, column, value)
    with pytest.raises(Tampered) as tampered, Session(engine) as session:
        verification.verify(session, vault, TABLES, VerificationOptions())
    assert said in tampered.value.what
    change(engine, column, was)


def change(engine, column, value):
    """Put a value into the only pledge; gives the value before."""
    with engine.begin() as connection:
        was = connection.execute(text(f"SELECT {column} FROM pledge")).scalar_one()
        connection.execute(text(f"UPDATE pledge SET {column} = :value"), {"value": value})
    return was


def rotate(engine) -> None:
    """The new key alone finds and opens it."""
    vault, sessions = Vault(KeyRing.parse(f"{NEW}\n{OLD}")), db.sessions(engine)
    assert rotation.unmoved(sessions, vault) > 0
    list(rotation.move(sessions, vault))
    assert rotation.unmoved(sessions, vault) == 0
    alone = Vault(KeyRing.parse(NEW))
    with Session(engine) as session:
        pledge, visitor = session.exec(select(Pledge)).one(), session.exec(select(Visitor)).one()
        assert alone.decrypt_for_server(pledge.note, place("pledge", "note", "1")) == b"note"
        assert pledge.address_index == alone.blind_index(EMAIL_INDEX, "a@x.org")
        assert transient_rows.is_authentic(alone, visitor)
        assert [column.table.name for column in reencryption.indexed_columns()].count("pledge") == 1
    print("rotated")


main()
