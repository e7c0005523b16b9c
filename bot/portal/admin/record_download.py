"""All records as one download for administrators."""

from collections.abc import Iterator

from flask.typing import ResponseReturnValue

from bot.portal.admin.page_context import render
from bot.portal.downloads import download, log_export
from bot.portal.forms.form_action import change
from bot.portal.portal_services import portal_services
from bot.records import export_files


def ask_for_all() -> ResponseReturnValue:
    """The page that says what the download holds, with its button."""
    return render("admin/export.html")


def take_all() -> ResponseReturnValue:
    """The download, written as it is read."""
    services = portal_services()
    catalog = services.catalog  # Read now: pieces are written when the request's context has ended.

    def pieces() -> Iterator[str]:
        with export_files.snapshot(services.sessions) as records:
            yield from export_files.as_json(records, services.vault, catalog, at=services.clock())

    # In the log before its first byte: one that is cut off was taken, too.
    with change() as context:
        context.log("records.exported")
    log_export("records", None)
    return download(pieces(), "application/json", f"countersign-{context.at:%Y-%m-%d}.json")
