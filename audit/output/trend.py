"""How an organisation's licences went from night to night, as a part of report.html: a line and a table."""

from collections.abc import Iterator, Sequence
from typing import Final

from audit.facts import LicenseVerdict
from audit.output.audit_run import Totals, stamp
from audit.output.legend import LEGEND

_MAX_NIGHTS: Final = 60
_CHART_WIDTH: Final = 100
_CHART_HEIGHT: Final = 24


def trend(nights: Sequence[Totals]) -> Iterator[str]:
    """The section as HTML, `nights` the oldest first; nothing of a single night. The newest sixty are shown."""
    shown = nights[-_MAX_NIGHTS:]
    if len(shown) < 2:
        return
    yield '<section aria-labelledby="trend"><h2 id="trend">Trend</h2>'
    yield f"<p>Violations went from {shown[0].violations:,} to {shown[-1].violations:,} since {_day(shown[0])}.</p>"
    yield _line([one.violations for one in shown])
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Trend, can be scrolled"><table class="plain numbers"><thead><tr>'
    verdicts = [f"{LEGEND[verdict].sign} {verdict}" for verdict in reversed(LicenseVerdict)]
    heads = ("Night", "Repositories", "Violations", *verdicts)
    yield "".join(f'<th scope="col">{head}</th>' for head in heads) + "</tr></thead><tbody>"
    for one in reversed(shown):
        counts = (one.repositories, one.violations, *(one.uses[verdict] for verdict in reversed(LicenseVerdict)))
        yield f'<tr><th scope="row">{_day(one)}</th>{"".join(f"<td>{count:,}</td>" for count in counts)}</tr>'
    yield '</tbody></table></div><p class="quiet">Nights with the same counts as the night before are left out.</p></section>'


def _day(one: Totals) -> str:
    return stamp(one.at)[:10]


def _line(values: Sequence[int]) -> str:
    """Violations as steps: a count holds until the next one."""
    most = max(*values, 1)
    wide, high = _CHART_WIDTH / (len(values) - 1), _CHART_HEIGHT - 2
    heights = [round(_CHART_HEIGHT - 1 - value / most * high, 1) for value in values]
    steps = "".join(f" H{round(number * wide, 1)} V{height}" for number, height in enumerate(heights[1:], 1))
    return (
        f'<svg class="trend" viewBox="0 0 {_CHART_WIDTH} {_CHART_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">'
        f'<path d="M0 {heights[0]}{steps}"/></svg>'
    )
