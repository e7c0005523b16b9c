"""Everything that is recorded as one download for an administrator; the log says who took it."""

from collections.abc import Iterator

from flask import Response
from flask.typing import ResponseReturnValue

from agreements.catalog import Catalog
from bot.portal.admin.page_context import render
from bot.portal.portal_services import PortalServices, portal_services
from bot.portal.session.visitor import signed_in
from bot.records import export
from bot.telemetry import security_log
from bot.telemetry.security_log import Event


def ask_for_all() -> ResponseReturnValue:
    """What the download holds, and its button."""
    return render("admin/export.html")


def take_all() -> ResponseReturnValue:
    """The download, written as it is read; it is in the log before its first byte."""
    services, at, by = portal_services(), portal_services().clock(), signed_in().account
    with services.change(by.id) as context:
        context.log("records.exported")
    security_log.tell(Event.EXPORTED, account=by.id, what="records", subject=None)
    response = Response(_pieces(services, services.catalog), mimetype="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="countersign-{at:%Y-%m-%d}.json"'
    return response


def _pieces(services: PortalServices, catalog: Catalog) -> Iterator[str]:
    with export.snapshot(services.sessions) as records:
        yield from export.as_json(records, services.vault, catalog, at=services.clock())
