"""Files that a page hands out: always saved, never shown; what holds personal data is told to the security log."""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO

from flask import Response

from bot import spreadsheet
from bot.portal.session.visitor import signed_in
from bot.telemetry import security_log
from bot.telemetry.security_log import Event

_BOM = "\ufeff"  # Without it spreadsheets take UTF-8 for something else.


def download(content: str | bytes | Iterator[str], media_type: str, name: str) -> Response:
    """The file under that name, which needs no escaping."""
    return Response(content, mimetype=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def named_download(content: bytes | Iterator[bytes], media_type: str, name: str) -> Response:
    """The file under a name that came from somewhere else."""
    answer = Response(content, mimetype=media_type)
    answer.headers.set("Content-Disposition", "attachment", filename=name)  # Quoted, and encoded where it is not ASCII.
    return answer


def log_export(what: str, subject: int | str | None) -> None:
    """Tell the security log that the visitor takes a file along, and of whom or what."""
    security_log.tell(Event.EXPORTED, account=signed_in().account.id, what=what, subject=subject)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, is_whole: bool = True) -> str:
    """RFC 4180 with a byte order mark; no cell is a formula in any spreadsheet; the last line says that it is whole."""
    written = StringIO()
    lines = csv.writer(written, lineterminator="\r\n")
    lines.writerows([spreadsheet.escape(cell) for cell in row] for row in (header, *rows))
    if is_whole:
        lines.writerow(spreadsheet.complete(len(rows), len(header)))
    return _BOM + written.getvalue()
