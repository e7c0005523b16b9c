"""LICENSE-COMPATIBILITY.md: who may use what, in one page that a browser of repositories shows as it is."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from audit import display_text
from audit.facts import Cell, Finding, Judgement, LicenseVerdict, RepositoryAudit
from audit.licenses import attribution, data_age
from audit.licenses.expression import read, spelled
from audit.output.audit_run import AuditRun, license_of, stamp
from audit.output.heat_map import LEGEND, REST_COLUMN, HeatMapGrid, HeatMapSquare, grid
from audit.output.license_markdown import inline, table
from audit.output.shipped_parts import taken
from audit.verdict import unknown_license
from audit.verdict.advice import WAIVER, help_of, what_to_do
from audit.verdict.grouping import by_reason, called, listed
from audit.verdict.unreadable_input import COULD_NOT_JUDGE, of_unknown_origin

_MAX_COLUMNS: Final = 24
_MAX_ROWS: Final = 500
_MAX_VIOLATIONS: Final = 200
_MAX_PLACES: Final = 20
_MAX_LICENSES: Final = 50
_UNREAD: Final = f"It is not known what these use (`{COULD_NOT_JUDGE}`). Repair what is broken, list in the rulebook what is not read, then audit again."
"""What stands in them is in no row below."""
_NOT_READ: Final = (
    "These are of kinds that are not read. What they name is in no row below, unless another file names it, too."
)


def matrix(run: AuditRun) -> str:
    """The page. What is too long is cut, and says so: report.json has all of it."""
    parts = [
        "# Licence compatibility",
        f"Generated at {stamp(run.at)}.",
        _summary(run),
    ]
    parts += _section("## Could not be judged", run.unjudged(), _UNREAD)
    parts += ["## Violations", *_violations(run), *_not_looked_up(run)]
    parts += [*_section("## Not read", run.unread(), _NOT_READ), *_apart(run)]
    parts += ["## Matrix", *_matrix(run), "## Licences in use", _distribution(run)]
    parts += _section("## Findings", run.findings(of_headers=False))
    parts += _section("## Licence headers", run.findings(of_headers=True))
    data = (tuple(map(inline, one)) for one in attribution.data(run.data_versions))
    old = data_age.warning(run.data_versions, run.at)
    age = f"Licence data: {inline(data_age.said(run.data_versions, run.at))}."
    parts += [
        "## Data",
        f"{age} **Warning.** {old}" if old else age,
        "This is a tool's opinion, not legal advice.",
        table(attribution.COLUMNS, data),
    ]
    return "\n\n".join(parts) + "\n"


def _summary(run: AuditRun) -> str:
    totals = run.totals()
    waived = run.waived()
    rows = [
        (_sign(verdict), LEGEND[verdict].meaning, f"{totals.uses[verdict]:,}")
        for verdict in reversed(LicenseVerdict)
        if totals.uses[verdict]
    ]
    said = f"Repositories: {totals.repositories:,}. Uses of dependencies: {sum(totals.uses.values()):,}. **Violations: {totals.violations:,}.**"
    waivers = f" Waived: {waived:,}." if waived else ""
    unjudged = len(run.unjudged())
    waivers += f" **Could not be judged: {unjudged:,}.**" if unjudged else ""
    waiting = len(run.not_looked_up())
    waivers += f" **Not looked up: {waiting:,}.**" if waiting else ""
    waivers += f" **{run.not_read()}.**" if any(run.not_read()) else ""
    unknown = unknown_license.summary(run.cells())
    why = f"\n\nWhy licences are not known: {unknown}." if unknown else ""
    return f"{said}{waivers}\n\n" + table(("verdict", "meaning", "uses"), rows) + why


def _violations(run: AuditRun) -> Iterator[str]:
    """Works whose own licence is not known, then uses, worst first; what is the same in several repositories stands once, and so does a reason."""
    unknown = run.unknown_own()
    for name, finding in unknown[:_MAX_VIOLATIONS]:
        yield _own_unknown(name, finding)
    by_name: dict[tuple[str, ...], list[tuple[RepositoryAudit, Cell]]] = {}
    for one, cell in run.violations():
        if not unknown_license.is_not_looked_up(cell):
            by_name.setdefault(_same(one, cell), []).append((one, cell))
    together: dict[tuple[str, ...], list[list[tuple[RepositoryAudit, Cell]]]] = {}
    for key, some in by_name.items():
        together.setdefault(key[-4:], []).append(some)
    groups = sorted(
        together.values(), key=lambda found: (-found[0][0][1].judgement.verdict.rank, -sum(map(len, found)))
    )
    if not groups and not unknown:
        yield _none(run)
        return
    for found in groups[:_MAX_VIOLATIONS]:
        yield _violation(found[0]) if len(found) == 1 else _several(found)
    if len(groups) > _MAX_VIOLATIONS:
        yield f"And {len(groups) - _MAX_VIOLATIONS:,} more, see report.json."
    if groups:
        yield WAIVER


def _own_unknown(name: str, finding: Finding) -> str:
    """A work whose own licence is not known: why, and what to do."""
    sign = _sign(LicenseVerdict.UNKNOWN_LICENSE)
    lines = [
        f"### {sign}: the licence of {inline(name)} itself",
        f"{inline(str(finding.place))}: {inline(finding.message, 600)} (`{finding.code}`).",
        f"**What to do:** {help_of(finding.code)}",
    ]
    return "\n\n".join(lines)


def _several(found: list[list[tuple[RepositoryAudit, Cell]]]) -> str:
    """Different dependencies that fail for one reason."""
    one, cell = found[0][0]
    judged = cell.judgement
    own = inline(one.repository.license.expression or "an unknown licence")
    title, uses = f"{len(found):,} dependencies", []
    for some in found:
        where, what = some[0]
        said = inline(what.dependency.license.expression or "licence not known", 300)
        more = f" and {len(some) - 1:,} more" if len(some) > 1 else ""
        name, usage = inline(called(what)), what.dependency.usage
        uses.append(f"- {name} ({said}, {usage}): {inline(where.repository.name)}{_place(what)}{more}")
    return _entry(title, f"In work under {own}", judged, uses)


def _entry(title: str, said: str, judged: Judgement, places: list[str]) -> str:
    """What fails: why, what to do, and where, cut after some places."""
    shown = places[:_MAX_PLACES]
    if len(places) > _MAX_PLACES:
        shown.append(f"- and {len(places) - _MAX_PLACES:,} more, see report.json")
    lines = [
        f"### {LEGEND[judged.verdict].emoji} {title}: {judged.verdict}",
        f"{said}: {inline(judged.reason, 600)} (rule `{judged.rule}`, data {inline(judged.data_version)}).",
        f"**What to do:** {what_to_do(judged.rule, judged.verdict)}",
        "\n".join(shown),
    ]
    return "\n\n".join(lines)


def _not_looked_up(run: AuditRun) -> Iterator[str]:
    """What a registry would know: a line for each reason."""
    found = run.not_looked_up()
    if not found:
        return
    yield "## Not looked up"
    yield unknown_license.NOT_LOOKED_UP_NOTE
    for group in by_reason(cell for _, cell in found):
        judged = group[0].judgement
        said = f"- {display_text.count(len(group), 'use', 'uses')}: {inline(judged.reason, 600)} (rule `{judged.rule}`). {what_to_do(judged.rule, judged.verdict)}"
        yield f"{said}\n  {inline(listed(group, _MAX_PLACES), 4_000)}"


def _apart(run: AuditRun) -> Iterator[str]:
    """Tools and separate processes under licences that nobody knows: no violations, and not hidden either."""
    together: dict[tuple[str, str, str], list[str]] = {}
    for one in run.repositories:
        for cell in one.cells:
            used = cell.dependency
            if cell.judgement.verdict is LicenseVerdict.NOT_APPLICABLE and read(used.license.expression) is None:
                key = (used.name, used.version_or_range, used.usage)
                together.setdefault(key, []).append(f"{inline(one.repository.name)}{_place(cell)}")
    if not together:
        return
    yield "## Tools of unknown licence"
    yield "They are not part of the work, so their licences do not affect it."
    rows = [
        (
            inline(name),
            inline(version, 100),
            usage,
            places[0] + (f" and {len(places) - 1:,} more" if places[1:] else ""),
        )
        for (name, version, usage), places in sorted(together.items())
    ]
    yield table(("tool", "version", "usage", "named in"), rows[:_MAX_ROWS])
    if len(rows) > _MAX_ROWS:
        yield f"And {len(rows) - _MAX_ROWS:,} more, see report.json."


def _none(run: AuditRun) -> str:
    """Never plainly none while something was left open."""
    if run.unjudged():
        return "None was found in the files that could be read."
    if any(run.not_read()):
        return "None was found in the files that are read."
    if run.not_looked_up():
        return "None was found among the licences that are known."
    if doubtful := of_unknown_origin(finding for one in run.repositories for finding in one.findings):
        return f"Only {doubtful} of unknown origin were found. See the findings."
    return "There are none."


def _same(one: RepositoryAudit, cell: Cell) -> tuple[str, ...]:
    used, judged = cell.dependency, cell.judgement
    return (used.name, used.version_or_range, used.usage, str(taken(cell)), license_of(one.repository.license),
            judged.verdict, judged.rule, judged.reason)  # fmt: skip


def _violation(found: list[tuple[RepositoryAudit, Cell]]) -> str:
    one, cell = found[0]
    used, judged = cell.dependency, cell.judgement
    name = inline(" ".join(filter(None, (used.name, used.version_or_range))))
    own = inline(spelled(one.repository.license.expression) or "an unknown licence")
    said = inline(spelled(used.license.expression) or "Licence not known", 300)
    places = [f"- {inline(where.repository.name)}{_place(what)}" for where, what in found]
    return _entry(name, f"{said}, used as {used.usage}, in work under {own}", judged, places)


def _place(cell: Cell) -> str:
    places = [str(place) for place in cell.dependency.places[:1]]
    return f": {inline(places[0])}" if places else ""


def _matrix(run: AuditRun) -> Iterator[str]:
    drawn = grid(run, most_columns=_MAX_COLUMNS, most_rows=_MAX_ROWS)
    if not drawn.columns:
        yield run.nothing_found()
        return
    if not drawn.by_dependency:
        yield "Each column is a licence and a usage. Each square shows the worst verdict and the number of uses."
    columns = (
        "all else" if column == REST_COLUMN else f"{inline(column[0], 60)}<br>{inline(column[1], 60)}"
        for column in drawn.columns
    )
    head = ("repository", "licence", *columns)
    yield table(head, _rows(drawn))
    if drawn.left_out:
        yield f"And {drawn.left_out:,} more repositories in report.json. Those with the worst verdicts are shown here."
    yield "Signs: " + ", ".join(f"{_sign(verdict)}: {LEGEND[verdict].meaning}" for verdict in LicenseVerdict) + "."


def _rows(drawn: HeatMapGrid) -> Iterator[tuple[str, ...]]:
    for name, said, row in drawn.rows:
        squares = (_square(row.get(column), counted=not drawn.by_dependency) for column in drawn.columns)
        yield inline(name), inline(said, 100), *squares


def _square(mark: HeatMapSquare | None, *, counted: bool) -> str:
    if mark is None:
        return ""
    number = f" {mark.count}" if counted or mark.count > 1 else ""
    return f"{_sign(mark.verdict)}{number}{' (waived)' if mark.waived else ''}"


def _sign(verdict: LicenseVerdict) -> str:
    return f"{LEGEND[verdict].emoji} {verdict}"


def _distribution(run: AuditRun) -> str:
    count = run.licenses()
    own = Counter(license_of(one.repository.license) for one in run.repositories)
    names = sorted(count.keys() | own.keys(), key=lambda name: (-count[name], -own[name], name))
    rows = [(inline(name, 200), f"{count[name]:,}", f"{own[name]:,}") for name in names[:_MAX_LICENSES]]
    more = len(names) - _MAX_LICENSES
    tail = f"\n\nAnd {more:,} more, see report.json." if more > 0 else ""
    return table(("licence", "uses", "repositories"), rows) + tail


def _section(title: str, found: list[tuple[str, Finding]], intro: str = "") -> list[str]:
    """Findings below a title; nothing where there are none."""
    if not found:
        return []
    lines = [
        f"- {inline(name)}: `{finding.code}` {inline(str(finding.place))}: {inline(finding.message, 400)}"
        for name, finding in found[:_MAX_VIOLATIONS]
    ]
    if len(found) > _MAX_VIOLATIONS:
        lines.append(f"- and {len(found) - _MAX_VIOLATIONS:,} more, see report.json")
    return [title, *filter(None, [intro]), "\n".join(lines)]
