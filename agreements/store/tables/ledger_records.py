"""The tables of the ledger: entries, the signed root after each of them, the key that signs, and a code for each row that is named."""

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import declare


class LedgerEntry(SQLModel, table=True):
    """One change of the records; `rows` name what it wrote, with hashes."""

    __tablename__ = "ledger_entry"
    __table_args__ = (
        Index("ix_ledger_entry_kind_number", "kind", "number"),  # The portal's list of one kind, the newest first.
        declare(exported=True, forms={"detail": "object"}),
    )

    number: int = Field(primary_key=True, sa_type=BigId)
    id: str = Field(unique=True, index=True)
    at: datetime = Field(sa_type=Moment)
    kind: str = Field(index=True)
    actor_id: int | None = Field(default=None, sa_type=BigId)
    subject_kind: str
    subject_id: str = Field(index=True)
    rows: str  # JSON of table, key and hash of each (`agreements.ledger.rows_text`)
    commitment: str  # salted hash of the details, so that an erasure leaves the entry verifiable
    detail: bytes  # sealed with the subject's key


class LedgerCheckpoint(SQLModel, table=True):
    """The Merkle root over the first `size` entries, signed."""

    __tablename__ = "ledger_checkpoint"
    __table_args__ = declare(exported=True, forms={"signature": "plain"})

    size: int = Field(primary_key=True, sa_type=BigId)
    root: str
    frontier: str  # the hashes that the next entry needs, in place of all older leaves
    signature: bytes


class LedgerKey(SQLModel, table=True):
    """The keys of the log, sealed with the key ring: the Ed25519 key that signs, and the key of details about no subject."""

    __tablename__ = "ledger_key"
    __table_args__ = declare(
        exported=True, sealed="sealed", forms={"public_key": "plain"}, secret=frozenset({"sealed"})
    )

    id: str = Field(primary_key=True)
    public_key: bytes  # empty for the key of details
    sealed: bytes


class RowMac(SQLModel, table=True):
    """The newest entry that names a row, and the hash in it, authenticated under the key ring (`agreements.store.ledger.row_macs`)."""

    __tablename__ = "row_mac"  # Not declared: it is not exported, as it can be made from the log again.

    table_name: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    entry: int = Field(sa_type=BigId)
    sha256: str | None = None  # None: the entry deleted the row.
    ring_key_id: str = Field(index=True)
    mac: str
