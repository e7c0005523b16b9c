"""A source file with its licence header, behind lines that have to stay first, in the language's comments."""

from collections.abc import Sequence

from audit.headers.comment_styles import CommentStyle, kind_of, preamble, style_of
from audit.headers.header_rule import YEARS, HeaderRule
from audit.headers.license_headers import FileHeader, HeaderStatus, check_header

_MARK = "\ufeff"  # A byte order mark.


def with_header(path: str, text: str, state: FileHeader, header: HeaderRule, years: str) -> str | None:
    """The text with the lines that it lacks; None where they can't be added with certainty, so that people do it.

    `text` is the file as it is, its line ends and its byte order mark included; `state` is what `look` says of it. What
    comes out is looked at again: it has the header, and is the old text but for the lines that were added.
    """
    style = style_of(path)
    # A carriage return alone ends a line for some programs only.
    if state.kind is not HeaderStatus.MISSING or style is None or "\r" in text.replace("\r\n", ""):
        return None
    mark = _MARK if text.startswith(_MARK) else ""
    end = "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"  # The file's commoner one.
    lines = text[len(mark) :].split("\n")
    first = preamble([line.rstrip("\r") for line in lines], kind_of(path))
    block = _block([line.replace(YEARS, years) for line in state.lacks], style)
    if first is None or block is None:
        return None
    whole = mark + _joined(lines, first, block, end, apart=len(state.lacks) == len(header.lines(years)))
    seen = whole.removeprefix(mark).replace("\r\n", "\n")
    # The result must pass the check itself, and at the first reading.
    return whole if check_header(path, seen, header).kind is HeaderStatus.PRESENT else None


def _joined(lines: Sequence[str], first: int, block: Sequence[str], end: str, *, apart: bool) -> str:
    """`apart`: an empty line keeps the header from the comment that follows, which may be about the code."""
    above, below = "\n".join(lines[:first]), "\n".join(lines[first:])
    if first and first == len(lines):
        above += end  # The last line had no end.
    elif first:
        above += "\n"
    is_close = apart and bool(below.split("\n", 1)[0].strip())
    return f"{above}{end.join(block)}{end}{end if is_close else ''}{below}"


def _block(header: Sequence[str], style: CommentStyle) -> list[str] | None:
    """The lines as a comment; None where they hold a sign that would end it."""
    before, each, after = style.header
    closing = "--" if before == "<!--" else after.strip()  # XML forbids it within a comment.
    # In C a backslash at the end of a comment takes the next line in.
    if any(line.endswith("\\") or (closing and closing in line) for line in header):
        return None
    return [*filter(None, [before]), *(f"{each}{line}".rstrip() for line in header), *filter(None, [after])]
