"""The data of one account are complete over all tables, opened, and hold nothing of another."""

import json
from datetime import timedelta

from agreements.facts import Account, Entry
from agreements.store import personal_data
from agreements.store.companies import companies, signatory_requests
from agreements.store.companies.companies import CompanyDraft
from agreements.store.companies.signatory_requests import SignatoryDraft
from agreements.store.ledger import log_subjects, stored_ledger
from agreements.store.ledger.stored_ledger import Change
from agreements.store.people import documents, email_codes, emails, erasure_requests, person_rows, signatures
from agreements.store.people.documents import DocumentDraft
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import CompanyManager, Enrolment
from agreements.store.tables.records import ImportedEntry
from agreements.vault import place
from tests.within import within


def fill(session, vault, person, draft, at, name):
    """A row of this person in every table that has something personal."""
    account_id, key = person.account_id, person_rows.data_key(vault, person)
    signed = signatures.add(within(session, vault, at, f"s-{name}"), person, draft(name=name), receipt=f"R-{name}")
    address = ProvenAddress(address=f"{name}@work.example", how="mailed-code", at=at)
    proof = emails.prove(within(session, vault, new_id=f"e-{name}"), person, address)
    email_codes.issue(within(session, vault, at, f"c-{name}"), person, f"{name}@new.example", company_id=None)
    draft_of = CompanyDraft(
        party="The CANN Authors", name=f"Company of {name}", agreement="ccla", version="2.0", signed_at=at
    )
    company = companies.add(within(session, vault, new_id=f"k-{name}"), draft_of)
    company.requested_by = account_id
    companies.add_entry(within(session, vault, at, f"y-{name}"), company, Entry(email=f"{name}@work.example"))
    common = {"company_id": company.id, "account_id": account_id, "since": at}
    session.add(CompanyManager(id=f"m-{name}", login=person.login, added_by=90, **common))
    until = at + timedelta(days=9)
    session.add(
        Enrolment(id=f"n-{name}", person_id=person.id, proof_id=proof.id, domain="work.example", until=until, **common)
    )
    file = DocumentDraft(
        service="paper", name=f"{name}.pdf", media_type="application/pdf", content=b"%PDF-" + name.encode()
    )
    subject = stored_ledger.LedgerSubject("person", person.id, key)
    documents.add(within(session, vault, at, f"d-{name}", by=90), file, subject=subject, signature_id=signed.row.id)
    session.add(
        ImportedEntry(
            id=f"i-{name}", key=f"x-{name}", format="plain", login=person.login, account_id=account_id, agreement="icla",
            version="1.0", signed_at=at, state="done", imported_at=at,
            sealed=vault.encrypt_for_server(json.dumps({"name": name}).encode(), place("imported", "sealed", f"i-{name}")),
        )
    )  # fmt: skip
    details = {"who": name}
    change = Change(kind="signature.added", actor_id=account_id, subject=subject, rows=[signed.row], details=details)
    within(session, vault, at, f"l-{name}").append(change)
    asked = SignatoryDraft(company="X", address=f"{name}@x.example", second=Account(99, "carol"), language="en")
    context = within(session, vault, at, lambda: f"g-{name}", by=account_id)
    signatory_requests.send(context, person, asked, f"h-{name}")
    erasure_requests.ask(within(session, vault, at, f"w-{name}", by=account_id))


def test_the_data_of_a_person_are_complete_and_hold_nothing_of_another(session, vault, person, draft, at):
    bo = person_rows.ensure(within(session, vault, at, "p12"), Account(12, "bo"))
    fill(session, vault, person, draft, at, "Adaline")
    fill(session, vault, bo, draft, at, "Boromir")
    exported = personal_data.everything(session, vault, 11)
    whole = json.dumps(exported)

    assert {kind: len(rows) for kind, rows in exported.items() if kind != "person"} == {
        "signatures": 1, "sign_offs": 0, "proven_addresses": 1, "one_time_codes": 1, "files": 1, "enrolments": 1, "manages": 1,
        "named_by_companies": 1, "companies_requested": 1, "asked_to_sign": 1, "imported": 1, "erasure_requests": 1, "log": 2,
    }  # fmt: skip
    for mine in ("Adaline@work.example".lower(), "adaline@new.example", "Adaline.pdf", "Company of Adaline"):
        assert mine in whole
    assert exported["signatures"][0]["evidence"]["name"] == "Adaline"
    assert exported["imported"][0]["told"] == {"name": "Adaline"}
    assert exported["log"][0]["told"] == {"who": "Adaline"}
    assert "boromir" not in whole.lower()
    assert "code_hash" not in whole
    assert '"login": ""' not in whole
    assert exported["signatures"][0]["login"] == exported["named_by_companies"][0]["login"] == person.login


def test_the_data_of_an_unknown_account_are_empty_in_the_same_shape(session, vault, at):
    exported = personal_data.everything(session, vault, 77)

    assert exported["person"] is None
    assert all(rows == [] for kind, rows in exported.items() if kind != "person")


def test_the_data_after_an_erasure_name_the_erased_parts(session, vault, person, draft, at):
    fill(session, vault, person, draft, at, "Adaline")
    person.wrapped_key, person.erased_at = b"", at
    session.flush()
    exported = personal_data.everything(session, vault, 11)

    assert exported["signatures"][0]["evidence"].startswith("erased")
    assert exported["proven_addresses"][0]["address"].startswith("erased")
    assert exported["one_time_codes"][0]["address"].startswith("erased")
    assert exported["log"][0]["told"].startswith("erased")
    assert log_subjects.subject_of(session, vault, 11) == stored_ledger.SERVER
