"""The export of all records in two forms, in which no table may be forgotten."""

import csv
import io
import json
import zipfile
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from sqlmodel import SQLModel

import bot.app  # noqa: F401 - importing registers all tables
from agreements.catalog import AgreementText, Catalog
from agreements.facts import Account
from agreements.store.ledger import pending_people
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.vault import DecryptionFailed, KeyRing, Vault
from bot import spreadsheet
from bot.records import agreement_view, export_files
from bot.store.tokens import ApiToken
from tests.drafts import signature_draft
from tests.within import within

KEY = ("icla", "2.0", "en")
SIGNED = ("signed_text", "signed_statement")
AT = datetime(2026, 1, 2, tzinfo=UTC)
NOT_EXPORTED = {
    "delivery": "work: what GitHub sent",
    "commit_finding": "work: what GitHub shows anyway",
    "executor": "work: which processes live",
    "asked_license": "work: what registries publish",
    "audit_account": "work: made anew every night",
    "audit_blob": "work: files as they are at GitHub",
    "audit_night": "work: what changed, ninety days",
    "audit_totals": "work: counts of the nightly audits, a year",
    "audit_page": "work: made anew every night",
    "audit_post": "work: what we wrote at GitHub",
    "audit_repository": "work: what GitHub shows anyway",
    "audit_sealed": "work: files as they are at GitHub, and what was read of them",
    "repository_heads": "work: what GitHub shows anyway",
    "sweep": "work: when it last began",
    "service_record": "work: since when it is served, the last delivery and the last backup",
    "first_seen": "work: what GitHub shows anyway",
    "head": "work: what GitHub shows anyway",
    "key_holder": "work: which processes have which keys",
    "license_check": "work: made anew at any time",
    "merge_group": "work: what GitHub shows anyway, a week",
    "log_position": "work: how far the log was read",
    "outgoing_webhook": "work: what other servers are told, thirty days",
    "mail": "work: e-mails that wait",
    "account_settings": "work: in which time zone a person reads the pages",
    "notification": "work: how often administrators want mail, and up to where they were told",
    "row_mac": "work: codes of the key ring, made anew from the log",
    "one_time_code": "work: codes that are good for ten minutes",
    "signatory_request": "work: who was asked to sign for a company, until they have",
    "employee_invitation": "work: which employees were asked to enrol, until they have",
    "owner": "work: rulebooks as last read",
    "participant": "work: what GitHub shows anyway",
    "publication": "work: what we wrote at GitHub",
    "pull": "work: what GitHub shows anyway",
    "push": "work: what GitHub sent",
    "question": "work: comments that were answered",
    "stored_facts": "work: for replay, ninety days",
    "team": "work: which ids the names of teams in the settings mean",
    "verdict": "work: made anew from the records at any time",
    "paused_item": "work: what is not written at GitHub for a while",
    "visit": "work: who is signed in now",
}
"""Every other table, and why an organisation that leaves does not need it."""


@pytest.fixture(name="filled")
def _filled(sessions, vault):
    """One person with a name that a spreadsheet would calculate, and a token."""
    draft = signature_draft(agreement="x", version="x", language="x", name="=1+1 爱", email="ada@huawei.com")
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, AT, "p1"), Account(11, "-ada"))
        signatures.add(within(session, vault, AT, "s1"), person, draft, receipt="R1")
        session.add(ApiToken(id="t1", name="n", token_hash="secret-hash", scopes="x", made_at=AT, made_by=1))
    return sessions


def test_every_table_is_exported_or_named_with_a_reason():
    exported = {str(table.__tablename__) for table in export_files.EXPORTED}
    assert exported | set(NOT_EXPORTED) == set(SQLModel.metadata.tables)
    assert exported.isdisjoint(NOT_EXPORTED)


def test_the_json_export_has_every_table_decrypted_without_token_hashes(filled, vault):
    with export_files.snapshot(filled) as session:
        text = "".join(export_files.as_json(session, vault, Catalog.load(), at=AT))
    found = json.loads(text)
    assert (found["countersign_export"], found["made_at"], found["unopened"]) == (2, "2026-01-02T00:00:00Z", 0)
    assert set(found["tables"]) == {*(str(table.__tablename__) for table in export_files.EXPORTED), *SIGNED}
    (signature,) = found["tables"]["signature"]
    assert (signature["evidence"]["name"], signature["evidence"]["email"]) == ("=1+1 爱", "ada@huawei.com")
    assert found["tables"]["api_token"][0]["name"] == "n"
    assert "secret-hash" not in text
    assert (found["rows"], found["complete"]) == (sum(map(len, found["tables"].values())), True)
    assert text.endswith(',\n"complete": true}\n')


def test_the_csv_export_has_a_file_for_each_table_and_the_counts_last(filled, vault):
    file = io.BytesIO()
    with export_files.snapshot(filled) as session:
        assert export_files.as_csv(session, vault, Catalog.load(), file, at=AT) == 0
    archive = zipfile.ZipFile(file)
    names = [*(str(table.__tablename__) for table in export_files.EXPORTED), *SIGNED]
    assert archive.namelist() == [*(f"{name}.csv" for name in names), "complete.json"]
    completeness = json.loads(archive.read("complete.json"))
    assert (list(completeness["rows"]), completeness["unopened"], completeness["complete"]) == (names, 0, True)
    assert (completeness["rows"]["person"], completeness["rows"]["company"]) == (1, 0)
    (person,) = csv.DictReader(io.TextIOWrapper(archive.open("person.csv"), "utf-8"))
    assert (person["login"], person["account_id"], person["erased_at"]) == ("'-ada", "11", "")
    (signature,) = csv.DictReader(io.TextIOWrapper(archive.open("signature.csv"), "utf-8"))
    assert json.loads(signature["evidence"])["name"] == "=1+1 爱"


@pytest.mark.parametrize("value", ["\uff1d1+1", "\uff20SUM(A1)", "\n=1", "  =1", "x;=1+1", "x\t@y", "x\n- y", "'x"])
def test_a_cell_that_a_spreadsheet_would_calculate_is_escaped_reversibly(sessions, vault, value):
    with sessions() as session:
        session.add(ApiToken(id="t1", name=value, token_hash="x", scopes="x", made_at=AT, made_by=1))
    file = io.BytesIO()
    with export_files.snapshot(sessions) as session:
        export_files.as_csv(session, vault, Catalog.load(), file, at=AT)
    (token,) = csv.DictReader(io.StringIO(zipfile.ZipFile(file).read("api_token.csv").decode(), newline=""))
    assert token["name"] == spreadsheet.escape(value) != value
    assert spreadsheet.unescape(token["name"]) == value


def test_a_failed_export_does_not_look_complete(filled, vault):
    other = Vault(KeyRing.parse(KeyRing.generate("k0")))
    proven = ProvenAddress(address="a@x.org", how="mailed-code", at=AT)
    with filled() as session:
        row = person_rows.ensure(within(session, other, AT, "p2"), Account(12, "bob"))
        emails.prove(within(session, other, new_id="q"), row, proven)
        pending_people.take(session)  # no entry could be written with those keys
    written, file = [], io.BytesIO()
    with export_files.snapshot(filled) as session, pytest.raises(DecryptionFailed):
        written.extend(export_files.as_json(session, vault, Catalog.load(), at=AT))
    with export_files.snapshot(filled) as session, pytest.raises(DecryptionFailed):
        export_files.as_csv(session, vault, Catalog.load(), file, at=AT)
    assert "complete" not in "".join(written)
    assert "complete.json" not in zipfile.ZipFile(file).namelist()


@pytest.fixture(name="signed")
def _signed(filled, vault):
    """Two people who signed the same text of ours; the person of `filled` signed a text that the catalog lacks."""
    text = Catalog.load().get("icla", "2.0", "en")
    words = agreement_view.STATEMENTS["en"].format(title=agreement_view.of(text, "").title, version="2.0")
    statement = {"statement_id": agreement_view.STATEMENT_ID, "statement_sha256": sha256(words.encode()).hexdigest()}
    draft = signature_draft(source_sha256=text.sha256, **statement)
    with filled() as session:
        for number in (12, 13):
            person = person_rows.ensure(within(session, vault, AT, f"p{number}"), Account(number, "u"))
            signatures.add(within(session, vault, AT, f"s{number}"), person, draft, receipt=f"R{number}")
    return text, words


def test_the_texts_and_statements_that_were_signed_are_exported_once_each(filled, signed, vault):
    text, words = signed
    with export_files.snapshot(filled) as session:
        tables = json.loads("".join(export_files.as_json(session, vault, Catalog.load(), at=AT)))["tables"]

    ours = {"agreement": "icla", "version": "2.0", "language": "en"}
    unknown = {"agreement": "x", "version": "x", "language": "x"}
    assert tables["signed_text"] == [
        {**ours, "source_sha256": text.sha256, "source": text.source},
        {**unknown, "source_sha256": "x", "source": None},
    ]
    assert sha256(tables["signed_text"][0]["source"].encode()).hexdigest() == text.sha256
    assert tables["signed_statement"] == [
        {**ours, "statement_id": "agree-1", "statement_sha256": sha256(words.encode()).hexdigest(), "words": words},
        {**unknown, "statement_id": "x", "statement_sha256": "x", "words": None},
    ]


def test_the_csv_export_has_the_signed_texts_and_statements_too(filled, signed, vault):
    text, words = signed
    file = io.BytesIO()
    with export_files.snapshot(filled) as session:
        export_files.as_csv(session, vault, Catalog.load(), file, at=AT)
    archive = zipfile.ZipFile(file)
    texts, said = (
        list(csv.DictReader(io.TextIOWrapper(archive.open(f"{name}.csv"), "utf-8", newline=""))) for name in SIGNED
    )

    found = [(text["source_sha256"], spreadsheet.unescape(text["source"])) for text in texts]
    assert found == [(text.sha256, text.source), ("x", "")]
    assert [(statement["statement_id"], statement["words"]) for statement in said] == [("agree-1", words), ("x", "")]


def test_a_text_of_another_hash_is_exported_without_its_words(filled, signed, vault):
    text, _ = signed
    other = AgreementText("icla", "2.0", "en", "# Other", sha256(b"# Other").hexdigest())
    with export_files.snapshot(filled) as session:
        tables = json.loads("".join(export_files.as_json(session, vault, Catalog({KEY: other}), at=AT)))["tables"]
    assert tables["signed_text"][0] == {
        **dict(zip(export_files._TEXT, (*KEY, text.sha256), strict=True)),
        "source": None,
    }
