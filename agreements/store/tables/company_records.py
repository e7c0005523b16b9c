"""The tables of companies: their agreement, the people it names, the managers, and how their domains were proven."""

from datetime import datetime, timedelta

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field, SQLModel

from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import BlindIndex, RowRetention, declare

REQUEST_RETENTION = timedelta(days=90)
"""The time for which a request to sign is listed after its link has ended."""

INVITATION_RETENTION = timedelta(days=90)
"""The time for which an invitation of an employee is listed."""


class CompanyRecord(SQLModel, table=True):
    """A corporate agreement; it counts only once it is countersigned."""

    __tablename__ = "company"
    __table_args__ = (
        CheckConstraint("domains IN ('linked', 'enrolled')", name="company_domains_known"),
        declare(
            logged=True,
            derived={
                "wrapped_key": "the key ring wraps it anew when it is rotated: it must open as this company's key",
                "ring_key_id": "wrapped_key must open with the key of the ring that it names",
            },
            forms={"details": "object"},
            free={
                "reminded_at": "says only whether managers were reminded of the annual review; a time to come counts as none"
            },
        ),
    )

    id: str = Field(primary_key=True)
    name: str
    agreement: str
    version: str
    signed_at: datetime = Field(sa_type=Moment)
    countersigned_at: datetime | None = Field(default=None, sa_type=Moment)  # None: it waits, and covers no one
    ended_at: datetime | None = Field(default=None, sa_type=Moment)
    domains: str | None = None  # None leaves the mode to the rulebook.
    wrapped_key: bytes  # for `details`, and what its other rows seal
    ring_key_id: str = Field(index=True)
    requested_by: int | None = Field(default=None, sa_type=BigId)  # None: imported
    # Immutable evidence of who signed; None: imported.
    signature_id: str | None = Field(default=None, foreign_key="signature.id", index=True)
    details: bytes | None = None  # sealed with the company's key
    refused_at: datetime | None = Field(default=None, sa_type=Moment)
    decided_by: int | None = Field(default=None, sa_type=BigId)
    renew_by: datetime | None = Field(default=None, sa_type=Moment)
    reminded_at: datetime | None = Field(default=None, sa_type=Moment)


# An entry with two keys, or with none, could be read in two ways: the database refuses it.
ENTRY_HAS_ONE_KEY = (
    "(kind = 'domain' AND domain IS NOT NULL AND email IS NULL AND email_index IS NULL AND account_id IS NULL)"
    " OR (kind = 'email' AND domain IS NULL AND email IS NOT NULL AND email_index IS NOT NULL AND account_id IS NULL)"
    " OR (kind = 'account' AND domain IS NULL AND email IS NULL AND email_index IS NULL AND account_id IS NOT NULL)"
)


class CompanyEntry(SQLModel, table=True):
    """A person or domain that a company names or excludes, from `since` until `until`; exactly one key, never none."""

    __tablename__ = "company_entry"
    __table_args__ = (
        CheckConstraint(ENTRY_HAS_ONE_KEY, name="company_entry_has_one_key"),
        # An erasure takes the login away; the company's entry stays.
        declare(logged=True, indexes={"email_index": BlindIndex("email")}, erased="part"),
    )

    id: str = Field(primary_key=True)
    company_id: str = Field(foreign_key="company.id", index=True)
    kind: str
    excluded: bool
    domain: str | None = Field(default=None, index=True)
    subdomains: bool
    email: bytes | None = None
    email_index: bytes | None = Field(default=None, index=True)
    account_id: int | None = Field(default=None, sa_type=BigId, index=True)
    login: str = ""  # a label, of the day on which the account was added
    since: datetime | None = Field(default=None, sa_type=Moment)
    until: datetime | None = Field(default=None, sa_type=Moment)
    added_at: datetime = Field(sa_type=Moment)
    added_by: int | None = Field(default=None, sa_type=BigId)


class CompanyManager(SQLModel, table=True):
    """A manager of a company's agreement, from when until when; the login is a label of that day."""

    __tablename__ = "company_manager"
    __table_args__ = declare(logged=True, erased="part")

    id: str = Field(primary_key=True)
    company_id: str = Field(foreign_key="company.id", index=True)
    account_id: int = Field(sa_type=BigId, index=True)
    login: str
    since: datetime = Field(sa_type=Moment)
    until: datetime | None = Field(default=None, sa_type=Moment)
    added_by: int = Field(sa_type=BigId)


class DomainClaim(SQLModel, table=True):
    """A company's claim to a domain: the word that its DNS must show, and how it came to be proven."""

    __tablename__ = "domain_claim"
    __table_args__ = (
        CheckConstraint("how IN ('dns', 'administrator')", name="domain_claim_how_known"),
        declare(
            logged=True,
            unless_null="missing_since",  # Earlier releases did not hash it.
            free={"checked_at": "says only when DNS is asked again; a time to come counts as none"},
        ),
    )

    id: str = Field(primary_key=True)
    company_id: str = Field(foreign_key="company.id", index=True)
    domain: str = Field(index=True)
    subdomains: bool
    token: str  # the word that DNS must show
    claimed_at: datetime = Field(sa_type=Moment)
    claimed_by: int = Field(sa_type=BigId)
    expires_at: datetime = Field(sa_type=Moment)
    proven_at: datetime | None = Field(default=None, sa_type=Moment)
    how: str | None = None
    decided_by: int | None = Field(default=None, sa_type=BigId)
    reason: bytes | None = None  # sealed with the company's key
    refused_at: datetime | None = Field(default=None, sa_type=Moment)
    entry_id: str | None = Field(default=None, foreign_key="company_entry.id")
    checked_at: datetime | None = Field(default=None, sa_type=Moment)
    missing_since: datetime | None = Field(default=None, sa_type=Moment)


class Enrolment(SQLModel, table=True):
    """A person who showed, by a code mailed to an address at the company's domain, that they work there; for a year."""

    __table_args__ = declare(
        logged=True,
        erased="person",
        free={"reminded_at": "says only whether the person was reminded of the end; a time to come counts as none"},
    )

    id: str = Field(primary_key=True)
    company_id: str = Field(foreign_key="company.id", index=True)
    person_id: str = Field(foreign_key="person.id", index=True)
    account_id: int = Field(sa_type=BigId, index=True)
    proof_id: str = Field(index=True)  # No foreign key: the person may remove the proof.
    domain: str
    since: datetime = Field(sa_type=Moment)
    until: datetime = Field(sa_type=Moment)
    ended_at: datetime | None = Field(default=None, sa_type=Moment)
    reminded_at: datetime | None = Field(default=None, sa_type=Moment)


class SignatoryRequest(SQLModel, table=True):
    """A company agreement sent to a signatory without a GitHub account, with the code that was mailed last.

    `mac` authenticates the whole row (`agreements.store.ledger.transient_rows`).
    """

    __tablename__ = "signatory_request"
    __table_args__ = (
        CheckConstraint("outcome IN ('signed', 'declined', 'revoked')", name="signatory_request_outcome_known"),
        declare(authenticated=True, erased="person", retention=RowRetention("expires_at", REQUEST_RETENTION)),
    )

    id: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", index=True)
    account_id: int = Field(sa_type=BigId, index=True)
    token_hash: str = Field(unique=True, index=True)  # A link is not stored: the database alone opens no request.
    sealed: bytes  # company, address, second manager; opens with the sender's key
    address_index: bytes = Field(index=True)
    made_at: datetime = Field(sa_type=Moment)
    sent_at: datetime = Field(sa_type=Moment)
    sent: int
    expires_at: datetime = Field(sa_type=Moment, index=True)
    codes: int = 0
    codes_since: datetime | None = Field(default=None, sa_type=Moment)
    code_hash: str | None = None
    code_expires_at: datetime | None = Field(default=None, sa_type=Moment)
    code_tries: int = 0
    opened_at: datetime | None = Field(default=None, sa_type=Moment)
    answered_at: datetime | None = Field(default=None, sa_type=Moment)
    outcome: str | None = None
    company_id: str | None = None  # No foreign key: it is set before the company is made.
    mac: str | None = None


class EmployeeInvitation(SQLModel, table=True):
    """A company's mail that asks an employee to enrol, and its reminders; the address opens with the company's key."""

    __tablename__ = "employee_invitation"
    __table_args__ = (
        UniqueConstraint("company_id", "address_index", name="employee_invitation_once"),  # Reminders would double.
        declare(
            indexes={"address_index": BlindIndex("address")},
            erased="part",
            retention=RowRetention("invited_at", INVITATION_RETENTION),
        ),
    )

    id: str = Field(primary_key=True)
    company_id: str = Field(foreign_key="company.id", index=True)
    address: bytes
    address_index: bytes = Field(index=True)
    language: str
    invited_at: datetime = Field(sa_type=Moment, index=True)
    invited_by: int = Field(sa_type=BigId)
    reminders: int = 0
    reminded_at: datetime | None = Field(default=None, sa_type=Moment)
    withdrawn_at: datetime | None = Field(default=None, sa_type=Moment)
    enrolled_at: datetime | None = Field(default=None, sa_type=Moment)
