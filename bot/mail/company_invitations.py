"""An employee's request that their company sign: an e-mail to an address that they name, limited per account and address."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Literal

from agreements.domains.canonical_form import canonical_address
from agreements.facts import Account
from agreements.store.people import person_rows
from agreements.store.record_context import SECOND_CLICK, RecordContext
from bot.store import outbox
from bot.store.outbox import Email

KIND = "company-invitation"

A_DAY, A_WEEK = timedelta(days=1), timedelta(days=7)
MAX_INVITATIONS_A_DAY = 5
"""E-mails of this kind that one account may ask for within a day, to all addresses together."""


class UnusableAddress(Exception):
    """The address is no e-mail address."""


class TooManyInvitations(Exception):
    """The account had its share for a day."""


def write(
    context: RecordContext, account: Account, to: str, language: Literal["en", "zh"], values: Mapping[str, str]
) -> None:
    """Store the e-mail; an address gets one in a calendar week at most, from all accounts together. A second click changes nothing.

    `values` are what it speaks of: the `organization`, the agreement's `title`, the `url` of the page that starts the
    request. Raises UnusableAddress, TooManyInvitations.
    """
    session, at = context.session, context.at
    address = canonical_address(to)
    if address is None:
        raise UnusableAddress
    # Of two requests of one account at once the second waits here, and counts the first.
    person_rows.lock(session, person_rows.ensure(context, account))
    week = (at.date().toordinal() - 1) // A_WEEK.days  # Numbered by their Mondays.
    # By an index of the address: the occasion is not encrypted.
    once = f"{KIND}:{context.vault.blind_index(KIND, address).hex()}:{week}"
    if outbox.sent_recently(session, account.id, once, since=at - SECOND_CLICK):
        return
    if outbox.count(session, KIND, account.id, since=at - A_DAY) >= MAX_INVITATIONS_A_DAY:
        raise TooManyInvitations
    email = Email(
        kind=KIND,
        to=address,
        language=language,
        values={**values, "login": account.login},
        account_id=account.id,
        once=once,
    )
    # Withheld, it counts the same for the account: neither can be told from outside.
    if not outbox.add(context, email):
        outbox.record_suppressed(context, KIND, account.id)
