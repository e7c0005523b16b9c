"""The tables of a change: a row for every use that it touches, with its verdict, the reason, what to do and where it stands."""

import re
from collections.abc import Callable, Sequence

from audit.facts import Cell, ChangeCause, Finding, Place
from audit.licenses.expression import spelled
from audit.verdict.grouping import names
from audit.verdict.pull_request import UsageChange
from audit.verdict.unknown_license import is_not_looked_up
from bot.report.markdown import code, mailboxes, row, table
from bot.report.words import licenses as words
from bot.report.words.licenses import phrase
from bot.report.words.templates import Language, listed

Own = tuple[str | None, str | None]
"""The repository's licence before and after."""
_MAX_PLACES = 2
_MAX_CELL_CHARACTERS = 120
_PLAIN = re.compile(r"(?i)(?!.*www\.)(?:[a-z0-9 ,;()'+]|[.:/-](?![./]))*+")
"""A reason with nothing in it that Markdown or GitHub would act on; any other holds a stranger's words."""
_COLUMNS = ("verdict", "dependency", "version", "license", "usage", "why", "todo", "place")


def named(text: str | None, longest: int = _MAX_CELL_CHARACTERS) -> str:
    """A stranger's words as a code span; "" for nothing."""
    return code(text or "", longest=longest, mask=mailboxes)  # `name@1.2` is a package.


def place(location: Place) -> str:
    """A file and its line."""
    return named(location.path if location.line is None else f"{location.path}:{location.line}")


def where(cell: Cell) -> str:
    """The first places where it stands."""
    return ", ".join(dict.fromkeys(place(location) for location in cell.dependency.places[:_MAX_PLACES]))


def reason_of(cell: Cell, outbound: str | None, language: Language) -> str:
    """The reason for the outcome, in a clause; the strangers' words in it are harmless."""
    judged = cell.judgement
    inbound = judged.branch or spelled(cell.dependency.license.expression)
    # A reason with a stranger's words in it is shown as code.
    own = judged.reason if _PLAIN.fullmatch(judged.reason) else named(judged.reason, 600)
    unknown = phrase(language, "unknown")
    return words.reason(language, judged, named(inbound) or unknown, named(outbound) or unknown, own=own)


def explained(cell: Cell, outbound: str | None, language: Language, *more: str) -> str:
    """The reason for the outcome, what `more` there is to say, and the rule with its data."""
    judged = cell.judgement
    rule = phrase(language, "rule", rule=code(judged.rule), data=code(judged.data_version))
    return words.sentence(language, reason_of(cell, outbound, language), *more, rule)


def of_several(cells: Sequence[Cell], outbound: str | None, language: Language, most: int) -> str:
    """The line on dependencies that came out so for one reason: so many of them by name, the reason, and what to do."""
    said = phrase(
        language,
        "several-not-looked-up" if is_not_looked_up(cells[0]) else "several-failing",
        count=f"{len(cells):,}",
        names=listed((named(name) for name in names(cells, most) if name), language),
        reason=reason_of(cells[0], outbound, language),
    )
    return f"- {words.sentence(language, said, words.advice(language, cells[0].judgement))}"


def columns(language: Language) -> list[str]:
    """The heads of a table of uses."""
    return [phrase(language, name) for name in _COLUMNS]


def table_of(moves: Sequence[UsageChange], own: Own, language: Language) -> list[str]:
    """The lines of a table, a row for each move."""
    return table(columns(language), (_row(move, own, language) for move in moves))


def findings(found: Sequence[Finding], language: Language) -> list[str]:
    """The lines of a table of findings."""
    head = [phrase(language, name) for name in ("finding", "place", "said")]
    return table(head, (row([code(finding.code), place(finding.place), said(finding, language)]) for finding in found))


def said(finding: Finding, language: Language) -> str:
    """The message of a finding; where the audit's own words are in another language, behind a sentence for its code."""
    message = named(finding.message, 300)
    known = words.finding(language, finding.code)
    return f"{known}：{message}" if known else message


def _row(move: UsageChange, own: Own, language: Language) -> str:
    cell = move.after or move.before  # Of a dependency that is gone, what it was.
    assert cell is not None
    none, unknown = phrase(language, "none"), phrase(language, "unknown")
    kind = phrase(language, f"kind-{move.kind}")
    is_gone = move.after is None
    verdict = _changed(move, language, lambda cell: words.word(language, "verdict", cell.judgement.verdict))
    return row(
        [
            f"{'❌ ' if move.fails and not is_not_looked_up(cell) else ''}{verdict} ({kind})",
            named(cell.dependency.name),
            _changed(move, language, lambda cell: named(cell.dependency.version)) or none,
            _changed(move, language, lambda cell: named(spelled(cell.dependency.license.expression)) or unknown),
            _changed(move, language, lambda cell: words.word(language, "usage", cell.dependency.usage)),
            none if is_gone else _why(move, cell, own, language),
            (none if is_gone else words.advice(language, cell.judgement)) or none,
            where(cell) or none,
        ]
    )


def _changed(move: UsageChange, language: Language, show: Callable[[Cell], str]) -> str:
    said = [show(cell) for cell in (move.before, move.after) if cell]  # None for one that is new, or gone.
    before, after = said[0], said[-1]
    return after if not before or before == after else phrase(language, "change", before=before, after=after)


def _why(move: UsageChange, cell: Cell, own: Own, language: Language) -> str:
    parts = []
    if cell.judgement.branch:
        parts.append(phrase(language, "branch", license=named(cell.judgement.branch)))
    cause = phrase(language, f"cause-{_cause(move)}") if move.before else ""
    if cause:
        parts.append(f"({cause})" if language == "en" else f"（{cause}）")
    if cell.waiver:
        # Not by whom or why: the rulebook may be private where the pull request is not.
        parts.append(phrase(language, "waived", until=cell.waiver.until.isoformat()))
    return explained(cell, own[1], language, *parts)


def _cause(move: UsageChange) -> str:
    if move.cause is ChangeCause.DATA:
        return "rule"
    if move.cause is not ChangeCause.LICENSE or not move.before or not move.after:
        return str(move.cause)
    # The dependency's licence is as it was, so the work's own has changed.
    before, after = (spelled(cell.dependency.license.expression) for cell in (move.before, move.after))
    return "own" if before == after else "licence"
