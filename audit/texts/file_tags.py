"""The SPDX tags of one file: those near its head that are no part of a string, and those of its snippets.

What a program writes into other files (a string of several lines, a here document, a block of YAML) is no tag of its own.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from audit.texts.spdx_tags import TAG_SEARCH_CHARACTERS, Tag, tags

_HEAD_CHARACTERS: Final = 16_000  # Characters of a file in which a tag speaks for the whole of it.
_SNIPPETS: Final = re.compile(r"SPDX-Snippet(Begin|End)")
_HERE: Final = re.compile(r"<<[-~]?[ \t]*+\\?(['\"]?)([A-Za-z_]\w{0,60})\1")  # `<<EOF`, `<<-'EOF'`, `<<~EOS`.
# Names of files whose languages know here documents.
_SHELL: Final = re.compile(
    r"(?:.*\.(?:sh|bash|zsh|ksh|rb|pl|pm|php|ac|m4|t|in)|(?:.*\.)?[Dd]ockerfile.*|[Cc]ontainerfile.*|[^.]*)", re.DOTALL
)
_TRIPLE: Final = re.compile(r".*\.(?:py|pyi|pyx|java|kt|kts|scala|swift|groovy|gradle|toml|exs?|cs|jl|dart)")
_BACKTICKS: Final = re.compile(r".*\.(?:[cm]?[jt]sx?|go|vue|svelte)")
_RAW: Final = re.compile(r"R\"(?P<mark>[^()\\\s]{0,16})\(.*?(?:\)(?P=mark)\"|\Z)", re.DOTALL)
_CPP: Final = re.compile(r".*\.(?:cc|cpp|cxx|hh|hpp|hxx|h|inl|ipp)")
_YAML: Final = re.compile(r".*\.ya?ml")
# A line of a notebook's cell is a string of JSON.
_CELL: Final = re.compile(r"^[ \t]*+\"(.*?)(?:\\n)?\",?[ \t]*+$", re.MULTILINE)


def file_tags(path: str, content: str) -> tuple[Tag, ...]:
    """The tags of a file of that name, in order; `content` may be its beginning. A notebook's are in its cells."""
    head = content[:TAG_SEARCH_CHARACTERS]
    name = path.rpartition("/")[2]
    text = without_json(head) if name.endswith(".ipynb") else head
    # An unknown licence counts, too: the file must not be taken for one under the licence of the work.
    found = tags(text, only_known=False)
    if not found:
        return ()
    starts = [0]  # Where the first lines begin.
    last = max(tag.line for tag in found)
    while len(starts) < last:
        starts.append(text.index("\n", starts[-1]) + 1)
    within = _snippet_lines(text) if "SPDX-Snippet" in text else set[int]()
    inside = _string_lines(name, text)
    kept = []
    for tag in found:
        is_snippet = tag.line in within
        start = starts[tag.line - 1]
        is_indented = text[start : start + 1] in {" ", "\t"}
        # In YAML, an indented tag is part of a text that is written into another file.
        if tag.line in inside or (is_indented and _YAML.fullmatch(name)):
            continue
        if is_snippet or start < _HEAD_CHARACTERS:  # Far below, it speaks for a snippet alone.
            kept.append(replace(tag, snippet=is_snippet))
    return tuple(kept)


def without_json(head: str) -> str:
    """The lines of a notebook's cells as they are written there, in the places of the strings that hold them."""
    return _CELL.sub(lambda found: found[1].replace('\\"', '"'), head)


def _snippet_lines(text: str) -> set[int]:
    found: set[int] = set()
    begin, depth = 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        for mark in _SNIPPETS.finditer(line):
            if mark[1] == "Begin":
                begin, depth = begin if depth else number, depth + 1
            elif depth:
                depth -= 1
                if not depth:
                    found |= set(range(begin, number + 1))
    return found | (set(range(begin, text.count("\n") + 2)) if depth else set())


def _string_lines(name: str, text: str) -> set[int]:
    """The lines with a comment's sign that are inside a string of several lines or a here document."""
    found: set[int] = set()
    if "<<" in text and _SHELL.fullmatch(name):
        found |= set(_here_documents(text))
    if 'R"' in text and _CPP.fullmatch(name):
        for raw in _RAW.finditer(text):
            first = text.count("\n", 0, raw.start()) + 1
            found |= set(range(first + 1, first + raw[0].count("\n") + 1))
    marks = ('"""', "'''") if _TRIPLE.fullmatch(name) else ("`",) if _BACKTICKS.fullmatch(name) else ()
    if any(mark in text for mark in marks):
        found |= set(_open_strings(text, marks))
    return found


def _here_documents(text: str) -> Iterator[int]:
    closing = ""
    for number, line in enumerate(text.split("\n"), 1):
        if not closing:
            opened = _HERE.search(line)
            closing = opened[2] if opened and not line.lstrip().startswith("#") else ""
        elif line.strip() == closing:
            closing = ""
        else:
            yield number


def _open_strings(text: str, marks: tuple[str, ...]) -> Iterator[int]:
    opened = ""
    mark = re.compile("|".join(map(re.escape, marks)))
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.lstrip()
        # In a docstring a tag stands without a comment's sign; with one, the string is another file's text.
        if opened and (opened == "`" or bare.startswith(("#", "/", "*", "-", ";", "<"))):
            yield number
        if not opened and bare.startswith(("#", "//", "*", "/*")):  # A mark in a comment opens no string.
            continue
        for found in mark.finditer(line):
            if not opened:
                opened = found[0]
            elif found[0] == opened:
                opened = ""
