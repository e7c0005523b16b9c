"""The sign-offs that an account gave in the portal, each with its pull request."""

from collections.abc import Sequence

from sqlalchemy import and_
from sqlmodel import Session, col, select

from agreements.store.lookup import account_key
from agreements.store.tables.records import PortalSignoffRecord
from bot.store.records import PullRecord

SignedPull = tuple[PortalSignoffRecord, PullRecord]
"""A sign-off and the pull request whose commits it is for."""


def of_account(session: Session, account_id: int, signoff_id: str | None = None) -> Sequence[SignedPull]:
    """All sign-offs of the account, or just that one; the newest first, withdrawn ones included."""
    signoff, pull = PortalSignoffRecord, PullRecord
    same = and_(col(pull.repository_id) == col(signoff.repository_id), col(pull.number) == col(signoff.number))
    wanted = [col(signoff.account_id) == account_key(account_id)]
    if signoff_id is not None:
        wanted.append(col(signoff.id) == signoff_id)
    query = select(signoff, pull).join(pull, same).where(*wanted)
    return session.exec(query.order_by(col(signoff.signed_at).desc(), col(signoff.id))).all()
