"""The tables of the ledger: entries, the signed root after each of them, the key that signs, and a code for each row that is named."""

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import declare


class LedgerEntry(SQLModel, table=True):
    """One change of the records. `rows` name what it wrote, with hashes; `detail` is sealed with the subject's key."""

    __tablename__ = "ledger_entry"
    __table_args__ = (
        Index("ix_ledger_entry_kind_number", "kind", "number"),
        declare(exported=True, forms={"detail": "object"}),
    )

    number: int = Field(primary_key=True, sa_type=BigId)
    id: str = Field(unique=True, index=True)
    at: datetime = Field(sa_type=Moment)
    kind: str = Field(index=True)
    actor_id: int | None = Field(default=None, sa_type=BigId)
    subject_kind: str
    subject_id: str = Field(index=True)
    rows: str
    commitment: str
    detail: bytes


class LedgerCheckpoint(SQLModel, table=True):
    """The Merkle root over the first `size` entries, signed; `frontier` are the hashes that the next one needs."""

    __tablename__ = "ledger_checkpoint"
    __table_args__ = declare(exported=True, forms={"signature": "plain"})

    size: int = Field(primary_key=True, sa_type=BigId)
    root: str
    frontier: str
    signature: bytes


class LedgerKey(SQLModel, table=True):
    """What the log needs, sealed with the key ring: the Ed25519 key that signs, the key of what is told of nobody."""

    __tablename__ = "ledger_key"
    __table_args__ = declare(
        exported=True, sealed="sealed", forms={"public_key": "plain"}, secret=frozenset({"sealed"})
    )

    id: str = Field(primary_key=True)
    public_key: bytes
    sealed: bytes


class RowMac(SQLModel, table=True):
    """The newest entry that names a row, and the hash in it (None: it deleted the row), authenticated under the key ring.

    So whoever can write to the database alone cannot make a row that counts (`agreements.store.ledger.row_macs`).
    """

    __tablename__ = "row_mac"

    table_name: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    entry: int = Field(sa_type=BigId)
    sha256: str | None = None
    ring_key_id: str = Field(index=True)
    mac: str
