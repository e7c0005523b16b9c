"""The log of the records as pages: newest first, filtered by kind, subject and day; one entry with what it told."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import abort, request
from flask.typing import ResponseReturnValue

from agreements.moments import moment
from agreements.store import log_entries
from agreements.store.log_entries import EntryFilter
from bot.portal.admin.entry_kinds import KINDS
from bot.portal.admin.page_context import part, render
from bot.portal.page_access import Route, Who
from bot.portal.portal_services import portal_services

_LONGEST = 64
_ACCOUNT = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


def log_page() -> ResponseReturnValue:
    """The entries that the filter asks for; a filter that cannot be read asks for all."""
    services = portal_services()
    filters = {name: request.args.get(name, "").strip()[:_LONGEST] for name in ("kind", "subject", "from", "to")}
    with services.sessions() as records:
        wanted = _wanted(filters)
        found = part(lambda skip, most: log_entries.page(records, wanted, skip=skip, most=most))
        kinds = log_entries.kinds(records)
    return render("admin/log.html", part=found, filters=filters, kinds=kinds, words=KINDS)


def entry_page(number: int) -> ResponseReturnValue:
    """One entry, opened as long as its subject's key exists."""
    services = portal_services()
    if number >= 2**63:
        abort(404)
    with services.sessions() as records:
        found = log_entries.opened(records, services.vault, number)
    if found is None:
        abort(404)
    told = None if found.told is None else _told(found.told)
    return render("admin/entry.html", entry=found, told=told, words=KINDS)


def _told(told: Mapping[str, Any]) -> dict[str, object]:
    """What the entry told, with moments where it holds the text of one."""
    return {name: (moment(value) or value) if isinstance(value, str) else value for name, value in told.items()}


def _wanted(filters: dict[str, str]) -> EntryFilter:
    """A number is an account of GitHub's, anything else our own id of a subject; `to` is the last day that counts."""
    subject, last = filters["subject"], _day(filters["to"])
    account = int(subject) if _ACCOUNT.fullmatch(subject) else None
    return EntryFilter(
        kind=filters["kind"] or None,
        subject_id=(subject or None) if account is None else None,
        about_account=account,
        since=_day(filters["from"]),
        until=last + timedelta(days=1) if last else None,
    )


def _day(text: str) -> datetime | None:
    try:
        found = datetime.strptime(text, "%Y-%m-%d")  # noqa: DTZ007 - a day has no zone; ours is UTC
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if 1970 <= found.year < 9000 else None


ROUTES = (
    Route("/admin/log", log_page, Who.READER),
    Route("/admin/log/<int:number>", entry_page, Who.READER),
)
