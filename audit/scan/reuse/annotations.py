"""A statement about files by their paths: which files, under which licences, and how it stands beside other statements."""

from dataclasses import dataclass
from enum import StrEnum

from audit.facts import Place
from audit.licenses.expression import Expression
from audit.scan.reuse.path_patterns import PathPattern


class Precedence(StrEnum):
    """What an annotation does beside what the file, or a `REUSE.toml` that is nearer to it, says."""

    CLOSEST = "closest"
    """It counts where nothing nearer says anything."""
    AGGREGATE = "aggregate"
    """It counts beside what is nearer."""
    OVERRIDE = "override"
    """It counts, and nothing nearer does."""


@dataclass(frozen=True, slots=True)
class LicenseStatement:
    """One licence expression, and where it is said."""

    expression: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Annotation:
    """One table of `REUSE.toml`, or one paragraph of `.reuse/dep5`; the patterns are below the file's own folder."""

    patterns: tuple[PathPattern, ...]
    precedence: Precedence
    licenses: tuple[LicenseStatement, ...]

    def matches(self, path: str) -> bool:
        """Whether one of the patterns fits the path, which is below the folder, too."""
        return any(one.matches(path) for one in self.patterns)


@dataclass(frozen=True, slots=True)
class AnnotationFile:
    """All annotations of the file at `path`; `folder` is the one whose files they are about, empty for the root."""

    path: str
    folder: str
    annotations: tuple[Annotation, ...]

    def of(self, path: str) -> Annotation | None:
        """The last annotation that fits a file below the folder: it alone counts."""
        inside = path[len(self.folder) + 1 :] if self.folder else path
        return next((one for one in reversed(self.annotations) if one.matches(inside)), None)
