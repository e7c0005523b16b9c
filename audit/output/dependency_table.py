"""The dependencies of a repository as a table (CSV, RFC 4180) for spreadsheets: a row for each use."""

import csv
import io
from collections.abc import Callable, Iterator
from typing import Final

from audit import display_text
from audit.facts import Cell, RepositoryAudit
from audit.licenses.expression import spelled
from audit.output import suppliers
from audit.output.shipped_parts import taken
from audit.verdict.advice import what_to_do

Escape = Callable[[str], str]
"""Makes a value harmless as a cell of a spreadsheet, which would calculate what begins like a formula (`bot.spreadsheet`)."""
HEADER: Final = (
    "repository", "name", "version", "usage", "license", "concluded", "verdict", "rule", "reason", "what to do", "waived until",
    "direct", "optional", "modified", "component", "supplier", "purl", "download", "file", "line",
)  # fmt: skip
_BOM: Final = "\ufeff"  # Without it, spreadsheets take UTF-8 for something else.
_ANSWER: Final = {True: "yes", False: "no", None: ""}


def dependency_table(audited: RepositoryAudit, escape: Escape, supplier: str | None = None) -> str:
    """The table as text; lines end as RFC 4180 says. Each value is one line, so that a row is, too."""
    out = io.StringIO(newline="")  # The writer ends lines itself.
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(HEADER)
    owner = suppliers.owner(audited.repository, supplier)
    for cell in audited.cells:
        rows.writerow([escape(display_text.line(value, 2_000)) for value in _row(audited.repository.name, cell, owner)])
    return _BOM + out.getvalue()


def _row(name: str, cell: Cell, owner: str | None) -> Iterator[str]:
    dependency, judged = cell.dependency, cell.judgement
    place = next(iter(dependency.places), None)
    yield from (
        name,
        dependency.name,
        dependency.version or "",
        dependency.usage,
        spelled(dependency.license.expression) or "",
        str(taken(cell) or ""),
    )
    yield from (judged.verdict, judged.rule, judged.reason, what_to_do(judged.rule, judged.verdict))
    yield cell.waiver.until.isoformat() if cell.waiver else ""
    yield from (
        _ANSWER[dependency.direct],
        _ANSWER[dependency.optional],
        _ANSWER[dependency.modified],
        dependency.component or "",
    )
    yield from (suppliers.supplier(dependency, owner) or "", dependency.purl or "", dependency.download or "")
    yield from (place.path if place else "", str(place.line) if place and place.line else "")
