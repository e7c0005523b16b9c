"""Catalogues of pnpm, Yarn and Bun: versions for a whole workspace, which a package.json asks for by `catalog:` or `catalog:name`."""

from collections.abc import Iterator

from audit.ecosystems.formats import json_text, yaml_text
from audit.ecosystems.npm import package_names
from audit.ecosystems.parsed_file import ManifestEntry, ParsedFile, dependency_at, said, table, text
from audit.facts import Place, Usage

_DEFAULT = "default"


def read(path: str, content: str) -> ParsedFile:
    """pnpm-workspace.yaml."""
    return ParsedFile(meant=tuple(meant(path, yaml_text.top(content))))


def meant(path: str, data: object) -> Iterator[ManifestEntry]:
    """What `catalog` and `catalogs` in a file mean."""
    named = [(_DEFAULT, table(data).get("catalog")), *table(table(data).get("catalogs")).items()]
    for catalogue, holder in named:
        lines = holder.lines() if isinstance(holder, json_text.LocatedObject) else getattr(holder, "lines", {})
        for name, spec in table(holder).items():
            one = package_names.package(text(name), text(spec))
            if one is None:
                continue
            place = Place(path, lines.get(name), said(f"{text(name)}@{text(spec)}"))
            why = f"catalogue {said(catalogue)}"
            found = dependency_at(place, one.name, one.version, one.purl, Usage.UNKNOWN, why, version_range=one.range)
            for asked in [f"catalog:{text(catalogue)}", *(["catalog:"] if catalogue == _DEFAULT else [])]:
                yield ManifestEntry(text(name), found, asked)
