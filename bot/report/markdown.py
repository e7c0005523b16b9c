"""Other people's text in our Markdown: shown as it is, and never able to act as Markdown, HTML or a mention."""

import re
from collections.abc import Callable, Iterable, Sequence

from agreements.domains.masking import masked_text, visible

_TICKS = re.compile("`+")
_BAR = re.compile(r"(?<!\\)\\*\|")
# Possessive quantifiers: a stranger's text must not make the expression try again and again.
_MAILBOX = re.compile(r"(?<![\w.%+-])[\w.%+-]++@(?:[\w-]++\.)++[^\W\d_]{2,}+")
MAX_READ_CHARACTERS = 2_000
"""Characters of a foreign text that are looked at."""
MAX_SHOWN_CHARACTERS = 200
"""Characters of a foreign text that are shown; the rest is an ellipsis."""


def mailboxes(text: str) -> str:
    """Addresses of people masked; `@scope/name` and `name@1.2` are left alone, as names of packages are written."""
    return visible(_MAILBOX.sub(lambda found: masked_text(found[0]), text[:MAX_READ_CHARACTERS]))


def code(text: str, *, longest: int = MAX_SHOWN_CHARACTERS, mask: Callable[[str], str] = masked_text) -> str:
    """The text as a code span on one line, addresses masked, what is invisible escaped; "" stays empty."""
    shown = mask(" ".join(text.split()))  # An empty line would end the span.
    if not shown:
        return ""
    if len(shown) > longest:
        shown = shown[: longest - 1] + "…"
    # Longer than every run of backticks within (CommonMark 0.31.2, section 6.1).
    fence = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    space = " " if shown.startswith("`") or shown.endswith("`") else ""  # CommonMark takes one blank off at each side.
    # Inside a code span GitHub reads no mention, link, image, HTML, issue number or closing word.
    return f"{fence}{space}{shown}{space}{fence}"


def row(cells: Iterable[str]) -> str:
    """One row of a table; a bar inside a cell is escaped, which GitHub undoes inside code spans too."""
    # Backslashes before a bar are dropped: two of them would escape each other and let the bar end the cell.
    return "| " + " | ".join(_BAR.sub(r"\\|", cell.replace("\n", " ")) for cell in cells) + " |"


def table(head: Sequence[str], rows: Iterable[str]) -> list[str]:
    """The lines of a table, made of `row`s, with an empty line before and after."""
    return ["", row(head), row(["---"] * len(head)), *rows, ""]


def address(url: str) -> str:
    """Our own link's target with what could end it early written as escapes."""
    return "".join(
        # Escapes are not escaped twice.
        char if char.isascii() and char.isprintable() and char not in ' ()<>"\\`|' else _percent(char)
        for char in url
    )


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))


def fit(lines: Iterable[str], limit: int, more: str, *, total: int | None = None) -> str:
    """As many whole lines as fit into `limit` characters, then `more` with `{count}` filled in.

    `total` is how many lines there are, for a lazy iterable: what does not fit is not even made.
    """
    if total is None:
        lines = list(lines)
        total = len(lines)
    kept: list[str] = []
    used, reserve = 0, len(more) + 12  # 12 for the digits of the number.
    for line in lines:
        if used + len(line) + 1 > limit:
            break
        kept.append(line)
        used += len(line) + 1
    if len(kept) == total:
        return "\n".join(kept)
    while kept and used > limit - reserve:
        used -= len(kept.pop()) + 1
    return "\n".join([*kept, more.replace("{count}", f"{total - len(kept):,}")])
