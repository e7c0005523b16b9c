"""Tokens for the API: made by administrators, known by their hash, each for some things only, revocable."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from agreements.store.columns import BigId, Moment


class ApiToken(SQLModel, table=True):
    """One token; what it opens is in `scopes`, separated by blanks."""

    __tablename__ = "api_token"

    id: str = Field(primary_key=True)
    name: str
    token_hash: str = Field(unique=True, index=True)
    scopes: str
    made_at: datetime = Field(sa_type=Moment)
    made_by: int = Field(sa_type=BigId)
    expires_at: datetime | None = Field(default=None, sa_type=Moment)
    revoked_at: datetime | None = Field(default=None, sa_type=Moment)
    used_at: datetime | None = Field(default=None, sa_type=Moment)
