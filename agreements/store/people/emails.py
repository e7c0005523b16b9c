"""Addresses proven for an account: sealed with the person's key, found by account or by blind index."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, bindparam
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, or_, select

from agreements.store import lookup
from agreements.store.lookup import (
    NamedRow,
    Question,
    account_chunks,
    account_key,
    canonical_key,
    from_row,
    text_chunks,
    text_key,
)
from agreements.store.people import person_rows
from agreements.store.record_context import RecordContext
from agreements.store.tables.columns import Moment
from agreements.store.tables.company_records import Enrolment
from agreements.store.tables.declarations import EMAIL_INDEX
from agreements.store.tables.records import PersonRecord, Proof
from agreements.vault import DataKey, DecryptionFailed, KeyDestroyed, Vault, place

MAILED_CODE = "mailed-code"
"""The word for a proof by a mailed code that the address's owner answered."""

CODE_PROOF_LIFETIME = timedelta(days=365)
"""The time for which a proof by a mailed code counts, and the enrolment that rests on it."""

DOMAIN_PROOF_MAX_AGE = timedelta(hours=12)
"""The greatest age of a proof of an address with which a company's domain is proven: that of a session, so of what GitHub said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenAddress:
    """A proven `address`, `how` (`github-verified`, `mailed-code`), `at` which moment, and `until` when that counts (None: without end)."""

    address: str = field(repr=False)
    how: str
    at: datetime
    until: datetime | None = None


def _valid(at: Any) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return col(Proof.at) <= at, or_(col(Proof.until).is_(None), col(Proof.until) > at)


# Made once, and columns alone: to put it together anew, or to make whole rows, would take twice as long.
_SEALED = select_columns(
    col(Proof.account_id), col(Proof.id), col(Proof.address), col(Proof.person_id), col(PersonRecord.ring_key_id), col(PersonRecord.wrapped_key)
).join(PersonRecord)  # fmt: skip


@cache
def question(dialect: str, *, so: bool) -> Question:
    """The query for the `accounts`' addresses that count `at` a time, and until when; `so`: only of kind `how`."""
    found = _SEALED.add_columns(col(Proof.until)).where(
        lookup.among(dialect, col(Proof.account_id), "accounts"), *_valid(bindparam("at", type_=Moment()))
    )
    return found.where(lookup.among(dialect, col(Proof.how), "how")) if so else found


def answer(
    vault: Vault, rows: Iterable[NamedRow], *, passing: type[DecryptionFailed] = KeyDestroyed
) -> dict[int, tuple[str, ...]]:
    """The addresses of each account, sorted, from the rows of `question`.

    Rows that raise `passing` are left out: those of people erased since the database was copied. Raises
    DecryptionFailed for others.
    """
    found: dict[int, set[str]] = {}
    for row in rows:
        with suppress(passing):
            address = _open_row(vault, row)
            found.setdefault(row.account_id, set()).add(address)
    return {account_id: tuple(sorted(addresses)) for account_id, addresses in sorted(found.items())}


def prove(context: RecordContext, person: PersonRecord, proven: ProvenAddress) -> Proof:
    """Store the proof; one of the same kind that still runs is prolonged. Raises ValueError for an invalid address."""
    text_key(proven.how)
    address = canonical_key(proven.address)
    session, vault = context.session, context.vault
    indexes = vault.blind_indexes(EMAIL_INDEX, address)
    person_rows.lock(session, person)  # Two answers at once would store two proofs.
    query = select(Proof).where(
        col(Proof.account_id) == account_key(person.account_id),
        col(Proof.address_index).in_(indexes),
        col(Proof.how) == proven.how,
        col(Proof.at) <= proven.at,
        # A lapsed proof is not prolonged: it would say that the address was proven in the gap, too.
        or_(col(Proof.until).is_(None), col(Proof.until) >= proven.at),
    )
    running = session.exec(query).first()
    if running is not None:
        ends = (running.until, proven.until)
        # Without end is later than any end.
        running.until = None if None in ends else max(end for end in ends if end is not None)
    else:
        proof_id, key = text_key(context.new_id()), person_rows.data_key(vault, person)
        running = Proof(
            id=proof_id,
            person_id=person.id,
            account_id=person.account_id,
            address=vault.encrypt(key, address.encode(), place("proof", "address", proof_id)),
            address_index=indexes[0],
            how=proven.how,
            at=proven.at,
            until=proven.until,
        )
    session.add(running)
    session.flush()
    return running


def proven(
    session: Session, vault: Vault, account_ids: Collection[int], at: datetime, *, how: Collection[str] = ()
) -> dict[int, tuple[str, ...]]:
    """The addresses proven for each account and valid at `at`, sorted, if any. `how`: only these kinds."""
    asked, also = question(lookup.dialect(session), so=bool(how)), {"how": sorted(how)} if how else {}
    rows = (
        row
        for lot in account_chunks(account_ids)
        for row in lookup.rows(session, asked, {"accounts": lot, "at": at, **also})
    )
    return answer(vault, rows)


def recently_proven(session: Session, vault: Vault, account_id: int, at: datetime) -> tuple[str, ...]:
    """The addresses for which the account answered a mailed code within DOMAIN_PROOF_MAX_AGE before `at`, sorted."""
    since = at - DOMAIN_PROOF_MAX_AGE
    # A code answered again prolongs the proof that runs: its end tells when that was.
    lately = or_(col(Proof.at) >= since, col(Proof.until) >= since + CODE_PROOF_LIFETIME)
    mine = (col(Proof.account_id) == account_key(account_id), col(Proof.how) == MAILED_CODE)
    return answer(vault, session.execute(_SEALED.where(*mine, lately, *_valid(at))).all()).get(account_id, ())


def all_proven(session: Session, vault: Vault, at: datetime, *, how: Collection[str]) -> dict[int, tuple[str, ...]]:
    """The addresses proven for every account and valid at `at`; those of erased people are left out."""
    # Each is opened (25 µs): an index of domains would be faster, but tell who works together.
    query = _SEALED.where(col(Proof.how).in_(sorted(how)), *_valid(at)).execution_options(yield_per=500)
    return answer(vault, session.execute(query), passing=DecryptionFailed)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAddress:
    """A proven address (`id`, `proven`) as its owner sees it; `running`: it counts now, `is_chosen`: e-mails may go there."""

    id: str
    proven: ProvenAddress
    running: bool
    is_chosen: bool


def of_account(session: Session, vault: Vault, account_id: int, at: datetime) -> tuple[OwnAddress, ...]:
    """The addresses that the account has proven, lapsed ones too, in alphabetical order."""
    # Lapsed proofs are shown: an owner may remove them.
    query = select(Proof, PersonRecord).join(PersonRecord).where(col(Proof.account_id) == account_key(account_id))
    found = [
        OwnAddress(
            id=row.id,
            proven=from_row(ProvenAddress, row, address=address),
            running=row.at <= at and (row.until is None or row.until > at),
            is_chosen=row.id == person.letters_to,
        )
        for row, person in session.exec(query)
        if (address := address_of(vault, row, person)) is not None
    ]
    return tuple(sorted(found, key=lambda own_address: (own_address.proven.address, own_address.proven.how)))


def remove(session: Session, account_id: int, proof_id: str, at: datetime) -> tuple[Enrolment, ...] | None:
    """Delete the account's proof, and end the enrolments that rest on it: those rows; None without such a proof."""
    # The person first, as where an address is proven or enrolled: what ends an enrolment changes its proof.
    person_rows.find_locked(session, account_id)
    mine = (col(Proof.id) == text_key(proof_id), col(Proof.account_id) == account_key(account_id))
    proof = session.exec(select(Proof).where(*mine)).one_or_none()
    if proof is None:
        return None
    # An enrolment covers because its address is proven.
    runs = (col(Enrolment.proof_id) == proof.id, col(Enrolment.ended_at).is_(None), col(Enrolment.until) > at)
    ended = tuple(session.exec(select(Enrolment).where(*runs)))
    for enrolment in ended:
        enrolment.ended_at = at
    session.delete(proof)
    session.flush()
    return ended


def opened(session: Session, vault: Vault, proof_ids: Collection[str]) -> dict[str, str]:
    """The addresses of those proofs, by the proof's id; one whose person was erased is left out."""
    found: dict[str, str] = {}
    for chunk in text_chunks(proof_ids):
        for row in session.execute(_SEALED.where(col(Proof.id).in_(chunk))):
            with suppress(DecryptionFailed):  # The person was erased.
                found[row.id] = _open_row(vault, row)
    return found


def address_of(vault: Vault, row: Proof, person: PersonRecord) -> str | None:
    """The address of that person's proof; None once they were erased."""
    try:
        return _open(vault, person_rows.data_key(vault, person), row)
    except DecryptionFailed:
        return None


def _open_row(vault: Vault, row: NamedRow) -> str:
    return _open(vault, person_rows.unwrap(vault, row.person_id, row.ring_key_id, row.wrapped_key), row)


def _open(vault: Vault, key: DataKey, row: Proof | NamedRow) -> str:
    return vault.decrypt(key, row.address, place("proof", "address", row.id)).decode()
