"""Versions and origins that one file names for the manifests of a workspace: Cargo's workspace and patches, catalogues of npm's kind, go.work."""

from collections.abc import Mapping
from dataclasses import replace

from audit.ecosystems.parsed_file import ManifestEntry, ParsedFile, nearest
from audit.facts import Dependency


def apply_workspace_versions(reads: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """The files by path, with what the files at the nearest folder above say of the packages that they ask for."""
    folders: dict[str, list[ManifestEntry]] = {}
    for path, read in sorted(reads.items()):
        if read.meant:
            folders.setdefault(path.rpartition("/")[0], []).extend(read.meant)
    above = {folder: {(one.name, one.asked): one.dependency for one in meant} for folder, meant in folders.items()}
    found = dict(reads)
    for path, read in reads.items() if above else ():
        if read.graph is None and read.dependencies:
            meant = above.get(nearest(path.rpartition("/")[0], above) or "", {})
            found[path] = replace(read, dependencies=tuple(_taken(one, meant) for one in read.dependencies))
    return found


def _taken(one: Dependency, meant: Mapping[tuple[str, str | None], Dependency]) -> Dependency:
    """A dependency as the workspace means it, first by what it asks for, then by its name alone; how it is used the manifest says."""
    for asked in (one.version_range or one.version, None):
        other = meant.get((one.name, asked))
        if other:
            one = replace(
                one, name=other.name, version=other.version, version_range=other.version_range, purl=other.purl,
                places=(*one.places, *other.places),
            )  # fmt: skip
    return one
