"""Lists of text that a program's source spells out, found without running the program: setup.py and conanfile.py."""

import re
from typing import Final

# A text that is not closed ends with its line: looking for its end from each quote would take quadratic time.
_TOKEN: Final = re.compile(
    r"#[^\n]*+|[rRuUbBfF]{0,2}(?:\"\"\"|''')|[rRuUbB]{0,2}\"([^\"\\\n]*+(?:\\(?s:.)[^\"\\\n]*+)*+)\"?"
    r"|[rRuUbB]{0,2}'([^'\\\n]*+(?:\\(?s:.)[^'\\\n]*+)*+)'?|[\[\](){}]|[A-Za-z_][A-Za-z0-9_.]*+|\S"
)
_OPEN: Final = frozenset("[({")
_BEFORE: Final = frozenset("[({,=")  # After others a text is a part of an expression.
_CLOSE: Final = frozenset("])}")
Tokens = list[tuple[str, str | None, int]]
"""Words, marks and texts (second field) of a program, with their lines."""


def lists(read: Tokens, names: frozenset[str]) -> dict[str, list[tuple[str, int]]]:
    """For each `name = [ "…", … ]` (or a tuple, or a lone text) the texts in it and their lines.

    `name = other` is followed to the list that is called so. The first one of a name counts.
    """
    starts: dict[str, int] = {}
    aliases: dict[str, str] = {}
    for at in range(1, len(read) - 1):
        if read[at][0] == "=" and (read[at + 1][1] is not None or read[at + 1][0] in _OPEN):
            starts.setdefault(read[at - 1][0], at + 1)
        # `name = name` would lead nowhere.
        elif read[at][0] == "=" and read[at - 1][0] in names and read[at - 1][0] != read[at + 1][0]:
            aliases.setdefault(read[at - 1][0], read[at + 1][0])
    begins = {name: starts.get(name, starts.get(aliases.get(name, ""))) for name in sorted(names)}
    return {name: [] if start is None else _until_closed(read, start) for name, start in begins.items()}


def calls(read: Tokens, name: str) -> list[tuple[str, int, dict[str, str]]]:
    """The first text of each call of a function, its line, and the words of its arguments (`shared=True`)."""
    found = []
    for at in range(len(read) - 2):
        if read[at][0] == name and read[at + 1][0] == "(" and read[at + 2][1] is not None:
            words = {}
            # A bound, as calls within calls would each be read to their end.
            for near in range(at + 3, min(at + 40, len(read) - 1)):
                if read[near][0] == ")":
                    break
                if read[near][0] == "=":
                    words[read[near - 1][0]] = read[near + 1][0]
            found.append((read[at + 2][1] or "", read[at][2], words))
    return found


def tokens(content: str) -> Tokens:
    """Words, marks and texts (second field) with their lines; comments and long strings are left out."""
    found: list[tuple[str, str | None, int]] = []
    line, seen, at = 1, 0, 0
    while token := _TOKEN.search(content, at):
        at = token.end()
        word = token[0]
        if word.startswith("#"):
            continue
        line += content.count("\n", seen, token.start())
        seen = token.start()
        # A long string is documentation or a template, no list of names.
        if word.endswith(('"""', "'''")) and token[1] is None and token[2] is None:
            end = content.find(word[-3:], at)
            at = len(content) if end < 0 else end + 3
            continue
        string = token[1] if token[1] is not None else token[2]
        found.append((word, string, line))
    return found


def _until_closed(read: Tokens, start: int) -> list[tuple[str, int]]:
    """The texts up to the bracket that closes the one at `start`; a lone text is all there is."""
    depth, found = 0, []
    for at in range(start, len(read)):
        word, string, line = read[at]
        if string is not None and read[at - 1][0] not in _BEFORE:
            continue
        if string is not None:
            found.append((string, line))
            if depth == 0 and read[min(at + 1, len(read) - 1)][0] != ",":  # A comma makes a tuple without brackets.
                break
        elif word in _OPEN:
            depth += 1
        elif word in _CLOSE:
            depth -= 1
            if depth == 0:
                break
    return found
