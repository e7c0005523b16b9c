"""The facts that the newest verdict on each pull request rests on, sealed, for 90 days: to try other rules on them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import func
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import declare
from agreements.vault import Vault, WrappedKey, place
from bot.store.mailbox import lots
from bot.store.records import PullRecord
from bot.store.statements import Upsert, delete_rows, run

FACTS_RETENTION = timedelta(days=90)  # Of a pull request that gets no newer verdict.

_BATCH_FACTS = 100  # Read by one query: each may be large.


class StoredFacts(SQLModel, table=True):
    """The facts of one pull request at `head_sha`, as last judged; every newer verdict replaces them."""

    __tablename__ = "stored_facts"
    __table_args__ = declare(erased="part")  # About several people: erasing one deletes the row.

    pull_id: int = Field(
        primary_key=True, sa_type=BigId, foreign_key="pull.id", sa_column_kwargs={"autoincrement": False}
    )
    head_sha: str
    stored_at: datetime = Field(sa_type=Moment, index=True)
    sealed: bytes
    wrapped_key: bytes
    ring_key_id: str = Field(index=True)


_KEEP: Final = Upsert.replacing(StoredFacts, "pull_id", "head_sha", "stored_at", "sealed", "wrapped_key", "ring_key_id")


@dataclass(frozen=True, slots=True)
class EncryptedFacts:
    """Facts ready to be stored: `sealed` is what was packed, under a new `key` for just that pull request's row."""

    sealed: bytes = field(repr=False)
    key: WrappedKey


@dataclass(frozen=True, slots=True)
class PullWithFacts:
    """An open pull request as last seen: `pull_id`, `owner_id`, `owner`, `name`, `number`, `head_sha`.

    `stored` are its facts, None without any; `settled`: its last review has ended and nothing has come in since.
    """

    pull_id: int
    owner_id: int
    owner: str
    name: str
    number: int
    head_sha: str
    settled: bool
    stored: StoredFacts | None


def encrypt(vault: Vault, pull_id: int, packed: bytes) -> EncryptedFacts:
    """The bytes, sealed for the row of that pull request."""
    key, wrapped = vault.new_data_key("stored_facts", str(pull_id))  # A key for each row, wrapped by the ring.
    return EncryptedFacts(vault.encrypt(key, packed, _place(pull_id)), wrapped)


def decrypt(vault: Vault, row: StoredFacts) -> bytes:
    """The packed facts. Raises DecryptionFailed for a changed row, another's, or a key that is not in the ring."""
    key = vault.unwrap(WrappedKey(row.ring_key_id, row.wrapped_key), "stored_facts", str(row.pull_id))
    return vault.decrypt(key, row.sealed, _place(row.pull_id))


def keep(session: Session, pull_id: int, head_sha: str, facts: EncryptedFacts, *, at: datetime) -> None:
    """Store these facts in place of the pull request's older ones."""
    values = {
        "pull_id": pull_id,
        "head_sha": head_sha,
        "stored_at": at,
        "sealed": facts.sealed,
        "wrapped_key": facts.key.sealed,
        "ring_key_id": facts.key.ring_key_id,  # A rotation finds the rows of an older ring key by it.
    }
    run(session, _KEEP, values)


def forget(session: Session, pull_id: int) -> None:
    """Delete the stored facts of that pull request."""
    delete_rows(session, StoredFacts, col(StoredFacts.pull_id) == pull_id)


def purge(session: Session, *, at: datetime, most: int) -> int:
    """Delete what has been stored for `FACTS_RETENTION`, the oldest first; how many, at most `most`."""
    old = select(StoredFacts.pull_id).where(col(StoredFacts.stored_at) <= at - FACTS_RETENTION)
    lot = old.order_by(col(StoredFacts.stored_at)).limit(most)  # A long delete would keep deliveries waiting.
    return delete_rows(session, StoredFacts, col(StoredFacts.pull_id).in_(lot))


def repositories(session: Session) -> list[tuple[int, str, str]]:
    """Owner id, owner and name of every repository with open pull requests, as they were last called."""
    query = select(PullRecord.owner_id, PullRecord.owner, PullRecord.name).where(col(PullRecord.open)).distinct()
    return [(owner_id, owner, name) for owner_id, owner, name in session.exec(query)]


def count_open(session: Session) -> int:
    """The number of open pull requests."""
    return session.exec(select(func.count()).select_from(PullRecord).where(col(PullRecord.open))).one()


def of_open(session: Session) -> Iterator[PullWithFacts]:
    """Every open pull request, by name and number, one at a time: what is stored of one may be large."""
    query = (
        select(PullRecord, StoredFacts)
        .join(StoredFacts, col(StoredFacts.pull_id) == col(PullRecord.id), isouter=True)
        .where(col(PullRecord.open))
        .order_by(
            func.lower(col(PullRecord.owner)),
            func.lower(col(PullRecord.name)),
            col(PullRecord.number),
            col(PullRecord.id),
        )
    )
    with session.exec(query.execution_options(yield_per=10)) as rows:  # Closed, as the caller may not take all.
        for pull, stored in rows:
            assert pull.id is not None
            # While a review is under way its facts are about to be replaced.
            settled = pull.lease_by is None and pull.evaluated == pull.latest
            yield PullWithFacts(
                pull.id, pull.owner_id, pull.owner, pull.name, pull.number, pull.head_sha, settled, stored
            )


def of_pulls(session: Session, pull_ids: Sequence[int]) -> Iterator[StoredFacts]:
    """The stored facts of these pull requests, one at a time."""
    for some in lots(pull_ids, _BATCH_FACTS):
        yield from session.exec(select(StoredFacts).where(col(StoredFacts.pull_id).in_(some)))


def _place(pull_id: int) -> str:
    # Facts that were copied to another pull request's row do not open there.
    return place("stored_facts", "sealed", str(pull_id))
