"""Manifests and lock files become one list: versions from the lock, scopes from the manifest, each use once."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from audit import usage
from audit.ecosystems import go_imports, gradle, maven, purls, usage_propagation
from audit.ecosystems.native import bazel, build_tree, debian_control, kernel_headers, library_includes
from audit.ecosystems.npm import npm_registries
from audit.ecosystems.parsed_file import ManifestEntry, ParsedFile, finding, nearest, said
from audit.ecosystems.purls import bare
from audit.ecosystems.python import requirements
from audit.facts import Dependency, Learned, Usage
from audit.licenses import contradiction

_SHELVES: Final = frozenset({"gradle", "vendor", "requirements", "dependency-locks"})
_KINDS: Final = {  # The type of a package URL by the family of files; other families share their names.
    "python": "pypi", "requirements": "pypi", "npm": "npm", "go": "golang", "rust": "cargo", "ruby": "gem", "php": "composer",
    "dotnet": "nuget", "swift": "swift", "dart": "pub", "elixir": "hex", "conda": "conda", "cocoapods": "cocoapods", "conan": "conan",
}  # fmt: skip
_SHARED: Final = {"npm": npm_registries.apply_registries, "requirements": requirements.apply_includes}
"""By family, the function that applies one file's statements about packages to the files that name them."""
_TREES: Final = {"native": build_tree.settle, "bazel": bazel.settle, "maven": maven.settle, "gradle": gradle.settle}
"""By family, the function that settles all files together, before the folder of each counts."""
_BESIDE_THE_WORK: Final = frozenset({
    debian_control.FAMILY, "unsupported", "image", "pipeline", "sbom", "submodules", "linux", go_imports.FAMILY,
})  # fmt: skip
"""Families of files that say nothing of what the work's own build names."""
# Builds put values in place of these.
_VARIABLE: Final = re.compile(r"\$\{|\$\(|\{\{|<%|#\{|\$[A-Za-z_]|@[A-Z][A-Z0-9_]*@")
# Types of package URLs of libraries that the work brings along; builds speak of them by name alone.
_BROUGHT: Final = frozenset({"conan", "github", "gitlab", "bitbucket"})
_MAX_PLACES: Final = 50  # Kept of one use.


@dataclass(frozen=True, slots=True)
class DependencyFile:
    """One file that was read: its `path`, the `family` of its reader, and its content, `read`."""

    path: str
    family: str
    read: ParsedFile

    @property
    def folder(self) -> str:
        """The folder for which it speaks."""
        parts = self.path.split("/")[:-1]
        return "/".join(parts[:-1] if parts and parts[-1] in _SHELVES else parts)


def settle(sources: Iterable[DependencyFile]) -> list[DependencyFile]:
    """The files, settled together in families whose files define names that others of them use.

    A name that still has a variable in it is no dependency's; a finding says so.
    """
    families: dict[str, list[DependencyFile]] = {}
    for source in sources:
        families.setdefault(source.family, []).append(source)
    has_manifests = any(
        one.read.dependencies or one.read.own or one.read.build
        for family, group in families.items()
        for one in group
        if family not in _BESIDE_THE_WORK and usage.usage_by_folder(one.path) is None
    )  # A test's build says nothing of the work.
    settled: list[DependencyFile] = []
    for family, group in families.items():
        reads = {source.path: source.read for source in group}
        whole = _TREES[family](reads) if family in _TREES else reads
        if family == debian_control.FAMILY:
            whole = debian_control.settle(reads, has_manifests=has_manifests)
        settled += [replace(one, read=_named(one.path, whole[one.path])) for one in group]
    return settled


def _named(path: str, read: ParsedFile) -> ParsedFile:
    # Most files name nothing by a variable.
    kept = tuple(one for one in read.dependencies if not _VARIABLE.search(one.name))
    if len(kept) == len(read.dependencies):
        return read
    lost = (one for one in read.dependencies if _VARIABLE.search(one.name))
    why = "names something by a variable whose value is in no file that is read"
    more = tuple(
        finding("dependency/undetermined", path, one.places[0].line if one.places else None, f"{why}: {said(one.name)}")
        for one in lost
    )
    return replace(read, dependencies=kept, findings=tuple(dict.fromkeys((*read.findings, *more))))


def merge(
    sources: Iterable[DependencyFile], headers: Iterable[str] = (), *, is_settled: bool = False
) -> tuple[tuple[Dependency, ...], dict[str, list[Learned]]]:
    """All uses of a repository, in the order of their names, and by `contradiction.key` the licences that files state.

    `headers` are the paths of all headers of C and C++ in the tree.
    What files in folders of tests name is for tests, unless a file for production takes it in. `is_settled`: `settle` gave these.
    """
    families: dict[str, list[DependencyFile]] = {}
    for source in sources if is_settled else settle(sources):
        aside = usage.usage_by_folder(source.path)
        families.setdefault(source.family, []).append(_aside(source, aside) if aside else source)
    for family, group in families.items():
        reads = {source.path: source.read for source in group}
        marked = _with_workspace_versions(_SHARED[family](reads) if family in _SHARED else reads)
        families[family] = [replace(one, read=marked[one.path]) for one in group]
    # Sources come last: a library that a manifest names is not known by its header alone.
    sources_read = families.pop("linux", [])
    kernel = [*sources_read, *(one for one in families.get("make", []) if one.read.kernel)]
    of_go = families.pop(go_imports.FAMILY, [])
    imports = {source.path: source.read for source in of_go}
    own: dict[str, set[str]] = {}
    for source in (one for group in families.values() for one in group):
        own.setdefault(_KINDS.get(source.family, ""), set()).update(source.read.own)
    listed = [one for group in families.values() for one in _family(group, own)]
    found = go_imports.settle(listed, imports)
    by_sources = [one for source in (*sources_read, *of_go) for one in source.read.dependencies]
    found += [one for one in by_sources if not _is_by_header(one) and not _is_own(one, own)]
    found += _included(filter(_is_by_header, by_sources), found, own, headers)
    stated: dict[str, list[Learned]] = {}
    for one in found:
        if one.license.expression:
            stated.setdefault(contradiction.key(one), []).append(one.license)
    return tuple(
        sorted(
            _once([*_absorbed(found), *_kernel(kernel)]),
            # Sorted: documents of one commit are the same in any order of reading.
            key=lambda one: (one.name.lower(), one.version or "", one.usage.value, one.purl or ""),
        )
    ), stated


def _with_workspace_versions(reads: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """The files by path, with the versions and origins that files at the nearest folder above name for their requests.

    These are Cargo's workspaces and patches, catalogues of npm's kind, and go.work.
    """
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
    # `None` stands for any version, as in Cargo's patches: these also replace what the workspace names.
    for asked in (one.version_range or one.version, None):
        other = meant.get((one.name, asked))
        if other:
            one = replace(
                one, name=other.name, version=other.version, version_range=other.version_range, purl=other.purl,
                places=(*one.places, *other.places),
            )  # fmt: skip
    return one


def _aside(source: DependencyFile, how: Usage) -> DependencyFile:
    """The same file, as one that lies in a folder of tests or of examples."""
    read = source.read
    changed = tuple(
        # A test's build tool stays a build tool.
        one
        if one.usage in usage.NOT_SHIPPED
        else replace(one, usage=how, why=f"{one.why}, in a folder of {usage.FOLDERS[how]}")
        for one in read.dependencies
    )
    roots = [replace(one, usage=how) for one in read.graph.roots] if read.graph else []
    graph = replace(read.graph, roots=roots, decided=True) if read.graph else None
    # A test's package of a name must not hide a dependency of that name.
    return replace(source, read=replace(read, dependencies=changed, graph=graph, own=frozenset(), bundler=""))


def _is_own(one: Dependency, own: Mapping[str, Collection[str]]) -> bool:
    """Whether the repository itself makes what is called so; a crate is not the Python package of the same name."""
    kind = purls.kind_of(one.purl)
    if kind not in _KINDS.values():
        # An address, or a system's or Conan's packages, lead to another work than the target of that name.
        is_bare_name = kind in {"", "generic", "jsr", "maven"} and one.download is None
        return is_bare_name and any(one.name in names for names in own.values())
    names = own.get(kind, ())
    return one.name in names or (kind == "pypi" and purls.without_version(one.purl)[len("pkg:pypi/") :] in names)


def _family(group: Sequence[DependencyFile], own: Mapping[str, Collection[str]]) -> list[Dependency]:
    """The files of one family: each manifest goes with the nearest lock file at its folder or above."""
    workspaces = [source.folder for source in group if source.path.rpartition("/")[2] == "go.work"]
    locked = {source.folder for source in group if source.read.graph is not None and source.read.dependencies}
    served: dict[str | None, list[DependencyFile]] = {}
    for source in group:
        if source.read.graph is None:
            served.setdefault(nearest(source.folder, locked), []).append(source)
    alone = (one for source in served.get(None, []) for one in source.read.dependencies)
    found = [one for one in alone if not _is_own(one, own)]
    for folder in sorted(locked):
        locks = [source for source in group if source.folder == folder and source.read.graph is not None]
        manifests = served.get(folder, [])
        matched = [usage_propagation.match_manifests(lock.read, [one.read for one in manifests]) for lock in locks]
        missing = frozenset.intersection(*[one.missing for one in matched])  # From all locks of this folder.
        listed = [one for manifest in manifests for one in manifest.read.dependencies]
        # With a go.work, go.sum also has what a part of the workspace takes the place of.
        is_in_workspace = any(not at or folder == at or folder.startswith(f"{at}/") for at in workspaces)
        resolved = not is_in_workspace and any(one.read.graph and one.read.graph.resolved for one in locks)
        # A manifest gives only a name; a resolved lock file knows what was taken from elsewhere.
        found += [one for one in _best_known(matched) if resolved or not _is_own(one, own)]
        found += [one for at, one in enumerate(listed) if at in missing and not _is_own(one, own)]
    return found


def _best_known(matched: Sequence[usage_propagation.MatchedLock]) -> list[Dependency]:
    """The entries of one folder's lock files: a guess gives way to knowledge, a weaker use to a stronger one."""
    if len(matched) == 1:
        return list(matched[0].entries)
    known: dict[str, Usage] = {}
    for lock in matched:
        for at, one in enumerate(lock.entries):
            if at not in lock.guessed and one.purl:
                known[one.purl] = usage.strongest(one.usage, known.get(one.purl, one.usage))
    return [
        one
        for lock in matched
        for at, one in enumerate(lock.entries)
        if one.purl not in known or (at not in lock.guessed and known[one.purl] is one.usage)
    ]


def _absorbed(found: list[Dependency]) -> list[Dependency]:
    """The uses, those without a version put into the same use with one, libraries by name into their package."""
    found = _named_alike(found)
    versioned: dict[tuple[str, str], list[int]] = {}
    packaged: dict[tuple[str, bool], int] = {}
    for at, one in enumerate(found):
        if one.version:
            versioned.setdefault((purls.without_version(one.purl) or one.name, one.usage), []).append(at)
        if purls.kind_of(one.purl) in _BROUGHT:
            # Builds write `Luajit`, `LuaJIT` and `luajit`: case and punctuation tell no two libraries apart.
            packaged.setdefault((bare(one.name), one.usage in usage.NOT_SHIPPED), at)
    places: dict[int, list[Dependency]] = {}
    kept = []
    for at, one in enumerate(found):
        into = [] if one.version else versioned.get((purls.without_version(one.purl) or one.name, one.usage), [])
        if "_url=" in (one.purl or ""):  # it is that package of another registry, which has a place of its own
            into = [target for target in into if "_url=" in (found[target].purl or "")]
        if not into and purls.kind_of(one.purl) == "generic":
            # What is shipped is not what is brought along for tests and tools.
            asides = (True, False) if one.usage in usage.NOT_SHIPPED else (False,)
            into = [packaged[key] for key in ((bare(one.name), aside) for aside in asides) if key in packaged][:1]
        for target in into:
            places.setdefault(target, []).append(one)
        if not into:
            kept.append(at)
    return [_joined(found[at], places.get(at, ())) for at in kept]


def _named_alike(found: list[Dependency]) -> list[Dependency]:
    """Libraries without a registry under one name each: the first that has capitals, else the first."""
    names: dict[str, Dependency] = {}
    usages: dict[str, set[Usage]] = {}
    for one in found:
        if purls.kind_of(one.purl) == "generic":
            key = bare(one.name)
            # Linkers' names are mostly in small letters: one with capitals is rather what the library calls itself.
            if key not in names or (names[key].name.islower() and not one.name.islower()):
                names[key] = one
            usages.setdefault(key, set()).add(one.usage)
    return [
        _alike(one, names[bare(one.name)].name, usages[bare(one.name)]) if purls.kind_of(one.purl) == "generic" else one
        for one in found
    ]


def _alike(one: Dependency, name: str, usages: Collection[Usage]) -> Dependency:
    how = one.usage
    # One place that says how it is linked is enough.
    if how is Usage.UNKNOWN:
        how = next((known for known in (Usage.VENDORED, Usage.STATIC_LINK, Usage.DYNAMIC_LINK) if known in usages), how)
    # Its headers may be a target of their own: how the rest of it is linked is still not known.
    elif how is Usage.HEADER_ONLY and Usage.UNKNOWN in usages:
        how = next((known for known in (Usage.VENDORED, Usage.STATIC_LINK) if known in usages), Usage.UNKNOWN)
    if (how, name) == (one.usage, one.name):
        return one
    return replace(one, name=name, usage=how, purl=purls.purl("generic", name.lower(), one.version))


def _joined(one: Dependency, others: Iterable[Dependency]) -> Dependency:
    listed = [one, *others]
    if len(listed) == 1:
        return one
    places = tuple(dict.fromkeys(place for part in listed for place in part.places))[:_MAX_PLACES]
    directs = [part.direct for part in listed]
    stated = next((part.license for part in listed if part.license.expression), one.license)
    # The first archive that is named, never the address of one and the checksum of another.
    archives = (part for wanted in (True, False) for part in listed if part.download or (part.checksums and not wanted))
    archive = next(archives, one)
    return replace(
        one,
        places=places,
        direct=True if True in directs else None if None in directs else False,  # Not known is not transitive.
        optional=all(part.optional for part in listed),
        license=stated,
        supplier=next((part.supplier for part in listed if part.supplier), None),
        needs=tuple(sorted({url for part in listed for url in part.needs}))[: usage_propagation.MAX_NEEDS],
        download=archive.download,
        checksums=archive.checksums,
    )


def _once(found: Iterable[Dependency]) -> list[Dependency]:
    groups: dict[tuple[str, str, str, str], list[Dependency]] = {}
    for one in found:
        wanted = "" if one.version else one.version_range  # The lock has chosen from the range.
        groups.setdefault((one.purl or one.name, one.version or "", wanted, one.usage), []).append(one)
    return [_joined(group[0], group[1:]) for group in groups.values()]


def _is_by_header(one: Dependency) -> bool:
    """Whether it is known by an include alone, of a library or of the kernel."""
    return one.purl == kernel_headers.PURL or one.why.startswith(library_includes.WHY)


def _included(
    by_header: Iterable[Dependency],
    found: Iterable[Dependency],
    own: Mapping[str, Collection[str]],
    headers: Iterable[str],
) -> list[Dependency]:
    """Libraries whose headers sources include, and that nothing else names."""
    named = {bare(one.name) for one in found} | {bare(name) for names in own.values() for name in names}
    libraries = [one for one in by_header if one.purl != kernel_headers.PURL]
    return list(library_includes.settle(libraries, lambda name: bare(name) in named, headers))


def _kernel(sources: list[DependencyFile]) -> list[Dependency]:
    includes = [one for source in sources for one in source.read.dependencies if one.purl == kernel_headers.PURL]
    files = frozenset(source.path for source in sources if source.read.kernel)
    folders = frozenset(source.path.rpartition("/")[0] for source in sources if source.read.kernel)
    return [replace(one, places=one.places[:_MAX_PLACES]) for one in kernel_headers.settle(includes, folders, files)]
