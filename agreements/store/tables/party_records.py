"""The table of parties that were found for agreements whose own row does not name one; no row ever changes."""

from datetime import datetime

from sqlalchemy import CheckConstraint
from sqlmodel import Field, SQLModel

from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import declare

DERIVED, ADMINISTRATOR, RECORDED = "derived", "administrator", "recorded"
"""How a party was found: from the hash of the page that was shown, by an administrator, with a company's record."""

_ONE_AGREEMENT = "(signature_id IS NULL) <> (company_id IS NULL)"


class PartyRecord(SQLModel, table=True):
    """With which party one signature, or one company without a signature, was made; a company with one has its signature's.

    `by_account_id` is the administrator who decided it, None for what follows from the records.
    """

    __tablename__ = "agreement_party"
    __table_args__ = (
        CheckConstraint(_ONE_AGREEMENT, name="agreement_party_of_one"),
        CheckConstraint("how IN ('derived', 'administrator', 'recorded')", name="agreement_party_how_known"),
        declare(logged=True),
    )

    id: str = Field(primary_key=True)
    signature_id: str | None = Field(default=None, foreign_key="signature.id", unique=True, index=True)
    company_id: str | None = Field(default=None, foreign_key="company.id", unique=True, index=True)
    party: str
    how: str
    at: datetime = Field(sa_type=Moment)
    by_account_id: int | None = Field(default=None, sa_type=BigId)
