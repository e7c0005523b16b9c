"""Mail to those who look after a company, and to who begins to, each in the language of what they signed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from sqlmodel import Session

from agreements.facts import Account
from agreements.github_server import GitHubServer
from agreements.store.companies import company_mail, managers
from agreements.store.people import signatures
from agreements.store.record_context import RecordContext
from bot.store import outbox
from bot.store.outbox import Email

WELCOME_AGAIN = timedelta(hours=24)
"""The time in which a manager gets no second welcome at the same company, however often they are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagerNotice:
    """An e-mail to managers: `kind` names the template; `about` is an account that the e-mail speaks of.

    To `values` the login of who reads it is added, as `manager`. `once` names the occasion, of which each manager gets one e-mail.
    """

    kind: str
    values: Mapping[str, str] = field(repr=False)
    about: int | None = None
    once: str | None = None


def write(context: RecordContext, company_id: str, occasion: ManagerNotice, *, server: GitHubServer) -> int:
    """Store an e-mail to each manager in office whose address we know; how many."""
    session, vault, at = context.session, context.vault, context.at
    written = 0
    logins = {manager.account.id: manager.account.login for manager in managers.in_office(session, company_id, at=at)}
    reached = company_mail.addresses(session, vault, company_id, logins, server=server)
    for account_id, address in reached.items():
        email = Email(
            kind=occasion.kind,
            to=address,
            language=language(session, account_id),
            values={**occasion.values, "manager": logins[account_id]},
            # Filed under the person that it speaks of, with whose erasure it is deleted.
            account_id=account_id if occasion.about is None else occasion.about,
            once=None if occasion.once is None else f"{occasion.once}:{account_id}",
        )
        written += outbox.add(context, email)
    return written


def welcomed(url: str, at: datetime) -> str:
    """The occasion, as `once` says it, of being told that one looks after the company whose page is `url`."""
    return f"{_welcomes(url)}{at.isoformat()}"


def welcome(
    context: RecordContext, account: Account, company: tuple[str, str], *, url: str, by: str, server: GitHubServer
) -> None:
    """Tell a person that they manage a company now, if an address of theirs is known to us; not twice in 24 hours.

    `company` is its id and name, `url` its page, `by` the login of who named them. Lock the company first: when two
    managers name the same person at once, the second then finds the first one's e-mail.
    """
    session, at, (company_id, name) = context.session, context.at, company
    address = company_mail.addresses(session, context.vault, company_id, [account.id], server=server).get(account.id)
    # Else to name and remove a person in turn would send e-mails without end.
    if address is None or outbox.sent_recently(session, account.id, _welcomes(url), since=at - WELCOME_AGAIN):
        return
    email = Email(
        kind="manager-appointed",
        to=address,
        language=language(session, account.id),
        values={"company": name, "url": url, "by": by, "login": account.login},
        account_id=account.id,
        once=f"{welcomed(url, at)}:{account.id}",
    )
    outbox.add(context, email)


def language(session: Session, account_id: int) -> Literal["en", "zh"]:
    """The language in which that account signed last; English without a signature."""
    signed = signatures.mine(session, account_id)
    return "zh" if signed and signed[0].language == "zh" else "en"


def _welcomes(url: str) -> str:
    return f"welcome:{url}:"
