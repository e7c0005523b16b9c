"""Agreements whose party is not known, which count for no one: how they were made, and the decision about their party."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, union_all
from sqlalchemy import select as select_columns
from sqlmodel import Session, SQLModel, col, select

from agreements.cla.party import canonical_party
from agreements.store.ledger import stored_ledger
from agreements.store.lookup import text_key
from agreements.store.people.signatures import TextKey
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import ADMINISTRATOR, DERIVED, ImportedEntry, PartyRecord, SignatureRecord

BATCH_DECISIONS = 500
"""Decisions in one transaction and one entry of the log: few enough that other writers do not wait long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureGroup:
    """Signatures without a known party made in the same way: `agreement`, `version`, `language`, `source_sha256`, `shown_sha256`.

    `format` is the import's, "" where they were not imported.
    """

    agreement: str
    version: str
    language: str
    source_sha256: str
    shown_sha256: str
    format: str

    @property
    def text(self) -> TextKey:
        """The text that was signed, as the catalog names it."""
        return (self.agreement, self.version, self.language, self.source_sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndecidedSignatures:
    """The `count` of signatures of a `group` without a known party, and when the `first` and the `last` were made."""

    group: SignatureGroup
    count: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UndecidedCompany:
    """A company (`id`, `name`) without a signature, and without a known party of its `agreement` (`version`, `signed_at`)."""

    id: str
    name: str
    agreement: str
    version: str
    signed_at: datetime


def count(session: Session) -> int:
    """The number of agreements that count for no one because their party is not known."""
    signatures = select(func.count()).select_from(SignatureRecord).where(*_undecided())
    companies = select(func.count()).select_from(CompanyRecord).where(*_undecided_companies())
    both: int = session.execute(select_columns(signatures.scalar_subquery() + companies.scalar_subquery())).scalar_one()
    return both


def groups(session: Session) -> tuple[UndecidedSignatures, ...]:
    """The signatures without a known party by how they were made, in the order of their agreements."""
    keys, at = list(_KEYS.values()), col(SignatureRecord.signed_at)
    query = (
        select_columns(*keys, func.count(), func.min(at), func.max(at))
        .where(*_undecided())
        .group_by(*keys)
        .order_by(*keys)
    )
    return tuple(
        UndecidedSignatures(
            group=SignatureGroup(**dict(zip(_KEYS, key, strict=True))), count=number, first=first, last=last
        )
        for *key, number, first, last in session.execute(query)
    )


def companies(session: Session) -> tuple[UndecidedCompany, ...]:
    """The companies without a known party, by name."""
    names = ("id", "name", "agreement", "version", "signed_at")
    query = select_columns(*(col(getattr(CompanyRecord, name)) for name in names)).where(*_undecided_companies())
    rows = session.execute(query.order_by(func.lower(col(CompanyRecord.name)), col(CompanyRecord.id))).mappings()
    return tuple(UndecidedCompany(**row) for row in rows)


def first_of_each(session: Session, *, most: int) -> dict[SignatureGroup, list[tuple[str, int, datetime]]]:
    """Receipt, account and time of the first signatures of each group."""
    keys, order = list(_KEYS.values()), (col(SignatureRecord.signed_at), col(SignatureRecord.id))
    # One statement for all groups, however many there are.
    place = func.row_number().over(partition_by=keys, order_by=order).label("place")
    columns = (col(SignatureRecord.receipt), col(SignatureRecord.account_id), col(SignatureRecord.signed_at))
    rows = select_columns(*keys, *columns, place).where(*_undecided()).subquery()
    found: dict[SignatureGroup, list[tuple[str, int, datetime]]] = {}
    for *key, receipt, account_id, at, _ in session.execute(
        select_columns(rows).where(rows.c.place <= most).order_by(rows.c.place)
    ):
        group = SignatureGroup(**dict(zip(_KEYS, key, strict=True)))
        found.setdefault(group, []).append((receipt, account_id, at))
    return found


def decide(context: RecordContext, group: SignatureGroup, party: str, *, receipts: Sequence[str] = ()) -> list[int]:
    """Decide the party of signatures of the group (BATCH_DECISIONS at most, or those `receipts`); the account of each.

    Where an account decides, only about others' signatures; else (`context.by` None) the records tell it.
    """
    stored_ledger.lock(context.session)  # No one else decides until this transaction ends: each is decided once.
    of_group = [key == getattr(group, name) for name, key in {**_KEYS, "format": _format()}.items()]
    query = select(SignatureRecord.id, SignatureRecord.account_id).where(*_undecided(), *of_group)
    if context.by is not None:  # No one decides about their own signature.
        query = query.where(col(SignatureRecord.account_id) != context.by)
    if receipts:
        query = query.where(col(SignatureRecord.receipt).in_(receipts))
    found = context.session.exec(query.order_by(col(SignatureRecord.id)).limit(BATCH_DECISIONS)).all()
    rows = [_row(context, f"signature-{signature_id}", party, signature_id=signature_id) for signature_id, _ in found]
    _log(context, rows, party, {"agreement": group.agreement, "version": group.version})
    return [account_id for _, account_id in found]


def decide_company(context: RecordContext, company_id: str, party: str) -> bool:
    """Decide the party of that company's agreement; False when nothing is to be decided."""
    stored_ledger.lock(context.session)
    query = select(CompanyRecord).where(col(CompanyRecord.id) == text_key(company_id), *_undecided_companies())
    company = context.session.exec(query).one_or_none()
    if company is None:
        return False
    row = _row(context, f"company-{company.id}", party, company_id=company.id)
    _log(context, [row], party, {"agreement": company.agreement, "version": company.version, "company": company.id})
    return True


def known(session: Session) -> tuple[str, ...]:
    """Every party with which an agreement was made, sorted."""
    return tuple(counts(session))


def counts(session: Session) -> dict[str, int]:
    """The number of agreements with each party, ended ones too."""
    found: dict[str, int] = {}
    parts = [
        select_columns(column, func.count()).where(column.is_not(None)).group_by(column)
        for column in (col(SignatureRecord.party), col(PartyRecord.party))
    ]
    for party, number in session.execute(union_all(*parts)):
        found[party] = found.get(party, 0) + number
    return dict(sorted(found.items()))


def _row(context: RecordContext, row_id: str, party: str, **of: str) -> PartyRecord:
    how = DERIVED if context.by is None else ADMINISTRATOR
    # One row an agreement: the id refuses a second.
    return PartyRecord(
        id=row_id, party=canonical_party(text_key(party)), how=how, at=context.at, by_account_id=context.by, **of
    )


def _log(context: RecordContext, rows: Iterable[SQLModel], party: str, details: dict[str, str]) -> None:
    written = list(rows)
    if not written:
        return
    context.session.add_all(written)
    said = {**details, "party": canonical_party(party), "agreements": len(written)}
    context.log("party.derived" if context.by is None else "party.decided", rows=written, details=said)


def _undecided() -> list[ColumnElement[bool]]:
    decided = select(PartyRecord.id).where(col(PartyRecord.signature_id) == col(SignatureRecord.id))
    return [col(SignatureRecord.party).is_(None), ~decided.correlate(SignatureRecord).exists()]


def _undecided_companies() -> list[ColumnElement[bool]]:
    # A company with a signature has its signature's party.
    decided = select(PartyRecord.id).where(col(PartyRecord.company_id) == col(CompanyRecord.id))
    return [col(CompanyRecord.signature_id).is_(None), ~decided.correlate(CompanyRecord).exists()]


def _format() -> ColumnElement[Any]:
    """The format of the list that a SignatureRecord came from; "" where it came from none."""
    # `min`: several entries may have become one signature.
    imported = select(func.min(ImportedEntry.format)).where(col(ImportedEntry.signature_id) == col(SignatureRecord.id))
    return func.coalesce(imported.correlate(SignatureRecord).scalar_subquery(), "")


_TEXTS = ("agreement", "version", "language", "source_sha256", "shown_sha256")
_KEYS: dict[str, Any] = {
    **{name: col(getattr(SignatureRecord, name)) for name in _TEXTS},
    "format": _format().label("format"),
}
