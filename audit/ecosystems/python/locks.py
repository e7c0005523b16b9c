"""Python's lock files: poetry.lock, uv.lock, pdm.lock and pylock.toml, each entry with its needs; and Pipfile.lock."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from audit import usage
from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import json_text, toml_text
from audit.ecosystems.origins import is_archive, of_archive, taken
from audit.ecosystems.parsed_file import Graph, GraphRoot, PackageDetails, ParsedFile, rows, said, table, text, texts
from audit.ecosystems.purls import purl
from audit.ecosystems.python import pyproject, specifiers
from audit.facts import Usage

_IN: Final = re.compile(r"['\"]([A-Za-z0-9._-]++)['\"]\s*+in\s+(extras|dependency_groups)")  # PEP 751's markers.
_LOCAL: Final = ("editable", "virtual", "directory")  # uv's words, and PEP 751's.
_PAIR: Final = re.compile(
    r"(url|file|name|path|hash|sha(?:256|384|512))[ \t]*+=[ \t]*+(?:\"([^\"\\\n]*+)\"|'([^'\n]*+)')"
)
_MAX_CHECKSUMS: Final = 8  # Of one archive.
_BEFORE: Final = frozenset("{, \t\n")  # Anything else before a key makes it another word.
_Listed = tuple[str, list[tuple[str, str]]]
_WHEEL: Final = ("-none-any.whl",)
_SOURCE: Final = (".tar.gz", ".zip", ".tar.bz2", ".tar.xz", ".tgz")


def read(name: str, path: str, content: str) -> ParsedFile:
    """All entries of a lock file whose packages are one array of tables; `name` is the tool's name of the file."""
    array, judge = _FORMS[name]
    elements = toml_text.elements(content, array)
    found = DependencyList(path)
    judged = [judge(entry) for _, entry, _ in elements]
    graph = Graph(decided=any(judged))
    if graph.decided:
        judged = [how or Usage.RUNTIME_IMPORT for how in judged]  # Without group or marker: always there.
    for (line, entry, section), how in zip(elements, judged, strict=True):
        title, version = text(entry.get("name")), text(entry.get("version"))
        key = specifiers.normalize(title)
        if not title:
            continue
        folder = _folder(entry)
        if folder:
            found.outside(folder, line, f"{title} {version}")
        if any(word in table(entry.get("source")) for word in _LOCAL) and name == "uv.lock":
            graph.roots += _roots(entry, name)
            graph.own[key] = _needs(entry)  # The graph begins at the work's own packages.
            continue
        if folder:
            continue
        groups = _groups(entry) or [text(entry.get("marker")) or "what runs"]
        why = f"{name}: {said(', '.join(groups))}" if how else name
        url, more = _source(title, entry, section, is_pylock=name == "pylock.toml")
        found.add(line, title, version, url, how or Usage.UNKNOWN, why, **more)
        graph.add((key, f"{key}@{version}"), _needs(entry))
    return found.parsed(graph=graph)


def _folder(entry: dict[str, Any]) -> str:
    """The folder from which an entry is taken, in the words of uv, PEP 751, Poetry or PDM; empty for any other source."""
    source, where = table(entry.get("source")), text(entry.get("path"))
    named = next((text(source.get(word)) for word in _LOCAL if word in source), "")
    if "directory" in entry:
        named = text(table(entry.get("directory")).get("path")) or "."
    elif source.get("type") == "directory":
        named = text(source.get("url")) or "."
    return named or ("" if is_archive(where) else where)


def _source(title: str, entry: dict[str, Any], section: str, *, is_pylock: bool) -> tuple[str | None, PackageDetails]:
    """The package URL of an entry, and its archive; `section` is its text, in which its archives stand."""
    version = text(entry.get("version")) or None
    source = table(entry.get("source")) or table(entry.get("vcs"))
    download = None
    stated = text(source.get("git")) or text(entry.get("git"))
    address = stated or (text(source.get("url")) if source.get("type") == "git" else "")
    if address and source.get("type") in {None, "git"}:
        commit = text(source.get("resolved_reference")) or text(source.get("commit-id")) or text(entry.get("revision"))
        download = artifacts.repository(address, commit or address.partition("#")[2])
        request = specifiers.RequestedVersion(title, version, f"git+{address.partition('?')[0].partition('#')[0]}")
        url = specifiers.package_url(request)
    else:
        index = text(source.get("registry")) or text(entry.get("index"))
        index = index or (text(source.get("url")) if source.get("type") == "legacy" else "")
        archive = "" if index else _archive(entry, source, section if is_pylock else "")
        url = taken(of_archive(purl("pypi", specifiers.normalize(title), version), archive), index)
    more: PackageDetails = {"download": download} if download else chosen_archive(section)
    more["optional"] = entry.get("optional") is True
    return url, more


def _archive(entry: dict[str, Any], source: dict[str, Any], section: str) -> str:
    """The address or the path of the archive that an entry names instead of an index (uv, Poetry; PDM; PEP 751)."""
    holders = (source, entry, table(entry.get("archive")))
    named = (text(holder.get(key)) for holder in holders for key in ("url", "path"))
    # PEP 751 may leave the index out, and names wheels and sources by their addresses alone.
    addresses = (pair[2] or pair[3] or "" for pair in _PAIR.finditer(section) if pair[1] == "url")
    return next(filter(None, named), "") or next(addresses, "")


def _key(need: object) -> str:
    """The key of an element of a list of needs: `{name, version}` or a specifier."""
    if isinstance(need, str):
        asked = specifiers.asked(need)
        return specifiers.normalize(asked.name) if asked else ""
    name, version = specifiers.normalize(text(table(need).get("name"))), text(table(need).get("version"))
    return f"{name}@{version}" if version else name


def _needs(entry: dict[str, Any]) -> tuple[str, ...]:
    """Keys of all that an entry needs: a list (uv, PDM, PEP 751) or a table (Poetry)."""
    value = entry.get("dependencies")
    listed = [
        *rows(value),
        *(need for part in table(entry.get("optional-dependencies")).values() for need in rows(part)),
    ]
    named = [specifiers.normalize(text(name)) for name in table(value)]
    return tuple(key for key in [*map(_key, listed), *named] if key)


def _groups(entry: dict[str, Any]) -> list[str]:
    return texts(entry.get("groups")) or texts(entry.get("category") or [])


def _grouped(entry: dict[str, Any]) -> Usage | None:
    hows = [usage.of_group(group) for group in _groups(entry)]
    return usage.strongest(*hows) if hows else None


def _marked(entry: dict[str, Any]) -> Usage | None:
    """By a marker of PEP 751; None if the entry has none, which is always there if others have one."""
    named = _IN.findall(text(entry.get("marker"))[:4_000])  # A marker may have any length.
    hows = [usage.of_extra(name) if kind == "extras" else usage.of_group(name) for name, kind in named]
    return usage.strongest(*hows) if hows else None


def _roots(entry: dict[str, Any], name: str) -> list[GraphRoot]:
    """The roots of uv.lock's graph: the requests of the repository's own package."""
    found = [
        GraphRoot(_key(need), Usage.RUNTIME_IMPORT, f"{name}: dependencies") for need in rows(entry.get("dependencies"))
    ]
    for extra, listed in table(entry.get("optional-dependencies")).items():
        how = usage.of_extra(text(extra))
        found += [GraphRoot(_key(need), how, f"{name}: extra {said(extra)}", optional=True) for need in rows(listed)]
    for group, listed in table(entry.get("dev-dependencies")).items():
        how = usage.of_group(text(group))
        found += [GraphRoot(_key(need), how, f"{name}: group {said(group)}") for need in rows(listed)]
    return found


# By lock file: its array of packages, and the function that tells how an entry is used.
_FORMS: Final[Mapping[str, tuple[str, Callable[[dict[str, Any]], Usage | None]]]] = {
    "poetry.lock": ("package", _grouped),  # Groups from 2.0 on, before that `category`, or nothing.
    "pdm.lock": ("package", _grouped),
    "pylock.toml": ("packages", _marked),
    "uv.lock": ("package", lambda _entry: None),  # Only the repository's own packages say it.
}


def chosen_archive(section: str) -> PackageDetails:
    """The one archive that an entry of a lock file lists, else the wheel for every system, else the sources."""
    listed = _listed(section)
    groups = (listed, _ending(listed, _WHEEL), _ending(listed, _SOURCE))
    # Which of several wheels is installed depends on the machine: nothing is said of them.
    archive = next((group[0] for group in groups if len(group) == 1), None)
    if archive is None:
        return {}
    digests = (artifacts.prefixed(each) if key == "hash" else artifacts.checksum(key, each) for key, each in archive[1])
    sums = tuple(dict.fromkeys(each for found in digests for each in found))
    # Without a digest anything may lie there.
    return {"download": artifacts.address(archive[0]), "checksums": sums} if sums else {}


def _ending(listed: list[_Listed], ends: tuple[str, ...]) -> list[_Listed]:
    return [archive for archive in listed if archive[0].partition("#")[0].partition("?")[0].endswith(ends)]


def _listed(section: str) -> list[_Listed]:
    """Address or name of each archive of which a digest is written, with the digests by the names of their algorithms."""
    found: list[_Listed] = []
    for pair in _PAIR.finditer(section):
        key, value = pair[1], pair[2] or pair[3] or ""
        if section[pair.start() - 1 : pair.start()] not in _BEFORE:
            continue
        if key in {"url", "file", "path", "name"}:
            if key == "url" and found and not found[-1][1] and found[-1][0].endswith(value.rpartition("/")[2]):
                found.pop()  # PEP 751 writes an archive's name before its address.
            found.append((value, []))
        elif found and len(found[-1][1]) < _MAX_CHECKSUMS:
            found[-1][1].append((key, value))
    return [archive for archive in found if archive[1]]


def read_pipfile_lock(path: str, content: str) -> ParsedFile:
    """Pipfile.lock: packages that run, those for development and other categories, but for folders of the repository."""
    data = json_text.top(content)
    sources = json_text.items(table(data.get("_meta")).get("sources"))
    indexes = {text(source.get("name")): text(source.get("url")) for source in sources}
    found = DependencyList(path)
    for section in [text(key) for key in data if key != "_meta"]:
        how = pyproject.of_category(section)
        for name, entry in json_text.objects(data.get(section)).items():
            archive = text(entry.get("file")) or text(entry.get("path"))
            if archive and "://" not in archive and not is_archive(archive):  # A folder is the repository's own.
                continue
            version = text(entry.get("version")).removeprefix("==") or text(entry.get("ref")) or None
            git, hashes = text(entry.get("git")), texts(entry.get("hashes") or [])
            # Of several hashes the file does not say which file is whose.
            more = PackageDetails(checksums=artifacts.prefixed(hashes[0]) if len(hashes) == 1 else ())
            if git:
                url = specifiers.package_url(specifiers.RequestedVersion(name, version, f"git+{git}"))
                more["download"] = artifacts.repository(git, text(entry.get("ref")))
            else:
                index = indexes.get(text(entry.get("index")), "")
                url = taken(of_archive(purl("pypi", specifiers.normalize(name), version), archive), index)
            found.add(entry.line, name, version, url, how, f"Pipfile.lock: {section}", **more)
    return found.parsed(graph=Graph(decided=True))
