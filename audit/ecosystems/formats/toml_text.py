"""TOML with the lines of its keys and strings: read by the standard library, the lines by one pass over the text."""

import re
import tomllib
from bisect import bisect_left
from functools import lru_cache
from typing import Any, Final

from audit.ecosystems.parsed_file import Broken

_HEADER: Final = re.compile(r"[ \t]*+\[(\[?)[ \t]*+([^\]\n]*+)\]")
_KEY: Final = re.compile(r"[ \t]*+([A-Za-z0-9_.-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+=")
_STRING: Final = re.compile(r"\"([^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+)\"|'([^'\n]*+)'")
_DOTTED: Final = re.compile(r"(?:(?:[A-Za-z0-9_-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){40}")
_PARTS: Final = 40
_WHERE: Final = re.compile(r"\(at line (\d+), column \d+\)")
_FILES: Final = re.compile(r"^(?:files|wheels) = \[\n(?:[ \t]++[^\n]*+\n|\n)*+\]", re.MULTILINE)
_UNREAD: Final = re.compile(
    r"^(?:description|python-versions|requires-python|checksum) = \"[^\"\\\n]*+\"$", re.MULTILINE
)
_SDIST: Final = re.compile(r"^sdist = \{[^\n]*\}$", re.MULTILINE)
_QUOTES: Final = re.compile(r"[\"' ]")


def _joined(table: str, name: str) -> str:
    """A key's whole path."""
    return f"{table}.{name}" if table else name


class Lines:
    """Where keys and strings of a TOML text stand; of keys the first place counts."""

    def __init__(self, content: str) -> None:
        self.keys: dict[str, int] = {}
        self.strings: dict[str, list[int]] = {}
        table = ""
        for number, line in enumerate(content.split("\n"), 1):
            header = _HEADER.match(line)
            if header and "=" not in header[2]:
                table = _QUOTES.sub("", header[2])
                self.keys.setdefault(table, number)
                continue
            key = _KEY.match(line)
            if key:
                path = _QUOTES.sub("", key[1])
                self.keys.setdefault(_joined(table, path), number)
                self.keys.setdefault(_joined(table, path.partition(".")[0]), number)
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


@lru_cache(maxsize=1)  # a file is read, then looked at again
def load(content: str) -> dict[str, Any]:
    """The tables of a TOML text; Broken says why not and at which line."""
    long = (line for line in content.split("\n") if line.count(".") >= _PARTS)
    if any(map(_DOTTED.search, long)):  # the standard library takes quadratic time for these
        raise Broken("a key of more than forty parts", None, "file/refused")
    try:
        return tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        where = _WHERE.search(str(error))
        raise Broken(f"this is not TOML: {error}", int(where[1]) if where else content.count("\n") + 1) from None
    except RecursionError:
        raise Broken("nested too deeply", None, "file/refused") from None
    except (ValueError, OverflowError) as error:
        raise Broken(f"this is not TOML: {error}") from None


def without_files(content: str) -> str:
    """A lock file without its lists of archives and other lines that nobody reads, on the same lines as before."""
    blank = _FILES.sub(lambda found: "\n" * found[0].count("\n"), content)
    return _UNREAD.sub("", _SDIST.sub("", blank))


def headers(content: str, name: str) -> list[int]:
    """The lines of `[[name]]`, in their order."""
    header = f"[[{name}]]"
    found, line, seen = ([1] if content.startswith(header) else []), 1, 0
    while (at := content.find(f"\n{header}", seen)) >= 0:
        line += content.count("\n", seen, at + 1)
        seen = at + 1
        found.append(line)
    return found


def numbered(content: str, name: str, entries: list[dict[str, Any]]) -> list[tuple[int | None, dict[str, Any]]]:
    """The elements of an array of tables with their lines; without, where the text does not tell them for certain."""
    lines = headers(content, name)
    sure = len(lines) == len(entries)
    return [(lines[at] if sure else None, entry) for at, entry in enumerate(entries)]


def sections(content: str, name: str, count: int) -> list[str]:
    """The text of each element of an array of tables, up to what is not its own; all empty where the text does not tell them for certain."""
    header = f"[[{name}]]"
    _, *found = f"\n{content}".split(f"\n{header}")
    if len(found) != count:
        return [""] * count
    return [*found[:-1], *(_ours(one, name) for one in found[-1:])]


def _ours(section: str, name: str) -> str:
    """The last element's text up to a table that is none of its own (`[metadata.files]` of old lock files)."""
    other = re.search(rf"\n\[(?!\[?{re.escape(name)}\.)", section)
    return section[: other.start()] if other else section
