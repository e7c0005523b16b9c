"""report.html: the whole audit on one page that needs nothing else: no network, no script to be read, no colour to be understood."""

import base64
from collections import Counter
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Final

from audit import attribution, plain
from audit.edition import Edition, license_of
from audit.facts import Usage, Verdict
from audit.grid import REST, Grid, Mark, grid
from audit.matrix import SIGNS
from audit.reasons import Group, groups, html, told

MARKS: Final = {
    Verdict.NOT_APPLICABLE: ("–", "不适用"),
    Verdict.COMPATIBLE: ("✓", "兼容"),
    Verdict.OBLIGATIONS: ("§", "有义务"),
    Verdict.CONDITIONAL: ("△", "有条件"),
    Verdict.REVIEW: ("◎", "需审查"),
    Verdict.UNKNOWN_LICENSE: ("?", "许可证未知"),
    Verdict.INCOMPATIBLE: ("✕", "不兼容"),
}
"""What stands in a square, and the verdict in Chinese."""
_MOST_COLUMNS: Final = 40
_MOST_ROWS: Final = 1500
_MOST_REASONS: Final = 2000
_MOST_FINDINGS: Final = 1000


def page(edition: Edition) -> str:
    """The page. What is too long is cut, and says so: report.json has all of it."""
    found = groups(edition)
    shown = found[:_MOST_REASONS]
    parts = [_head(), _summary(edition), _filters(shown), *_heat(edition, shown), *_reasons(edition, shown, len(found))]
    parts += [*_licenses(edition), *_findings(edition), _foot(edition)]
    return "\n".join(parts)


@cache
def _shipped(name: str) -> str:
    return (resources.files("audit") / "data" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _head() -> str:
    style, script = _shipped("report.css"), _shipped("report.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark"><title>Licence audit</title>
<style>{style}</style></head><body><a class="skip" href="#matrix">To the matrix</a>"""


def _summary(edition: Edition) -> str:
    count = Counter(cell.judgement.verdict for one in edition.repositories for cell in one.cells)
    failing = sum(1 for _ in edition.violations())
    tiles = "".join(
        f'<li class="{f"v-{verdict}" if count[verdict] else "none"}"><b>{count[verdict]:,}</b> <span>{_mark(verdict)} {verdict}</span></li>'
        for verdict in reversed(Verdict)
    )
    outcome = plain.count(failing, "violation", "violations")
    return f"""<header><h1>Licence audit</h1>
<p class="lead"><strong class="{"bad" if failing else "good"}">{outcome}</strong> in {plain.count(len(edition.repositories), "repository", "repositories")}
with {plain.count(count.total(), "use", "uses")} of dependencies.</p>
<p class="quiet">Generated at <time>{edition.stamp}</time>. A tool's opinion, no legal advice.</p>
<ul class="tiles" aria-label="Uses by verdict">{tiles}</ul></header><main>"""


def _mark(verdict: Verdict) -> str:
    return f'<span aria-hidden="true">{MARKS[verdict][0]}</span>'


def _filters(shown: tuple[Group, ...]) -> str:
    """Hidden until the script that makes them work shows them."""
    licenses = sorted({license_of(group.first.dependency.license) for group in shown})
    usages = [usage for usage in Usage if any(group.first.dependency.usage is usage for group in shown)]
    verdicts = [
        verdict for verdict in reversed(Verdict) if any(group.first.judgement.verdict is verdict for group in shown)
    ]
    return f"""<form id="filters" hidden aria-label="Filter">
<label>Repository <input id="f-r" type="search" autocomplete="off"></label>
<label>Dependency <input id="f-n" type="search" autocomplete="off"></label>
<label>Licence <select id="f-l"><option value="">all</option>{_options(licenses)}</select></label>
<label>Usage <select id="f-u"><option value="">all</option>{_options(usages)}</select></label>
<label>Verdict <select id="f-v"><option value="">all</option>{_options(verdicts)}</select></label>
<button type="reset">Show all</button> <output id="shown"></output></form>"""


def _options(values: list[str] | list[Usage] | list[Verdict]) -> str:
    return "".join(f"<option>{html(value)}</option>" for value in values)


def _heat(edition: Edition, shown: tuple[Group, ...]) -> Iterator[str]:
    drawn = grid(edition, most_columns=_MOST_COLUMNS, most_rows=_MOST_ROWS)
    yield '<section aria-labelledby="matrix"><h2 id="matrix">Matrix</h2>' + _legend()
    if not drawn.columns:
        yield "<p>Nothing is used.</p></section>"
        return
    what = "dependencies" if drawn.by_dependency else "licences, and how what is under them is used"
    yield f"<p>Repositories against {what}. A square shows the worst verdict in it; press it for the reason.</p>"
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Matrix, can be scrolled"><table id="heat"><thead><tr><th scope="col">Repository</th>'
    yield "".join(_column(column, drawn) for column in drawn.columns) + "</tr></thead><tbody>"
    reasons = _targets(drawn, shown)
    numbers = {one.repository.name: number for number, one in enumerate(edition.repositories)}
    for name, own, row in drawn.rows:
        number = numbers[name]
        squares = "".join(_square(row.get(column), reasons.get((number, column))) for column in drawn.columns)
        yield f'<tr data-r="{number}"><th scope="row"><bdi>{html(name)}</bdi> <small>{html(own, 80)}</small></th>{squares}</tr>'
    yield "</tbody></table></div>"
    if drawn.left_out:
        yield f"<p>And {drawn.left_out:,} more repositories, see report.json; those with the worst verdicts are here.</p>"
    yield "</section>"


def _column(column: tuple[str, str], drawn: Grid) -> str:
    if column == REST:
        return '<th scope="col"><span>all else</span></th>'
    data = f'data-n="{html(column[0])}"' if drawn.by_dependency else f'data-l="{html(column[0])}" data-u="{column[1]}"'
    return f'<th scope="col" {data}><span><bdi>{html(column[0], 60)}</bdi> <small>{html(column[1], 40)}</small></span></th>'


def _targets(drawn: Grid, shown: tuple[Group, ...]) -> dict[tuple[int, tuple[str, str]], int]:
    """The number of the worst reason for each repository and column."""
    columns = {(column[0], "") if drawn.by_dependency else column: column for column in drawn.columns}
    found: dict[tuple[int, tuple[str, str]], int] = {}
    for group in shown:
        used = group.first.dependency
        key = (used.name, "") if drawn.by_dependency else (license_of(used.license), used.usage.value)
        for row in group.rows:
            found.setdefault((row, columns.get(key, REST)), group.number)
    return found


def _square(mark: Mark | None, reason: int | None) -> str:
    if mark is None:
        return "<td></td>"
    count = f" {mark.count}" if mark.count > 1 else ""
    said = f"{mark.verdict}{', waived' if mark.waived else ''}{count}"
    kind = f'<td class="v-{mark.verdict}{" waived" if mark.waived else ""}">'
    if reason is None:
        return f'{kind}<span role="img" aria-label="{said}">{MARKS[mark.verdict][0]}{count}</span></td>'
    return f'{kind}<a href="#r{reason}" aria-label="{said}">{MARKS[mark.verdict][0]}{count}</a></td>'


def _legend() -> str:
    items = "".join(
        f'<div><dt class="v-{verdict}">{_mark(verdict)} {verdict} <span lang="zh-Hans">{MARKS[verdict][1]}</span></dt>'
        f"<dd>{SIGNS[verdict][2]}</dd></div>"
        for verdict in Verdict
    )
    return f'<details class="legend"><summary>What the signs mean</summary><dl>{items}</dl></details>'


def _reasons(edition: Edition, shown: tuple[Group, ...], total: int) -> Iterator[str]:
    yield '<section aria-labelledby="reasons"><h2 id="reasons">Reasons</h2><p>Worst first. Each opens to its rule and to where it was learned.</p>'
    yield '<div id="list">'
    for group in shown:
        yield "".join(told(group, edition))
    yield "</div>"
    if total > len(shown):
        yield f"<p>And {total - len(shown):,} more, see report.json.</p>"
    yield "</section>"


def _licenses(edition: Edition) -> Iterator[str]:
    count = Counter(license_of(cell.dependency.license) for one in edition.repositories for cell in one.cells)
    ordered = sorted(count.items(), key=lambda item: (-item[1], item[0]))
    most = ordered[0][1] if ordered else 1
    yield '<section aria-labelledby="used"><h2 id="used">Licences in use</h2><div class="scroll" tabindex="0" role="region" aria-label="Licences in use, can be scrolled"><table class="plain"><thead><tr><th scope="col">Licence</th>'
    yield '<th scope="col">Uses</th><td></td></tr></thead><tbody>'
    for name, uses in ordered[:100]:
        width = round(uses / most * 100, 1)
        bar = f'<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="{width}" height="8"/></svg>'
        yield f'<tr><th scope="row">{html(name)}</th><td class="number">{uses:,}</td><td class="bar">{bar}</td></tr>'
    yield "</tbody></table></div>"
    if len(ordered) > 100:
        yield f"<p>And {len(ordered) - 100:,} more, see report.json.</p>"
    yield "</section>"


def _findings(edition: Edition) -> Iterator[str]:
    found = [(one.repository.name, finding) for one in edition.repositories for finding in one.findings]
    if not found:
        return
    yield '<section aria-labelledby="findings"><h2 id="findings">Findings</h2><ul class="findings">'
    for name, finding in found[:_MOST_FINDINGS]:
        place = html(str(finding.place), 300)
        yield f"<li><b><bdi>{html(name)}</bdi></b> <code>{html(finding.code)}</code> {place}: {html(finding.message, 600)}</li>"
    yield "</ul>"
    if len(found) > _MOST_FINDINGS:
        yield f"<p>And {len(found) - _MOST_FINDINGS:,} more, see report.json.</p>"
    yield "</section>"


def _foot(edition: Edition) -> str:
    sources = "".join(f"<li>{html(one, 400)}</li>" for one in attribution.attributions())
    versions = html(", ".join(edition.data_versions) or "none was asked")
    return f"""</main><footer><h2>Data</h2><p>Judged by data of {versions}.</p><ul>{sources}</ul></footer>
<script>{_shipped("report.js")}</script></body></html>
"""
