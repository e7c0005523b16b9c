"""The build files of a tree together: one uses definitions of another, and the work's own libraries are no dependencies."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from audit.ecosystems.native import cmake, cmake_unread, known_libraries
from audit.ecosystems.native.cmake_commands import Definitions
from audit.ecosystems.native.known_libraries import KnownLibrary
from audit.ecosystems.parsed_file import NOT_READ, AskedLibrary, BuildFile, ParsedFile
from audit.ecosystems.purls import bare, kind_of, purl
from audit.facts import Dependency, Usage
from audit.usage import NOT_SHIPPED, usage_by_folder

_FIND: Final = "Find"


@dataclass(slots=True)
class _Own:
    """The names that the work makes: libraries as they are (`exact`) and without case and marks (`alike`), `packages`.

    `spaces` are namespaces in small letters, `projects` has the files that name each.
    """

    exact: set[str] = field(default_factory=set)
    alike: set[str] = field(default_factory=set)
    spaces: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    projects: dict[str, set[str]] = field(default_factory=dict)

    def add(self, path: str, build: BuildFile) -> None:
        """Add the names that one file makes."""
        self.exact |= build.libraries
        self.alike |= {bare(library) for library in build.libraries if "::" not in library}
        self.spaces |= {space.lower() for space in build.spaces}
        self.packages |= {bare(package) for package in build.packages}
        for project in build.projects:
            self.projects.setdefault(bare(project), set()).add(path)

    def has(self, library: AskedLibrary, path: str) -> bool:
        """True if a file asks for something of the work's own."""
        name = bare(library.name)
        # In the project's own file its name means another work: a binding is called like its library.
        others = self.projects.get(name, set()) - {path}
        if name in self.packages or others:
            return True
        # A target of a package's name may be a handle for that package: targets count only where something is linked.
        if not library.is_linked:
            return False
        space, colons, _ = library.name.partition("::")
        if not colons or library.name in self.exact:
            return library.name in self.exact or name in self.alike
        is_ours = space.lower() in self.spaces or bare(space) in self.packages
        return is_ours or bool(self.projects.get(bare(space), set()) - {path})


def alone(reader: Callable[[str, str], ParsedFile]) -> Callable[[str, str], ParsedFile]:
    """The same reader, with its file settled as if it was the only one of the tree."""
    return lambda path, content: settle({path: reader(path, content)}, is_whole=False)[path]


def settle(reads: Mapping[str, ParsedFile], *, is_whole: bool = True) -> dict[str, ParsedFile]:
    """The files by path, each with its requests for others' works; `own` has names that no other file requests.

    Of a file that is not the `is_whole` tree it is not said that it takes in what is not there.
    """
    known = Definitions()
    for file in reads.values():
        if file.build and file.build.commands:
            known.add(file.build.commands)
    found = {path: _evaluated(path, file, known) for path, file in reads.items()}
    found = cmake_unread.with_missing(found) if is_whole else found
    ours, aside = _Own(), _Own()
    for path, file in found.items():
        if file.build:
            (aside if usage_by_folder(path) else ours).add(path, file.build)
            aside.add(path, file.build)  # Tests also use what the work makes.
    modules = _modules(found)
    there = {path.rpartition("/")[2].removesuffix(".wrap") for path in found if path.endswith(".wrap")}
    wraps = {
        name: wrap for file in found.values() if file.build for name, wrap in file.build.wraps.items() if wrap in there
    }
    linkages = {file.build.linkage for file in found.values() if file.build and file.build.linkage}
    linkage = next(iter(linkages)) if len(linkages) == 1 else ""  # Where all that say so agree.
    kept: dict[str, list[Dependency]] = {}
    asked: set[str] = set()
    every = (library for file in found.values() if file.build for library in file.build.asked if not library.is_linked)
    fetched = {library.name for library in every if library.name != library.dependency.name}
    for path, file in found.items():
        for library in file.build.asked if file.build else ():
            is_aside = library.dependency.usage in NOT_SHIPPED or usage_by_folder(path) is not None
            # Names of tests hide nothing of what is shipped.
            # The build's own name for a library that it fetches, and that is known by another, is none, too.
            is_handle = library.is_linked and library.name in fetched and library.dependency.license.expression is None
            if is_handle or (aside if is_aside else ours).has(library, path):
                continue
            if not library.is_linked and not is_aside:
                asked |= {library.name, library.dependency.name}
            meant = _meant(library, modules, wraps)
            kept.setdefault(path, []).append(_by_manager(meant, linkage))
    return {path: _with(file, kept.get(path, ()), asked) for path, file in found.items()}


def _evaluated(path: str, file: ParsedFile, known: Definitions) -> ParsedFile:
    commands = file.build.commands if file.build else None
    if commands is None:  # Not CMake's.
        return file
    again = cmake.evaluate(path, commands, known)
    # Alone it did not know what others assign.
    before = (finding for finding in file.findings if finding.code != NOT_READ)
    findings = tuple(dict.fromkeys((*before, *again.findings)))
    includes = tuple(dict.fromkeys((*file.includes, *again.includes)))
    return replace(file, findings=findings, own=again.own, build=again.build, includes=includes)


def _with(file: ParsedFile, kept: Iterable[Dependency], asked: set[str]) -> ParsedFile:
    """A file with its remaining requests; a package that a file asks for by name is not the target of that name."""
    if file.build is None:
        return file
    names = {name for name in (file.own | file.build.projects) if name not in asked}
    tables = {known.name for name in names if (known := known_libraries.by_name(name)) and known.name not in asked}
    # What follows looks at names alone, also of what another family of files asks for.
    return replace(file, dependencies=tuple(kept), own=frozenset(names | tables))


def _modules(found: Mapping[str, ParsedFile]) -> dict[str, KnownLibrary]:
    """By the name of a `FindX.cmake` of the tree, the one known library that it looks for."""
    modules: dict[str, KnownLibrary] = {}
    for path, file in found.items():
        name = path.rpartition("/")[2].removesuffix(".cmake")
        if not file.build or not name.startswith(_FIND):
            continue
        x = name.removeprefix(_FIND)
        inside = {each.dependency.name for each in file.build.asked if bare(each.name) == bare(x)}
        libraries = [known for each in inside if (known := known_libraries.by_name(each))]
        if len(libraries) == 1:  # One that looks for several stands for none.
            modules[x.lower()] = libraries[0]
    return modules


def _meant(library: AskedLibrary, modules: Mapping[str, KnownLibrary], wraps: Mapping[str, str]) -> Dependency:
    """The dependency under the name of the library that its find module looks for, or of the wrap that provides it."""
    dependency = library.dependency
    # More is known than a module tells.
    if dependency.license.expression is not None or kind_of(dependency.purl) != "generic":
        return dependency
    known = modules.get(library.name.partition("::")[0].lower())
    wrap = wraps.get(library.name)
    if known is not None:
        how = dependency.usage if dependency.usage is not Usage.UNKNOWN else None
        named = known_libraries.dependency(known.name, known, how, dependency.why, dependency.places[0])
        return replace(named, optional=dependency.optional)
    if wrap and wrap != dependency.name:
        return replace(dependency, name=wrap, purl=purl("generic", wrap.lower(), dependency.version))
    return dependency


def _by_manager(dependency: Dependency, linkage: str) -> Dependency:
    if not linkage or dependency.usage is not Usage.UNKNOWN or not dependency.why.startswith("vcpkg.json"):
        return dependency
    how = Usage.STATIC_LINK if linkage == "static" else Usage.DYNAMIC_LINK
    return replace(dependency, usage=how, why=f"{dependency.why}, by the triplet")
