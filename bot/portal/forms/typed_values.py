"""Values that people type or ask for: a field, a day, an account's number or login, a reason, the page of a list."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from flask import request
from flask_babel import gettext as _

from agreements.facts import Account
from agreements.github_server import is_login
from bot.github.ports import HubError, Missing
from bot.portal.forms.form_action import FormRefused
from bot.portal.portal_services import portal_services
from bot.portal.text import times

MAX_REASON_CHARACTERS = 2000
"""Characters of a reason."""

_MAX_PAGES = 100_000  # The rows to skip have to fit a BIGINT.

_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
"""Stands for every earlier day: it is past, which the records refuse with their own words, and each database can compare it."""


def field(name: str) -> str:
    """The text in a field of the form, without the white space around it."""
    return request.form.get(name, "").strip()


def reason_text() -> str:
    """The reason in the form, on one line."""
    return " ".join(request.form.get("reason", "").split())


def short_reason() -> str:
    """The same without what is more than a reason may have."""
    return reason_text()[:MAX_REASON_CHARACTERS]


def day_start(text: str) -> datetime | None:
    """The moment in UTC at which that day, as year-month-day, begins; None for what is no day."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None


def chosen_days(filters: Mapping[str, str]) -> tuple[datetime | None, datetime | None]:
    """The beginning of `from` and the end of `to`, the last day that counts, in the visitor's zone; None for what is no day."""
    days = (day_start(filters.get(name, "")) for name in ("from", "to"))
    # Years that every database can compare, and to which a day can be added.
    since, last = (day.replace(tzinfo=times.zone()) if day and 1970 <= day.year < 9000 else None for day in days)
    # A day of a zone may have 23 or 25 hours, which Python's sum within one zone takes into account.
    return since and since.astimezone(UTC), (last + timedelta(days=1)).astimezone(UTC) if last else None


def account_number(text: str) -> int | None:
    """The number of a GitHub account; None for what cannot be one."""
    # Its length is looked at first: `int` takes time by the square of it.
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else 0
    return number if 0 < number < 2**63 else None


def page_number() -> int:
    """The page of a list that the address asks for with `?page=`, from 1 on; what is no number asks for the first."""
    asked = request.args.get("page", "")
    number = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 7 else 1
    return min(max(number, 1), _MAX_PAGES)


def account(typed: str, place: str) -> Account:
    """The person whose login was typed into the field `place`, as `account_of` finds them."""
    login = typed.strip().removeprefix("@")
    if not is_login(login):
        raise FormRefused({place: _("Enter a GitHub login, such as octocat.")})
    return _person(account_of(login, place), place)


def account_of(login: str, place: str) -> Account:
    """The account that has that login at GitHub now. Asks it, so never inside a transaction. Raises FormRefused."""
    with _answer_beside(place, _("There is no GitHub account with this login.")):
        return portal_services().hub.account_by_login(login)


def person_with(number: int, place: str) -> Account:
    """The person whose account at GitHub has that number, typed into `place`. A wrong digit is another account.

    Asks GitHub, so never inside a transaction. Raises FormRefused.
    """
    missing = _("There is no GitHub account with this number.")
    with _answer_beside(place, missing):
        (found,) = portal_services().hub.accounts_by_id([number])
    account = found[number]
    if account is None:
        raise FormRefused({place: missing})
    return _person(account, place)


@contextmanager
def _answer_beside(place: str, missing: str) -> Iterator[None]:
    try:
        yield
    except Missing:
        raise FormRefused({place: missing}) from None
    except HubError:
        raise FormRefused({place: _("GitHub is not responding right now. Try again in a few minutes.")}, 503) from None


def _person(found: Account, place: str) -> Account:
    if found.type != "User" or found.login.endswith("[bot]"):
        raise FormRefused({place: _("This account does not belong to a person.")})
    return found


def first_day(typed: str) -> datetime | None:
    """The beginning of that day in UTC; None for today and for nothing: at once. Raises ValueError for no day."""
    if not typed.strip():
        return None
    found = _day(typed)
    return None if found.date() == portal_services().clock().date() else found


def after_day(typed: str) -> datetime | None:
    """The end of that day in UTC: it still counts; None for nothing. Raises ValueError for no day."""
    return _day(typed) + timedelta(days=1) if typed.strip() else None


def _day(typed: str) -> datetime:
    found = day_start(typed.strip())
    # `strptime` takes "2026-1-5", too.
    if found is None or found.isoformat()[:10] != typed.strip() or found.year > 9000:
        raise ValueError("not a day as year, month, day")
    return max(found, _LONG_AGO)
