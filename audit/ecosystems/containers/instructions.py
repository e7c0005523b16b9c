"""Instructions of container files: lines put together, with the commands of their here-documents."""

import re
from collections.abc import Iterator
from typing import Final

_HOLDS_FILES: Final = re.compile(r"[ \t]*+(?:RUN|COPY|ADD)[ \t]", re.IGNORECASE)
_HERE: Final = re.compile(r"(?<=[ \t])\d?<<-?[\"']?([A-Za-z_]\w*+)[\"']?(?![^ \t;&|>)])")
# Such a RUN gives a shell its script; elsewhere the text is what a command such as `cat` reads.
_RUNS_HERE: Final = re.compile(
    r"[ \t]*+RUN[ \t]++(?:--\S++[ \t]++)*+(?:(?:/\S*/)?(?:ba|da|a|z|k)?sh(?:[ \t]++-\S++)*+[ \t]*+)?<<", re.IGNORECASE
)
# Windows' container files may let another character stand for a line that goes on.
_ESCAPE: Final = re.compile(r"(?:#[^\n]{0,200}\n){0,5}?#[ \t]{0,9}escape[ \t]{0,9}=[ \t]{0,9}`", re.IGNORECASE)
HEAD_CHARACTERS: Final = 2_000  # Of an instruction: in these a here-document begins.


def logical_lines(content: str) -> Iterator[tuple[int, str]]:
    """Lines joined where one ends in a backslash, or in what the file has for it, without comments.

    The here-documents of a RUN are its commands.
    """
    parts: list[str] = []
    first = 1
    goes_on = "`" if _ESCAPE.match(content) else "\\"
    lines = enumerate((raw.rstrip("\r") for raw in content.split("\n")), 1)
    for number, line in lines:
        # Docker leaves out comments and empty lines also between the parts of one instruction.
        if line.lstrip().startswith("#") or (parts and not line.strip()):
            continue
        first = first if parts else number
        bare = line.rstrip(" \t")
        if bare.endswith(goes_on):
            parts.append(bare[:-1])
            continue
        if line.strip():
            whole = " ".join([*parts, line])
            yield first, "; ".join([whole, *_here(whole, lines)])
        parts = []
    if parts:
        yield first, " ".join(parts)


def _here(instruction: str, lines: Iterator[tuple[int, str]]) -> list[str]:
    """The commands in an instruction's here-documents, whose lines are taken; none where these are a file's text."""
    if not _HOLDS_FILES.match(instruction):  # No other instruction has here-documents.
        return []
    found: list[str] = []
    for end in _HERE.findall(instruction, 0, HEAD_CHARACTERS):
        text = ""
        for _, line in lines:
            # With `<<-` tabs may stand before the word that ends the text.
            if line.lstrip("\t") == end:
                break
            if not line.lstrip().startswith("#"):
                text += line[:-1] if line.endswith("\\") else f"{line}; "
        found.append(text)
    return found if _RUNS_HERE.match(instruction) else []
