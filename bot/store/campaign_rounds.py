"""The accounts that a campaign has written to: one e-mail for each occasion, however often it is started."""

from sqlmodel import Session, col, select

from bot.store.outbox import Mail


def occasion(agreement: str, version: str, reminded: str = "") -> str:
    """The occasion that the e-mails of one round share: `campaign:icla:3.0:`, with the day for a reminder."""
    return f"campaign:{agreement}:{version}:{reminded}{':' if reminded else ''}"


def written(session: Session, round_of: str) -> frozenset[int]:
    """The accounts that there is an e-mail for in that round, sent or waiting."""
    query = select(Mail.account_id).where(
        col(Mail.once).like(f"{round_of}account-%"), col(Mail.account_id).is_not(None)
    )
    return frozenset(account_id for account_id in session.exec(query) if account_id is not None)


def key(round_of: str, account_id: int) -> str:
    """The occasion of the e-mail itself, which only one e-mail may have."""
    return f"{round_of}account-{account_id}"  # By account: an address may change between two starts.
