"""report.html: the whole audit on one page that needs nothing else: no network, no script to be read, no colour to be understood.

The page is a template (audit/data/report.html). What is the same in many repositories stands on it once, with all the places
where it was learned.
"""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import sha256
from html import escape
from typing import Final

from jinja2 import Template
from jinja2.filters import do_mark_safe
from markupsafe import Markup

from audit import display_text
from audit.facts import OWN_UNKNOWN, Cell, LicenseVerdict, Source, Usage
from audit.licenses import attribution, data_age
from audit.output import page_templates
from audit.output.audit_run import AuditRun, Totals, license_of, stamp
from audit.output.heat_map import LEGEND, REST_COLUMN, HeatMapGrid, grid
from audit.output.shipped_parts import taken
from audit.verdict import unknown_license
from audit.verdict.advice import help_of, what_to_do
from audit.verdict.grouping import by_reason, listed
from audit.verdict.unreadable_input import COULD_NOT_JUDGE

_MAX_COLUMNS: Final = 40  # Dependencies, or licences with usages, in the heat map.
_MAX_ROWS: Final = 1500  # Repositories in the heat map.
_MAX_REASONS: Final = 2000  # Groups in the list.
_MAX_NIGHTS: Final = 60  # Steps of the drawing.
_CHART_WIDTH: Final = 100  # In units of the drawing.
_CHART_HEIGHT: Final = 24
_CODE: Final = re.compile(r"`([^`]++)`")


@dataclass(slots=True)
class ReasonGroup:
    """Alike `cells` in works under the licence `own`; `number` counts groups, `rows` are their repositories."""

    number: int
    own: str
    cells: list[Cell] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    @property
    def first(self) -> Cell:
        """The first of the cells: all say the same."""
        return self.cells[0]

    @property
    def repositories(self) -> list[int]:
        """The numbers, each once."""
        return list(dict.fromkeys(self.rows))


def page(run: AuditRun) -> str:
    """The page. What is too long is cut, and says so: report.json has all of it."""
    found = groups(run)
    shown = found[:_MAX_REASONS]
    drawn = grid(run, most_columns=_MAX_COLUMNS, most_rows=_MAX_ROWS)
    return _template().render(
        run=run,
        totals=run.totals(),
        not_read=run.not_read(),
        unjudged=run.unjudged(),
        waiting=run.not_looked_up(),
        unknown=unknown_license.summary(run.cells()),
        groups=found,
        shown=shown,
        licenses_shown=sorted({license_of(group.first.dependency.license) for group in shown}),
        usages_shown=sorted({group.first.dependency.usage for group in shown}, key=list(Usage).index),
        verdicts_shown=sorted({group.first.judgement.verdict for group in shown}, key=lambda verdict: -verdict.rank),
        drawn=drawn,
        targets=_targets(drawn, shown),
        numbers={audit.repository.name: number for number, audit in enumerate(run.repositories)},
        licenses=sorted(run.licenses().items(), key=lambda item: (-item[1], item[0])),
        nights=run.nights()[-_MAX_NIGHTS:],
        data_said=data_age.said(run.data_versions, run.at),
        data_warning=data_age.warning(run.data_versions, run.at),
        data=attribution.data(run.data_versions),
    )


@cache
def _template() -> Template:
    found = page_templates.environment(html)
    found.filters |= {"advice": advice_as_html, "digest": _digest}
    found.globals |= {
        **{
            function.__name__: function
            for function in (by_reason, help_of, learned, license_of, listed, stamp, taken, trend)
        },
        "could_not_judge": COULD_NOT_JUDGE,
        "count": display_text.count,
        "data_columns": attribution.COLUMNS,
        "legend": LEGEND,
        "not_looked_up_note": unknown_license.NOT_LOOKED_UP_NOTE,
        "own_unknown": OWN_UNKNOWN,
        "rest_column": REST_COLUMN,
        "script": page_templates.shipped("report.js"),
        "style": page_templates.shipped("report.css"),
        "todo": lambda cell: what_to_do(cell.judgement.rule, cell.judgement.verdict),
        "verdicts": tuple(reversed(LicenseVerdict)),
    }
    return found.from_string(page_templates.shipped("report.html"))


def _digest(text: str) -> str:
    # The page's policy allows the style and the script that have these digests, and nothing else.
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


@lru_cache(maxsize=1024)  # The same words stand in many rows.
def html(words: object, longest: int = display_text.MAX_SHOWN_CHARACTERS) -> Markup:
    """A stranger's words on one line, safe as text and in an attribute."""
    return do_mark_safe(escape(display_text.line(str(words), longest)))


def advice_as_html(advice: str) -> Markup:
    """The advice, safe as text; what stands between backticks is code."""
    # Escaped first: the only tags are those that are put in here.
    return do_mark_safe(_CODE.sub(r"<code>\1</code>", str(html(advice, 10_000))))


def groups(run: AuditRun) -> tuple[ReasonGroup, ...]:
    """Cells that are the same in many repositories, once, numbered: worst first, then what is in most repositories."""
    found: dict[tuple[object, ...], ReasonGroup] = {}
    for row, audit in enumerate(run.repositories):
        own = license_of(audit.repository.license)
        for cell in audit.cells:
            used = cell.dependency
            same = (used.name, used.version_or_range, used.purl, used.usage, license_of(used.license), own)
            group = found.setdefault((*same, cell.judgement, cell.waiver), ReasonGroup(0, own))
            group.cells.append(cell)
            group.rows.append(row)
    ordered = sorted(found.values(), key=lambda group: (-group.first.judgement.verdict.rank, -len(group.cells)))
    for number, group in enumerate(ordered):
        group.number = number
    return tuple(ordered)


def learned(cell: Cell) -> str:
    """The place where it was found, why it is used so, and who says what its licence is."""
    used = cell.dependency
    parts = [f": {used.places[0]}"] if used.places else []
    if used.why:
        parts.append(f"; usage: {used.why}")
    if used.license.source is not Source.UNSTATED:
        place = f" {used.license.place}" if used.license.place else ""
        parts.append(f"; licence: {used.license.source}{place}")
    return "".join(parts)


def _targets(drawn: HeatMapGrid, shown: tuple[ReasonGroup, ...]) -> dict[tuple[int, tuple[str, str]], int]:
    columns = {(column[0], "") if drawn.by_dependency else column: column for column in drawn.columns}
    found: dict[tuple[int, tuple[str, str]], int] = {}
    for group in shown:
        used = group.first.dependency
        key = (used.name, "") if drawn.by_dependency else (license_of(used.license), used.usage.value)
        for row in group.rows:
            found.setdefault((row, columns.get(key, REST_COLUMN)), group.number)  # Worst first.
    return found


def trend(nights: Sequence[Totals]) -> str:
    """The violations of two nights or more as the path of a drawing, in steps: a count holds until the next one."""
    values = [night.violations for night in nights]
    wide, high = _CHART_WIDTH / (len(values) - 1), _CHART_HEIGHT - 2
    # Without any violation the line lies at the bottom.
    heights = [round(_CHART_HEIGHT - 1 - value / max(*values, 1) * high, 1) for value in values]
    steps = "".join(f" H{round(number * wide, 1)} V{height}" for number, height in enumerate(heights[1:], 1))
    return f"M0 {heights[0]}{steps}"
