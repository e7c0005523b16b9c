"""The results of one file so far: every reader adds to such a list, and gives it back as a whole at its end."""

from dataclasses import dataclass, field
from typing import TypedDict, Unpack

from audit.ecosystems import includes
from audit.ecosystems.parsed_file import (
    BuildFile,
    Graph,
    Include,
    ManifestEntry,
    MavenProject,
    PackageDetails,
    ParsedFile,
    dependency_at,
    finding,
    not_read,
    said,
)
from audit.facts import Dependency, Finding, Learned, Place, Usage


class FileDetails(TypedDict, total=False):
    """The fields that only some files have, as in ParsedFile."""

    graph: Graph | None
    includes: tuple[Include, ...]
    license: Learned
    bundler: str
    complete: bool
    registries: tuple[tuple[str, str], ...]
    meant: tuple[ManifestEntry, ...]
    suppliers: tuple[str, ...]
    build: BuildFile | None
    project: MavenProject


@dataclass
class DependencyList:
    """The `dependencies` and `findings` of the file at `path` so far; `own` names what the repository makes.

    `reasons` are those for which a part of it is not read.
    """

    path: str
    dependencies: list[Dependency] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    own: set[str] = field(default_factory=set)
    reasons: set[str] = field(default_factory=set)

    @property
    def file(self) -> str:
        """The file's name without its folders."""
        return self.path.rpartition("/")[2]

    def place(self, line: int | None, words: object) -> Place:
        """A place in the file, with the words that stand there."""
        return Place(self.path, line, said(words))  # Shortened: the words come from strangers.

    def add(
        self,
        at: Place | int | None,
        name: str,
        version: str | None,
        purl: str | None,
        how: Usage,
        why: str,
        **more: Unpack[PackageDetails],
    ) -> None:
        """One more dependency, in its place, or in a line that says no more than its name and version."""
        place = at if isinstance(at, Place) else self.place(at, f"{name} {version or ''}")
        self.dependencies.append(dependency_at(place, name, version, purl, how, why, **more))

    def report(self, code: str, line: int | None, message: str) -> None:
        """A finding of any other kind."""
        self.findings.append(finding(code, self.path, line, message))

    def broken(self, line: int | None, message: str) -> None:
        """A line or an entry that the file's format does not have."""
        self.report("file/broken", line, message)

    def unreadable(self, line: int | None, message: str) -> None:
        """Words in a dependency's place that name none."""
        self.report("dependency/unreadable", line, message)

    def undetermined(self, line: int | None, message: str) -> None:
        """A dependency that other files or conditions decide."""
        self.report("dependency/undetermined", line, message)

    def not_read(self, line: int | None, why: str) -> None:
        """A part of the file that names dependencies and is not read, told once for each `why`, a clause about the file."""
        if why not in self.reasons:
            self.reasons.add(why)
            self.findings.append(not_read(self.path, line, why))

    def outside(self, folder: str, line: int | None, words: object) -> None:
        """A folder that the file names, which is told where it is not below the root."""
        self.findings += includes.outside(folder, self.place(line, words))

    def parsed(self, **more: Unpack[FileDetails]) -> ParsedFile:
        """The parsed file; an empty name is not the repository's own."""
        own = frozenset(self.own - {""})  # Else an entry without a name would be ours.
        return ParsedFile(dependencies=tuple(self.dependencies), findings=tuple(self.findings), own=own, **more)
