"""Addresses proven for an account: sealed under the person's key, found by account or by blind index."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, or_, select

from agreements.store import people
from agreements.store.keys import account_chunks, account_key, canonical_key, text_chunks, text_key
from agreements.store.records import Person, Proof
from agreements.vault import SealBroken, Vault, place

INDEX = "email"
"""The kind under which addresses, in canonical form, are fingerprinted, here and in company entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenAddress:
    """An address, how it was proven (`github-verified`, `mailed-code`), and how long that counts."""

    address: str = field(repr=False)
    how: str
    at: datetime
    until: datetime | None = None


def prove(session: Session, vault: Vault, person: Person, proven: ProvenAddress, *, new_id: str) -> Proof:
    """Store the proof. One that still runs in the same way is prolonged instead; a lapsed one leaves its gap.

    Raises ValueError for an address that is not a valid one.
    """
    text_key(proven.how)
    address = canonical_key(proven.address)
    indexes = vault.blind_indexes(INDEX, address)
    people.lock(session, person)
    query = select(Proof).where(
        col(Proof.account_id) == account_key(person.account_id),
        col(Proof.address_index).in_(indexes),
        col(Proof.how) == proven.how,
        col(Proof.at) <= proven.at,
        or_(col(Proof.until).is_(None), col(Proof.until) >= proven.at),
    )
    running = session.exec(query).first()
    if running is not None:
        running.until = _later(running.until, proven.until)
    else:
        running = Proof(
            id=text_key(new_id),
            person_id=person.id,
            account_id=person.account_id,
            address=vault.seal(people.data_key(vault, person), address.encode(), _place(new_id)),
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
    """The addresses proven for each account and valid at `at`, sorted; an account without any is left out.

    `how` admits only proofs of these kinds; empty admits every kind.
    """
    found: dict[int, set[str]] = {}
    admitted = [col(Proof.how).in_(sorted(how))] if how else []
    for chunk in account_chunks(account_ids):
        query = select(Proof, Person).join(Person).where(col(Proof.account_id).in_(chunk), *_valid(at), *admitted)
        for account_id, address in _opened(vault, session.exec(query)):
            found.setdefault(account_id, set()).add(address)
    return {account_id: tuple(sorted(addresses)) for account_id, addresses in sorted(found.items())}


def everybodys(session: Session, vault: Vault, at: datetime, *, how: Collection[str]) -> dict[int, tuple[str, ...]]:
    """The same of every account; each proof is opened, so it takes its time. Whoever was erased is left out."""
    found: dict[int, set[str]] = {}
    query = select(Proof, Person).join(Person).where(col(Proof.how).in_(sorted(how)), *_valid(at))
    for row in session.exec(query.execution_options(yield_per=500)):
        with suppress(SealBroken):
            for account_id, address in _opened(vault, [row]):
                found.setdefault(account_id, set()).add(address)
    return {account_id: tuple(sorted(addresses)) for account_id, addresses in sorted(found.items())}


def holders(session: Session, vault: Vault, address: str, at: datetime) -> tuple[int, ...]:
    """The accounts for which that address is proven at `at`. Raises ValueError for one that is not valid."""
    indexes = vault.blind_indexes(INDEX, canonical_key(address))
    query = select(Proof.account_id).where(col(Proof.address_index).in_(indexes), *_valid(at)).distinct()
    return tuple(sorted(session.exec(query)))


def opened(session: Session, vault: Vault, proof_ids: Collection[str]) -> dict[str, str]:
    """The addresses of those proofs, by the proof's id; one whose person was erased is left out."""
    found: dict[str, str] = {}
    for chunk in text_chunks(proof_ids):
        for proof, person in session.exec(select(Proof, Person).join(Person).where(col(Proof.id).in_(chunk))):
            with suppress(SealBroken):
                found.update((proof.id, address) for _, address in _opened(vault, [(proof, person)]))
    return found


def _valid(at: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return col(Proof.at) <= at, or_(col(Proof.until).is_(None), col(Proof.until) > at)


def _opened(vault: Vault, rows: Iterable[tuple[Proof, Person]]) -> Iterator[tuple[int, str]]:
    for proof, person in rows:
        key = people.data_key(vault, person)
        yield proof.account_id, vault.open(key, proof.address, _place(proof.id)).decode()


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later end; None has no end."""
    return None if one is None or other is None else max(one, other)


def _place(proof_id: str) -> str:
    return place("proof", "address", proof_id)
