"""Outgoing webhooks that wait, were sent or were given up: stored sealed, with the change that they speak of."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final, Literal

from sqlalchemy import CheckConstraint, delete
from sqlmodel import Field, Session, SQLModel, col, select, update

from agreements.ledger import rows_of
from agreements.store.ledger import stored_ledger
from agreements.store.people import person_rows
from agreements.store.record_context import RecordContext
from agreements.store.tables.columns import BigId
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.declarations import declare
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import SignatureRecord
from agreements.vault import Vault, place
from bot.store.leases import Lease, lease_indexes
from bot.store.outgoing import NO_SYNCHRONIZE, Outgoing, OutgoingRow
from bot.store.retry_policy import retry_delay
from bot.store.statements import Upsert, delete_rows, run, table

State = Literal["waiting", "sent", "failed"]

# A webhook that was sent or given up is kept so long; until then it can be sent again.
WEBHOOK_RETENTION: Final = timedelta(days=30)

_READER: Final = "webhooks"


class OutgoingWebhook(OutgoingRow, table=True):
    """An event for one endpoint; its id is sent along and stays the same in all tries."""

    __tablename__ = "outgoing_webhook"
    __table_args__ = (
        CheckConstraint("state IN ('waiting', 'sent', 'failed')", name="outgoing_webhook_state_known"),
        *lease_indexes("outgoing_webhook"),
        declare(sealed="sealed", erased="account"),
    )

    endpoint: str
    event: str
    account_id: int | None = Field(default=None, sa_type=BigId, index=True)
    sealed: bytes


class LogPosition(SQLModel, table=True):
    """The position of a `reader` in the log of the records: `next_number` is that of the next entry."""

    __tablename__ = "log_position"

    reader: str = Field(primary_key=True)
    next_number: int = Field(sa_type=BigId)


class OutgoingWebhooks(Outgoing[OutgoingWebhook]):
    """The webhooks that wait."""

    model = OutgoingWebhook
    job = "outgoing-webhook"
    share = "endpoint"  # Endpoints take turns: one that hangs leaves the others their places.
    threads = MappingProxyType({"outgoing": 4})
    max_threads = 4
    max_claims = 8


QUEUE: Final = OutgoingWebhooks()

_BEGIN: Final = Upsert(LogPosition, lambda insert: insert.on_conflict_do_nothing(index_elements=["reader"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordChange:
    """An entry of the log, its `kind` and the moment `at`, with the records that a webhook about it names.

    These are `signatures`, `logins` by account id and a `company`: no real name, no address.
    """

    kind: str
    at: datetime
    signatures: tuple[SignatureRecord, ...] = field(default=(), repr=False)
    logins: dict[int, str] = field(default_factory=dict, repr=False)
    company: CompanyRecord | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class LogBatch:
    """A part of the log: how many `entries` were read, and the `changes` among them that were asked for."""

    entries: int
    changes: tuple[RecordChange, ...]


def add(context: RecordContext, body: bytes, *, endpoints: Collection[str], event: str, account_id: int | None) -> None:
    """Store `body` once for each of the endpoints, by the caller's transaction."""
    at = context.at
    for endpoint in endpoints:
        row_id = context.new_id()  # An id for each endpoint: a receiver tells a repetition by it.
        sealed = context.vault.encrypt_for_server(body, _place(row_id))
        context.session.add(
            OutgoingWebhook(
                id=row_id,
                endpoint=endpoint,
                event=event,
                account_id=account_id,
                sealed=sealed,
                state="waiting",
                due_at=at,
                not_before=at,
                made_at=at,
            )
        )


def body(vault: Vault, row: OutgoingWebhook) -> bytes:
    """The webhook's body, opened. Raises DecryptionFailed."""
    return vault.decrypt_for_server(row.sealed, _place(row.id))


def again(session: Session, ids: Collection[str], *, at: datetime) -> list[str]:
    """Have these webhooks wait once more that were sent or given up; gives the ids of those that do."""
    return QUEUE.send_again(session, ids, col(OutgoingWebhook.state) != "waiting", at=at)


def put_off_others(session: Session, lease: Lease[OutgoingWebhook], *, at: datetime) -> None:
    """Put off the other webhooks of an endpoint that does not answer, as long as this one."""
    # Each would wait for its timeout in vain, and keep those of other endpoints waiting.
    row, until = table(OutgoingWebhook), at + retry_delay(lease.row.attempts + 1)
    others = (
        row.c.endpoint == lease.row.endpoint,
        row.c.state == "waiting",
        row.c.lease_by.is_(None),
        row.c.due_at <= at,
    )
    run(session, update(row).where(*others).values(QUEUE.free_from(until) | {"lease_until": until}))


def purge(session: Session, *, at: datetime, most: int) -> int:
    """Delete old webhooks that do not wait; gives how many rows, at most `most`."""
    old = QUEUE.free(
        col(OutgoingWebhook.state) != "waiting", col(OutgoingWebhook.made_at) < at - WEBHOOK_RETENTION
    ).limit(most)
    return delete_rows(session, OutgoingWebhook, col(OutgoingWebhook.id).in_(old))


def begin_following(session: Session) -> bool:
    """Follow the log from its present end, if that has not begun. Gives whether there are entries to send."""
    entries, position = stored_ledger.extent(session).entries, session.get(LogPosition, _READER)
    if position is None:
        run(session, _BEGIN, {"reader": _READER, "next_number": entries})  # Several replicas may begin at once.
    return position is not None and position.next_number < entries


def stop_following(session: Session) -> None:
    """Forget how far the log was read: following it again begins with entries that are new then."""
    session.execute(delete(LogPosition).where(col(LogPosition.reader) == _READER))


def news(session: Session, kinds: Collection[str], *, most: int) -> LogBatch:
    """The next entries of these kinds, of at most `most` entries; with the transaction they count as read."""
    mine = update(LogPosition).where(col(LogPosition.reader) == _READER)
    locked = mine.values(next_number=LogPosition.next_number).returning(col(LogPosition.next_number))
    # Locked before the entries are read: of several replicas one reads at a time, each entry once.
    begin = session.scalars(locked, execution_options=NO_SYNCHRONIZE).one_or_none()
    if begin is None:
        return LogBatch(0, ())
    query = select(LedgerEntry).where(col(LedgerEntry.number) >= begin).order_by(col(LedgerEntry.number)).limit(most)
    entries = session.exec(query).all()
    if entries:
        session.exec(mine.values(next_number=entries[-1].number + 1), execution_options=NO_SYNCHRONIZE)
    return LogBatch(len(entries), tuple(_change(session, entry) for entry in entries if entry.kind in kinds))


def _change(session: Session, entry: LedgerEntry) -> RecordChange:
    named: dict[str, list[str]] = {}
    for row in rows_of(entry.rows):
        named.setdefault(row.table, []).append(row.id)
    ids = [*named.get("signature", ()), *named.get("withdrawal", ())]
    signatures = tuple(
        found for found in (session.get(SignatureRecord, signature_id) for signature_id in ids) if found is not None
    )
    known = person_rows.find_all(session, {signature.account_id for signature in signatures})
    # No webhook names a person who was erased, or whose erasure was decided meanwhile.
    logins = {
        person.account_id: person.login
        for person in known.values()
        if not (person_rows.is_erased(person) or person.restricted_at)
    }
    # A company's agreement that was signed elsewhere is written as the signature of who brought it.
    about = [entry.subject_id] if entry.subject_kind == "company" else named.get("company", [])
    company = session.get(CompanyRecord, about[0]) if about else None
    return RecordChange(kind=entry.kind, at=entry.at, signatures=signatures, logins=logins, company=company)


def _place(row_id: str) -> str:
    return place("outgoing_webhook", "sealed", row_id)
