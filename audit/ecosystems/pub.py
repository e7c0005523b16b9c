"""Dart and Flutter: pubspec.yaml has the requested packages, pubspec.lock the versions that were taken."""

import re
from typing import Final

from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import yaml_text
from audit.ecosystems.origins import taken
from audit.ecosystems.parsed_file import Graph, PackageDetails, ParsedFile, text
from audit.ecosystems.purls import of_address, purl
from audit.facts import Usage

_SECTIONS: Final = {
    "dependencies": Usage.STATIC_LINK,
    "dependency_overrides": Usage.STATIC_LINK,
    "dev_dependencies": Usage.DEV_TOOL,
}
_DEVELOPS: Final = "direct dev"
_TRANSITIVE: Final = "transitive"
_EXACT: Final = re.compile(r"\d++\.\d++\.\d++[0-9A-Za-z.+-]*+")


def read(path: str, content: str) -> ParsedFile:
    """pubspec.yaml: packages of all sections; those in folders are the repository's own, `sdk` ones are Flutter's."""
    data = yaml_text.top(content)
    found = DependencyList(path, own={text(data.get("name"))})
    for section, how in _SECTIONS.items():
        holder = yaml_text.mapped(data.get(section))
        for name, rule in holder.items():
            terms, line = yaml_text.mapped(rule), holder.lines.get(name)
            if "path" in terms:
                _add_folder(found, name, terms, line)
                continue
            words = text(rule) or text(terms.get("version"))
            exact = words if _EXACT.fullmatch(words) else None
            place, url = found.place(line, f"{name} {words}"), _asked(name, exact, terms)
            found.add(place, name, exact, url, how, f"pubspec.yaml: {section}", direct=True)
    return found.parsed()


def _add_folder(found: DependencyList, name: str, terms: yaml_text.YamlMapping, line: int | None) -> None:
    found.own.add(name)
    folder = text(terms.get("path"))
    found.outside(folder, line, f"{name} {folder}")


def _asked(name: str, version: str | None, terms: yaml_text.YamlMapping) -> str | None:
    """The package URL of a manifest's request: of the registry, a repository or an SDK."""
    if "sdk" in terms:
        return purl("generic", name)  # It comes with Flutter or Dart.
    git = terms.get("git")
    if git:
        address = text(git) or text(yaml_text.mapped(git).get("url"))
        return of_address(address, text(yaml_text.mapped(git).get("ref")) or None, name)
    hosted = terms.get("hosted")  # The registry's address, or a mapping that has it.
    return taken(purl("pub", name, version), text(hosted) or text(yaml_text.mapped(hosted).get("url")))


def read_lock(path: str, content: str) -> ParsedFile:
    """pubspec.lock: pub itself marks packages for development, but does not tell who needs a transitive one."""
    holder = yaml_text.mapped(yaml_text.top(content).get("packages"))
    found = DependencyList(path)
    for name, value in holder.items():
        entry, line = yaml_text.mapped(value), holder.lines.get(name)
        if text(entry.get("source")) == "path":
            _add_folder(found, name, yaml_text.mapped(entry.get("description")), line)
        else:
            _add_locked(found, name, entry, line)
    return found.parsed(graph=Graph(decided=True))


def _add_locked(found: DependencyList, name: str, entry: yaml_text.YamlMapping, line: int | None) -> None:
    source, asked = text(entry.get("source")), text(entry.get("dependency"))
    terms = yaml_text.mapped(entry.get("description"))
    version = None if source == "sdk" else text(entry.get("version")) or None  # It has the SDK's version.
    more = PackageDetails(checksums=artifacts.checksum("sha256", text(terms.get("sha256"))))
    if source == "sdk":
        url = purl("generic", name)
    elif source == "git":
        # The commit, for a branch or tag asked for.
        address, commit = text(terms.get("url")), text(terms.get("resolved-ref")) or None
        url, more["download"] = of_address(address, commit, name), artifacts.repository(address, commit)
    else:
        url = taken(purl("pub", name, version), text(terms.get("url")))
    why = asked or "what runs"
    if asked == _TRANSITIVE:
        why = "counted as needed at run time, because nothing is listed that needs it"
    more["direct"] = asked != _TRANSITIVE if asked else None
    how = Usage.DEV_TOOL if asked == _DEVELOPS else Usage.STATIC_LINK
    found.add(line, name, version, url, how, f"pubspec.lock: {why}", **more)
