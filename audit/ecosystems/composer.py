"""PHP: composer.json has the requested packages, composer.lock the versions that were taken, with their licences."""

import re
from typing import Final

from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import json_text, manifest_suppliers
from audit.ecosystems.origins import host, taken
from audit.ecosystems.parsed_file import Graph, PackageDetails, ParsedFile, learned, rows, table, text, texts
from audit.ecosystems.purls import purl
from audit.facts import UNLEARNED, Learned, Source, Usage

SECTIONS: Final = {"require": Usage.RUNTIME_IMPORT, "require-dev": Usage.DEV_TOOL}
_LOCKED: Final = {"packages": Usage.RUNTIME_IMPORT, "packages-dev": Usage.DEV_TOOL}
_EXACT: Final = re.compile(r"[=v]*+(\d++(?:\.\d++)*+(?:-[0-9A-Za-z.]++)?)")


def read(path: str, content: str) -> ParsedFile:
    """composer.json: packages of both sections; PHP itself, its extensions and Composer's interfaces are none."""
    data = json_text.top(content)
    found = DependencyList(path, own={text(data.get("name"))})
    listed = data.get("repositories")  # a list or an object; any package may come from the first private one
    rules = [table(rule) for rule in (listed.values() if isinstance(listed, dict) else rows(listed))]
    addresses = (text(rule.get("url")) for rule in rules if rule.get("type") != "path")
    repository = next((address for address in addresses if host(address)), "")
    for section, how in SECTIONS.items():
        entries = data.get(section)
        lines = json_text.lines_of(entries)
        for name, rule in table(entries).items():
            owner, slash, last = text(name).partition("/")
            # `php`, `ext-json` and `composer-plugin-api` have no vendor: the platform brings them.
            if not slash:
                continue
            exact = _EXACT.fullmatch(text(rule).strip())
            version = text(rule).strip().lstrip("=") if exact else None
            place = found.place(lines.get(name), f"{text(name)} {text(rule)}")
            url = taken(purl("composer", last, version, owner), repository)
            more = PackageDetails(direct=True, version_range="" if exact else text(rule).strip())
            found.add(place, text(name), version, url, how, f"composer.json: {section}", **more)
    return found.parsed(
        license=license_of(path, data, data.lines().get("license"), Source.METADATA),
        suppliers=manifest_suppliers.named(data.get("authors"), table(data.get("support")).get("source")),
    )


def license_of(path: str, data: object, line: int | None, source: Source) -> Learned:
    """The `license` of a package: a list is a choice, says Composer's schema; one that is no text says nothing."""
    stated = table(data).get("license")
    # A part of a list that can't be read would be a choice that its author did not give.
    named = [name.strip() for name in texts(stated or []) if name.strip()]
    if not named or (isinstance(stated, list) and len(named) != len(stated)):
        return UNLEARNED
    whole = named[0] if len(named) == 1 else " OR ".join(f"({name})" if " " in name else name for name in named)
    return learned(whole, path, line, source)


def read_lock(path: str, content: str) -> ParsedFile:
    """composer.lock: packages for development have their own list; packages of folders are the repository's own."""
    data = json_text.top(content)
    found, graph = DependencyList(path), Graph(decided=True)  # Composer has split the packages itself.
    for section, how in _LOCKED.items():
        for entry in json_text.items(data.get(section)):
            name, dist = text(entry.get("name")), table(entry.get("dist"))
            if text(dist.get("type")) == "path":
                found.own.add(name)
                found.outside(text(dist.get("url")), entry.line, name)
            elif "/" in name:
                _add_locked(found, name, entry, how, section)
                # A package stands for those that it replaces: needs of their names lead to it.
                replaced = (text(package) for package in table(entry.get("replace")) if "/" in text(package))
                graph.add(
                    (name, *replaced),
                    (text(package) for package in table(entry.get("require")) if "/" in text(package)),
                )
    return found.parsed(graph=graph)


def _add_locked(found: DependencyList, name: str, entry: json_text.LocatedObject, how: Usage, section: str) -> None:
    owner, _, last = name.partition("/")
    version = text(entry.get("version"))
    dist, source = table(entry.get("dist")), table(entry.get("source"))
    archive = artifacts.address(text(dist.get("url")))
    kind, reference = text(source.get("type")), text(source.get("reference"))
    repository = artifacts.repository(text(source.get("url")), reference) if kind == "git" else None
    # Only the address to report installs to tells that a package came from Packagist; its archive is elsewhere.
    origin = text(entry.get("notification-url")) or text(source.get("url")) or text(dist.get("url"))
    more = PackageDetails(download=archive or repository)
    more["license"] = license_of(found.path, entry, entry.line, Source.LOCK_FILE)
    more["checksums"] = artifacts.checksum("sha1", text(dist.get("shasum"))) if archive else ()
    url = taken(purl("composer", last, version, owner), origin)
    found.add(entry.line, name, version, url, how, f"composer.lock: {section}", **more)
