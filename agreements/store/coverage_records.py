"""The records that a decision needs: signatures, proven addresses and companies, read by one query.

Each row is compared with the log as it is read; rows that are not as logged cover no one.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Alias, ColumnElement, Table

from agreements import facts
from agreements.domains.canonical_form import canonical_address
from agreements.store.companies import company_agreements
from agreements.store.ledger.row_check import RowCheck, row_key, stamped, table_name
from agreements.store.lookup import BatchQuery, NamedRow, Question, keys_of_people
from agreements.store.people import emails, signatures
from agreements.store.people.emails import MAILED_CODE
from agreements.store.people.signatures import TextKey
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.store.tables.declarations import EMAIL_INDEX, table_of
from agreements.store.tables.records import PartyRecord, Proof, SignatureRecord, Withdrawal


@dataclass(frozen=True, slots=True)
class Records:
    """The records of some accounts: their `signatures`, the addresses proven (`emails`, by account), the `companies` that name them.

    `proofs_until` is when the first of those proofs ends, None when none does. `unlogged` are table and key of each row
    that is not as the log says: its signatures and companies are marked, its addresses and entries left out.
    """

    signatures: tuple[facts.Signature, ...]
    emails: Mapping[int, tuple[str, ...]]
    companies: tuple[facts.Company, ...]
    proofs_until: datetime | None = None
    unlogged: tuple[tuple[str, str], ...] = ()


def records(
    check: RowCheck,
    account_ids: Collection[int],
    addresses: Collection[str],
    *,
    accepted: Collection[TextKey],
    at: datetime,
    now: datetime,
) -> Records:
    """The records of `signatures.of`, `emails.proven`, `company_agreements.relevant` for these accounts and addresses."""
    connection, vault, how = check.connection, check.vault, [MAILED_CODE]
    found: tuple[list[NamedRow], ...] = ([], [], [])
    for lot in keys_of_people(vault, account_ids, addresses, kind=EMAIL_INDEX):
        for kind, rows in enumerate(
            _asked(connection.dialect.name, *lot).rows(connection, {**lot, "at": at, "how": how})
        ):
            found[kind].extend(rows)
    naming, signed, proven = found
    # An address proven by a forged row is not looked up.
    counting = [row for row, (is_logged,) in _checked(check, _PROVEN, proven) if is_logged]
    known = emails.answer(vault, counting)
    # Companies may name a proven address that the facts do not: for such the database is asked once more.
    others = set().union(*known.values()) - {canonical_address(address) for address in addresses}
    for lot in keys_of_people(vault, (), others, kind=EMAIL_INDEX):
        naming += _asked(connection.dialect.name, *lot).rows(connection, lot)[0]
    return Records(
        signatures=_signatures(check, signed, accepted, now),
        emails=known,
        companies=_companies(check, naming, accepted),
        proofs_until=min((row.until for row in counting if row.until is not None), default=None),
        unlogged=tuple(sorted(check.refused)),
    )


def _signatures(
    check: RowCheck, rows: Iterable[NamedRow], accepted: Collection[TextKey], now: datetime
) -> tuple[facts.Signature, ...]:
    # A rule must tell them apart: not signed, or not as logged.
    found: dict[bool, list[NamedRow]] = {True: [], False: []}
    for row, fine in _checked(check, _SIGNED, rows):
        found[all(fine)].append(row)
    return tuple(
        replace(
            signature,
            logged=is_logged,
            # A moment after `now` was written by a clock that was ahead: it has happened, and counts as now.
            signed_at=min(signature.signed_at, now),
            withdrawn_at=signature.withdrawn_at and min(signature.withdrawn_at, now),
        )
        for is_logged, some in found.items()
        for signature in signatures.answer(some, accepted=accepted)
    )


def _companies(check: RowCheck, rows: Iterable[NamedRow], accepted: Collection[TextKey]) -> tuple[facts.Company, ...]:
    """The companies with the entries that are logged; then, marked, those that name a person by a row that is not."""
    found: dict[bool, list[NamedRow]] = {True: [], False: []}
    for row, (entry, *company) in _checked(check, _NAMING, rows):
        # An exclusion counts in any case: a forged row may take cover away, not give it.
        found[all(company) and (entry or row.excluded)].append(row)
    return tuple(
        replace(fact, logged=is_logged)
        for is_logged, some in found.items()
        for fact in company_agreements.answer(check.vault, some, accepted=accepted)
    )


class _Stamp(NamedTuple):
    """A row that an answer rests on: its table (`rows`), its `key`, and the key `wanted`, which alone is set where the row is missing."""

    rows: Table | Alias
    key: Any
    wanted: Any
    labels: tuple[str, str, str]
    """The names of the columns for the key, the key wanted, and the stamp."""


def _stamp(rows: Table | Alias, wanted: Any = None) -> _Stamp:
    key, name = row_key(rows), rows.name
    return _Stamp(rows, key, key if wanted is None else wanted, (f"{name}_key", f"{name}_wanted", f"{name}_stamp"))


_TABLE = {
    model: table_of(model) for model in (SignatureRecord, Withdrawal, PartyRecord, Proof, CompanyEntry, CompanyRecord)
}
_PROVEN = (_stamp(_TABLE[Proof]),)
_SIGNED = (
    _stamp(_TABLE[SignatureRecord]),
    # A row taken away must be missed: its code is still there.
    _stamp(_TABLE[Withdrawal], wanted=_TABLE[SignatureRecord].c.id),
    _stamp(_TABLE[PartyRecord]),
)
_NAMING = (
    _stamp(_TABLE[CompanyEntry]),
    _stamp(_TABLE[CompanyRecord]),
    _stamp(_TABLE[SignatureRecord]),
    # As above: with its row taken away a revocation would be undone.
    _stamp(_TABLE[Withdrawal], wanted=_TABLE[SignatureRecord].c.id),
    _stamp(_TABLE[PartyRecord]),
    _stamp(company_agreements.PARTY_OF_COMPANY),
)


@cache
def _asked(dialect: str, *kinds: str) -> BatchQuery:  # To compile it takes longer than to ask it.
    """The query for companies by these kinds of keys; with accounts, also for their signatures and proofs."""
    named = _with_stamps(company_agreements.question(dialect, *kinds), _NAMING, dialect)
    if "accounts" not in kinds:
        return BatchQuery(named)
    return BatchQuery(
        named,
        _with_stamps(signatures.question(dialect), _SIGNED, dialect),
        _with_stamps(emails.question(dialect, so=True), _PROVEN, dialect),
    )


def _with_stamps(question: Question, stamps: Sequence[_Stamp], dialect: str) -> Question:
    for stamp in stamps:
        columns = (stamp.key, stamp.wanted, stamped(stamp.rows, stamp.wanted, dialect))
        question = question.add_columns(*map(ColumnElement.label, columns, stamp.labels))
    return question


def _checked(
    check: RowCheck, stamps: Sequence[_Stamp], rows: Iterable[NamedRow]
) -> Iterator[tuple[NamedRow, list[bool]]]:
    """Each row, and for each stamp whether its row is as the log says."""
    for row in rows:
        yield row, [_is_logged(check, stamp, row) for stamp in stamps]


def _is_logged(check: RowCheck, stamp: _Stamp, row: NamedRow) -> bool:
    key, wanted, value = (getattr(row, label) for label in stamp.labels)
    # Not every row is wanted: an imported company has no signature.
    return wanted is None or check.is_logged(table_name(stamp.rows), wanted, value, there=key is not None)
