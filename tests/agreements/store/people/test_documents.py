"""Documents: the bytes decide the type, content and name are sealed, the hash is kept."""

from hashlib import sha256

import pytest
from sqlalchemy import text

from agreements.store.companies import companies, company_rows
from agreements.store.companies.companies import CompanyDraft
from agreements.store.ledger import log_subjects
from agreements.store.ledger.stored_ledger import SERVER
from agreements.store.people import documents
from agreements.store.people.documents import DocumentDraft
from tests.within import within

PDF = b"%PDF-1.7\nKanarienvogel\n%%EOF"


def a_draft(content=PDF, kind="application/pdf"):
    """A scanned agreement."""
    return DocumentDraft(service="paper", name="Ada's agreement 爱达.pdf", media_type=kind, content=content)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PDF, "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0", "image/png"),
        (b"\xff\xd8\xff\xe0\0", "image/jpeg"),
        (b"MZ\x90", None), (b"<html>%PDF-", None), (b" %PDF-1.7", None), (b"", None), (b"GIF89a", None),
    ],
)  # fmt: skip
def test_the_content_and_not_the_name_decides_the_type_of_a_file(content, kind):
    assert documents.kind_of(content) == kind


def test_a_file_is_kept_sealed_and_opens_again(session, vault, at, person, fresh):
    subject = log_subjects.subject_of(session, vault, 11)
    row = documents.add(within(session, vault, at, fresh, by=90), a_draft(), subject=subject, signature_id=None)
    raw = session.execute(text("SELECT name, content FROM document")).one()

    assert b"Ada" not in bytes(raw.name)
    assert b"Kanarienvogel" not in bytes(raw.content)
    (kept,) = documents.of_person(session, vault, person.id)
    assert (kept.name, kept.size, kept.sha256) == ("Ada's agreement 爱达.pdf", len(PDF), sha256(PDF).hexdigest())
    assert (kept.recorded_by, kept.service) == (90, "paper")
    assert documents.newest(session, vault, most=5) == (kept,)
    found = documents.opened(session, vault, row.id)
    assert (found.content, found.media_type) == (PDF, "application/pdf")
    assert documents.opened(session, vault, "gone") is None


def test_a_company_s_file_is_sealed_with_the_company_s_key(session, vault, at, fresh):
    draft = CompanyDraft(party="The CANN Authors", name="One", agreement="ccla", version="2.0", signed_at=at)
    companies.add(within(session, vault, new_id="c1"), draft)
    subject = company_rows.subject(vault, company_rows.find(session, "c1"))
    row = documents.add(within(session, vault, at, fresh, by=90), a_draft(), subject=subject, signature_id=None)

    assert (row.person_id, row.company_id) == (None, "c1")
    assert [document_info.id for document_info in documents.of_company(session, vault, "c1")] == [row.id]


def test_a_file_without_its_key_keeps_only_hash_size_and_service(session, vault, at, person, fresh):
    subject = log_subjects.subject_of(session, vault, 11)
    row = documents.add(within(session, vault, at, fresh, by=90), a_draft(), subject=subject, signature_id=None)
    person.wrapped_key = b""
    session.add(person)

    (kept,) = documents.of_person(session, vault, person.id)
    assert (kept.name, kept.sha256) == (None, sha256(PDF).hexdigest())
    assert documents.opened(session, vault, row.id) is None


@pytest.mark.parametrize(
    "draft",
    [a_draft(b"MZ"), a_draft(kind="image/png"), a_draft(PDF + b"x" * documents.MAX_DOCUMENT_BYTES)],
    ids=["exe", "other", "big"],
)
def test_other_types_and_files_about_no_subject_are_refused(session, vault, at, person, fresh, draft):
    subject = log_subjects.subject_of(session, vault, 11)
    context = within(session, vault, at, fresh, by=90)
    with pytest.raises(ValueError, match="PDF"):
        documents.add(context, draft, subject=subject, signature_id=None)
    with pytest.raises(ValueError, match="about a person"):
        documents.add(context, a_draft(), subject=SERVER, signature_id=None)
