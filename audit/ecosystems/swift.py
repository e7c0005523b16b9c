"""Swift: Package.swift has the requested packages and the targets that use them, Package.resolved the commits."""

import re
from dataclasses import dataclass, field
from typing import Final

from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import json_text
from audit.ecosystems.formats.tokenizer import END, Token, TokenKind, closings, tokens
from audit.ecosystems.parsed_file import Graph, ParsedFile, table, text
from audit.ecosystems.purls import name_of_address, of_swift, purl
from audit.facts import Usage

_TOOLS: Final = re.compile(r"//[ \t]*+swift-tools-version[ \t]*+:[ \t]*+(\d{1,3})\.(\d{1,3})")
_TARGETS: Final = frozenset({"target", "executableTarget", "systemLibrary", "binaryTarget", "plugin", "macro"})
_TEST: Final = "testTarget"
_BINARY: Final = "binaryTarget"
_COMPUTED: Final = "computes the addresses of some packages"
_MAX_PACKAGE_TOKENS: Final = 40  # Name, address, version and traits take 30; calls may be nested.
# From these tools on a target names the package of a product, or a product that is called like its package.
_TOOLS_WITH_NAMES: Final = (5, 2)


def read_resolved(path: str, content: str) -> ParsedFile:
    """Package.resolved, versions 1 to 3: every repository at its commit, without their needs."""
    data = json_text.top(content)
    pins = json_text.items(data.get("pins")) or json_text.items(table(data.get("object")).get("pins"))  # Version 1.
    found, graph = DependencyList(path), Graph()
    for pin in pins:
        address = text(pin.get("location")) or text(pin.get("repositoryURL"))
        identity = text(pin.get("identity")) or text(pin.get("package")) or name_of_address(address)
        state = table(pin.get("state"))
        version, commit = text(state.get("version")), text(state.get("revision"))
        url = of_swift(address, version or commit or None)
        local = text(pin.get("kind")).startswith("local") or (bool(address) and url is None)
        if local or not identity:
            continue
        url = _of_registry(identity, version) if "." in identity and not address else url
        download = artifacts.repository(address, commit or None)
        found.add(pin.line, identity, version or commit, url, Usage.STATIC_LINK, "Package.resolved", download=download)
        graph.add((_key(address) or identity.lower(),))
    return found.parsed(graph=graph)


def _of_registry(identity: str, version: str) -> str | None:
    scope, _, name = identity.partition(".")  # Swift's registries have `scope.name`.
    return purl("generic", name, version or None, scope)


def _key(address: str) -> str:
    return name_of_address(address).lower()


@dataclass
class _Manifest(DependencyList):
    """One Package.swift so far: `packages` by identity, words in targets of `tests` and of `others`, the package's `name`.

    `seen` is the end of the last target, `texts` are the values of constants.
    """

    packages: dict[str, tuple[str, Token]] = field(default_factory=dict)
    tests: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)
    name: str = ""
    seen: int = 0
    texts: dict[str, str] = field(default_factory=dict)


def read(path: str, content: str) -> ParsedFile:
    """Package.swift: literal `.package(…)` calls, and archives; a package that only targets of tests name is for tests."""
    manifest = _Manifest(path)
    pieces = tokens(content)
    ends = closings(pieces)
    for word, name, mark, given in zip(pieces, pieces[1:], pieces[2:], pieces[3:], strict=False):
        if word.text == "let" and mark.text == "=" and given.kind is TokenKind.STRING:
            # Of two constants of one name, in two functions, neither is known.
            manifest.texts[name.text] = given.text if manifest.texts.get(name.text, given.text) == given.text else ""
    for at, piece in enumerate(pieces[:-1]):
        if piece.kind is TokenKind.WORD and pieces[at + 1].text == "(" and pieces[at + 1].kind is TokenKind.MARK:
            _call(manifest, pieces, at, ends[at + 1])
    tools = _TOOLS.match(content)
    sure = tools is not None and (int(tools[1]), int(tools[2])) >= _TOOLS_WITH_NAMES
    for identity, (address, token) in manifest.packages.items():
        tests = sure and identity in manifest.tests and identity not in manifest.others
        how, why = (Usage.TEST_ONLY, _TEST) if tests else (Usage.STATIC_LINK, "dependencies")
        place, url = manifest.place(token.line, address), of_swift(address) or _of_registry(address, "")
        manifest.add(place, identity, None, url, how, f"Package.swift: {why}", direct=True)
    manifest.own.add(manifest.name)
    return manifest.parsed()


def _call(manifest: _Manifest, pieces: list[Token], at: int, end: int) -> None:
    """One call, whose bracket closes at `end`: of a package, or of a target."""
    name = pieces[at].text
    dotted = at > 0 and pieces[at - 1].text == "."
    if name == "Package" and not dotted and not manifest.name:
        manifest.name = _labelled(manifest, pieces[at : at + 30], "name") or ""
    elif name in {"package", "Package"} and dotted:
        _add_package(manifest, pieces[at : min(end, at + _MAX_PACKAGE_TOKENS)])
    elif dotted and (name == _TEST or name in _TARGETS) and at >= manifest.seen:
        # A `.target(…)` within a target is what that one needs.
        words = manifest.tests if name == _TEST else manifest.others
        manifest.seen = end
        inside = pieces[at : manifest.seen]
        if name == _BINARY:
            _add_binary(manifest, inside[:_MAX_PACKAGE_TOKENS])
        words.update(token.text.lower() for token in inside if token.kind is TokenKind.STRING)


def _add_package(manifest: _Manifest, call: list[Token]) -> None:
    """A package by its repository, its folder, or its name in a registry."""
    address, folder, identity = (_labelled(manifest, call, label) for label in ("url", "path", "id"))
    if address is None or identity is None or (not address and not identity and folder == ""):
        manifest.not_read(call[0].line, _COMPUTED)
    elif identity:
        manifest.packages.setdefault(identity.lower(), (identity, call[0]))
    elif address and _key(address) and of_swift(address):
        manifest.packages.setdefault(_key(address), (address, call[0]))
    else:
        local = address or folder or ""
        manifest.outside(local, call[0].line, local)


def _add_binary(manifest: _Manifest, call: list[Token]) -> None:
    """An archive of compiled code, unless it lies in a folder."""
    address, name = _labelled(manifest, call, "url"), _labelled(manifest, call, "name")
    if address is None or (address and not name):
        manifest.not_read(call[0].line, _COMPUTED)
    elif address and name:
        place, download = manifest.place(call[0].line, f"{name} {address}"), artifacts.address(address)
        url, why = purl("generic", name.lower()), f"Package.swift: {_BINARY}"
        manifest.add(place, name, None, url, Usage.UNKNOWN, why, direct=True, download=download)


def _labelled(manifest: _Manifest, call: list[Token], label: str) -> str | None:
    """The text behind a label of the call; "" where there is none, None for one that is computed."""
    call = [token for token in call if token.kind is not TokenKind.LINE]
    for token, after, behind in zip(call, call[1:], [*call[2:], END], strict=False):
        if token.kind is TokenKind.LABEL and token.text == label:
            words = after.text if after.kind is TokenKind.STRING else manifest.texts.get(after.text)
            return words if words and "\\(" not in words and behind.text in {",", ")", ""} else None
    return ""
