"""How companies signed: the text and the party of each, for lists; and for a decision, the companies that name its people."""

from collections.abc import Collection, Iterable
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import and_, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, or_

from agreements import facts
from agreements.store import lookup
from agreements.store.companies.company_rows import CompanyRow, fact
from agreements.store.lookup import NamedRow, Question, keys_of_people, text_chunks
from agreements.store.people.signatures import TextKey, has_known_text
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.store.tables.declarations import EMAIL_INDEX, table_of
from agreements.store.tables.records import PartyRecord, SignatureRecord, Withdrawal
from agreements.vault import Vault

PARTY_OF_COMPANY: Any = table_of(PartyRecord).alias("party_of_company")
"""The alias under which `joined_with_party` reads the party of a company without a signature."""

PARTY: Any = func.coalesce(col(SignatureRecord.party), col(PartyRecord.party), PARTY_OF_COMPANY.c.party)
"""The party of a company's agreement: in its signature, or found out later for the signature or the company."""

_AGREEMENT = (
    *attrgetter("agreement", "version", "signature_id")(CompanyRecord),
    *attrgetter("language", "source_sha256", "identity_proof")(SignatureRecord),
    PARTY.label("party"),
)
"""The columns of a company and its signature that say whether the agreement counts."""

_ENTRY = ("id", "company_id", "kind", "excluded", "domain", "subdomains", "email", "account_id", "since", "until")
_COMPANY = ("name", "signed_at", "countersigned_at", "ended_at", "domains", "wrapped_key", "ring_key_id")


class CompanyAgreement(NamedTuple):
    """A `company`; `text_missing`: the catalog lacks the text it signed, so it covers no one; `party`: None while not known."""

    company: CompanyRecord
    text_missing: bool
    party: str | None


def with_agreement(
    session: Session, company_ids: Collection[str], *, accepted: Collection[TextKey]
) -> dict[str, CompanyAgreement]:
    """These companies and how they signed, by id, without unknown ids. `accepted`: the texts of the catalog."""
    query = _companies(CompanyRecord, *_AGREEMENT)
    texts, found = set(accepted), dict[str, CompanyAgreement]()
    for chunk in text_chunks(company_ids):
        for row in session.execute(query.where(col(CompanyRecord.id).in_(chunk))):
            company = row.CompanyRecord
            found[company.id] = CompanyAgreement(company, text_missing=not _counts(row, texts), party=row.party)
    return found


def without_text(session: Session, *, accepted: Collection[TextKey]) -> frozenset[str]:
    """The companies that cover no one because the catalog (`accepted`) lacks the text they signed."""
    query = _companies(CompanyRecord.id, *_AGREEMENT).where(col(CompanyRecord.signature_id).is_not(None))
    texts = set(accepted)
    return frozenset(row.id for row in session.execute(query) if not _counts(row, texts))


def without_party(session: Session) -> frozenset[str]:
    """The companies that cover no one because their agreement's party is not known."""
    return frozenset(session.scalars(_companies(CompanyRecord.id).where(PARTY.is_(None))))


def revoked(session: Session) -> dict[str, tuple[str, datetime]]:
    """The companies that outlive the signature under their agreement: the signature's id, and when it was revoked.

    Releases before could revoke it alone.
    """
    outlives = or_(col(CompanyRecord.ended_at).is_(None), col(CompanyRecord.ended_at) > col(Withdrawal.at))
    query = select_columns(col(CompanyRecord.id), col(Withdrawal.signature_id), col(Withdrawal.at)).where(outlives)
    rows = session.execute(query.join(Withdrawal, col(Withdrawal.signature_id) == col(CompanyRecord.signature_id)))
    return {company_id: (signature_id, at) for company_id, signature_id, at in rows}


def party(session: Session, company_id: str) -> str | None:
    """The party with which that company's agreement was made; None while it is not known."""
    query = _companies(PARTY).where(col(CompanyRecord.id) == company_id)
    found: str | None = session.execute(query).scalar_one_or_none()
    return found


def _companies(*columns: Any) -> Any:
    return joined_with_party(select_columns(*columns).select_from(CompanyRecord))


def joined_with_party(query: Any) -> Any:
    """The query of companies, joined with what `PARTY` reads."""
    no_signature = col(CompanyRecord.signature_id).is_(None)
    return (
        query.join(SignatureRecord, col(SignatureRecord.id) == col(CompanyRecord.signature_id), isouter=True)
        .join(PartyRecord, col(PartyRecord.signature_id) == col(SignatureRecord.id), isouter=True)
        # The table of parties is joined twice: by the signature, and by a company that has none.
        .join(
            PARTY_OF_COMPANY,
            and_(PARTY_OF_COMPANY.c.company_id == col(CompanyRecord.id), no_signature),
            isouter=True,
        )
    )


def relevant(
    session: Session,
    vault: Vault,
    account_ids: Collection[int],
    addresses: Collection[str],
    *,
    accepted: Collection[TextKey] | None,
) -> tuple[facts.Company, ...]:
    """The countersigned companies that name or exclude any of the accounts or addresses, with just those entries.

    `accepted` as in `answer`. Invalid addresses are ignored; None among the keys raises ValueError.
    """
    # By account id, blind index, and the domain and those above it: never by a scan of all entries.
    lots = keys_of_people(vault, account_ids, addresses, kind=EMAIL_INDEX)
    asked = ((question(lookup.dialect(session), *lot), lot) for lot in lots)
    rows = (row for query, lot in asked for row in lookup.rows(session, query, lot))
    return answer(vault, rows, accepted=accepted)


# Made once for each database: to put it together takes as long as to ask it.
@cache
def question(dialect: str, *kinds: str) -> Question:
    """The look-up of entries with their companies by these kinds of `keys_of_people` at once, each by its index."""
    columns: dict[str, Any] = {
        "accounts": col(CompanyEntry.account_id),
        "addresses": col(CompanyEntry.email_index),
        "domains": col(CompanyEntry.domain),
    }
    named = or_(*(lookup.among(dialect, columns[kind], kind) for kind in kinds))
    wanted = (*attrgetter(*_ENTRY)(CompanyEntry), *attrgetter(*_COMPANY)(CompanyRecord), *_AGREEMENT)
    revoked_at: Any = col(Withdrawal.at).label("revoked_at")
    joined = joined_with_party(select_columns(*wanted, revoked_at).select_from(CompanyEntry).join(CompanyRecord))
    # Without its signature an agreement covers no one, whether or not it was ended, too (`revoked`).
    joined = joined.join(Withdrawal, col(Withdrawal.signature_id) == col(SignatureRecord.id), isouter=True)
    # An agreement that waits covers no one.
    asked: Question = joined.where(named, col(CompanyRecord.countersigned_at).is_not(None))
    return asked


def answer(
    vault: Vault, rows: Iterable[NamedRow], *, accepted: Collection[TextKey] | None
) -> tuple[facts.Company, ...]:
    """The companies in rows of `question`, by name, each with just these entries.

    Only those whose text counts (in the catalog, `accepted`, or made elsewhere) and whose party is known; None: all.
    """
    texts = None if accepted is None else set(accepted)
    entries: dict[str, dict[str, NamedRow]] = {}
    for row in rows:
        # To a decision, None would be the rulebook's own party.
        if texts is None or (row.party is not None and _counts(row, texts)):
            entries.setdefault(row.company_id, {})[row.id] = row
    found = [_fact(vault, of_company.values()) for of_company in entries.values()]
    return tuple(sorted(found, key=lambda company: (company.name, company.record)))


def _fact(vault: Vault, entries: Collection[NamedRow]) -> facts.Company:
    """The company of these rows of `question`, which are also its entries."""
    row = next(iter(entries))
    columns = {name: getattr(row, name) for name in _COMPANY}
    columns["ended_at"] = min((end for end in (row.ended_at, row.revoked_at) if end is not None), default=None)
    company = CompanyRow(id=row.company_id, agreement=row.agreement, version=row.version, **columns)
    by_key = sorted(entries, key=lambda entry: (entry.kind, entry.domain or "", entry.account_id or 0, entry.id))
    return fact(vault, company, by_key, party=row.party)


def _counts(row: NamedRow, texts: set[TextKey]) -> bool:
    """Whether the signed text counts, in a row with the columns of `_AGREEMENT`."""
    if row.language is None or row.source_sha256 is None or row.identity_proof is None:
        return row.signature_id is None  # An imported company counts by its version, once countersigned.
    return has_known_text(row, texts)
