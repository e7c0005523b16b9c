"""The reasons behind the heat map: what is the same in many repositories is told once, with all the places where it was learned."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Final

from audit import display_text
from audit.facts import Cell, RepositoryAudit, Source
from audit.output.audit_run import AuditRun, license_of
from audit.output.shipped_parts import taken
from audit.verdict.advice import what_to_do

COLUMNS: Final = ("Verdict", "Dependency", "Version", "Licence", "Usage", "Repositories", "Reason")
"""The heads of a table of groups."""
_MAX_PLACES = 20
_MAX_REASON_CHARACTERS: Final = 10_000
"""Characters of a reason: none of ours is as long, only a stranger's expression can make it so."""
_CODE: Final = re.compile(r"`([^`]++)`")


@dataclass(slots=True)
class ReasonGroup:
    """Cells that differ only in where they are; `rows` are the numbers of their repositories in the run."""

    number: int
    own: str
    cells: list[Cell] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    @property
    def first(self) -> Cell:
        """One of them: all say the same."""
        return self.cells[0]


def groups(run: AuditRun) -> tuple[ReasonGroup, ...]:
    """All of them, numbered, worst first, then those in most repositories."""
    found: dict[tuple[object, ...], ReasonGroup] = {}
    for row, one in enumerate(run.repositories):
        own = license_of(one.repository.license)
        for cell in one.cells:
            group = found.setdefault(_same(one, cell), ReasonGroup(0, own))
            group.cells.append(cell)
            group.rows.append(row)
    ordered = sorted(found.values(), key=lambda group: (-group.first.judgement.verdict.rank, -len(group.cells)))
    for number, group in enumerate(ordered):
        group.number = number
    return tuple(ordered)


def _same(one: RepositoryAudit, cell: Cell) -> tuple[object, ...]:
    used = cell.dependency
    licenses = (license_of(used.license), license_of(one.repository.license))
    return used.name, used.version_or_range, used.purl, used.usage, licenses, cell.judgement, cell.waiver


def group_row(group: ReasonGroup, run: AuditRun) -> Iterator[str]:
    """The group as a row of a table: its whole reason, what to do, and, to be opened, the rule and where all was learned."""
    cell = group.first
    used, judged = cell.dependency, cell.judgement
    rows = " ".join(dict.fromkeys(map(str, group.rows)))
    words = {"n": used.name, "l": license_of(used.license), "u": used.usage, "v": judged.verdict}
    data = "".join(f' data-{name}="{html(value)}"' for name, value in words.items())
    yield f'<tr class="reason v-{judged.verdict}"{data} data-r="{rows}" id="r{group.number}">'
    waived = " <small>waived</small>" if cell.waiver else ""
    yield f'<td><b class="tag">{judged.verdict}</b>{waived}</td><th scope="row"><bdi>{html(used.name)}</bdi></th>'
    yield f"<td><bdi>{html(used.version_or_range)}</bdi></td><td>{html(words['l'])} <br><small>in {html(group.own)}</small></td>"
    yield f'<td>{used.usage}</td><td class="number">{len(set(group.rows)):,}</td>'
    advice = advice_as_html(what_to_do(judged.rule, judged.verdict))
    todo = f'<p class="todo"><b>What to do:</b> {advice}</p>' if advice else ""
    yield f"<td><p>{html(judged.reason, _MAX_REASON_CHARACTERS)}</p>{todo}"
    yield "<details><summary>Rule and source</summary><dl>"
    for name, value in _facts(cell):
        yield f"<div><dt>{name}</dt><dd>{value}</dd></div>"
    yield "</dl><ul>"
    for row, one in list(zip(group.rows, group.cells, strict=True))[:_MAX_PLACES]:
        yield f"<li><bdi>{html(run.repositories[row].repository.name)}</bdi>{html(_learned(one), 500)}</li>"
    more = len(group.cells) - _MAX_PLACES
    yield f"<li>and {more:,} more, see report.json</li>" if more > 0 else ""
    yield "</ul></details></td></tr>\n"


def advice_as_html(advice: str) -> str:
    """What to do, safe as text; what stands between backticks is code."""
    return _CODE.sub(r"<code>\1</code>", html(advice, _MAX_REASON_CHARACTERS))


def html(words: str, longest: int = display_text.MAX_SHOWN_CHARACTERS) -> str:
    """A stranger's words on one line, safe as text and in an attribute."""
    return escape(display_text.line(words, longest))


def _facts(cell: Cell) -> Iterator[tuple[str, str]]:
    """What is to be said in a line each: its name, and the words as HTML."""
    judged = cell.judgement
    yield "rule", f"{judged.rule} (docs/reference/license-rules.md)"
    yield "basis", judged.basis
    if judged.branch:
        yield "branch", html(f"{taken(cell)} was chosen", 1000)
    if cell.dependency.purl:
        yield "package", html(cell.dependency.purl, 1000)
    if cell.waiver:
        waiver = cell.waiver
        yield "waiver", html(f"{waiver.reason} ({waiver.by}, until {waiver.until.isoformat()})", 1000)


def _learned(cell: Cell) -> str:
    """Where it was found, why it is used so, and who says what its licence is."""
    used = cell.dependency
    parts = [f": {used.places[0]}"] if used.places else []
    if used.why:
        parts.append(f"; usage: {used.why}")
    if used.license.source is not Source.NOBODY:
        place = f" {used.license.place}" if used.license.place else ""
        parts.append(f"; licence: {used.license.source}{place}")
    return "".join(parts)
