"""Statements about files by their paths: which files, under which licences, and which of several count for a file.

They are a file's own, those of its sidecar, of every `REUSE.toml` above it, or of `.reuse/dep5`.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final

from audit.facts import Place
from audit.licenses.expression import Expression
from audit.scan.reuse.path_patterns import PathPattern

# Following a pattern by one character of a path costs so much beside looking at how a pattern begins.
_WORK_OF_CHARACTER: Final = 4
_PARTS_AT_ONCE: Final = 512  # Parts of a pattern that are followed at the cost of one.
_NOT_COVERED: Final = re.compile(
    r"(?:^|.*/)(?:LICENSES/.*|(?:LICEN[CS]E|COPYING)(?:[-.][^/]*)?|REUSE\.toml|[^/]*\.spdx(?:\.(?:rdf|json|xml|ya?ml))?|subprojects/.*)"
    r"|\.(?:reuse|git|hg|sl)/.*",
    re.DOTALL,
)
"""Files that need no statement: texts of licences, SPDX documents, what the tool and version control keep, and Meson's subprojects."""


class Precedence(StrEnum):
    """The effect of an annotation beside what the file, or a `REUSE.toml` that is nearer to it, says."""

    CLOSEST = "closest"
    """It counts where nothing nearer says anything."""
    AGGREGATE = "aggregate"
    """It counts beside what is nearer."""
    OVERRIDE = "override"
    """It counts, and nothing nearer does."""


@dataclass(frozen=True, slots=True)
class LicenseStatement:
    """A licence `expression`, and the `place` where it is said."""

    expression: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Annotation:
    """A table of `REUSE.toml`, or paragraph of `.reuse/dep5`: `patterns` below its folder, `precedence`, `licenses`."""

    patterns: tuple[PathPattern, ...]
    precedence: Precedence
    licenses: tuple[LicenseStatement, ...]

    def matches(self, path: str) -> bool:
        """Whether one of the patterns fits the path, which is below the folder, too."""
        return any(pattern.matches(path) for pattern in self.patterns)


@dataclass(frozen=True)
class AnnotationFile:
    """All `annotations` of the file at `path`; `folder` is the one whose files they are about, empty for the root."""

    path: str
    folder: str
    annotations: tuple[Annotation, ...]

    def of(self, path: str) -> Annotation | None:
        """The last annotation that fits a file below the folder: it alone counts."""
        inside = self._inside(path)
        return next((annotation for annotation in reversed(self.annotations) if annotation.matches(inside)), None)

    def work(self, path: str) -> int:
        """The most that finding it takes, in patterns of which only the beginning is looked at."""
        inside, work = self._inside(path), self._count
        for length in self._lengths:
            if length > len(inside):
                break  # Longer ones do not fit either.
            work += self._followed.get(inside[:length], 0) * (len(inside) - length)
        return work

    def _inside(self, path: str) -> str:
        return path[len(self.folder) + 1 :] if self.folder else path

    @cached_property
    def _count(self) -> int:
        return sum(len(annotation.patterns) for annotation in self.annotations)

    @cached_property
    def _followed(self) -> Mapping[str, int]:
        """The cost of each character of a path, by the beginning of the patterns that are followed behind it."""
        found: Counter[str] = Counter()
        for pattern in (pattern for each in self.annotations for pattern in each.patterns):
            if not pattern.is_plain and not pattern.is_everything:
                found[pattern.beginning] += _WORK_OF_CHARACTER * (1 + len(pattern.parts) // _PARTS_AT_ONCE)
        return found

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(beginning) for beginning in self._followed})


def is_covered(path: str) -> bool:
    """Whether statements are about the file at all; links and empty files are not asked about."""
    return _NOT_COVERED.fullmatch(path) is None


@dataclass
class AnnotationFiles:
    """All files that say something of others by their paths (`by_folder`)."""

    by_folder: dict[str, list[AnnotationFile]] = field(default_factory=dict)

    def add(self, file: AnnotationFile) -> None:
        """Adds one."""
        self.by_folder.setdefault(file.folder, []).append(file)

    @property
    def names(self) -> set[str]:
        """The paths of all."""
        return {file.path for listed in self.by_folder.values() for file in listed}

    def work(self, path: str) -> int:
        """The most that comparing a path with the patterns above it takes, counted like `AnnotationFile.work`."""
        return sum(file.work(path) for folder in _folders_above(path) for file in self.by_folder.get(folder, ()))

    def statements(self, path: str, own: Sequence[LicenseStatement]) -> tuple[LicenseStatement, ...]:
        """The statements that count for a file that says `own` itself, or whose sidecar does."""
        found: list[LicenseStatement] = []
        closest: tuple[LicenseStatement, ...] = ()
        above = (each.of(path) for folder in _folders_above(path) for each in self.by_folder.get(folder, ()))
        # From the root to the file's folder.
        for annotation in filter(None, above):
            if annotation.precedence is Precedence.OVERRIDE:
                return (*found, *annotation.licenses)  # Nothing nearer counts.
            if annotation.precedence is Precedence.AGGREGATE:
                found += annotation.licenses
            elif annotation.licenses:
                closest = annotation.licenses
        # What is closest counts where neither the file nor a nearer annotation says a licence.
        return (*found, *(own or closest))


def _folders_above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["", *("/".join(parts[: at + 1]) for at in range(len(parts)))]
