"""report.html: the whole audit on one page that needs nothing else: no network, no script to be read, no colour to be understood."""

import base64
import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Final

from audit import display_text
from audit.facts import OWN_UNKNOWN, Finding, LicenseVerdict, Usage
from audit.licenses import attribution, data_age
from audit.output.audit_run import AuditRun, Totals, license_of, stamp
from audit.output.heat_map import REST_COLUMN, HeatMapGrid, HeatMapSquare, grid
from audit.output.legend import LEGEND
from audit.output.reasons import COLUMNS, ReasonGroup, advice_as_html, group_row, groups, html
from audit.output.trend import trend
from audit.verdict import unknown_license
from audit.verdict.advice import help_of, what_to_do
from audit.verdict.grouping import by_reason, listed
from audit.verdict.unreadable_input import COULD_NOT_JUDGE

_MAX_COLUMNS: Final = 40
_MAX_ROWS: Final = 1500
_MAX_REASONS: Final = 2000
_MAX_FINDINGS: Final = 1000
_CODE: Final = re.compile(r"`([^`]++)`")
_UNREAD: Final = f"<p>It is not known what these use (<code>{COULD_NOT_JUDGE}</code>). Repair what is broken, list in the rulebook what is not read, then audit again.</p>"
"""What stands in them is in no row of the page."""
_NOT_READ: Final = "<p>These are of kinds that are not read. What they name is in no row of the page, unless another file names it, too.</p>"
_OWN: Final = f"<p>Each is one violation. {html(help_of(OWN_UNKNOWN), 1000)}</p>"


def page(run: AuditRun) -> str:
    """The page. What is too long is cut, and says so: report.json has all of it."""
    found = groups(run)
    shown = found[:_MAX_REASONS]
    totals = run.totals()
    parts = [_head(), _summary(run, totals)]
    parts += _section("unjudged", "Could not be judged", run.unjudged(), _UNREAD)
    parts += _section("own", "Own licences that are not known", run.unknown_own(), _OWN)
    parts += _not_looked_up(run)
    parts += _section("unread", "Not read", run.unread(), _NOT_READ)
    parts += [_filters(shown), *_heat(run, shown)]
    parts += [*_dependencies(run, shown, len(found)), *_licenses(run)]
    parts += _section("findings", "Findings", run.findings(of_headers=False))
    parts += _section("headers", "Licence headers", run.findings(of_headers=True))
    parts += [*trend(run.nights()), _foot(run)]
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
<meta name="color-scheme" content="light dark"><title>Licence compatibility</title>
<style>{style}</style></head><body><a class="skip" href="#matrix">To the matrix</a>"""


def _summary(run: AuditRun, totals: Totals) -> str:
    waived = run.waived()
    tiles = "".join(
        f'<li class="{f"v-{verdict}" if totals.uses[verdict] else "none"}">'
        f"<b>{totals.uses[verdict]:,}</b> <span>{_mark(verdict)} {verdict}</span></li>"
        for verdict in reversed(LicenseVerdict)
    )
    unjudged = len(run.unjudged())
    waiting = len(run.not_looked_up())
    failing = f"Violations: {totals.violations:,}" + (f". Could not be judged: {unjudged:,}" if unjudged else "")
    failing += f". Not looked up: {waiting:,}" if waiting else ""
    failing += f". {run.not_read()}" if any(run.not_read()) else ""
    counts = f"Repositories: {totals.repositories:,}. Uses of dependencies: {sum(totals.uses.values()):,}."
    unknown = unknown_license.summary(run.cells())
    why = f'<p class="quiet">Why licences are not known: {html(unknown, 1000)}.</p>' if unknown else ""
    return f"""<header><h1>Licence compatibility</h1>
<p class="lead"><strong class="{"good" if run.passes() and not any(run.not_read()) else "bad"}">{failing}</strong>
{counts}{f" Waived: {waived:,}." if waived else ""}</p>
<p class="quiet">Generated at <time>{stamp(run.at)}</time>. This is a tool's opinion, not legal advice.</p>
<ul class="tiles" aria-label="Uses by verdict">{tiles}</ul>{why}</header><main>"""


def _mark(verdict: LicenseVerdict) -> str:
    return f'<span aria-hidden="true">{LEGEND[verdict].sign}</span>'


def _not_looked_up(run: AuditRun) -> Iterator[str]:
    """What a registry would know, had it been asked: a line for each reason; each use has its row below all the same."""
    found = run.not_looked_up()
    if not found:
        return
    yield '<section aria-labelledby="waiting"><h2 id="waiting">Not looked up</h2>'
    yield f"<p>{unknown_license.NOT_LOOKED_UP_NOTE}</p><ul>"
    for group in by_reason(cell for _, cell in found):
        judged = group[0].judgement
        advice = _CODE.sub(r"<code>\1</code>", html(what_to_do(judged.rule, judged.verdict), 1000))
        said = f"{display_text.count(len(group), 'use', 'uses')}: {html(judged.reason, 1000)}. {advice}"
        yield f"<li>{said}<br><small>{html(listed(group, 20), 4000)}</small></li>"
    yield "</ul></section>"


def _filters(shown: tuple[ReasonGroup, ...]) -> str:
    """Hidden until the script that makes them work shows them."""
    licenses = sorted({license_of(group.first.dependency.license) for group in shown})
    usages = [usage for usage in Usage if any(group.first.dependency.usage is usage for group in shown)]
    verdicts = [
        verdict
        for verdict in reversed(LicenseVerdict)
        if any(group.first.judgement.verdict is verdict for group in shown)
    ]
    return f"""<form id="filters" hidden aria-label="Filter">
<label>Repository <input id="f-r" type="search" autocomplete="off"></label>
<label>Dependency <input id="f-n" type="search" autocomplete="off"></label>
<label>Licence <select id="f-l"><option value="">all</option>{_options(licenses)}</select></label>
<label>Usage <select id="f-u"><option value="">all</option>{_options(usages)}</select></label>
<label>Verdict <select id="f-v"><option value="">all</option>{_options(verdicts)}</select></label>
<button type="reset">Show all</button> <output id="shown"></output></form>"""


def _options(values: list[str] | list[Usage] | list[LicenseVerdict]) -> str:
    return "".join(f"<option>{html(value)}</option>" for value in values)


def _heat(run: AuditRun, shown: tuple[ReasonGroup, ...]) -> Iterator[str]:
    drawn = grid(run, most_columns=_MAX_COLUMNS, most_rows=_MAX_ROWS)
    yield '<section aria-labelledby="matrix"><h2 id="matrix">Matrix</h2>' + _legend()
    if not drawn.columns:
        yield f"<p>{run.nothing_found()}</p></section>"
        return
    what = "dependencies" if drawn.by_dependency else "licences and usages"
    yield f"<p>Repositories against {what}. Each square shows the worst verdict. Select it for the reason.</p>"
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Matrix, can be scrolled"><table id="heat"><thead><tr><th scope="col">Repository</th>'
    yield "".join(_column(column, drawn) for column in drawn.columns) + "</tr></thead><tbody>"
    reasons = _targets(drawn, shown)
    numbers = {one.repository.name: number for number, one in enumerate(run.repositories)}
    for name, own, row in drawn.rows:
        number = numbers[name]
        squares = "".join(_square(row.get(column), reasons.get((number, column))) for column in drawn.columns)
        yield f'<tr data-r="{number}"><th scope="row"><bdi>{html(name)}</bdi> <small>{html(own, 80)}</small></th>{squares}</tr>'
    yield "</tbody></table></div>"
    if drawn.left_out:
        yield f"<p>And {drawn.left_out:,} more repositories in report.json. Those with the worst verdicts are shown here.</p>"
    yield "</section>"


def _column(column: tuple[str, str], drawn: HeatMapGrid) -> str:
    if column == REST_COLUMN:
        return '<th scope="col"><span>all else</span></th>'
    data = f'data-n="{html(column[0])}"' if drawn.by_dependency else f'data-l="{html(column[0])}" data-u="{column[1]}"'
    return f'<th scope="col" {data}><span><bdi>{html(column[0], 60)}</bdi> <small>{html(column[1], 40)}</small></span></th>'


def _targets(drawn: HeatMapGrid, shown: tuple[ReasonGroup, ...]) -> dict[tuple[int, tuple[str, str]], int]:
    """The number of the worst reason for each repository and column."""
    columns = {(column[0], "") if drawn.by_dependency else column: column for column in drawn.columns}
    found: dict[tuple[int, tuple[str, str]], int] = {}
    for group in shown:
        used = group.first.dependency
        key = (used.name, "") if drawn.by_dependency else (license_of(used.license), used.usage.value)
        for row in group.rows:
            found.setdefault((row, columns.get(key, REST_COLUMN)), group.number)
    return found


def _square(mark: HeatMapSquare | None, reason: int | None) -> str:
    if mark is None:
        return "<td></td>"
    count = f" {mark.count}" if mark.count > 1 else ""
    said = f"{mark.verdict}{', waived' if mark.waived else ''}{count}"
    kind = f'<td class="v-{mark.verdict}{" waived" if mark.waived else ""}">'
    if reason is None:
        return f'{kind}<span role="img" aria-label="{said}">{LEGEND[mark.verdict].sign}{count}</span></td>'
    return f'{kind}<a href="#r{reason}" aria-label="{said}">{LEGEND[mark.verdict].sign}{count}</a></td>'


def _legend() -> str:
    items = "".join(
        f'<div><dt class="v-{verdict}">{_mark(verdict)} {verdict} <span lang="zh-Hans">{LEGEND[verdict].chinese}</span></dt>'
        f"<dd>{LEGEND[verdict].meaning}</dd></div>"
        for verdict in LicenseVerdict
    )
    return f'<details class="legend"><summary>What the signs mean</summary><dl>{items}</dl></details>'


def _dependencies(run: AuditRun, shown: tuple[ReasonGroup, ...], total: int) -> Iterator[str]:
    yield '<section aria-labelledby="dependencies"><h2 id="dependencies">Dependencies</h2>'
    yield "<p>Worst first, each with what to do. Open it to see its rule and the source.</p>"
    yield '<table class="plain" id="list"><thead><tr>'
    yield "".join(f'<th scope="col">{name}</th>' for name in COLUMNS) + "</tr></thead><tbody>"
    for group in shown:
        yield "".join(group_row(group, run))
    yield "</tbody></table>"
    if total > len(shown):
        yield f"<p>And {total - len(shown):,} more, see report.json.</p>"
    yield "</section>"


def _licenses(run: AuditRun) -> Iterator[str]:
    ordered = sorted(run.licenses().items(), key=lambda item: (-item[1], item[0]))
    most = ordered[0][1] if ordered else 1
    yield '<section aria-labelledby="used"><h2 id="used">Licences in use</h2><div class="scroll" tabindex="0" role="region" aria-label="Licences in use, can be scrolled"><table class="plain used"><thead><tr><th scope="col">Licence</th>'
    yield '<th scope="col">Uses</th><td></td></tr></thead><tbody>'
    for name, uses in ordered[:100]:
        width = round(uses / most * 100, 1)
        bar = f'<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="{width}" height="8"/></svg>'
        yield f'<tr><th scope="row">{html(name)}</th><td class="number">{uses:,}</td><td class="bar">{bar}</td></tr>'
    yield "</tbody></table></div>"
    if len(ordered) > 100:
        yield f"<p>And {len(ordered) - 100:,} more, see report.json.</p>"
    yield "</section>"


def _section(name: str, title: str, found: list[tuple[str, Finding]], intro: str = "") -> Iterator[str]:
    """Findings below a title, and before them what to do about each kind; nothing where there are none."""
    if not found:
        return
    yield f'<section aria-labelledby="{name}"><h2 id="{name}">{title}</h2>{intro}<dl class="todos">'
    for code in sorted({finding.code for _, finding in found[:_MAX_FINDINGS]}):
        yield f"<div><dt><code>{html(code)}</code></dt><dd>{advice_as_html(help_of(code))}</dd></div>"
    yield '</dl><ul class="findings">'
    for repository, finding in found[:_MAX_FINDINGS]:
        place = html(str(finding.place), 300)
        yield f"<li><b><bdi>{html(repository)}</bdi></b> <code>{html(finding.code)}</code> {place}: {html(finding.message, 2_000)}</li>"
    yield "</ul>"
    if len(found) > _MAX_FINDINGS:
        yield f"<p>And {len(found) - _MAX_FINDINGS:,} more, see report.json.</p>"
    yield "</section>"


def _foot(run: AuditRun) -> str:
    heads = "".join(f'<th scope="col">{name.capitalize()}</th>' for name in attribution.COLUMNS)
    rows = "".join(
        f"<tr>{''.join(f'<td>{html(word, 400)}</td>' for word in one)}</tr>"
        for one in attribution.data(run.data_versions)
    )
    old = data_age.warning(run.data_versions, run.at)
    warning = f" <strong>Warning.</strong> {html(old, 1000)}" if old else ""
    return f"""</main><footer><h2 id="data">Data</h2>
<p>Licence data: {html(data_age.said(run.data_versions, run.at))}.{warning}</p>
<div class="scroll" tabindex="0" role="region" aria-labelledby="data"><table class="plain"><thead><tr>{heads}</tr></thead>
<tbody>{rows}</tbody></table></div></footer>
<script>{_shipped("report.js")}</script></body></html>
"""
