"""Decisions about imported logins: GitHub says whose they are, and where that does not settle it, an administrator does."""

from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy import func, tuple_
from sqlmodel import Session, col, select

from agreements.facts import Account
from agreements.store import lookup
from agreements.store.imports import import_doubts, imported
from agreements.store.imports.imported import COUNTED, DOUBTFUL, REFUSED, WAITING, ImportedDetails
from agreements.store.lookup import from_row, text_key
from agreements.store.people import person_rows
from agreements.store.record_context import RecordContext
from agreements.store.tables.records import ImportedEntry
from agreements.vault import Vault

STATES = (WAITING, DOUBTFUL, COUNTED, REFUSED)
"""All states, in the order in which a page shows them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportLine:
    """An imported entry (`id`) as a page shows it: from a list of that `format`, imported at `imported_at`.

    It says that `login` (`account_id`, None while not known) signed `agreement` in `version` at `signed_at`. `state` is
    one of `STATES`, `reason` why it waits or was refused, `details` what was sealed.
    """

    id: str
    format: str
    login: str
    account_id: int | None
    agreement: str
    version: str
    signed_at: datetime
    state: str
    reason: str
    imported_at: datetime
    details: ImportedDetails = field(repr=False)


def waiting(session: Session) -> tuple[str, ...]:
    """The ids of all entries that wait for GitHub, in the order in which they came."""
    query = select(ImportedEntry.id).where(col(ImportedEntry.state) == WAITING)
    return tuple(session.exec(query.order_by(col(ImportedEntry.imported_at), col(ImportedEntry.id))))


def login_of(session: Session, entry_id: str) -> str | None:
    """The login of an entry that waits; None when it does not, or is not there."""
    query = select(ImportedEntry.login).where(
        col(ImportedEntry.id) == text_key(entry_id), col(ImportedEntry.state) == WAITING
    )
    return session.exec(query).one_or_none()


def counts(session: Session) -> dict[str, int]:
    """The number of entries in each state."""
    return dict(session.exec(select(ImportedEntry.state, func.count()).group_by(ImportedEntry.state)).all())


def page(session: Session, vault: Vault, state: str, *, after: str = "", most: int = 50) -> tuple[ImportLine, ...]:
    """Entries in that state by login, those behind the entry with the id `after`."""
    place = (func.lower(col(ImportedEntry.login)), col(ImportedEntry.id))
    last = select(place[0]).where(col(ImportedEntry.id) == after).scalar_subquery()
    # An entry that is gone is behind none: the list begins anew.
    is_behind = tuple_(*place) > tuple_(func.coalesce(last, ""), after)
    query = select(ImportedEntry).where(col(ImportedEntry.state) == text_key(state), is_behind)
    return tuple(_line(vault, row) for row in session.exec(query.order_by(*place).limit(most)))


def doubtful(session: Session, vault: Vault, entry_id: str) -> ImportLine | None:
    """The entry, if an administrator has to decide it; else None."""
    query = select(ImportedEntry).where(
        col(ImportedEntry.id) == text_key(entry_id), col(ImportedEntry.state) == DOUBTFUL
    )
    row = session.exec(query).one_or_none()
    return _line(vault, row) if row is not None else None


def settle(context: RecordContext, entry_id: str, account: Account | None, since: datetime | None) -> int | None:
    """Take GitHub's answer: the account that has the login now (None: no one has) and since when it exists.

    The account's id when the entry counts now; None when it does not, or waits no longer.
    """
    session, vault = context.session, context.vault
    row = _locked(session, entry_id)
    if row is None or row.state != WAITING:  # Another replica may have settled it while GitHub was asked.
        return None
    doubt = _doubt(session, vault, row, account, since)
    if doubt or account is None:
        row.account_id = account.id if account else None
        change = imported.doubted(vault, row, doubt)
        session.add(row)
        context.append(change)
        return None
    return _count(context, row, account, "signature.imported")


def confirm(context: RecordContext, entry_id: str, account: Account, *, reason: str) -> int | None:
    """Let an administrator decide that this account signed; its id, None when the entry waits for no such decision.

    Raises ValueError for a blank reason, or when they would confirm themselves.
    """
    row = _locked(context.session, entry_id)
    if row is None or row.state != DOUBTFUL:
        return None
    if account.id == context.actor:
        raise ValueError("nobody confirms themselves")
    return _count(context, row, account, "login.confirmed", text_key(reason))


def refuse(context: RecordContext, entry_id: str, *, reason: str) -> bool:
    """Let an administrator decide that the entry does not count; False when it does not wait. Raises ValueError."""
    row = _locked(context.session, entry_id)
    if row is None or row.state not in (DOUBTFUL, WAITING):  # An administrator need not wait for GitHub.
        return False
    details = replace(imported.opened(context.vault, row), refusal=text_key(reason))
    row.state, row.sealed = REFUSED, imported.sealed(context.vault, row.id, details)
    context.session.add(row)
    context.log("login.refused", rows=[row], details={"reason": reason})
    return True


def _count(context: RecordContext, row: ImportedEntry, account: Account, kind: str, reason: str = "") -> int:
    person = person_rows.find(context.session, account.id)
    # A person who is here keeps the login known here: a list is older.
    if person is None or person_rows.is_erased(person):
        person = person_rows.ensure(context, account)
    imported.sign(context, row, person, kind, reason)
    return person.account_id


def _doubt(session: Session, vault: Vault, row: ImportedEntry, account: Account | None, since: datetime | None) -> str:
    if account is None or since is None:
        return "login-unknown"
    if account.type != "User":
        return "no-person"
    person_rows.find_locked(session, account.id)  # Their erasure or withdrawal could be under way.
    claim = (account.id, row.signed_at)
    here = import_doubts.found(session, [claim], row.agreement).get(claim, "")
    if here in import_doubts.UNNAMED:  # Before dates: nothing more is said of erased people.
        return here
    if since >= row.signed_at:  # The login was another's on the day of signing: logins change hands.
        return "account-younger"
    if not imported.opened(vault, row).dated:  # A date that the importer gave proves nothing about the login.
        return "date-given"
    return here


def _line(vault: Vault, row: ImportedEntry) -> ImportLine:
    details = imported.opened(vault, row)
    return from_row(ImportLine, row, login=details.login or row.login, details=details)


def _locked(session: Session, entry_id: str) -> ImportedEntry | None:
    return lookup.locked(session, ImportedEntry, col(ImportedEntry.id) == text_key(entry_id))
