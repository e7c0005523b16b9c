"""A company's own data as CSV, for its managers; since it hands out personal data, the log says who took it."""

import csv
from collections.abc import Sequence
from io import StringIO

from flask import Response, render_template
from flask.typing import ResponseReturnValue

from agreements.store.companies import company_export
from agreements.store.people import subjects
from bot import spreadsheet
from bot.portal.company.company_access import overview
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.telemetry import security_log
from bot.telemetry.security_log import Event

_BOM = "\ufeff"  # without it spreadsheets take UTF-8 for something else


def export_page(company_id: str) -> ResponseReturnValue:
    """What is in it, and the button. A link would be followed by machines: every download is one entry of the log."""
    return render_template("company/export.html", company=overview(company_id), header=company_export.HEADER)


def export(company_id: str) -> ResponseReturnValue:
    """The file; written down before it is handed out."""
    who = signed_in()
    with portal_services().change(who.account.id) as context:
        rows = company_export.rows(context.session, context.vault, company_id)
        subject = subjects.of_company(context.session, context.vault, company_id)
        context.log("company.exported", subject, details={"rows": len(rows)})
    security_log.tell(Event.EXPORTED, account=who.account.id, what="company", subject=company_id)
    answer = Response(table(company_export.HEADER, rows), mimetype="text/csv")
    answer.headers["Content-Disposition"] = f'attachment; filename="company-{context.at:%Y-%m-%d}.csv"'
    return answer


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, is_whole: bool = True) -> str:
    """RFC 4180 with a byte order mark; no cell is a formula in whichever spreadsheet; the last line says that it is whole."""
    written = StringIO()
    lines = csv.writer(written, lineterminator="\r\n")
    lines.writerows([spreadsheet.escape(cell) for cell in row] for row in (header, *rows))
    if is_whole:
        lines.writerow(spreadsheet.complete(len(rows), len(header)))
    return _BOM + written.getvalue()
