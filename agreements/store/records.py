"""The tables of the records: who signed what, who took it back, whom companies name, which addresses are proven."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field, SQLModel

from agreements.store.columns import BigId, Moment


class Person(SQLModel, table=True):
    """A GitHub account that we know; the login is a label, everything else about them is sealed with their key."""

    id: str = Field(primary_key=True)
    account_id: int = Field(sa_type=BigId, unique=True, index=True)
    login: str
    login_since: datetime = Field(sa_type=Moment)
    wrapped_key: bytes
    ring_key_id: str = Field(index=True)
    created_at: datetime = Field(sa_type=Moment)


class Signature(SQLModel, table=True):
    """Immutable evidence of one click: the text, the statement, the account, the time. The database refuses changes."""

    __table_args__ = (Index("ix_signature_account_id_agreement", "account_id", "agreement"),)

    id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", index=True)
    account_id: int = Field(sa_type=BigId)
    login: str
    agreement: str
    version: str
    language: str
    source_sha256: str
    shown_sha256: str
    statement_id: str
    statement_sha256: str
    identity_proof: str
    signed_at: datetime = Field(sa_type=Moment)
    receipt: str = Field(unique=True, index=True)
    evidence: bytes


class Withdrawal(SQLModel, table=True):
    """The end of one signature, as immutable as the signature itself."""

    signature_id: str = Field(primary_key=True, foreign_key="signature.id")
    at: datetime = Field(sa_type=Moment)
    by_account_id: int = Field(sa_type=BigId)


class Company(SQLModel, table=True):
    """A corporate agreement; it counts only once it is countersigned. `domains` None leaves the mode to the rulebook."""

    __table_args__ = (CheckConstraint("domains IN ('linked', 'enrolled')", name="company_domains_known"),)

    id: str = Field(primary_key=True)
    name: str
    agreement: str
    version: str
    signed_at: datetime = Field(sa_type=Moment)
    countersigned_at: datetime | None = Field(default=None, sa_type=Moment)
    ended_at: datetime | None = Field(default=None, sa_type=Moment)
    domains: str | None = None
    wrapped_key: bytes
    ring_key_id: str = Field(index=True)


ENTRY_HAS_ONE_KEY = (
    "(kind = 'domain' AND domain IS NOT NULL AND email IS NULL AND email_index IS NULL AND account_id IS NULL)"
    " OR (kind = 'email' AND domain IS NULL AND email IS NOT NULL AND email_index IS NOT NULL AND account_id IS NULL)"
    " OR (kind = 'account' AND domain IS NULL AND email IS NULL AND email_index IS NULL AND account_id IS NOT NULL)"
)


class CompanyEntry(SQLModel, table=True):
    """Whom a company names or excludes, from `since` until `until`; exactly one key, never none."""

    __tablename__ = "company_entry"
    __table_args__ = (CheckConstraint(ENTRY_HAS_ONE_KEY, name="company_entry_has_one_key"),)

    id: str = Field(primary_key=True)
    company_id: str = Field(foreign_key="company.id", index=True)
    kind: str
    excluded: bool
    domain: str | None = Field(default=None, index=True)
    subdomains: bool
    email: bytes | None = None
    email_index: bytes | None = Field(default=None, index=True)
    account_id: int | None = Field(default=None, sa_type=BigId, index=True)
    since: datetime | None = Field(default=None, sa_type=Moment)
    until: datetime | None = Field(default=None, sa_type=Moment)
    added_at: datetime = Field(sa_type=Moment)


class Proof(SQLModel, table=True):
    """An address that was proven to belong to an account, how, and from when until when."""

    id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", index=True)
    account_id: int = Field(sa_type=BigId, index=True)
    address: bytes
    address_index: bytes = Field(index=True)
    how: str
    at: datetime = Field(sa_type=Moment)
    until: datetime | None = Field(default=None, sa_type=Moment)
