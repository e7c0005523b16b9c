"""Python's lock files: poetry.lock, uv.lock, pdm.lock and pylock.toml, each entry with what it needs."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from audit import usage
from audit.ecosystems import artifacts, includes
from audit.ecosystems.formats import toml_text
from audit.ecosystems.origins import is_archive, of_archive, taken
from audit.ecosystems.parsed_file import (
    Graph,
    GraphRoot,
    PackageDetails,
    ParsedFile,
    dependency_at,
    rows,
    said,
    table,
    text,
    texts,
)
from audit.ecosystems.purls import purl
from audit.ecosystems.python import archives, specifiers
from audit.facts import Dependency, Finding, Place, Usage

_IN: Final = re.compile(r"['\"]([A-Za-z0-9._-]++)['\"]\s*+in\s+(extras|dependency_groups)")
_LOCAL: Final = ("editable", "virtual", "directory")


def read(name: str, path: str, content: str) -> ParsedFile:
    """All entries of a lock file whose packages are one array of tables; `name` is what the tool calls the file."""
    array, judge = _FORMS[name]
    elements = toml_text.elements(content, array)
    found: list[Dependency] = []
    findings: list[Finding] = []
    judged = [judge(entry) for _, entry, _ in elements]
    graph = Graph(decided=any(judged))
    if graph.decided:
        judged = [how or Usage.RUNTIME_IMPORT for how in judged]
    for (line, entry, section), how in zip(elements, judged, strict=True):
        title, version = text(entry.get("name")), text(entry.get("version"))
        key = specifiers.normalize(title)
        if not title:
            continue
        place = Place(path, line, said(f"{title} {version}"))
        folder = _folder(entry)
        if folder:
            findings += includes.outside(folder, place)
        if any(word in table(entry.get("source")) for word in _LOCAL) and name == "uv.lock":
            graph.roots += _roots(entry, name)
            graph.own[key] = _needs(entry)
            continue
        if folder:
            continue
        groups = _groups(entry) or [text(entry.get("marker")) or "what runs"]
        why = f"{name}: {said(', '.join(groups))}" if how else name
        found.append(_dependency(title, entry, section, place, how or Usage.UNKNOWN, why))
        graph.add((key, f"{key}@{version}"), _needs(entry))
    return ParsedFile(dependencies=tuple(found), findings=tuple(findings), graph=graph)


def _folder(entry: dict[str, Any]) -> str:
    """The folder from which an entry is taken, in the words of uv, PEP 751, Poetry or PDM; empty for any other source."""
    source, where = table(entry.get("source")), text(entry.get("path"))
    named = next((text(source.get(word)) for word in _LOCAL if word in source), "")
    if "directory" in entry:
        named = text(table(entry.get("directory")).get("path")) or "."
    elif source.get("type") == "directory":
        named = text(source.get("url")) or "."
    return named or ("" if is_archive(where) else where)


def _dependency(title: str, entry: dict[str, Any], section: str, place: Place, how: Usage, why: str) -> Dependency:
    """One entry; `section` is its text, in which its archives stand."""
    version = text(entry.get("version")) or None
    source = table(entry.get("source")) or table(entry.get("vcs"))
    download = None
    stated = text(source.get("git")) or text(entry.get("git"))
    address = stated or (text(source.get("url")) if source.get("type") == "git" else "")
    if address and source.get("type") in {None, "git"}:
        commit = text(source.get("resolved_reference")) or text(source.get("commit-id")) or text(entry.get("revision"))
        download = artifacts.repository(address, commit or address.partition("#")[2])
        one = specifiers.RequestedVersion(title, version, f"git+{address.partition('?')[0].partition('#')[0]}")
        url = specifiers.package_url(one)
    else:
        index = text(source.get("registry")) or text(entry.get("index"))
        index = index or (text(source.get("url")) if source.get("type") == "legacy" else "")
        archive = "" if index else _archive(entry, source, section if why.startswith("pylock.toml") else "")
        url = taken(of_archive(purl("pypi", specifiers.normalize(title), version), archive), index)
    more: PackageDetails = {"download": download} if download else archives.chosen(section)
    more["optional"] = entry.get("optional") is True
    return dependency_at(place, title, version, url, how, why, **more)


def _archive(entry: dict[str, Any], source: dict[str, Any], section: str) -> str:
    """The address or the path of the archive that an entry names instead of an index (uv, Poetry; PDM; PEP 751).

    PEP 751 may leave the index out, and names wheels and sources by their addresses alone.
    """
    holders = (source, entry, table(entry.get("archive")))
    named = (text(one.get(key)) for one in holders for key in ("url", "path"))
    return next(filter(None, named), "") or (archives.first_address(section) if section else "")


def _key(one: object) -> str:
    """What an element of a list of needs names: `{name, version}` or a specifier."""
    if isinstance(one, str):
        asked = specifiers.asked(one)
        return specifiers.normalize(asked.name) if asked else ""
    name, version = specifiers.normalize(text(table(one).get("name"))), text(table(one).get("version"))
    return f"{name}@{version}" if version else name


def _needs(entry: dict[str, Any]) -> tuple[str, ...]:
    """Keys of all that an entry needs: a list (uv, PDM, PEP 751) or a table (Poetry)."""
    value = entry.get("dependencies")
    listed = [*rows(value), *(one for part in table(entry.get("optional-dependencies")).values() for one in rows(part))]
    named = [specifiers.normalize(text(name)) for name in table(value)]
    return tuple(key for key in [*map(_key, listed), *named] if key)


def _groups(entry: dict[str, Any]) -> list[str]:
    """Poetry's and PDM's groups of an entry, or its `category`."""
    return texts(entry.get("groups")) or texts(entry.get("category") or [])


def _grouped(entry: dict[str, Any]) -> Usage | None:
    """By its groups, the most binding of them; None if the entry names none."""
    hows = [usage.of_group(one) for one in _groups(entry)]
    return usage.strongest(*hows) if hows else None


def _marked(entry: dict[str, Any]) -> Usage | None:
    """By a marker of PEP 751; None if the entry has none, which is always there if others have one."""
    named = _IN.findall(text(entry.get("marker"))[:4_000])
    hows = [usage.of_extra(one) if kind == "extras" else usage.of_group(one) for one, kind in named]
    return usage.strongest(*hows) if hows else None


def _roots(entry: dict[str, Any], name: str) -> list[GraphRoot]:
    """Where the graph of uv.lock begins: what the repository's own package asks for."""
    found = [
        GraphRoot(_key(one), Usage.RUNTIME_IMPORT, f"{name}: dependencies") for one in rows(entry.get("dependencies"))
    ]
    for extra, listed in table(entry.get("optional-dependencies")).items():
        how = usage.of_extra(text(extra))
        found += [GraphRoot(_key(one), how, f"{name}: extra {said(extra)}", optional=True) for one in rows(listed)]
    for group, listed in table(entry.get("dev-dependencies")).items():
        how = usage.of_group(text(group))
        found += [GraphRoot(_key(one), how, f"{name}: group {said(group)}") for one in rows(listed)]
    return found


_FORMS: Final[Mapping[str, tuple[str, Callable[[dict[str, Any]], Usage | None]]]] = {
    "poetry.lock": ("package", _grouped),
    "pdm.lock": ("package", _grouped),
    "pylock.toml": ("packages", _marked),
    "uv.lock": ("package", lambda _entry: None),
}
"""By lock file: its array of packages, and what tells how an entry is used.

In poetry.lock from 2.0 on each entry says its groups, before `category`, or nothing. In uv.lock the repository's own packages
stand with their groups, and are where the graph begins.
"""
