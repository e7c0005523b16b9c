"""Pipfile.lock: two objects of exact versions, what runs and what develops."""

from audit.ecosystems import artifacts
from audit.ecosystems.formats import json_text
from audit.ecosystems.origins import is_archive, of_archive, taken
from audit.ecosystems.parsed_file import Graph, PackageDetails, ParsedFile, dependency_at, said, table, text, texts
from audit.ecosystems.purls import purl
from audit.ecosystems.python import specifiers
from audit.facts import Place, Usage


def read(path: str, content: str) -> ParsedFile:
    """Every entry but those that are folders of the repository."""
    data = json_text.top(content)
    sources = json_text.items(table(data.get("_meta")).get("sources"))
    indexes = {text(one.get("name")): text(one.get("url")) for one in sources}
    found = []
    for section, how in (("default", Usage.RUNTIME_IMPORT), ("develop", Usage.DEV_TOOL)):
        entries = data.get(section)
        for name, entry in json_text.objects(entries).items():
            archive = text(entry.get("file")) or text(entry.get("path"))
            if archive and "://" not in archive and not is_archive(archive):
                continue
            version = text(entry.get("version")).removeprefix("==") or text(entry.get("ref")) or None
            git = text(entry.get("git"))
            if git:
                url = specifiers.package_url(specifiers.RequestedVersion(name, version, f"git+{git}"))
            else:
                index = indexes.get(text(entry.get("index")), "")
                url = taken(of_archive(purl("pypi", specifiers.normalize(name), version), archive), index)
            hashes = texts(entry.get("hashes") or [])  # of several nobody says which file is whose
            place = Place(path, entry.line, said(f"{name} {version or ''}"))
            more: PackageDetails = {"checksums": artifacts.prefixed(hashes[0]) if len(hashes) == 1 else ()}
            more["download"] = artifacts.repository(git, text(entry.get("ref"))) if git else None
            found.append(dependency_at(place, name, version, url, how, f"Pipfile.lock: {section}", **more))
    return ParsedFile(dependencies=tuple(found), graph=Graph(decided=True))
