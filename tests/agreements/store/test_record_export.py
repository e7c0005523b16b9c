"""Every column of every table is exported as it was put in; values that cannot be opened are counted."""

import base64
import json
from datetime import UTC, datetime

import pytest
from sqlalchemy import LargeBinary
from sqlmodel import Session

from agreements.store import record_export
from agreements.store.ledger.stored_ledger import SERVER, Change
from agreements.store.record_export import RecordReader
from agreements.store.tables.columns import BigId
from agreements.store.tables.company_records import CompanyEntry
from agreements.store.tables.declarations import declaration, declared, table_of
from agreements.store.tables.records import PersonRecord
from agreements.vault import place
from tests.within import within

TABLES = [model for model in declared(lambda said: said.exported) if model.__module__.startswith("agreements.")]
AT = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)
PARENTS = {
    "person_id": "p1", "company_id": "c1", "signature_id": "s1", "entry_id": "e1", "proof_id": "q1",
    "kind": "domain", "domain": "huawei.com", "email": None, "email_index": None, "domains": "linked", "how": "dns",
}  # fmt: skip
OWN = {"person": "p1", "company": "c1", "signature": "s1", "company_entry": "e1", "proof": "q1"}
OTHERS = {("agreement_party", "company_id"): None, ("agreement_party", "how"): "derived"}
"""Where a table has other values than its neighbours for a column of the same name."""
OPENED = {"name": "Ada 爱达 𠮷", "email": "ada@huawei.com"}


def put(vault, table):
    """A row with something in every column, sealed as that table seals; and what must come out."""
    name = str(table.__tablename__)
    _, wrapped = PUT.get(name, (None, None))
    row, opened = {}, {}
    for column in table.__table__.columns:
        value = _plain(column, table)
        row[column.name] = opened[column.name] = value
    for column in table.__table__.columns:
        if column.name in ("wrapped_key", "ring_key_id"):
            row["wrapped_key"], row["ring_key_id"] = wrapped.sealed, wrapped.ring_key_id
        elif isinstance(column.type, LargeBinary) and row[column.name] is not None:
            row[column.name], opened[column.name] = _bytes(vault, name, column.name, row)
    return table(**row), opened


PUT: dict = {}


def _plain(column, table):
    """Something in a column that is not sealed: what other rows refer to, else a value of its kind."""
    name = str(table.__tablename__)
    if column.name == "id":
        return OWN.get(name, f"{name}-1")
    if (name, column.name) == ("company_entry", "account_id"):
        return None
    if (name, column.name) in OTHERS:
        return OTHERS[name, column.name]
    if column.name in PARENTS:
        return PARENTS[column.name]
    annotation = table.model_fields[column.name].annotation
    number = 2**40 + 1 if isinstance(column.type, BigId) else 2**31 - 1
    kinds = {bool: True, int: number, datetime: AT, bytes: b"x", str: f"{column.name} 爱 =1+1"}
    return next(value for kind, value in kinds.items() if annotation in (kind, kind | None))


def _bytes(vault, table, column, row):
    """The stored bytes of a column and how they come out."""
    form = declaration(table_of(table)).forms.get(column)
    text, opened = "reason 爱".encode(), "reason 爱"
    if form == "object":
        text, opened = json.dumps(OPENED).encode(), OPENED
    if form in ("plain", "file"):
        opened = base64.b64encode(text).decode()
    if form == "plain":
        return text, opened
    about = place(table, column, row.get("id") or row.get("signature_id"))
    owner = {"company": "company", "company_entry": "company", "domain_claim": "company"}.get(table, "person")
    if table in ("imported", "erasure", "ledger_key"):
        return vault.encrypt_for_server(text, about), opened
    return vault.encrypt(PUT[owner][0], text, about), opened


@pytest.fixture(name="full")
def _full(session: Session, vault):
    """One full row in every table; what must come out, by table."""
    for kind, row_id in (("person", "p1"), ("company", "c1")):
        PUT[kind] = vault.new_data_key(kind, row_id)
    expected = {}
    for table in TABLES:
        if table.__tablename__ == "ledger_entry":
            PARENTS.update(subject_kind="person", subject_id="p1")
        row, opened = put(vault, table)
        session.add(row)
        session.flush()
        left = declaration(table_of(table)).left_out
        expected[table] = {name: _text(value) for name, value in opened.items() if name not in left}
    return expected


def _text(value):
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else value


def test_every_column_of_every_table_comes_out_as_it_was_put_in(session, vault, full):
    opened = RecordReader(session, vault)
    for table, expected in full.items():
        (row,) = opened.rows(table)
        assert row == expected, table
        assert opened.columns(table) == list(row)
        json.dumps(row)
    assert opened.unopened == 0


def test_a_company_s_address_entry_is_opened(session, vault, full):
    entry = CompanyEntry
    sealed = vault.encrypt(PUT["company"][0], b"ann@huawei.com", place("company_entry", "email", "e2"))
    row, _ = put(vault, entry)
    session.add(
        entry(**{**row.model_dump(), "id": "e2", "kind": "email", "domain": None, "email": sealed, "email_index": b"i"})
    )
    assert [row["email"] for row in RecordReader(session, vault).rows(entry)] == [None, "ann@huawei.com"]


def test_a_value_of_an_erased_person_is_none_and_counted(session, vault, full):
    person = session.get(PersonRecord, "p1")
    person.wrapped_key = b""
    session.add(person)
    opened = RecordReader(session, vault)
    (signature,) = opened.rows(record_export.SignatureRecord)
    assert (signature["evidence"], signature["id"], opened.unopened) == (None, "s1", 1)


def test_no_key_index_or_log_key_comes_out(session, vault, full):
    said = json.dumps([list(RecordReader(session, vault).rows(table)) for table in TABLES])
    for name in ("wrapped_key", "ring_key_id", "index", "token_hash"):
        assert name not in said


def test_log_details_about_no_person_are_opened(session, vault):
    within(session, vault, AT, "l1").append(Change(kind="a.b", actor_id=1, subject=SERVER, details={"x": "1"}))
    (entry,) = RecordReader(session, vault).rows(record_export.LedgerEntry)
    assert entry["detail"]["told"] == {"x": "1"}
