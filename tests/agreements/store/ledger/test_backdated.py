"""Backdated records are found by the moment of their log entry."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.imports.entries import ImportEntry
from agreements.store import lookup, public_records
from agreements.store.companies import paper_agreements
from agreements.store.companies.paper_agreements import Paper
from agreements.store.imports import import_decisions, imported
from agreements.store.imports.imported import ImportSource
from agreements.store.ledger import backdated
from agreements.store.listing import SignatureFilter, signatures_page
from agreements.store.people.documents import DocumentDraft
from agreements.store.record_context import RecordContext
from agreements.store.tables.records import ImportedEntry, SignatureRecord

ADA, BOB, ROOT = Account(11, "ada"), Account(12, "bob"), Account(90, "root")
YEAR, DAY = timedelta(days=365), timedelta(days=1)


@pytest.fixture(name="source")
def _source(session, vault, at, fresh, draft):
    """What was signed a year ago: an entry of another tool's list, taken in at `at` (gives the row), and a paper."""

    def listed(account_id=11):
        entry = ImportEntry(where="x", login="ada", account_id=account_id, signed_at=at - YEAR, version="1.0")
        imported.add(
            RecordContext(session, vault, None, at, fresh),
            [entry],
            ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="icla"),
        )
        return session.exec(select(ImportedEntry)).one()

    file = DocumentDraft(service="paper", name="a.pdf", media_type="application/pdf", content=b"%PDF-1.7 by hand")
    paper = Paper(draft=draft(), signed_at=at - YEAR, document=file, recorder=ROOT)
    return SimpleNamespace(listed=listed, paper=paper)


def found(session, since):
    """The account ids of the signatures since then."""
    return [signature["account_id"] for signature in signatures_page(session, None, SignatureFilter(since=since))]


def at_once(session, vault, at, fresh, source):
    """Imported with its number."""
    source.listed()
    return at


def settled(session, vault, at, fresh, source):
    """Imported as a login; GitHub said whose it is a day later."""
    row = source.listed(None)
    assert (
        import_decisions.settle(RecordContext(session, vault, None, at + DAY, fresh), row.id, ADA, at - 2 * YEAR) == 11
    )
    return at + DAY


def confirmed(session, vault, at, fresh, source):
    """Imported as a login that no account has; an administrator said a day later which account it belongs to."""
    row = source.listed(None)
    import_decisions.settle(RecordContext(session, vault, None, at, fresh), row.id, None, None)
    context = RecordContext(session, vault, 90, at + DAY, fresh)
    assert import_decisions.confirm(context, row.id, ADA, reason="they told us") == 11
    return at + DAY


def recorded(session, vault, at, fresh, source):
    """On paper."""
    paper_agreements.record(RecordContext(session, vault, 90, at, fresh), ADA, source.paper, receipt="R1")
    return at


def recorded_for_a_company(session, vault, at, fresh, source):
    """On paper, for a company."""
    paper_agreements.record_company(
        RecordContext(session, vault, 90, at, fresh), "One", (ADA, BOB), source.paper, receipt="R1"
    )
    return at


@pytest.mark.parametrize("way", [at_once, settled, confirmed, recorded, recorded_for_a_company])
def test_a_backdated_record_is_found_by_the_moment_of_its_entry(session, vault, at, fresh, source, way):
    when = way(session, vault, at, fresh, source)

    assert found(session, when) == [11]
    assert found(session, when + timedelta(seconds=1)) == []
    wanted = session.exec(select(SignatureRecord.id)).all()
    assert session.execute(backdated.ids(lookup.dialect(session), when)).scalars().all() == wanted
    assert public_records.listing(session, accepted=(), at=when).updated == when


def test_the_public_list_moves_its_time_with_a_backdated_record(session, vault, at, fresh, source):
    known = settled(session, vault, at, fresh, source)
    before = public_records.listing(session, accepted=(), at=known)
    paper_agreements.record(RecordContext(session, vault, 90, at + 2 * DAY, fresh), BOB, source.paper, receipt="R2")
    after = public_records.listing(session, accepted=(), at=at + 3 * DAY)

    assert after.individuals != before.individuals
    assert (before.updated, after.updated) == (at + DAY, at + 2 * DAY)
    assert public_records.listing(session, accepted=(), at=at + 9 * DAY) == after
