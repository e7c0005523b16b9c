"""The accounts that we serve: the id that a configured login meant when it was first resolved, and their rulebook."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, column, update, values
from sqlalchemy import select as select_columns
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.store.lookup import account_chunks
from agreements.store.tables.columns import BigId, Moment
from bot.store.records import PullRecord
from bot.store.statements import Upsert, read, run, table


class Owner(SQLModel, table=True):
    """One account; `login` is the configured name (lower case) that led to it, "" when it was configured by id."""

    __tablename__ = "owner"

    account_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    login: str = ""
    rules: str | None = None
    last_valid: str | None = None  # The newest without mistakes; None also where the account had no rulebook since.
    read_at: datetime | None = Field(default=None, sa_type=Moment)  # None: nothing was read yet.


_RULES: Final = Upsert.replacing(Owner, "account_id", "rules", "last_valid", "read_at")
_LOGIN: Final = Upsert(
    Owner,
    # An account keeps its first login.
    lambda insert: insert.on_conflict_do_update(
        index_elements=["account_id"], set_={"login": insert.excluded.login}, where=table(Owner).c.login == ""
    ),
)


def resolved(session: Session) -> dict[str, int]:
    """Every configured login that was resolved before, and its id."""
    # A login that changed hands keeps meaning the old id: else a stranger's rules would count.
    known = session.exec(select(Owner.login, Owner.account_id).where(col(Owner.login) != ""))
    return dict(known.all())


def remember_login(session: Session, login: str, account_id: int) -> None:
    """Store the account of a configured login; no other account keeps that login."""
    others = update(Owner).where(col(Owner.login) == login.lower(), col(Owner.account_id) != account_id)
    session.exec(others.values(login=""))
    run(session, _LOGIN, {"account_id": account_id, "login": login.lower()})


def remember_rules(session: Session, account_id: int, text: str | None, *, valid: bool, at: datetime) -> bool:
    """Keep the owner's rulebook as just read, for the portal; False, and no write, when it is the same."""
    known = read(session, Owner, account_id=account_id)
    if is_remembered(known, text, valid=valid):
        return False
    # A rulebook with mistakes takes nothing away from the last one without any.
    last_valid = text if valid else known.last_valid if known is not None else None
    values = {"account_id": account_id, "login": "", "rules": text, "last_valid": last_valid, "read_at": at}
    run(session, _RULES, values)
    return True


def is_remembered(known: Owner | None, text: str | None, *, valid: bool) -> bool:
    """True if that rulebook is the one stored for the account."""
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


@dataclass(frozen=True, slots=True)
class KnownOwners:
    """The accounts that were ever served, `rows`, and the `names` of these and of those configured by id, all by id."""

    rows: Mapping[int, Owner]
    names: Mapping[int, str]

    def served(self, accounts: Sequence[str]) -> dict[int, str]:
        """The names of the configured accounts whose rulebook was read, by id, in that order."""
        read = [row for row in self.rows.values() if row.read_at is not None]
        return {
            # If configured by id, it is called as its pull requests call it, else by the id.
            row.account_id: row.login or self.names[row.account_id]
            for account in accounts
            for row in read
            if account.lower() in {row.login, str(row.account_id)}
        }

    def configured(self, accounts: Sequence[str]) -> dict[int, str]:
        """The names of the configured accounts whose ids are known, by id, in that order, read rulebook or not."""
        known = {row.login: row.account_id for row in self.rows.values() if row.login}
        ids = (int(account) if _is_id(account) else known.get(account.lower()) for account in accounts)
        return {account_id: self.names[account_id] for account_id in ids if account_id is not None}

    def find(self, login: str, accounts: Sequence[str]) -> int | None:
        """The id of the configured account with that login: as its pull requests call it now, else as it was configured."""
        found = self.configured(accounts)
        now = {name.lower(): account_id for account_id, name in found.items()}
        # Links that were made before an account was renamed lead to its rules, unless another one has that name now.
        first = {row.login: account_id for account_id, row in self.rows.items() if row.login and account_id in found}
        return {**first, **now}.get(login.lower())


def known(session: Session, accounts: Sequence[str] = ()) -> KnownOwners:
    """The owners that are known; `accounts` are those that are configured."""
    rows, names = dict[int, Owner](), dict[int, str]()
    query = select_columns(Owner, _called(Owner.account_id)).order_by(col(Owner.account_id))
    for row, called in session.execute(query):
        rows[row.account_id], names[row.account_id] = row, called or row.login or str(row.account_id)
    others = {int(account) for account in accounts if _is_id(account)} - rows.keys()
    return KnownOwners(rows, {**names, **names_of(session, others)})


def configured(session: Session, accounts: Sequence[str]) -> dict[int, str]:
    """The names of the configured accounts, see `KnownOwners.configured`."""
    return known(session, accounts).configured(accounts)


def _is_id(account: str) -> bool:
    return account.isascii() and account.isdecimal()  # `int` takes the digits of other scripts, too.


def name_of(session: Session, account_id: int) -> str:
    """The account's login as its pull requests have it, else as it was configured, else its id."""
    return names_of(session, [account_id])[account_id]


def names_of(session: Session, account_ids: Collection[int]) -> dict[int, str]:
    """The names of several accounts, as of `name_of`, by id."""
    found: dict[int, str] = {}
    for lot in account_chunks(account_ids):
        # A row for each id that is asked, also of an account that no row names.
        asked = values(column("id", BigInteger), name="asked").data([(account_id,) for account_id in lot]).cte()
        configured_login = select(Owner.login).where(Owner.account_id == asked.c.id)
        query = select_columns(asked.c.id, _called(asked.c.id), configured_login.scalar_subquery())
        found.update(
            (account_id, called or login or str(account_id)) for account_id, called, login in session.execute(query)
        )
    return found


def ids(session: Session) -> frozenset[int]:
    """Every account that was ever served."""
    return frozenset(session.exec(select(Owner.account_id)))


def _called(account_id: Any) -> Any:
    # An account may have been renamed: its newest pull request has its name of now.
    newest = select(PullRecord.owner).where(PullRecord.owner_id == account_id).order_by(col(PullRecord.id).desc())
    return newest.limit(1).scalar_subquery()


def rules(session: Session, account_id: int) -> str | None:
    """The owner's rulebook as last read."""
    row = last_read(session, account_id)
    return row.rules if row else None


def last_read(session: Session, account_id: int) -> Owner | None:
    """The row of the owner; None where its rulebook was not read yet."""
    query = select(Owner).where(col(Owner.account_id) == account_id, col(Owner.read_at).is_not(None))
    return session.exec(query).first()
