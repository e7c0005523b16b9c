"""People as accounts: found by numeric id, made on first sight, each with a data key of their own, and locked for a change."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, func, select, update

from agreements.facts import Account
from agreements.store.lookup import account_chunks, account_key, text_chunks, text_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.records import PersonRecord
from agreements.vault import WRAPPED_BYTES, DataKey, Vault, WrappedKey, random_number

WITHOUT_ACCOUNT = 2**62
"""The first number of people who have no GitHub account, such as who signs for a company by mail: GitHub's are far below."""


def is_without_account(account_id: int) -> bool:
    """Whether that is the number of somebody who has no GitHub account."""
    return account_id >= WITHOUT_ACCOUNT


def find(session: Session, account_id: int) -> PersonRecord | None:
    """The person with that account id, if we know them."""
    return session.exec(
        select(PersonRecord).where(col(PersonRecord.account_id) == account_key(account_id))
    ).one_or_none()


def find_locked(session: Session, account_id: int) -> PersonRecord | None:
    """The same, and other writers on this person wait until the session's transaction ends."""
    person = find(session, account_id)
    if person is not None:
        lock(session, person)
    return person


def find_all(session: Session, account_ids: Collection[int]) -> dict[int, PersonRecord]:
    """Those of these accounts whom we know, by account."""
    return {
        person.account_id: person
        for chunk in account_chunks(account_ids)
        for person in session.exec(select(PersonRecord).where(col(PersonRecord.account_id).in_(chunk)))
    }


def ensure(context: RecordContext, account: Account) -> PersonRecord:
    """The person of that account, made with a new data key if they are new; a changed login is followed.

    Two sessions at once end up with one row. A person who was erased keeps the row and gets a new key: what was sealed
    before stays unreadable.
    """
    text_key(account.login)
    person = find(context.session, account.id)
    if person is None:
        make_all(context, [account])
        person = context.session.exec(select(PersonRecord).where(col(PersonRecord.account_id) == account.id)).one()
    if is_erased(person) and _begin_anew(context, person):
        context.note_person(person.id, "person.returned")
    _follow(context, person, account)
    return person


def follow_login(context: RecordContext, account: Account) -> bool:
    """The person of that account is called so now, if we know them; whether that was new."""
    person = find(context.session, account.id)
    return person is not None and not is_erased(person) and _follow(context, person, account)


def _follow(context: RecordContext, person: PersonRecord, account: Account) -> bool:
    if person.login == account.login:
        return False
    person.login, person.login_since = account.login, context.at
    context.note_person(person.id, "person.renamed")
    return True


def add_without_account(context: RecordContext) -> PersonRecord:
    """A person who is known by a proven address alone: with a data key, a random number and no login."""
    person_id = text_key(context.new_id())
    _, wrapped = context.vault.new_data_key("person", person_id)
    person = _person(wrapped, Account(WITHOUT_ACCOUNT + random_number()), context.at, person_id)
    context.session.add(person)
    context.session.flush()
    context.note_person(person.id, "person.added")
    return person


def is_erased(person: PersonRecord) -> bool:
    """Whether the person's key was destroyed and nothing was given since; `erased_at` stays when they come back."""
    return not person.wrapped_key


def are_named() -> ColumnElement[bool]:
    """Says of a PersonRecord that lists show their login: of nobody restricted, of nobody erased, but of those who came back."""
    return and_(col(PersonRecord.restricted_at).is_(None), have_key())


def shown_login(person: PersonRecord) -> str:
    """Their login where it may be shown, as `are_named` says; else nothing, which leaves their number."""
    return "" if person.restricted_at or is_erased(person) else person.login


def have_key() -> ColumnElement[bool]:
    """Says of a PersonRecord that they are not erased, as `is_erased` does of one of them."""
    return func.length(col(PersonRecord.wrapped_key)) > 0


def data_key(vault: Vault, person: PersonRecord) -> DataKey:
    """The person's opened data key. Raises DecryptionFailed when the row was tampered with or the ring lost its key."""
    return unwrap(vault, person.id, person.ring_key_id, person.wrapped_key)


def unwrap(vault: Vault, person_id: str, ring_key_id: str, wrapped_key: bytes) -> DataKey:
    """The same from the bare columns, for queries that join them."""
    return vault.unwrap(WrappedKey(ring_key_id, wrapped_key), "person", person_id)


def with_erasure_key(session: Session) -> frozenset[str]:
    """The ids of those whose data keys open only with an erasure key."""
    return frozenset(
        session.exec(select(PersonRecord.id).where(func.length(col(PersonRecord.wrapped_key)) > WRAPPED_BYTES))
    )


def lock(session: Session, person: PersonRecord) -> None:
    """Make other writers on this person wait until the session's transaction ends, on both databases."""
    nothing_new = (
        update(PersonRecord)
        .where(col(PersonRecord.id) == text_key(person.id))
        .values(ring_key_id=PersonRecord.ring_key_id)
    )
    session.exec(nothing_new, execution_options={"synchronize_session": False})


def lock_all(session: Session, persons: Iterable[PersonRecord]) -> None:
    """The same for many at once, in the order of their ids."""
    for chunk in text_chunks([person.id for person in persons]):
        query = (
            select(PersonRecord.id)
            .where(col(PersonRecord.id).in_(chunk))
            .order_by(col(PersonRecord.id))
            .with_for_update()
        )
        session.exec(query).all()


def _begin_anew(context: RecordContext, person: PersonRecord) -> bool:
    """A new key for an erased person; False where another session was quicker: its key stays."""
    lock(context.session, person)
    context.session.refresh(person)
    if not is_erased(person):
        return False
    _, wrapped = context.vault.new_data_key("person", person.id)
    person.wrapped_key, person.ring_key_id, person.restricted_at = wrapped.sealed, wrapped.ring_key_id, None
    return True


def make_all(context: RecordContext, accounts: Iterable[Account]) -> None:
    """Make the people of all these accounts that are not known, in one statement; those who are known stay as they are."""
    named = [(account, text_key(context.new_id())) for account in accounts]
    keys = context.vault.new_data_keys("person", [person_id for _, person_id in named])
    rows = [
        _person(wrapped, account, context.at, person_id).model_dump()
        for (account, person_id), (_, wrapped) in zip(named, keys, strict=True)
    ]
    if rows:
        insert: Any = sqlite.insert if context.session.get_bind().dialect.name == "sqlite" else postgresql.insert
        ignoring = insert(PersonRecord).on_conflict_do_nothing(index_elements=["account_id"])
        context.session.exec(ignoring, params=rows)
    for _, person_id in named:  # those of another session that was quicker are left out: their id is another
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
