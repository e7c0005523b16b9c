"""Manifests and lock files become one list: versions from the lock, scopes from the manifest, each use once."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from audit import usage
from audit.ecosystems import go_imports, gradle, maven, purls, usage_propagation
from audit.ecosystems.native import bazel, build_tree, debian_control, kernel_headers, library_includes
from audit.ecosystems.npm import npm_registries
from audit.ecosystems.parsed_file import NOT_READ, ManifestEntry, ParsedFile, finding, nearest, said
from audit.ecosystems.purls import bare
from audit.ecosystems.python import requirements
from audit.facts import Dependency, Learned, Usage
from audit.licenses import contradiction

_SHELVES: Final = frozenset({"gradle", "vendor", "requirements", "dependency-locks", ".cargo"})
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
_LOCKED: Final = frozenset({"cocoapods", "elixir", "ruby"})
"""Families whose lock file has all that the program beside it asks for, also what the program computes."""
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
        file.read.dependencies or file.read.own or file.read.build
        for family, group in families.items()
        for file in group
        if family not in _BESIDE_THE_WORK and usage.usage_by_folder(file.path) is None
    )  # A test's build says nothing of the work.
    settled: list[DependencyFile] = []
    for family, group in families.items():
        reads = {source.path: source.read for source in group}
        whole = _TREES[family](reads) if family in _TREES else reads
        if family == debian_control.FAMILY:
            whole = debian_control.settle(reads, has_manifests=has_manifests)
        settled += [replace(file, read=_named(file.path, whole[file.path])) for file in group]
    locked = {
        (file.family, file.folder)
        for file in settled
        if file.family in _LOCKED and file.read.graph and file.read.dependencies
    }
    return [_without_unread(file) if (file.family, file.folder) in locked else file for file in settled]


def _without_unread(file: DependencyFile) -> DependencyFile:
    findings = tuple(each for each in file.read.findings if each.code != NOT_READ)
    includes = tuple(each for each in file.read.includes if not each.or_at)
    return replace(file, read=replace(file.read, findings=findings, includes=includes))


def _named(path: str, read: ParsedFile) -> ParsedFile:
    # Most files name nothing by a variable.
    kept = tuple(dependency for dependency in read.dependencies if not _VARIABLE.search(dependency.name))
    if len(kept) == len(read.dependencies):
        return read
    lost = (dependency for dependency in read.dependencies if _VARIABLE.search(dependency.name))
    why = "names something by a variable whose value is in no file that is read"
    more = tuple(
        finding(
            "dependency/undetermined",
            path,
            dependency.places[0].line if dependency.places else None,
            f"{why}: {said(dependency.name)}",
        )
        for dependency in lost
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
        families[family] = [replace(file, read=marked[file.path]) for file in group]
    # Sources come last: a library that a manifest names is not known by its header alone.
    sources_read = families.pop("linux", [])
    kernel = [*sources_read, *(file for file in families.get("make", []) if file.read.kernel)]
    of_go = families.pop(go_imports.FAMILY, [])
    imports = {source.path: source.read for source in of_go}
    own: dict[str, set[str]] = {}
    for source in (file for group in families.values() for file in group):
        own.setdefault(_KINDS.get(source.family, ""), set()).update(source.read.own)
    listed = [dependency for group in families.values() for dependency in _family(group, own)]
    found = go_imports.settle(listed, imports)
    by_sources = [dependency for source in (*sources_read, *of_go) for dependency in source.read.dependencies]
    found += [dependency for dependency in by_sources if not _is_by_header(dependency) and not _is_own(dependency, own)]
    found += _included(filter(_is_by_header, by_sources), found, own, headers)
    stated: dict[str, list[Learned]] = {}
    for dependency in found:
        if dependency.license.expression:
            stated.setdefault(contradiction.key(dependency), []).append(dependency.license)
    return tuple(
        sorted(
            _once([*_absorbed(found), *_kernel(kernel)]),
            # Sorted: documents of one commit are the same in any order of reading.
            key=lambda use: (use.name.lower(), use.version or "", use.usage.value, use.purl or ""),
        )
    ), stated


def _folder(path: str) -> str:
    return re.sub(r"(?:^|/)\.cargo$", "", path.rpartition("/")[0])  # Cargo's settings have a folder of their own.


def _with_workspace_versions(reads: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """The files by path, with the versions and origins that files at the nearest folder above name for their requests.

    These are Cargo's workspaces and patches, catalogues and overrides of npm's kind, and go.work.
    """
    folders: dict[str, dict[tuple[str, str | None], ManifestEntry]] = {}
    for path, read in sorted(reads.items()):
        for entry in read.meant:
            folders.setdefault(_folder(path), {})[entry.name, entry.asked] = entry
    found, taken = dict(reads), set[tuple[str | None, ...]]()
    for path, read in reads.items() if folders else ():
        if read.graph is None and read.dependencies:
            meant = folders.get(nearest(_folder(path), folders) or "", {})
            found[path] = replace(
                read, dependencies=tuple(_taken(dependency, meant, taken) for dependency in read.dependencies)
            )
    locked = {_folder(path) for path, read in reads.items() if read.graph is not None and read.dependencies}
    for path, read in reads.items():
        # A lock file has what other packages need, with what takes its place; without one that is not known.
        if read.meant and nearest(_folder(path), locked) is None:
            more = (each.dependency for each in read.meant if each.is_replacement and each.key not in taken)
            found[path] = replace(found[path], dependencies=(*found[path].dependencies, *more))
    return found


def _taken(
    dependency: Dependency,
    meant: Mapping[tuple[str, str | None], ManifestEntry],
    taken: set[tuple[str | None, ...]],
) -> Dependency:
    # `None` stands for any version, as in Cargo's patches: these also replace what the workspace names.
    for asked in (dependency.version_range or dependency.version, None):
        entry = meant.get((dependency.name, asked))
        if entry:
            taken.add(entry.key)
            other = entry.dependency
            dependency = replace(
                dependency, name=other.name, version=other.version, version_range=other.version_range, purl=other.purl,
                places=(*dependency.places, *other.places),
            )  # fmt: skip
    return dependency


def _aside(source: DependencyFile, how: Usage) -> DependencyFile:
    """The same file, as one that lies in a folder of tests or of examples."""
    read = source.read
    changed = tuple(
        # A test's build tool stays a build tool.
        dependency
        if dependency.usage in usage.NOT_SHIPPED
        else replace(dependency, usage=how, why=f"{dependency.why}, in a folder of {usage.FOLDERS[how]}")
        for dependency in read.dependencies
    )
    roots = [replace(root, usage=how) for root in read.graph.roots] if read.graph else []
    graph = replace(read.graph, roots=roots, decided=True) if read.graph else None
    # A test's package of a name must not hide a dependency of that name.
    return replace(source, read=replace(read, dependencies=changed, graph=graph, own=frozenset(), bundler=""))


def _is_own(dependency: Dependency, own: Mapping[str, Collection[str]]) -> bool:
    """Whether the repository itself makes what is called so; a crate is not the Python package of the same name."""
    kind = purls.kind_of(dependency.purl)
    if kind not in _KINDS.values():
        # An address, or a system's or Conan's packages, lead to another work than the target of that name.
        is_bare_name = kind in {"", "generic", "jsr", "maven"} and dependency.download is None
        return is_bare_name and any(dependency.name in names for names in own.values())
    names = own.get(kind, ())
    return dependency.name in names or (
        kind == "pypi" and purls.without_version(dependency.purl)[len("pkg:pypi/") :] in names
    )


def _family(group: Sequence[DependencyFile], own: Mapping[str, Collection[str]]) -> list[Dependency]:
    """The files of one family: each manifest goes with the nearest lock file at its folder or above."""
    workspaces = [source.folder for source in group if source.path.rpartition("/")[2] == "go.work"]
    locked = {source.folder for source in group if source.read.graph is not None and source.read.dependencies}
    served: dict[str | None, list[DependencyFile]] = {}
    for source in group:
        if source.read.graph is None:
            served.setdefault(nearest(source.folder, locked), []).append(source)
    alone = (dependency for source in served.get(None, []) for dependency in source.read.dependencies)
    found = [dependency for dependency in alone if not _is_own(dependency, own)]
    for folder in sorted(locked):
        locks = [source for source in group if source.folder == folder and source.read.graph is not None]
        manifests = served.get(folder, [])
        matched = [
            usage_propagation.match_manifests(lock.read, [manifest.read for manifest in manifests]) for lock in locks
        ]
        missing = frozenset.intersection(*[lock.missing for lock in matched])  # From all locks of this folder.
        listed = [dependency for manifest in manifests for dependency in manifest.read.dependencies]
        # With a go.work, go.sum also has what a part of the workspace takes the place of.
        is_in_workspace = any(not at or folder == at or folder.startswith(f"{at}/") for at in workspaces)
        resolved = not is_in_workspace and any(lock.read.graph and lock.read.graph.resolved for lock in locks)
        # A manifest gives only a name; a resolved lock file knows what was taken from elsewhere.
        found += [dependency for dependency in _best_known(matched) if resolved or not _is_own(dependency, own)]
        found += [dependency for at, dependency in enumerate(listed) if at in missing and not _is_own(dependency, own)]
    return found


def _best_known(matched: Sequence[usage_propagation.MatchedLock]) -> list[Dependency]:
    """The entries of one folder's lock files: a guess gives way to knowledge, a weaker use to a stronger one."""
    if len(matched) == 1:
        return list(matched[0].entries)
    known: dict[str, Usage] = {}
    for lock in matched:
        for at, dependency in enumerate(lock.entries):
            if at not in lock.guessed and dependency.purl:
                known[dependency.purl] = usage.strongest(dependency.usage, known.get(dependency.purl, dependency.usage))
    return [
        dependency
        for lock in matched
        for at, dependency in enumerate(lock.entries)
        if dependency.purl not in known or (at not in lock.guessed and known[dependency.purl] is dependency.usage)
    ]


def _absorbed(found: list[Dependency]) -> list[Dependency]:
    """The uses, those without a version put into the same use with one, libraries by name into their package."""
    found = _named_alike(found)
    versioned: dict[tuple[str, str], list[int]] = {}
    packaged: dict[tuple[str, bool], int] = {}
    for at, dependency in enumerate(found):
        if dependency.version:
            versioned.setdefault(
                (purls.without_version(dependency.purl) or dependency.name, dependency.usage), []
            ).append(at)
        if purls.kind_of(dependency.purl) in _BROUGHT:
            # Builds write `Luajit`, `LuaJIT` and `luajit`: case and punctuation tell no two libraries apart.
            packaged.setdefault((bare(dependency.name), dependency.usage in usage.NOT_SHIPPED), at)
    places: dict[int, list[Dependency]] = {}
    kept = []
    for at, dependency in enumerate(found):
        into = (
            []
            if dependency.version
            else versioned.get((purls.without_version(dependency.purl) or dependency.name, dependency.usage), [])
        )
        if "_url=" in (dependency.purl or ""):  # it is that package of another registry, which has a place of its own
            into = [target for target in into if "_url=" in (found[target].purl or "")]
        if not into and purls.kind_of(dependency.purl) == "generic":
            # What is shipped is not what is brought along for tests and tools.
            asides = (True, False) if dependency.usage in usage.NOT_SHIPPED else (False,)
            keys = ((bare(dependency.name), aside) for aside in asides)
            into = [packaged[key] for key in keys if key in packaged][:1]
        for target in into:
            places.setdefault(target, []).append(dependency)
        if not into:
            kept.append(at)
    return [_joined(found[at], places.get(at, ())) for at in kept]


def _named_alike(found: list[Dependency]) -> list[Dependency]:
    """Libraries without a registry under one name each: the first that has capitals, else the first."""
    names: dict[str, Dependency] = {}
    usages: dict[str, set[Usage]] = {}
    for dependency in found:
        if purls.kind_of(dependency.purl) == "generic":
            key = bare(dependency.name)
            # Linkers' names are mostly in small letters: one with capitals is rather what the library calls itself.
            if key not in names or (names[key].name.islower() and not dependency.name.islower()):
                names[key] = dependency
            usages.setdefault(key, set()).add(dependency.usage)
    return [
        _alike(dependency, names[bare(dependency.name)].name, usages[bare(dependency.name)])
        if purls.kind_of(dependency.purl) == "generic"
        else dependency
        for dependency in found
    ]


def _alike(dependency: Dependency, name: str, usages: Collection[Usage]) -> Dependency:
    how = dependency.usage
    # One place that says how it is linked is enough.
    if how is Usage.UNKNOWN:
        how = next((known for known in (Usage.VENDORED, Usage.STATIC_LINK, Usage.DYNAMIC_LINK) if known in usages), how)
    # Its headers may be a target of their own: how the rest of it is linked is still not known.
    elif how is Usage.HEADER_ONLY and Usage.UNKNOWN in usages:
        how = next((known for known in (Usage.VENDORED, Usage.STATIC_LINK) if known in usages), Usage.UNKNOWN)
    if (how, name) == (dependency.usage, dependency.name):
        return dependency
    return replace(dependency, name=name, usage=how, purl=purls.purl("generic", name.lower(), dependency.version))


def _joined(dependency: Dependency, others: Iterable[Dependency]) -> Dependency:
    listed = [dependency, *others]
    if len(listed) == 1:
        return dependency
    places = tuple(dict.fromkeys(place for part in listed for place in part.places))[:_MAX_PLACES]
    directs = [part.direct for part in listed]
    stated = next((part.license for part in listed if part.license.expression), dependency.license)
    # The first archive that is named, never the address of one and the checksum of another.
    archives = (part for wanted in (True, False) for part in listed if part.download or (part.checksums and not wanted))
    archive = next(archives, dependency)
    return replace(
        dependency,
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
    for dependency in found:
        wanted = "" if dependency.version else dependency.version_range  # The lock has chosen from the range.
        groups.setdefault(
            (dependency.purl or dependency.name, dependency.version or "", wanted, dependency.usage), []
        ).append(dependency)
    return [_joined(group[0], group[1:]) for group in groups.values()]


def _is_by_header(dependency: Dependency) -> bool:
    """Whether it is known by an include alone, of a library or of the kernel."""
    return dependency.purl == kernel_headers.PURL or dependency.why.startswith(library_includes.WHY)


def _included(
    by_header: Iterable[Dependency],
    found: Iterable[Dependency],
    own: Mapping[str, Collection[str]],
    headers: Iterable[str],
) -> list[Dependency]:
    """Libraries whose headers sources include, and that nothing else names."""
    named = {bare(dependency.name) for dependency in found} | {bare(name) for names in own.values() for name in names}
    libraries = [dependency for dependency in by_header if dependency.purl != kernel_headers.PURL]
    return list(library_includes.settle(libraries, lambda name: bare(name) in named, headers))


def _kernel(sources: list[DependencyFile]) -> list[Dependency]:
    includes = [
        dependency
        for source in sources
        for dependency in source.read.dependencies
        if dependency.purl == kernel_headers.PURL
    ]
    files = frozenset(source.path for source in sources if source.read.kernel)
    folders = frozenset(source.path.rpartition("/")[0] for source in sources if source.read.kernel)
    return [
        replace(dependency, places=dependency.places[:_MAX_PLACES])
        for dependency in kernel_headers.settle(includes, folders, files)
    ]
