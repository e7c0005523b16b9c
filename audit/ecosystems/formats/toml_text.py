"""TOML with the lines of its keys and strings: read by the standard library, the lines by one pass over the text."""

import re
import tomllib
from bisect import bisect_left
from functools import lru_cache
from typing import Any, Final

from audit.ecosystems.parsed_file import ParseError, rows, table

_HEADER: Final = re.compile(r"[ \t]*+\[(\[?)[ \t]*+([^\]\n]*+)\]")
_KEY: Final = re.compile(r"[ \t]*+([A-Za-z0-9_.-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+=")
_STRING: Final = re.compile(r"\"([^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+)\"|'([^'\n]*+)'")
_DOTTED: Final = re.compile(r"(?:(?:[A-Za-z0-9_-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){40}")
_MAX_KEY_PARTS: Final = 40
_WHERE: Final = re.compile(r"\(at line (\d+), column \d+\)")
# Archives and checksums are most of a lock file: without them it is parsed in a fraction of the time.
_FILES: Final = re.compile(r"^(?:files|wheels) = \[\n(?:[ \t]++[^\n]*+\n|\n)*+\]", re.MULTILINE)
_UNREAD: Final = re.compile(
    r"^(?:description|python-versions|requires-python|checksum) = \"[^\"\\\n]*+\"$", re.MULTILINE
)
_SDIST: Final = re.compile(r"^sdist = \{[^\n]*\}$", re.MULTILINE)
_QUOTES: Final = re.compile(r"[\"' ]")


def _joined(table: str, name: str) -> str:
    return f"{table}.{name}" if table else name


class TomlLines:
    """The lines of keys and strings of a TOML text; of keys the first place counts."""

    def __init__(self, content: str) -> None:
        self.keys: dict[str, int] = {}
        self.strings: dict[str, list[int]] = {}
        above = ""
        for number, line in enumerate(content.split("\n"), 1):
            header = _HEADER.match(line)
            if header and "=" not in header[2]:  # Else it is an element of a list.
                above = _QUOTES.sub("", header[2])
                self.keys.setdefault(above, number)
                continue
            key = _KEY.match(line)
            if key:
                path = _QUOTES.sub("", key[1])
                self.keys.setdefault(_joined(above, path), number)
                self.keys.setdefault(_joined(above, path.partition(".")[0]), number)  # `a.b = 1` is in the table `a`.
            if "'" in line or '"' in line:
                for string in _STRING.finditer(line):
                    self.strings.setdefault(string[1] or string[2] or "", []).append(number)

    def key(self, table: str, name: str) -> int | None:
        """The line of a key in a table, however the two are written; that of the table if there is none."""
        return self.keys.get(_joined(table, name)) or self.keys.get(table)

    def string(self, words: str, table: str = "", name: str = "") -> int | None:
        """The first line of a string at or below a key; that of the key for one that is written in another way."""
        lines = self.strings.get(words, [])
        begin = (self.key(table, name) if name else None) or 0
        at = bisect_left(lines, begin)
        return lines[at] if at < len(lines) else begin or None


@lru_cache(maxsize=1)  # A file is read, then looked at again.
def load(content: str) -> dict[str, Any]:
    """The tables of a TOML text; ParseError says why not and at which line."""
    long = (line for line in content.split("\n") if line.count(".") >= _MAX_KEY_PARTS)
    if any(map(_DOTTED.search, long)):  # The standard library takes quadratic time for these.
        raise ParseError("a key of more than forty parts", None, "file/refused")
    try:
        return tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        where = _WHERE.search(str(error))
        # An error at the end of the document comes without a line.
        raise ParseError(f"this is not TOML: {error}", int(where[1]) if where else content.count("\n") + 1) from None
    except RecursionError:
        raise ParseError("nested too deeply", None, "file/refused") from None
    except (ValueError, OverflowError) as error:
        raise ParseError(f"this is not TOML: {error}") from None


def without_files(content: str) -> str:
    """A lock file without its lists of archives and other lines that no reader needs, on the same lines as before."""
    blank = _FILES.sub(lambda found: "\n" * found[0].count("\n"), content)
    return _UNREAD.sub("", _SDIST.sub("", blank))


def elements(content: str, name: str) -> list[tuple[int | None, dict[str, Any], str]]:
    """The elements of a lock file's array of tables, without archives; line and text only where they are certain."""
    entries = [table(row) for row in rows(load(without_files(content)).get(name))]
    above, *texts = f"\n{content}".split(f"\n[[{name}]]")
    if len(texts) != len(entries):  # A text may hold the header's words.
        return [(None, entry, "") for entry in entries]
    found: list[tuple[int | None, dict[str, Any], str]] = []
    line = above.count("\n") + 1
    for entry, text in zip(entries, texts, strict=True):
        # Behind the last element may stand a table of its own (`[metadata.files]` of old lock files).
        last = len(found) == len(entries) - 1
        other = re.search(rf"\n\[(?!\[?{re.escape(name)}\.)", text) if last else None
        found.append((line, entry, text[: other.start()] if other else text))
        line += text.count("\n") + 1
    return found
