"""People as accounts: found by numeric id, made on first sight, each with a data key of their own, and locked for a change."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, func, select, update

from agreements.facts import Account
from agreements.store import lookup
from agreements.store.lookup import account_chunks, account_key, text_chunks, text_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.records import PersonRecord
from agreements.vault import WRAPPED_BYTES, DataKey, Vault, WrappedKey, random_number

WITHOUT_ACCOUNT = 2**62  # 63 bits in all, so that it fits into PostgreSQL's BIGINT.
"""The first number of people without a GitHub account, such as a company's signatory reached by mail; GitHub's ids are far below."""


def is_without_account(account_id: int) -> bool:
    """Whether that is the number of a person without a GitHub account."""
    return account_id >= WITHOUT_ACCOUNT


def find(session: Session, account_id: int) -> PersonRecord | None:
    """The person with that account id, if we know them."""
    return session.exec(
        select(PersonRecord).where(col(PersonRecord.account_id) == account_key(account_id))
    ).one_or_none()


def find_locked(session: Session, account_id: int) -> PersonRecord | None:
    """The same person as they are now, locked: other writers on them wait until the session's transaction ends."""
    return lookup.locked(session, PersonRecord, col(PersonRecord.account_id) == account_key(account_id))


def find_all(session: Session, account_ids: Collection[int]) -> dict[int, PersonRecord]:
    """Those of these accounts that have a record, by account."""
    return {
        person.account_id: person
        for chunk in account_chunks(account_ids)
        for person in session.exec(select(PersonRecord).where(col(PersonRecord.account_id).in_(chunk)))
    }


def ensure(context: RecordContext, account: Account) -> PersonRecord:
    """The person of that account, made with a new data key if they are new; a changed login is followed."""
    text_key(account.login)
    person = find(context.session, account.id)
    if person is None:
        make_all(context, [account])
        person = context.session.exec(select(PersonRecord).where(col(PersonRecord.account_id) == account.id)).one()
    # An erased person keeps the row, and what was sealed with the destroyed key stays unreadable.
    if is_erased(person) and _begin_anew(context, person):
        context.note_person(person.id, "person.returned")
    _follow(context, person, account)
    return person


def follow_login(context: RecordContext, account: Account) -> bool:
    """Store the account's present login if the account is known; whether it was new."""
    person = find(context.session, account.id)
    # An erased login must not come back.
    return person is not None and not is_erased(person) and _follow(context, person, account)


def _follow(context: RecordContext, person: PersonRecord, account: Account) -> bool:
    if person.login == account.login:
        return False
    find_locked(context.session, account.id)
    # Another session may have followed it, or erased them, before the lock was had.
    if person.login == account.login or is_erased(person):
        return False
    # GitHub accounts may be renamed, and others may take the old login: only the id stays.
    person.login, person.login_since = account.login, context.at
    context.note_person(person.id, "person.renamed")
    return True


def add_without_account(context: RecordContext) -> PersonRecord:
    """A new person who is known by a proven address alone: with a data key, a random number and no login."""
    person_id = text_key(context.new_id())
    _, wrapped = context.vault.new_data_key("person", person_id)
    person = _person(wrapped, Account(WITHOUT_ACCOUNT + random_number()), context.at, person_id)
    context.session.add(person)
    context.session.flush()
    context.note_person(person.id, "person.added")
    return person


def is_erased(person: PersonRecord) -> bool:
    """Whether the person's key was destroyed and they gave nothing since; `erased_at` stays when they come back."""
    return not person.wrapped_key


def are_named() -> ColumnElement[bool]:
    """Says of a PersonRecord that lists show their login: neither restricted nor erased, or back since."""
    return and_(col(PersonRecord.restricted_at).is_(None), have_key())


def shown_login(person: PersonRecord) -> str:
    """The person's login where lists may show it (`are_named`); else "", which leaves their number."""
    return "" if person.restricted_at or is_erased(person) else person.login


def have_key() -> ColumnElement[bool]:
    """Says of a PersonRecord that they are not erased, as `is_erased` does of one person."""
    return func.length(col(PersonRecord.wrapped_key)) > 0  # `erasures.shred` empties the column.


def data_key(vault: Vault, person: PersonRecord) -> DataKey:
    """The person's opened data key. Raises DecryptionFailed when the row was tampered with or the ring lost its key."""
    return unwrap(vault, person.id, person.ring_key_id, person.wrapped_key)


def unwrap(vault: Vault, person_id: str, ring_key_id: str, wrapped_key: bytes) -> DataKey:
    """The same from the bare columns, for queries that join them."""
    return vault.unwrap(WrappedKey(ring_key_id, wrapped_key), "person", person_id)


def with_erasure_key(session: Session) -> frozenset[str]:
    """The ids of people whose data keys open only with an erasure key."""
    return frozenset(
        session.exec(select(PersonRecord.id).where(func.length(col(PersonRecord.wrapped_key)) > WRAPPED_BYTES))
    )


def lock(session: Session, person: PersonRecord) -> None:
    """Make other writers on this person wait until the session's transaction ends, on both databases."""
    # An update that changes nothing locks the row on both databases: SQLite has no `FOR UPDATE`.
    nothing_new = (
        update(PersonRecord)
        .where(col(PersonRecord.id) == text_key(person.id))
        .values(ring_key_id=PersonRecord.ring_key_id)
    )
    # The row in the session stays as it was read.
    session.exec(nothing_new, execution_options={"synchronize_session": False})


def lock_all(session: Session, persons: Iterable[PersonRecord]) -> None:
    """The same for many people."""
    for chunk in text_chunks([person.id for person in persons]):
        query = (
            select(PersonRecord.id)
            .where(col(PersonRecord.id).in_(chunk))
            .order_by(col(PersonRecord.id))  # Else two sessions with the same people could wait for each other.
            .with_for_update()
        )
        session.exec(query).all()


def _begin_anew(context: RecordContext, person: PersonRecord) -> bool:
    lock(context.session, person)
    context.session.refresh(person)  # Another session may have given a key before the lock was had.
    if not is_erased(person):
        return False
    _, wrapped = context.vault.new_data_key("person", person.id)
    person.wrapped_key, person.ring_key_id, person.restricted_at = wrapped.sealed, wrapped.ring_key_id, None
    return True


def make_all(context: RecordContext, accounts: Iterable[Account]) -> None:
    """Make the people of those accounts that are not known, in one statement; known people stay as they are."""
    named = [(account, text_key(context.new_id())) for account in accounts]
    keys = context.vault.new_data_keys("person", [person_id for _, person_id in named])
    rows = [
        _person(wrapped, account, context.at, person_id).model_dump()
        for (account, person_id), (_, wrapped) in zip(named, keys, strict=True)
    ]
    if rows:
        insert: Any = sqlite.insert if context.session.get_bind().dialect.name == "sqlite" else postgresql.insert
        # Two sessions at once end up with one row.
        ignoring = insert(PersonRecord).on_conflict_do_nothing(index_elements=["account_id"])
        context.session.exec(ignoring, params=rows)
    for _, person_id in named:  # Ids of accounts that another session made first name no row, and are left out later.
        context.note_person(person_id, "person.added")


def _person(wrapped: WrappedKey, account: Account, at: datetime, person_id: str) -> PersonRecord:
    return PersonRecord(
        id=person_id,
        account_id=account_key(account.id),
        login=account.login,
        login_since=at,
        wrapped_key=wrapped.sealed,
        ring_key_id=wrapped.ring_key_id,
        created_at=at,
    )
