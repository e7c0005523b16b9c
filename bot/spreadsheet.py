"""Cells of CSV files that no spreadsheet calculates, whichever sign it takes for the separator."""

import re
from collections.abc import Sequence
from typing import Final

from agreements.domains.invisible import INVISIBLE_CHARACTERS

# A CSV file does not say what separates its cells. One written with `,` and opened where `;` or a tab separates falls
# apart within its values, and at their line ends: every place where a cell may begin counts.
_BEGINS: Final = ";\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
# A spreadsheet may leave these out in front: blanks, control signs, what shows nothing, and quotation marks.
_SKIPPED: Final = rf"\s\"\x00-\x1f\x7f-\x9f\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f{re.escape(''.join(sorted(INVISIBLE_CHARACTERS)))}"
# A formula begins with one of these; full, small, raised and lowered ones; and the sign for minus.
_FORMULA: Final = frozenset("=+-@＝＋－＠﹦﹢﹣﹫⁺⁻⁼₊₋₌−⩵⩶﬩")

# Nearly every value: it begins like a word, and no cell can begin within it.
_PLAIN: Final = re.compile(r"(?:[A-Za-z0-9][ -:<-~]*+)?")
_RUN: Final = re.compile(rf"(?:\A|[{_BEGINS}])[{_BEGINS}{_SKIPPED}]*+")
_BEGIN: Final = re.compile(f"[{_BEGINS}]")
_ESCAPED: Final = re.compile(rf"(\A|[{_BEGINS}])'")


def escape(value: str) -> str:
    """The value with an apostrophe before what may begin a formula (OWASP, "CSV injection"), and before one there."""
    return value if _PLAIN.fullmatch(value) else _RUN.sub(_shielded, value)


def unescape(cell: str) -> str:
    """The value as it was: one apostrophe taken off wherever a cell may begin."""
    return _ESCAPED.sub(r"\1", cell)


def complete(rows: int, columns: int) -> Sequence[str]:
    """The last line of a file that is whole: as wide as the others, so that no importer stumbles over it."""
    return [f"# complete: {rows} {'row' if rows == 1 else 'rows'}", *[""] * (columns - 1)]


def _shielded(run: re.Match[str]) -> str:
    follows = run.string[run.end() : run.end() + 1]
    if follows in _FORMULA:
        # An apostrophe at every place where a cell may begin before this sign.
        return ("" if run.start() else "'") + _BEGIN.sub(r"\g<0>'", run[0])
    # One of the value's own would be taken off again by `unescape`.
    is_at_begin = _BEGIN.match(run[0][-1:]) if run[0] else True
    return f"{run[0]}'" if follows == "'" and is_at_begin else run[0]
