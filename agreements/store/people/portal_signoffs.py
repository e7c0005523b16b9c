"""Sign-offs that people give in the portal for their own commits of a pull request; each may be revoked by its signer."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from agreements.facts import PortalSignoff
from agreements.store.lookup import account_key, text_key
from agreements.store.people import person_rows
from agreements.store.record_context import RecordContext
from agreements.store.tables.records import PersonRecord, PortalSignoffRecord
from agreements.vault import DecryptionFailed, Vault, place

StoredSignoff = PortalSignoffRecord
"""The rows of `of_pull`, for modules that may not import the tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalSignoffDraft:
    """A sign-off about to be stored: for the commits `shas` of pull request `number` in the repository `repository_id`.

    The signer read the text `text_sha256` in `language`, agreed to the statement `statement_id` (`statement_sha256`), and is
    known by `identity_proof`.
    """

    repository_id: int
    number: int
    shas: tuple[str, ...]
    text_sha256: str
    statement_id: str
    statement_sha256: str
    language: str
    identity_proof: str


def _nothing() -> None:
    """The default of what is queued with a change."""


def add(
    context: RecordContext, person: PersonRecord, draft: PortalSignoffDraft, *, queue: Callable[[], None] = _nothing
) -> PortalSignoffRecord | None:
    """Store and log the sign-off; None when this person's sign-offs in force have all these commits already.

    `queue` queues what follows from a change, before the log: others wait for that, and may hold what is queued. Raises ValueError for a sign-off of no commit.
    """
    session, vault = context.session, context.vault
    person_rows.lock(session, person)  # Of two clicks at once the second finds the first one's row.
    known = {
        sha for row in standing(session, draft.repository_id, draft.number, person.account_id) for sha in row.commits
    }
    if known.issuperset(draft.shas):
        if not draft.shas:
            raise ValueError("a sign-off needs a commit")
        return None
    signoff_id = text_key(context.new_id())
    sealed = json.dumps({"login": person.login}).encode()
    row = PortalSignoffRecord(
        id=signoff_id,
        person_id=person.id,
        account_id=account_key(person.account_id),
        repository_id=draft.repository_id,
        number=draft.number,
        shas=" ".join(draft.shas),
        text_sha256=text_key(draft.text_sha256),
        statement_id=text_key(draft.statement_id),
        statement_sha256=text_key(draft.statement_sha256),
        language=text_key(draft.language),
        identity_proof=text_key(draft.identity_proof),
        signed_at=context.at,
        evidence=vault.encrypt(person_rows.data_key(vault, person), sealed, _about(signoff_id)),
    )
    session.add(row)
    queue()
    context.log("signoff.added", person.account_id, rows=[row], details=_details(row))
    return row


def revoke(context: RecordContext, repository_id: int, number: int, *, queue: Callable[[], None] = _nothing) -> int:
    """End and log all sign-offs of the acting account in that pull request; how many were in force. `queue` as for `add`."""
    if person_rows.find_locked(context.session, context.actor) is None:
        return 0
    rows = standing(context.session, repository_id, number, context.actor)
    for row in rows:
        row.revoked_at = context.at
        context.session.add(row)
    if rows:
        queue()
        context.log("signoff.revoked", context.actor, rows=rows, details=_details(rows[0]))
    return len(rows)


def standing(session: Session, repository_id: int, number: int, account_id: int) -> Sequence[PortalSignoffRecord]:
    """The account's sign-offs in that pull request that are in force, the oldest first."""
    wanted = (*_of(repository_id, number), col(PortalSignoffRecord.account_id) == account_key(account_id))
    query = select(PortalSignoffRecord).where(*wanted, col(PortalSignoffRecord.revoked_at).is_(None))
    return session.exec(query.order_by(col(PortalSignoffRecord.signed_at), col(PortalSignoffRecord.id))).all()


def of_pull(session: Session, repository_id: int, number: int) -> Sequence[PortalSignoffRecord]:
    """All sign-offs in that pull request, revoked ones included."""
    return session.exec(select(PortalSignoffRecord).where(*_of(repository_id, number))).all()


def read(rows: Iterable[Any]) -> tuple[PortalSignoff, ...]:
    """The sign-offs in force among these rows, as a verdict knows them."""
    running = sorted((row for row in rows if row.revoked_at is None), key=lambda row: (row.signed_at, row.id))
    return tuple(PortalSignoff(row.account_id, tuple(row.shas.split())) for row in running)


def count(session: Session, account_id: int) -> int:
    """The number of sign-offs of that account, revoked ones included: they are evidence of why something passed."""
    query = select(PortalSignoffRecord.id).where(col(PortalSignoffRecord.account_id) == account_key(account_id))
    return len(session.exec(query).all())


def login(vault: Vault, person: PersonRecord | None, row: PortalSignoffRecord) -> str:
    """The login of the day of the sign-off; "" once the key that sealed it was destroyed."""
    if person is None or (person.erased_at is not None and row.signed_at <= person.erased_at):
        return ""
    try:
        opened = vault.decrypt(person_rows.data_key(vault, person), row.evidence, _about(row.id))
    except DecryptionFailed:
        return ""
    return str(json.loads(opened)["login"])


def _of(repository_id: int, number: int) -> tuple[ColumnElement[bool], ...]:
    return col(PortalSignoffRecord.repository_id) == repository_id, col(PortalSignoffRecord.number) == number


def _details(row: PortalSignoffRecord) -> dict[str, object]:
    return {"repository": row.repository_id, "pull_request": row.number}


def _about(row_id: str) -> str:
    # Evidence that was copied to another row does not open there.
    return place("portal_signoff", "evidence", row_id)
