"""The whole of the records in two forms; a table that is forgotten in both lists fails here."""

import csv
import io
import json
import zipfile
from datetime import UTC, datetime

import pytest
from sqlmodel import SQLModel

import bot.app  # noqa: F401 - importing registers all tables
from agreements.facts import Account
from agreements.store import people, signatures
from agreements.store.exporting import LEFT_OUT
from agreements.store.signatures import SignatureDraft
from agreements.vault import KeyRing, Vault
from bot import exporting
from bot.store.tokens import ApiToken

AT = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture(name="vault")
def _vault():
    """A vault of its own."""
    return Vault(KeyRing.parse(KeyRing.generate("k1")))


@pytest.fixture(name="filled")
def _filled(sessions, vault):
    """One person with a name that a spreadsheet would calculate, and a token."""
    words = ("agreement", "version", "language", "source_sha256", "shown_sha256", "statement_id", "statement_sha256")
    draft = SignatureDraft(**dict.fromkeys((*words, "identity_proof"), "x"), name="=1+1 爱", email="ada@huawei.com")
    with sessions() as session:
        person = people.ensure(session, vault, account=Account(11, "-ada"), at=AT, new_id="p1")
        signatures.add(session, vault, person, draft, at=AT, new_id="s1", receipt="R1")
        session.add(ApiToken(id="t1", name="n", token_hash="secret-hash", scopes="x", made_at=AT, made_by=1))
    return sessions


def test_no_table_is_forgotten():
    """Each is exported, or is named with the reason why nobody needs it."""
    exported = {str(table.__tablename__) for table in exporting.EXPORTED}
    assert exported | set(exporting.NOT_EXPORTED) == set(SQLModel.metadata.tables)
    assert exported.isdisjoint(exporting.NOT_EXPORTED)
    assert set(LEFT_OUT) <= exported


def test_json(filled, vault):
    """One object with all tables, opened; no hash of a token."""
    with exporting.snapshot(filled) as session:
        text = "".join(exporting.as_json(session, vault, at=AT))
    found = json.loads(text)
    assert (found["countersign_export"], found["made_at"], found["unopened"]) == (1, "2026-01-02T00:00:00Z", 0)
    assert set(found["tables"]) == {str(table.__tablename__) for table in exporting.EXPORTED}
    (signature,) = found["tables"]["signature"]
    assert (signature["evidence"]["name"], signature["evidence"]["email"]) == ("=1+1 爱", "ada@huawei.com")
    assert found["tables"]["api_token"][0]["name"] == "n"
    assert "secret-hash" not in text


def test_csv(filled, vault):
    """A table each in a ZIP file; what a spreadsheet would calculate has an apostrophe in front."""
    file = io.BytesIO()
    with exporting.snapshot(filled) as session:
        assert exporting.as_csv(session, vault, file, at=AT) == 0
    archive = zipfile.ZipFile(file)
    assert set(archive.namelist()) == {f"{table.__tablename__}.csv" for table in exporting.EXPORTED}
    (person,) = csv.DictReader(io.TextIOWrapper(archive.open("person.csv"), "utf-8"))
    assert (person["login"], person["account_id"], person["erased_at"]) == ("'-ada", "11", "")
    (signature,) = csv.DictReader(io.TextIOWrapper(archive.open("signature.csv"), "utf-8"))
    assert json.loads(signature["evidence"])["name"] == "=1+1 爱"
