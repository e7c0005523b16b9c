"""The accounts that we serve: which id a configured login meant when it was first resolved, and their rulebook as last read."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import update
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.store.tables.columns import BigId, Moment
from bot.store.records import PullRecord
from bot.store.statements import Upsert, read, run, table


class Owner(SQLModel, table=True):
    """One account; `login` is the configured name (lower case) that led to it, "" when it was configured by id."""

    __tablename__ = "owner"

    account_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    login: str = ""
    rules: str | None = None
    last_valid: str | None = None
    """The newest one without mistakes; None also where the account had no rulebook since."""
    read_at: datetime | None = Field(default=None, sa_type=Moment)


_RULES: Final = Upsert.replacing(Owner, "account_id", "rules", "last_valid", "read_at")
_LOGIN: Final = Upsert(
    Owner,
    lambda insert: insert.on_conflict_do_update(
        index_elements=["account_id"], set_={"login": insert.excluded.login}, where=table(Owner).c.login == ""
    ),
)


def resolved(session: Session) -> dict[str, int]:
    """Every configured login that was resolved before, and its id. A login that changed hands keeps meaning the old id."""
    known = session.exec(select(Owner.login, Owner.account_id).where(col(Owner.login) != ""))
    return dict(known.all())


def remember_login(session: Session, login: str, account_id: int) -> None:
    """Write down what a configured login means. No other account keeps that login; an account keeps its first one."""
    others = update(Owner).where(col(Owner.login) == login.lower(), col(Owner.account_id) != account_id)
    session.exec(others.values(login=""))
    run(session, _LOGIN, {"account_id": account_id, "login": login.lower()})


def remember_rules(session: Session, account_id: int, text: str | None, *, valid: bool, at: datetime) -> bool:
    """Keep the owner's rulebook as just read, for the portal; False, and no write, when it is the same.

    One with mistakes takes nothing away from the last one without any.
    """
    known = read(session, Owner, account_id=account_id)
    if is_remembered(known, text, valid=valid):
        return False
    last_valid = text if valid else known.last_valid if known is not None else None
    values = {"account_id": account_id, "login": "", "rules": text, "last_valid": last_valid, "read_at": at}
    run(session, _RULES, values)
    return True


def is_remembered(known: Owner | None, text: str | None, *, valid: bool) -> bool:
    """Whether that rulebook is what is known of the account."""
    last_valid = text if valid else known.last_valid if known is not None else None
    return known is not None and known.read_at is not None and (known.rules, known.last_valid) == (text, last_valid)


def all_valid_rules(session: Session) -> tuple[str, ...]:
    """Every rulebook as last read, and the last one without mistakes, each once."""
    rows = session.exec(select(Owner.rules, Owner.last_valid).order_by(col(Owner.account_id)))
    return tuple(dict.fromkeys(text for row in rows for text in row if text is not None))


def all_rules(session: Session) -> tuple[str, ...]:
    """Every rulebook as last read, each once."""
    rows = session.exec(select(Owner.rules).where(col(Owner.rules).is_not(None)).order_by(col(Owner.account_id)))
    return tuple(dict.fromkeys(text for text in rows if text is not None))


def served(session: Session, accounts: Sequence[str]) -> dict[int, str]:
    """Those of the configured accounts whose rulebook was read, in that order: the names by the ids.

    One that is configured by its id is called as its pull requests call it, else by the id.
    """
    rows = session.exec(select(Owner).where(col(Owner.read_at).is_not(None)).order_by(col(Owner.account_id))).all()
    return {
        row.account_id: row.login or _called(session, row.account_id) or account
        for account in accounts
        for row in rows
        if account.lower() in {row.login, str(row.account_id)}
    }


def configured(session: Session, accounts: Sequence[str]) -> dict[int, str]:
    """The configured accounts whose ids are known, in that order, whether their rulebook was read or not: the names by the ids."""
    known = resolved(session)
    ids = (int(one) if one.isascii() and one.isdecimal() else known.get(one.lower()) for one in accounts)
    return {account_id: name_of(session, account_id) for account_id in ids if account_id is not None}


def name_of(session: Session, account_id: int) -> str:
    """The account's login as its pull requests have it, else as it was configured, else its id."""
    configured_login = select(Owner.login).where(col(Owner.account_id) == account_id)
    return _called(session, account_id) or session.exec(configured_login).one_or_none() or str(account_id)


def ids(session: Session) -> frozenset[int]:
    """Every account that was ever served."""
    return frozenset(session.exec(select(Owner.account_id)))


def _called(session: Session, account_id: int) -> str:
    newest = (
        select(PullRecord.owner).where(PullRecord.owner_id == account_id).order_by(col(PullRecord.id).desc()).limit(1)
    )
    return session.exec(newest).one_or_none() or ""


def rules(session: Session, account_id: int) -> str | None:
    """That owner's rulebook as last read."""
    row = last_read(session, account_id)
    return row.rules if row else None


def last_read(session: Session, account_id: int) -> Owner | None:
    """That owner; None where its rulebook was not read yet."""
    query = select(Owner).where(col(Owner.account_id) == account_id, col(Owner.read_at).is_not(None))
    return session.exec(query).first()
