"""Signatures, people and companies as lists for administrators: filtered, sorted, a page at a time, from an index."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, not_
from sqlalchemy import select as select_rows
from sqlmodel import Session, col, or_, select

from agreements.store.people import signatures
from agreements.store.people.person_rows import are_named, have_key
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import PersonRecord, SignatureRecord, Withdrawal


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFilter:
    """The rows wanted: of one `agreement`, signed (or, for people, come) between `since` and `until`; empty and None ask for all.

    `state`: of signatures `valid` or `ended`; of people `signed`, `unsigned`, `restricted` or `erased`; of companies
    `requested`, `refused`, `in force`, `text missing` or `ended`. `sort`: `oldest` or `name`, else the newest first.
    """

    agreement: str = ""
    state: str = ""
    since: datetime | None = None
    until: datetime | None = None
    sort: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureRow:
    """A signature (`receipt`, `agreement`, `version`) of `account_id`; `login` is None for restricted and erased people.

    Made at `signed_at` for `company` (None: for themselves) with `party` (None: not known); ended at `ended_at`.
    """

    receipt: str
    account_id: int
    login: str | None
    agreement: str
    version: str
    signed_at: datetime
    ended_at: datetime | None
    company: str | None
    party: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRow:
    """A person: `account_id`, known since `created_at`, with `signed` signatures; `login` is None when restricted or erased.

    They are restricted since `restricted_at`, erased since `erased_at` (None: not, or they came back).
    """

    account_id: int
    login: str | None
    created_at: datetime
    signed: int
    restricted_at: datetime | None
    erased_at: datetime | None


_LOGIN = case((are_named(), col(PersonRecord.login)))


def signature_rows(session: Session, wanted: ListFilter, *, skip: int, most: int) -> tuple[SignatureRow, ...]:
    """Signatures by the day of signing."""
    conditions = _between(col(SignatureRecord.signed_at), wanted)
    if wanted.agreement:
        conditions.append(col(SignatureRecord.agreement) == wanted.agreement)
    if wanted.state in ("valid", "ended"):
        ended = select(Withdrawal.signature_id).where(col(Withdrawal.signature_id) == col(SignatureRecord.id)).exists()
        conditions.append(ended if wanted.state == "ended" else not_(ended))
    order = [col(SignatureRecord.signed_at), col(SignatureRecord.id)]
    page = select(SignatureRecord.id).where(*conditions).order_by(*_sorted(order, wanted)).offset(skip).limit(most)
    # Joined for one page alone: the rest is skipped in the index. Columns alone: no sealed bytes are read.
    query = (
        select_rows(
            col(SignatureRecord.receipt),
            col(SignatureRecord.account_id),
            _LOGIN.label("login"),
            col(SignatureRecord.agreement),
            col(SignatureRecord.version),
            col(SignatureRecord.signed_at),
            col(Withdrawal.at).label("ended_at"),
            signatures.company_name().label("company"),
            signatures.party().label("party"),
        )
        .join(PersonRecord, col(PersonRecord.id) == col(SignatureRecord.person_id))
        # Valid signatures have no row there.
        .join(Withdrawal, col(Withdrawal.signature_id) == col(SignatureRecord.id), isouter=True)
        .where(col(SignatureRecord.id).in_(page))
    )
    return tuple(SignatureRow(**row) for row in session.execute(query.order_by(*_sorted(order, wanted))).mappings())


def person_rows(session: Session, wanted: ListFilter, *, skip: int, most: int) -> tuple[PersonRow, ...]:
    """People by the day on which they came, or by login, those without a login last."""
    signed = select(SignatureRecord.id).where(col(SignatureRecord.person_id) == col(PersonRecord.id)).exists()
    states: Mapping[str, ColumnElement[bool]] = {
        "signed": signed,
        "unsigned": not_(signed),
        "restricted": col(PersonRecord.restricted_at).is_not(None),
        "erased": not_(have_key()),  # A person who came back has a key again.
    }
    conditions = _between(col(PersonRecord.created_at), wanted)
    if wanted.state in states:
        conditions.append(states[wanted.state])
    if wanted.sort == "name":
        # A hidden login must not show by its place.
        order: list[Any] = [not_(are_named()), func.lower(col(PersonRecord.login)), col(PersonRecord.id)]
    else:
        order = _sorted([col(PersonRecord.created_at), col(PersonRecord.id)], wanted)
    count = (
        select(func.count())
        .where(col(SignatureRecord.account_id) == col(PersonRecord.account_id))
        .correlate(PersonRecord)
    )
    query = select_rows(
        col(PersonRecord.account_id),
        _LOGIN.label("login"),
        col(PersonRecord.created_at),
        count.scalar_subquery().label("signed"),
        col(PersonRecord.restricted_at),
        case((not_(have_key()), col(PersonRecord.erased_at))).label("erased_at"),
    )
    rows = session.execute(query.where(*conditions).order_by(*order).offset(skip).limit(most))
    return tuple(PersonRow(**row) for row in rows.mappings())


def company_ids(
    session: Session, wanted: ListFilter, *, missing: Collection[str], at: datetime, skip: int, most: int
) -> tuple[str, ...]:
    """Ids of companies, by name or by age of the agreement; `missing`: those without a text in the catalog."""
    refused, over = col(CompanyRecord.refused_at).is_not(None), col(CompanyRecord.ended_at) <= at
    running = and_(not_(refused), or_(col(CompanyRecord.ended_at).is_(None), col(CompanyRecord.ended_at) > at))
    countersigned, without_text = col(CompanyRecord.countersigned_at).is_not(None), col(CompanyRecord.id).in_(missing)
    states: Mapping[str, ColumnElement[bool]] = {
        "refused": refused,
        "ended": and_(not_(refused), over),  # A refused company has ended, too.
        "requested": and_(running, col(CompanyRecord.countersigned_at).is_(None)),
        "in force": and_(running, countersigned, not_(without_text)),
        "text missing": and_(running, countersigned, without_text),
    }
    conditions = _between(col(CompanyRecord.signed_at), wanted)
    if wanted.state in states:
        conditions.append(states[wanted.state])
    if wanted.sort in ("newest", "oldest"):
        order: list[Any] = _sorted([col(CompanyRecord.signed_at), col(CompanyRecord.id)], wanted)
    else:
        order = [func.lower(col(CompanyRecord.name)), col(CompanyRecord.id)]
    return tuple(session.exec(select(CompanyRecord.id).where(*conditions).order_by(*order).offset(skip).limit(most)))


def agreements(session: Session) -> tuple[str, ...]:
    """The names of all agreements that were signed."""
    return tuple(sorted(session.exec(select(SignatureRecord.agreement).distinct())))


def signed_between(session: Session, *spans: tuple[datetime, datetime]) -> tuple[int, ...]:
    """The number of signatures in each span: from its begin on and before its end."""
    at = col(SignatureRecord.signed_at)
    counts = (
        select(func.count()).select_from(SignatureRecord).where(at >= since, at < until) for since, until in spans
    )
    return tuple(session.execute(select_rows(*(count.scalar_subquery() for count in counts))).one())


def _between(at: Any, wanted: ListFilter) -> list[ColumnElement[bool]]:
    found = [at >= wanted.since] if wanted.since else []
    # The end is not included: spans may follow on each other.
    return [*found, at < wanted.until] if wanted.until else found


def _sorted(order: list[Any], wanted: ListFilter) -> list[Any]:
    return order if wanted.sort == "oldest" else [column.desc() for column in order]
