"""The log of the records as pages: newest first, filtered by kind, subject and day; one entry with what it told."""

import re
from datetime import datetime, timedelta

from flask import abort, request
from flask.typing import ResponseReturnValue

from agreements.moments import moment
from agreements.store import log_entries
from agreements.store.log_entries import EntryFilter
from bot.portal.admin.entry_kinds import KINDS
from bot.portal.admin.page_context import part, render
from bot.portal.forms.typed_values import day_start
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
    details = found.told and {
        name: (moment(value) or value) if isinstance(value, str) else value for name, value in found.told.items()
    }
    return render("admin/log_entry.html", entry=found, details=details, words=KINDS)


def _wanted(filters: dict[str, str]) -> EntryFilter:
    """A number is an account of GitHub's, anything else our own id of a subject; `to` is the last day that counts."""
    subject, last = filters["subject"], _bounded_day(filters["to"])
    account = int(subject) if _ACCOUNT.fullmatch(subject) else None
    return EntryFilter(
        kind=filters["kind"] or None,
        subject_id=(subject or None) if account is None else None,
        about_account=account,
        since=_bounded_day(filters["from"]),
        until=last + timedelta(days=1) if last else None,
    )


def _bounded_day(text: str) -> datetime | None:
    """Within the years that every database can compare."""
    found = day_start(text)
    return found if found and 1970 <= found.year < 9000 else None
