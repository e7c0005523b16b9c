"""People as accounts, and as subjects of log entries: found by numeric id, made on first sight, each with a data key of their own.

Who makes, renames or revives a person notes the row. The next entry of the same transaction names it; where there is none,
the transaction ends with an entry of its own, written last so that the log is locked as shortly as possible.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, func, select, update

from agreements.facts import Account
from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import SERVER, Change, LedgerSubject, PendingRow
from agreements.store.lookup import NewId, account_chunks, account_key, text_chunks, text_key
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import PersonRecord
from agreements.vault import WRAPPED_BYTES, DataKey, DecryptionFailed, Vault, WrappedKey, random_number

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


def ensure(session: Session, vault: Vault, *, account: Account, at: datetime, new_id: str) -> PersonRecord:
    """The person of that account, made with a new data key if they are new; a changed login is followed.

    `new_id` is the new person's, and that of the log entry where the transaction writes no other. Two sessions at once end up
    with one row. A person who was erased keeps the row and gets a new key: what was sealed before stays unreadable.
    """
    text_key(account.login)
    person = find(session, account.id)
    if person is None:
        make_all(session, vault, [account], at=at, new_id=lambda: new_id)
        person = session.exec(select(PersonRecord).where(col(PersonRecord.account_id) == account.id)).one()
    if is_erased(person) and _begin_anew(session, vault, person):
        _note_written(session, vault, person.id, "person.returned", at=at, entry_id=new_id)
    _follow(session, vault, person, account, at=at, new_id=new_id)
    return person


def follow_login(session: Session, vault: Vault, account: Account, *, at: datetime, new_id: str) -> bool:
    """The person of that account is called so now, if we know them; whether that was new.

    `new_id` is the log entry's, where one is written.
    """
    person = find(session, account.id)
    if person is None or is_erased(person) or person.login == account.login:
        return False
    _follow(session, vault, person, account, at=at, new_id=new_id)
    return True


def _follow(
    session: Session, vault: Vault, person: PersonRecord, account: Account, *, at: datetime, new_id: str
) -> None:
    if person.login != account.login:
        person.login, person.login_since = account.login, at
        _note_written(session, vault, person.id, "person.renamed", at=at, entry_id=new_id)


def add_without_account(session: Session, vault: Vault, *, at: datetime, new_id: str) -> PersonRecord:
    """Somebody who is known by a proven address alone: a person with a data key, a random number and no login."""
    _, wrapped = vault.new_data_key("person", text_key(new_id))
    person = _person(wrapped, account=Account(WITHOUT_ACCOUNT + random_number()), at=at, new_id=new_id)
    session.add(person)
    session.flush()
    _note_written(session, vault, person.id, "person.added", at=at, entry_id=person.id)
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


def _begin_anew(session: Session, vault: Vault, person: PersonRecord) -> bool:
    """A new key for an erased person; False where another session was quicker: its key stays."""
    lock(session, person)
    session.refresh(person)
    if not is_erased(person):
        return False
    _, wrapped = vault.new_data_key("person", person.id)
    person.wrapped_key, person.ring_key_id, person.restricted_at = wrapped.sealed, wrapped.ring_key_id, None
    return True


def make_all(session: Session, vault: Vault, accounts: Iterable[Account], *, at: datetime, new_id: NewId) -> None:
    """Make the people of all these accounts that are not known, in one statement; those who are known stay as they are."""
    named = [(account, text_key(new_id())) for account in accounts]
    keys = vault.new_data_keys("person", [one for _, one in named])
    rows = [
        _person(wrapped, account=account, at=at, new_id=one).model_dump()
        for (account, one), (_, wrapped) in zip(named, keys, strict=True)
    ]
    if rows:
        insert: Any = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
        session.exec(insert(PersonRecord).on_conflict_do_nothing(index_elements=["account_id"]), params=rows)
    for _, person_id in named:  # those of another session that was quicker are left out: their id is another
        _note_written(session, vault, person_id, "person.added", at=at, entry_id=person_id)


def _person(wrapped: WrappedKey, *, account: Account, at: datetime, new_id: str) -> PersonRecord:
    return PersonRecord(
        id=new_id,
        account_id=account_key(account.id),
        login=account.login,
        login_since=at,
        wrapped_key=wrapped.sealed,
        ring_key_id=wrapped.ring_key_id,
        created_at=at,
    )


def _note_written(session: Session, vault: Vault, person_id: str, kind: str, *, at: datetime, entry_id: str) -> None:
    """This person's row was written: the transaction's next entry names it, or one of that kind and id at its end."""
    ledger.note_pending(session, PendingRow(person_id, kind, vault, at, entry_id))


@event.listens_for(Session, "before_commit")
def _log_those_left(session: Session) -> None:
    """An entry for each person whom no entry of the transaction named."""
    if session.in_nested_transaction():  # the end of a savepoint
        return
    left = ledger.take_pending(session)
    if not left:
        return
    session.flush()
    changes = []
    for one in left:
        person = session.get(PersonRecord, one.row_id)
        if person is not None:  # another session had made the same person, or a savepoint was rolled back
            changes.append((_entry_of(one, person), one.entry_id))
    if changes:
        ledger.append_all(session, left[0].vault, changes, at=left[0].at)


def _entry_of(noted: PendingRow, person: PersonRecord) -> Change:
    subject = SERVER
    with suppress(DecryptionFailed):  # whose key was destroyed, or is not of this ring
        key = noted.vault.unwrap(WrappedKey(person.ring_key_id, person.wrapped_key), "person", person.id)
        subject = LedgerSubject("person", person.id, key)
    return Change(kind=noted.kind, actor_id=None, subject=subject, rows=[person])


def subject_of(session: Session, vault: Vault, account_id: int) -> LedgerSubject:
    """The person of that account; SERVER for an account that we keep nothing of, or whose key was destroyed."""
    person = find(session, account_id)
    found = person and subject_named(session, vault, "person", person.id)
    return found or SERVER


def company_subject(session: Session, vault: Vault, company_id: str) -> LedgerSubject:
    """The company. Raises LookupError for an unknown id, DecryptionFailed when its key is gone."""
    company = session.get(CompanyRecord, text_key(company_id))
    if company is None:
        raise LookupError("no such company")
    key = vault.unwrap(WrappedKey(company.ring_key_id, company.wrapped_key), "company", company.id)
    return LedgerSubject("company", company.id, key)


def data_keys(
    session: Session, vault: Vault, kind: Literal["person", "company"], ids: Collection[str]
) -> dict[str, DataKey]:
    """The data keys of these people or companies, by id, read together; one that is gone is left out."""
    table = PersonRecord if kind == "person" else CompanyRecord
    query, found = select(table.id, table.ring_key_id, table.wrapped_key), dict[str, DataKey]()
    for chunk in text_chunks(ids):
        for subject_id, ring_key_id, wrapped_key in session.exec(query.where(col(table.id).in_(chunk))):
            with suppress(DecryptionFailed):
                found[subject_id] = vault.unwrap(WrappedKey(ring_key_id, wrapped_key), kind, subject_id)
    return found


def subject_named(session: Session, vault: Vault, kind: str, subject_id: str) -> LedgerSubject | None:
    """The subject that a log entry names; None when it is not there any more, or its key is not."""
    try:
        if kind == "company":
            return company_subject(session, vault, subject_id)
        if kind == "person":
            query = select(PersonRecord).where(col(PersonRecord.id) == text_key(subject_id))
            person = session.exec(query).one_or_none()
            return None if person is None else LedgerSubject("person", person.id, data_key(vault, person))
    except (LookupError, DecryptionFailed):
        return None
    return SERVER if kind == SERVER.kind else None
