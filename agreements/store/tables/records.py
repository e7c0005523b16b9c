"""The tables of people: their signatures, withdrawals, proven addresses and kept papers."""

from datetime import datetime, timedelta

from sqlalchemy import CheckConstraint, Index, text
from sqlmodel import Field, SQLModel

from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import BlindIndex, RowRetention, declare


class PersonRecord(SQLModel, table=True):
    """A GitHub account that is known; the login is a label, everything else about them is sealed with their key."""

    __tablename__ = "person"
    __table_args__ = (
        Index("ix_person_created_at", "created_at"),
        declare(
            logged=True,
            erased="part",
            present={"wrapped_key": "the key ring wraps it anew when it is rotated: it must open as this person's key"},
            derived={"ring_key_id": "wrapped_key must open with the key of the ring that it names"},
        ),
    )

    id: str = Field(primary_key=True)
    account_id: int = Field(sa_type=BigId, unique=True, index=True)  # Unique: two sessions at once make one person.
    login: str
    login_since: datetime = Field(sa_type=Moment)
    wrapped_key: bytes  # empty once the person was erased
    ring_key_id: str = Field(index=True)
    created_at: datetime = Field(sa_type=Moment)
    restricted_at: datetime | None = Field(default=None, sa_type=Moment)
    erased_at: datetime | None = Field(default=None, sa_type=Moment)
    letters_to: str | None = None  # the proof whose address they chose for e-mails about their companies


class SignatureRecord(SQLModel, table=True):
    """Immutable evidence of one click: the text, the party, the statement, the account, the time. The database refuses changes."""

    __tablename__ = "signature"
    __table_args__ = (
        Index("ix_signature_account_id_agreement", "account_id", "agreement"),
        Index("ix_signature_signed_at", "signed_at"),
        Index(
            "ix_signature_without_party",
            "id",
            sqlite_where=text("party IS NULL"),
            postgresql_where=text("party IS NULL"),
        ),
        declare(logged=True, unless_null="party", forms={"evidence": "object"}),  # Earlier releases had no party.
    )

    id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", index=True)
    account_id: int = Field(sa_type=BigId)
    login: str  # Empty: it is sealed with the evidence, but in rows of early releases.
    agreement: str
    version: str
    language: str
    source_sha256: str
    shown_sha256: str
    statement_id: str
    statement_sha256: str
    identity_proof: str  # how the account is known to be the signer's
    signed_at: datetime = Field(sa_type=Moment)
    receipt: str = Field(unique=True, index=True)
    evidence: bytes
    # In canonical form (`agreements.cla.party`); None in rows of releases that did not record it.
    party: str | None = None


class Withdrawal(SQLModel, table=True):
    """The end of one signature, as immutable as the signature itself; by its signer, or (`revocation`) by others."""

    __table_args__ = declare(logged=True)

    signature_id: str = Field(primary_key=True, foreign_key="signature.id")  # A signature ends once.
    at: datetime = Field(sa_type=Moment)
    by_account_id: int = Field(sa_type=BigId)
    kind: str = "withdrawal"
    reason: bytes | None = None  # sealed with the signer's key


class Proof(SQLModel, table=True):
    """An address that was proven to belong to an account, how, and from when until when."""

    __table_args__ = declare(logged=True, erased="person", indexes={"address_index": BlindIndex("address")})

    id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", index=True)
    account_id: int = Field(sa_type=BigId, index=True)
    address: bytes
    address_index: bytes = Field(index=True)
    how: str
    at: datetime = Field(sa_type=Moment)
    until: datetime | None = Field(default=None, sa_type=Moment)


class OneTimeCode(SQLModel, table=True):
    """A code mailed to an address; only its keyed hash is kept, and it ends after a few wrong tries.

    `mac` authenticates the whole row (`agreements.store.ledger.transient_rows`).
    """

    __tablename__ = "one_time_code"
    # A day: as long as codes are counted against their limits.
    __table_args__ = declare(authenticated=True, erased="person", retention=RowRetention("made_at", timedelta(days=1)))

    id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", index=True)
    account_id: int = Field(sa_type=BigId, index=True)
    company_id: str | None = Field(default=None, foreign_key="company.id")
    address: bytes
    address_index: bytes = Field(index=True)
    code_hash: str  # a keyed hash, so that the database alone answers no code
    made_at: datetime = Field(sa_type=Moment)
    expires_at: datetime = Field(sa_type=Moment, index=True)
    tries_left: int
    used_at: datetime | None = Field(default=None, sa_type=Moment)
    mac: str | None = None


class PortalSignoffRecord(SQLModel, table=True):
    """Evidence of one click: a person signed off these commits of a pull request. Only its end is ever written later."""

    __tablename__ = "portal_signoff"
    __table_args__ = (
        Index("ix_portal_signoff_repository_id_number", "repository_id", "number"),
        declare(logged=True, forms={"evidence": "object"}),
    )

    id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", index=True)
    account_id: int = Field(sa_type=BigId, index=True)
    repository_id: int = Field(sa_type=BigId)
    number: int
    shas: str  # With spaces between them.
    text_sha256: str
    statement_id: str
    statement_sha256: str
    language: str
    identity_proof: str
    signed_at: datetime = Field(sa_type=Moment)
    evidence: bytes  # The login of that day, sealed with the signer's key.
    revoked_at: datetime | None = Field(default=None, sa_type=Moment)

    @property
    def commits(self) -> tuple[str, ...]:
        """The SHAs of the commits."""
        return tuple(self.shas.split())


class DocumentRecord(SQLModel, table=True):
    """A file that proves an agreement made elsewhere; name and content sealed, its hash kept."""

    __tablename__ = "document"
    __table_args__ = declare(logged=True, erased="person", evidence="signature_id", forms={"content": "file"})

    id: str = Field(primary_key=True)
    person_id: str | None = Field(default=None, foreign_key="person.id", index=True)
    company_id: str | None = Field(default=None, foreign_key="company.id", index=True)
    signature_id: str | None = Field(default=None, foreign_key="signature.id", index=True)
    service: str
    name: bytes
    media_type: str
    size: int
    sha256: str
    content: bytes
    recorded_at: datetime = Field(sa_type=Moment)
    recorded_by: int = Field(sa_type=BigId)


class ReleasedText(SQLModel, table=True):
    """An agreement text released in the portal; like the files of the catalog it never changes."""

    __tablename__ = "released_text"
    __table_args__ = declare(logged=True)

    name: str = Field(primary_key=True)
    version: str = Field(primary_key=True)
    language: str = Field(primary_key=True)
    source: str
    sha256: str
    released_at: datetime = Field(sa_type=Moment)
    released_by: int = Field(sa_type=BigId)


class Campaign(SQLModel, table=True):
    """A campaign that asks signers of older versions to sign this one; `until` is when the older ones cease to count."""

    __table_args__ = declare(logged=True)

    id: str = Field(primary_key=True)
    agreement: str
    version: str
    until: datetime = Field(sa_type=Moment)
    started_at: datetime = Field(sa_type=Moment)
    started_by: int = Field(sa_type=BigId)
    reminded_at: datetime | None = Field(default=None, sa_type=Moment)
    ended_at: datetime | None = Field(default=None, sa_type=Moment)


class Erasure(SQLModel, table=True):
    """A person's request that their data be erased, and what became of it."""

    __table_args__ = declare(logged=True, sealed="reason", erased="part")

    id: str = Field(primary_key=True)
    account_id: int = Field(sa_type=BigId, index=True)
    person_id: str | None = Field(default=None, index=True)  # No foreign key: the person's row may be deleted.
    asked_at: datetime = Field(sa_type=Moment)
    state: str
    reason: bytes | None = None
    decided_at: datetime | None = Field(default=None, sa_type=Moment)
    decided_by: int | None = Field(default=None, sa_type=BigId)
    due_at: datetime | None = Field(default=None, sa_type=Moment)
    done_at: datetime | None = Field(default=None, sa_type=Moment)


class ImportedEntry(SQLModel, table=True):
    """An entry of a foreign list; it covers no one until it has become a signature."""

    __tablename__ = "imported"
    __table_args__ = declare(
        logged=True,
        sealed="sealed",
        forms={"sealed": "object"},
        erased="person",
        evidence="signature_id",
    )

    id: str = Field(primary_key=True)
    key: str = Field(unique=True, index=True)  # A second import of the same entry adds nothing.
    format: str
    login: str
    account_id: int | None = Field(default=None, sa_type=BigId, index=True)
    agreement: str
    version: str
    signed_at: datetime = Field(sa_type=Moment)
    sealed: bytes
    state: str = Field(index=True)
    reason: str = ""
    imported_at: datetime = Field(sa_type=Moment)
    signature_id: str | None = Field(default=None, index=True)


DERIVED, ADMINISTRATOR, RECORDED = "derived", "administrator", "recorded"
"""The ways a party was found: from the hash of the page shown, by an administrator, with a company's record."""

_ONE_AGREEMENT = "(signature_id IS NULL) <> (company_id IS NULL)"


class PartyRecord(SQLModel, table=True):
    """The party of one signature, or of one company without a signature, found out after it was made."""

    __tablename__ = "agreement_party"
    __table_args__ = (
        CheckConstraint(_ONE_AGREEMENT, name="agreement_party_of_one"),
        CheckConstraint("how IN ('derived', 'administrator', 'recorded')", name="agreement_party_how_known"),
        declare(logged=True),
    )

    id: str = Field(primary_key=True)
    # Each is decided once.
    signature_id: str | None = Field(default=None, foreign_key="signature.id", unique=True, index=True)
    company_id: str | None = Field(default=None, foreign_key="company.id", unique=True, index=True)
    party: str
    how: str
    at: datetime = Field(sa_type=Moment)
    by_account_id: int | None = Field(default=None, sa_type=BigId)  # None: it follows from the records.
