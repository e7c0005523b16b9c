"""Elixir: mix.exs has the requested packages, by environments, mix.lock the versions that were taken, and their needs.

Both are terms of Elixir. They are gone through token by token and never evaluated.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from audit import usage
from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats.tokenizer import Token, TokenKind, closing, closings, tokens, value
from audit.ecosystems.parsed_file import Graph, PackageDetails, ParsedFile, ParseError, learned, said
from audit.ecosystems.purls import of_address, of_options, purl
from audit.facts import UNLEARNED, Dependency, Source, Usage

_EXACT: Final = re.compile(r"(?:==[ \t]*+)?(\d++\.\d++\.\d++(?:[-+][0-9A-Za-z.+-]++)?)")
_LOCAL: Final = frozenset({"path", "in_umbrella"})
_PUBLIC: Final = "hexpm"
_COMPUTED: Final = "computes packages, or asks for them on conditions"
_DEFINES: Final = frozenset({"def", "defp"})
_COMMA: Final = Token(TokenKind.MARK, ",", 0)
# The depths at which mix.lock has the parts of an entry, and the names that it needs.
_TUPLE_DEPTH, _NEED_DEPTH = 2, 4


@dataclass
class _MixFile(DependencyList):
    """One mix.exs: its `pieces`, where each bracket of them `ends`, and the bodies of its `functions`.

    `called` are names of functions that give packages, in the order of their calls.
    """

    pieces: list[Token] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    functions: dict[str, list[range]] = field(default_factory=dict)
    called: list[str] = field(default_factory=lambda: ["deps"])


def read(path: str, content: str) -> ParsedFile:
    """mix.exs: the tuples in lists called `deps`, and the package's licence where it is one."""
    pieces = [token for token in tokens(content) if token.kind is not TokenKind.LINE]
    found = _MixFile(path, pieces=pieces, ends=closings(pieces), functions=_functions(pieces))
    own, stated, seen, end = "", UNLEARNED, 0, 0
    for at, token in enumerate(pieces):
        if token.text == "deps" and token.kind is TokenKind.LABEL:
            seen = _add_value(found, range(at + 1, len(pieces))) if at >= seen else seen
        elif token.kind is TokenKind.LABEL and token.text == "app" and not own and at >= end:
            named, end = value(pieces, at + 1)
            own = next((each.text for each in named if each.kind is TokenKind.SYMBOL), "")
        elif token.kind is TokenKind.LABEL and token.text == "licenses" and not stated.expression and at >= end:
            named, end = value(pieces, at + 1)
            stated = learned(named[0].text, path, token.line, Source.METADATA) if len(named) == 1 else stated
    bodies = dict(found.functions)
    for name in found.called:  # The list grows by what these call.
        for body in bodies.pop(name, ()):
            _add_value(found, body, is_body=True)
    once: dict[tuple[str, Usage], Dependency] = {}
    for dependency in found.dependencies:
        once.setdefault((dependency.name, dependency.usage), dependency)  # The first of each counts.
    found.dependencies = list(once.values())
    found.own.add(own)
    return found.parsed(license=stated)


def _functions(pieces: list[Token]) -> dict[str, list[range]]:
    """The bodies by the function's name, one for each of its clauses; the next function ends the last one's body."""
    starts = [at for at, token in enumerate(pieces) if token.kind is TokenKind.WORD and token.text in _DEFINES]
    found: dict[str, list[range]] = {}
    for start, until in zip(starts, [*starts[1:], len(pieces)], strict=False):
        body = next((at for at in range(start, until) if pieces[at].text == "do"), until)
        found.setdefault(pieces[min(start + 1, until - 1)].text, []).append(range(body + 1, until))
    return found


def _add_value(mix: _MixFile, places: range, *, is_body: bool = False) -> int:
    """The packages in the lists of an expression, up to its end; what it computes besides is told."""
    at, depth, blocks = places.start, 0, 0
    while at < places.stop:
        token = mix.pieces[at]
        if token.is_opening and token.text != "(":
            if token.text == "[":
                _add_listed(mix, at)
            else:
                _add_entry(mix, at, mix.ends[at] + 1)
            at = mix.ends[at]
        elif token.kind is TokenKind.MARK:
            depth += token.is_opening - token.is_closing
            # Behind the body of a function in one line, an attribute of the module begins another line.
            is_attribute = is_body and token.text == "@" and token.line > mix.pieces[at - 1].line and at > places.start
            if depth < 0 or is_attribute or (token.text == "," and not depth and not is_body):
                break
        elif token.kind is TokenKind.WORD:
            blocks += (token.text in {"do", "fn"}) - (token.text == "end")
            if blocks < 0:
                break
            _add_called(mix, at, is_computed=not depth and token.text != "end")
        at += 1
    return at


def _add_called(mix: _MixFile, at: int, *, is_computed: bool) -> None:
    """A word of an expression: a function of the file, or what only the program knows."""
    if mix.pieces[at].text in mix.functions and mix.pieces[at - 1].text not in {".", "@"}:
        mix.called.append(mix.pieces[at].text)
    elif is_computed:
        mix.not_read(mix.pieces[at].line, _COMPUTED)


def _add_listed(mix: _MixFile, start: int) -> None:
    """The packages of a list: tuples, and pairs of a name and a version as keywords."""
    at = start + 1
    while at < min(mix.ends[start], len(mix.pieces)):
        begun = at
        while at < mix.ends[start] and mix.pieces[at].text != ",":
            at = (mix.ends[at] if mix.pieces[at].is_opening else at) + 1
        _add_entry(mix, begun, at)
        at += 1


def _add_entry(mix: _MixFile, begun: int, end: int) -> None:
    """One package of a list: a tuple, a keyword, or a call of a function of the file that gives it."""
    entry = mix.pieces[begun:end]
    is_whole = len(entry) == 1 or (len(entry) > 1 and mix.ends[begun + (entry[0].text != "{")] == end - 1)
    if len(entry) > 3 and is_whole and entry[0].text == "{" and entry[1].kind is TokenKind.SYMBOL:
        _add_asked(mix, entry[1:-1])
    elif entry and entry[0].kind is TokenKind.LABEL:
        _add_asked(mix, [Token(TokenKind.SYMBOL, entry[0].text, entry[0].line), _COMMA, *entry[1:]])
    elif entry and is_whole and entry[0].text in mix.functions:
        mix.called.append(entry[0].text)
    elif entry:
        mix.not_read(entry[0].line, _COMPUTED)


def _add_asked(found: DependencyList, call: list[Token]) -> None:
    if not call or call[0].kind is not TokenKind.SYMBOL:
        return
    options: dict[str, list[Token]] = {}
    flags: dict[str, str] = {}
    end = 0
    for at, token in enumerate(call[:-1]):
        if token.kind is TokenKind.LABEL and at >= end:  # Words within a value are no options.
            named, end = value(call, at + 1)
            options.setdefault(token.text, named)
            flags.setdefault(token.text, call[at + 1].text)
    if _LOCAL & flags.keys():
        folder = next((token.text for token in options.get("path", [])), "")
        found.outside(folder, call[0].line, f"{call[0].text} {folder}")
        return
    rule = call[2].text if len(call) > 2 and call[2].kind is TokenKind.STRING else ""
    exact = _EXACT.fullmatch(rule.strip())
    version = exact[1] if exact else None
    first = {key: listed[0].text for key, listed in options.items() if listed}
    name = first.get("hex", call[0].text)  # The application may be called otherwise.
    how, why = _used([token.text for token in options.get("only", [])], flags.get("runtime", ""))
    place, url = found.place(call[0].line, f"{call[0].text} {rule}"), _purl(name, version, first)
    more = PackageDetails(direct=True, optional=flags.get("optional") == "true")
    found.add(place, name, version, url, how, f"mix.exs: {why}", **more)


def _used(only: list[str], runtime: str) -> tuple[Usage, str]:
    if only:
        how = usage.strongest(*(usage.group(environment) or Usage.RUNTIME_IMPORT for environment in only))
        if how in usage.NOT_SHIPPED:
            return how, f"only {said(', '.join(only))}"
    # Mix compiles such a package but does not start it.
    return (Usage.BUILD_TOOL, "runtime: false") if runtime == "false" else (Usage.RUNTIME_IMPORT, "what runs")


def _purl(name: str, version: str | None, first: dict[str, str]) -> str | None:
    if "github" in first or "git" in first:
        return of_options(first, name)
    return _hex(name, version, first.get("organization") or first.get("repo") or _PUBLIC)


def _hex(name: str, version: str | None, origin: str) -> str | None:
    # `hexpm:acme` is an organisation's part of Hex: its packages are private.
    owner = "" if origin == _PUBLIC else origin.partition(":")[2] or origin
    url = purl("hex", name, version, owner)
    return f"{url}?repository_url=repo.hex.pm" if url and owner else url


@dataclass
class _MixEntry:
    """An entry of mix.lock: `name`, `line`, the atoms and strings of its tuple as `parts`, and the names it `needs`."""

    name: str
    line: int
    parts: list[str] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)


def read_lock(path: str, content: str) -> ParsedFile:
    """mix.lock: packages of Hex and repositories. Raises ParseError for anything but a map of Elixir's."""
    pieces = [token for token in tokens(content) if token.kind is not TokenKind.LINE]
    if [piece.text for piece in pieces[:2]] != ["%", "{"]:
        raise ParseError("this is no map, `%{…}`: nothing was read of this file", 1)
    if closing(pieces, 1) >= len(pieces):
        raise ParseError("the map is not closed: nothing was read of this file", pieces[-1].line)
    found, graph = DependencyList(path), Graph()
    for entry in _entries(pieces):
        if _add_locked(found, entry):
            graph.add((entry.name,), dict.fromkeys(entry.needs))
        elif entry.parts[:1] != ["path"]:  # A folder is the work's own.
            found.broken(entry.line, f"no package of Hex and no repository: {said(entry.name)!r}")
    return found.parsed(graph=graph)


def _entries(pieces: list[Token]) -> list[_MixEntry]:
    """Names at the map's own depth, with the content of the tuple behind each."""
    found: list[_MixEntry] = []
    depth = 0
    for at, token in enumerate(pieces):
        depth += token.is_opening - token.is_closing
        # A key is a label (`"name": {…}`), or a string before `=>`.
        named = token.kind in {TokenKind.LABEL, TokenKind.STRING} and depth == 1
        if named and (token.kind is TokenKind.LABEL or (pieces[at + 1 : at + 2] and pieces[at + 1].text == "=")):
            found.append(_MixEntry(token.text, token.line))
        elif found and depth == _TUPLE_DEPTH and token.kind in {TokenKind.SYMBOL, TokenKind.STRING}:
            found[-1].parts.append(token.text)
        elif found and depth == _NEED_DEPTH and token.kind is TokenKind.SYMBOL and pieces[at - 1].text == "{":
            found[-1].needs.append(token.text)
        elif (
            found
            and found[-1].needs
            and depth == _NEED_DEPTH + 1
            and token.kind is TokenKind.LABEL
            and [each.text for each in pieces[at : at + 2]] == ["optional", "true"]
        ):
            found[-1].needs.pop()  # It brings nothing: where it is there, another entry needs it.
    return found


def _add_locked(found: DependencyList, entry: _MixEntry) -> bool:
    """`{:hex, :name, version, inner checksum, …, repository, outer checksum}`, or `{:git, address, commit, …}`; whether it is one."""
    kind, *rest = entry.parts or [""]
    if kind not in {"git", "hex"} or len(rest) < 2:
        return False
    first, version = rest[0], rest[1]
    place, how = found.place(entry.line, f"{entry.name} {version}"), Usage.RUNTIME_IMPORT
    if kind == "git":
        url, download = of_address(first, version, entry.name), artifacts.repository(first, version)
        found.add(place, entry.name, version, url, how, "mix.lock", download=download)
        return True
    # Older forms have no outer checksum, and the inner one is not the archive's.
    origin, outer = (rest[3], rest[4] if len(rest) > 4 else "") if len(rest) > 3 else (_PUBLIC, "")
    url, checksums = _hex(first, version, origin), artifacts.checksum("sha256", outer)
    found.add(place, first, version, url, how, "mix.lock", checksums=checksums)
    return True
