"""Dart and Flutter: pubspec.yaml says what is asked for and when, pubspec.lock which versions were taken."""

import re
from typing import Final

from audit.ecosystems import artifacts, includes
from audit.ecosystems.formats import yaml_text
from audit.ecosystems.origins import taken
from audit.ecosystems.parsed_file import Graph, PackageDetails, ParsedFile, dependency_at, said, text
from audit.ecosystems.purls import of_address, purl
from audit.facts import Dependency, Finding, Place, Usage

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
    found = []
    findings: list[Finding] = []
    own = {text(data.get("name"))}
    for section, how in _SECTIONS.items():
        holder = yaml_text.mapped(data.get(section))
        for name, rule in holder.items():
            terms = yaml_text.mapped(rule)
            if "path" in terms:
                own.add(name)
                findings += _outside(path, name, terms, holder.lines.get(name))
                continue
            words = text(rule) or text(terms.get("version"))
            exact = words if _EXACT.fullmatch(words) else None
            place, url = Place(path, holder.lines.get(name), said(f"{name} {words}")), _asked(name, exact, terms)
            found.append(dependency_at(place, name, exact, url, how, f"pubspec.yaml: {section}", direct=True))
    return ParsedFile(dependencies=tuple(found), findings=tuple(findings), own=frozenset(own - {""}))


def _outside(path: str, name: str, terms: yaml_text.YamlMapping, line: int | None) -> tuple[Finding, ...]:
    folder = text(terms.get("path"))
    return includes.outside(folder, Place(path, line, said(f"{name} {folder}")))


def _asked(name: str, version: str | None, terms: yaml_text.YamlMapping) -> str | None:
    """The package URL of what a manifest asks for: of the registry, a repository or an SDK."""
    if "sdk" in terms:
        return purl("generic", name)
    git = terms.get("git")
    if git:
        address = text(git) or text(yaml_text.mapped(git).get("url"))
        return of_address(address, text(yaml_text.mapped(git).get("ref")) or None, name)
    hosted = terms.get("hosted")  # the registry's address, or a mapping that has it
    return taken(purl("pub", name, version), text(hosted) or text(yaml_text.mapped(hosted).get("url")))


def read_lock(path: str, content: str) -> ParsedFile:
    """pubspec.lock: which package is for development pub says itself, of a transitive one not who needs it."""
    holder = yaml_text.mapped(yaml_text.top(content).get("packages"))
    found = []
    findings: list[Finding] = []
    own = set()
    for name, value in holder.items():
        entry = yaml_text.mapped(value)
        if text(entry.get("source")) == "path":
            own.add(name)
            findings += _outside(path, name, yaml_text.mapped(entry.get("description")), holder.lines.get(name))
        else:
            found.append(_locked(path, name, entry, holder.lines.get(name)))
    return ParsedFile(
        dependencies=tuple(found), findings=tuple(findings), graph=Graph(decided=True), own=frozenset(own)
    )


def _locked(path: str, name: str, entry: yaml_text.YamlMapping, line: int | None) -> Dependency:
    """One package: of a registry, a repository, or an SDK, which has no version of its own."""
    source, asked = text(entry.get("source")), text(entry.get("dependency"))
    terms = yaml_text.mapped(entry.get("description"))
    sdk = source == "sdk"
    version = None if sdk else text(entry.get("version")) or None
    download, checksums = None, artifacts.checksum("sha256", text(terms.get("sha256")))
    if sdk:
        url = purl("generic", name)
    elif source == "git":
        address, commit = text(terms.get("url")), text(terms.get("resolved-ref"))
        url, download = of_address(address, commit or None, name), artifacts.repository(address, commit or None)
    else:
        url = taken(purl("pub", name, version), text(terms.get("url")))
    why = asked or "what runs"
    if asked == _TRANSITIVE:
        why = "counted as needed at run time, because nothing is listed that needs it"
    how = Usage.DEV_TOOL if asked == _DEVELOPS else Usage.STATIC_LINK
    place = Place(path, line, said(f"{name} {version or ''}"))
    more = PackageDetails(direct=asked != _TRANSITIVE if asked else None, download=download, checksums=checksums)
    return dependency_at(place, name, version, url, how, f"pubspec.lock: {why}", **more)
