"""A contributor's request to the managers of their company: to be covered, or not to be covered any more."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from agreements.domains.masking import masked
from agreements.facts import Account
from agreements.github_server import GitHubServer
from agreements.store.people import person_rows
from agreements.store.record_context import SECOND_CLICK, RecordContext
from bot.mail import manager_emails
from bot.mail.manager_emails import ManagerNotice
from bot.store import outbox

REQUEST_INTERVAL = timedelta(days=1)
"""The time in which one account asks the managers of one company once."""
MAX_REQUESTS_A_DAY = 20
"""Accounts that may ask the managers of one company within REQUEST_INTERVAL: one person may have many accounts there."""

Wish = Literal["add", "leave"]
_KINDS: Mapping[Wish, str] = {"add": "cover-request", "leave": "cover-removal"}


class AskedRecently(Exception):
    """The account has asked these managers within REQUEST_INTERVAL."""


class TooManyRequests(Exception):
    """The managers of the company had their share for a day."""


@dataclass(frozen=True, slots=True)
class CoverRequest:
    """A request (`wish`) to the managers of a `company` (`company_id`), which knows the account by `address` ("": by none)."""

    company_id: str
    company: str
    wish: Wish
    address: str = field(default="", repr=False)


def write(context: RecordContext, account: Account, asked: CoverRequest, *, url: str, server: GitHubServer) -> bool:
    """Store the e-mail to each manager who can be reached, and log the request; False if there is none. `url` is this site's.

    A second click changes nothing. Raises AskedRecently, TooManyRequests.
    """
    session, at = context.session, context.at
    # Of two requests of one account at once the second waits here, and finds the first one's e-mails.
    person_rows.lock(session, person_rows.ensure(context, account))
    occasion = f"cover:{asked.company_id}:"
    since = at - REQUEST_INTERVAL
    if outbox.sent_recently(session, account.id, occasion, since=since):
        just_now = at - SECOND_CLICK
        if outbox.sent_recently(session, account.id, occasion, since=just_now) and outbox.count(
            session, _KINDS[asked.wish], account.id, since=just_now
        ):
            return True
        raise AskedRecently
    if outbox.count_accounts(session, occasion, since=since) >= MAX_REQUESTS_A_DAY:
        raise TooManyRequests
    values = {
        "login": account.login,
        "company": asked.company,
        "address": masked(asked.address) if asked.address else "–",
        "url": f"{url}/company/{asked.company_id}/people",
    }
    once = f"{occasion}{account.id}:{at.isoformat()}"
    notice = ManagerNotice(kind=_KINDS[asked.wish], values=values, about=account.id, once=once)
    written = manager_emails.write(context, asked.company_id, notice, server=server)
    if written:
        context.log("cover.requested", account.id, details={"company": asked.company_id, "wish": asked.wish})
    return bool(written)
