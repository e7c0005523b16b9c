"""LICENSE-COMPATIBILITY.md: who may use what, in one page that a browser of repositories shows as it is.

The page is a template (audit/data/compatibility_page.md.jinja).
"""

from collections import Counter
from functools import cache
from typing import Final

from jinja2 import Template
from jinja2.filters import do_mark_safe
from markupsafe import Markup

from audit import display_text
from audit.facts import Cell, LicenseVerdict, RepositoryAudit
from audit.licenses import attribution, data_age
from audit.licenses.expression import read, spelled
from audit.output import page_templates
from audit.output.audit_run import AuditRun, license_of, stamp
from audit.output.heat_map import LEGEND, REST_COLUMN, grid
from audit.output.shipped_parts import taken
from audit.verdict import unknown_license
from audit.verdict.advice import WAIVER, help_of, what_to_do
from audit.verdict.grouping import by_reason, called, listed
from audit.verdict.unreadable_input import COULD_NOT_JUDGE, of_unknown_origin

_MAX_COLUMNS: Final = 24  # A wider table is not read.
_MAX_ROWS: Final = 500  # Repositories in the heat map.
_MAX_VIOLATIONS: Final = 200  # Violations in a list.
_MAX_PLACES: Final = 20  # Places of one violation.
_MAX_LICENSES: Final = 50  # Licences in a list.
_Uses = list[tuple[RepositoryAudit, Cell]]


def matrix(run: AuditRun) -> str:
    """The page. What is too long is cut, and says so: report.json has all of it."""
    uses, own = run.licenses(), Counter(license_of(audit.repository.license) for audit in run.repositories)
    names = sorted(uses.keys() | own.keys(), key=lambda name: (-uses[name], -own[name], name))
    return _template().render(
        run=run,
        totals=run.totals(),
        not_read=run.not_read(),
        unjudged=run.unjudged(),
        waiting=run.not_looked_up(),
        unknown=unknown_license.summary(run.cells()),
        groups=_violations(run),
        nothing_fails=_nothing_fails(run),
        tools=_tools(run),
        drawn=grid(run, most_columns=_MAX_COLUMNS, most_rows=_MAX_ROWS),
        licenses=[(name, uses[name], own[name]) for name in names],
        data_said=data_age.said(run.data_versions, run.at),
        data_warning=data_age.warning(run.data_versions, run.at),
        data=attribution.data(run.data_versions),
    )


@cache
def _template() -> Template:
    found = page_templates.environment(_markdown)
    found.globals |= {
        **{
            function.__name__: function
            for function in (by_reason, called, help_of, listed, map, spelled, stamp, what_to_do)
        },
        "could_not_judge": COULD_NOT_JUDGE,
        "count": display_text.count,
        "data_columns": attribution.COLUMNS,
        "legend": LEGEND,
        "most_licenses": _MAX_LICENSES,
        "most_places": _MAX_PLACES,
        "most_rows": _MAX_ROWS,
        "most_violations": _MAX_VIOLATIONS,
        "not_looked_up_note": unknown_license.NOT_LOOKED_UP_NOTE,
        "rest_column": REST_COLUMN,
        "unknown_license": LicenseVerdict.UNKNOWN_LICENSE,
        "verdicts": tuple(reversed(LicenseVerdict)),
        "waiver": WAIVER,
    }
    return found.from_string(page_templates.shipped("compatibility_page.md.jinja"))


def _markdown(words: object, longest: int = display_text.MAX_SHOWN_CHARACTERS) -> Markup:
    return do_mark_safe(display_text.markdown(str(words), longest))


def _violations(run: AuditRun) -> list[list[_Uses]]:
    """The uses that fail, worst first: those of one reason together, and in it the same use of several repositories."""
    reasons: dict[tuple[str, ...], dict[tuple[str, ...], _Uses]] = {}
    for audit, cell in run.violations():
        if not unknown_license.is_not_looked_up(cell):  # Those have a section of their own.
            used, judged = cell.dependency, cell.judgement
            reason = (license_of(audit.repository.license), judged.verdict, judged.rule, judged.reason)
            use = (used.name, used.version_or_range, used.usage, str(taken(cell)))
            reasons.setdefault(reason, {}).setdefault(use, []).append((audit, cell))
    groups = [list(uses.values()) for uses in reasons.values()]
    return sorted(groups, key=lambda found: (-found[0][0][1].judgement.verdict.rank, -sum(map(len, found))))


def _tools(run: AuditRun) -> list[tuple[tuple[str, str, str], _Uses]]:
    together: dict[tuple[str, str, str], _Uses] = {}
    for audit in run.repositories:
        for cell in audit.cells:
            used = cell.dependency
            if cell.judgement.verdict is LicenseVerdict.NOT_APPLICABLE and read(used.license.expression) is None:
                together.setdefault((used.name, used.version_or_range, used.usage), []).append((audit, cell))
    return sorted(together.items(), key=lambda item: item[0])


def _nothing_fails(run: AuditRun) -> str:
    if run.unjudged():
        return "None was found in the files that could be read."
    if any(run.not_read()):
        return "None was found in the files that are read."
    if run.not_looked_up():
        return "None was found among the licences that are known."
    if doubtful := of_unknown_origin(finding for audit in run.repositories for finding in audit.findings):
        return f"Only {doubtful} of unknown origin were found. See the findings."
    return "There are none."
