"""Which statements count for a file: its own, those of its sidecar, of every `REUSE.toml` above it, or of `.reuse/dep5`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from audit.scan.reuse.annotations import Annotation, AnnotationFile, LicenseStatement, Precedence

_NOT_COVERED: Final = re.compile(
    r"(?:^|.*/)(?:LICENSES/.*|(?:LICEN[CS]E|COPYING)(?:[-.][^/]*)?|REUSE\.toml|[^/]*\.spdx(?:\.(?:rdf|json|xml|ya?ml))?|subprojects/.*)"
    r"|\.(?:reuse|git|hg|sl)/.*",
    re.DOTALL,
)
"""Files that need no statement: texts of licences, SPDX documents, what the tool and version control keep, and Meson's subprojects."""


def is_covered(path: str) -> bool:
    """Whether statements are about the file at all; links and empty files are not asked about."""
    return _NOT_COVERED.fullmatch(path) is None


@dataclass
class AnnotationFiles:
    """All that say something of files by their paths, by folder."""

    by_folder: dict[str, list[AnnotationFile]] = field(default_factory=dict)

    def add(self, one: AnnotationFile) -> None:
        """One more."""
        self.by_folder.setdefault(one.folder, []).append(one)

    @property
    def names(self) -> set[str]:
        """The paths of all."""
        return {one.path for listed in self.by_folder.values() for one in listed}

    def work(self, path: str) -> int:
        """What comparing a path with the patterns above it takes at most, in patterns of which only the beginning is looked at."""
        return sum(one.work(path) for folder in _folders_above(path) for one in self.by_folder.get(folder, ()))

    def statements(self, path: str, own: Sequence[LicenseStatement]) -> tuple[LicenseStatement, ...]:
        """What counts for a file that says `own` itself, or whose sidecar does.

        From the root to the file's folder: what overrides ends it, what is aggregated is kept; what is closest counts where
        neither the file nor a nearer annotation says a licence.
        """
        found: list[LicenseStatement] = []
        closest: tuple[LicenseStatement, ...] = ()
        for one in self._annotations(path):
            if one.precedence is Precedence.OVERRIDE:
                return (*found, *one.licenses)
            if one.precedence is Precedence.AGGREGATE:
                found += one.licenses
            elif one.licenses:
                closest = one.licenses
        return (*found, *(own or closest))

    def _annotations(self, path: str) -> Iterator[Annotation]:
        for folder in _folders_above(path):
            for one in self.by_folder.get(folder, ()):
                annotation = one.of(path)
                if annotation is not None:
                    yield annotation


def _folders_above(path: str) -> list[str]:
    """The root first."""
    parts = path.split("/")[:-1]
    return ["", *("/".join(parts[: at + 1]) for at in range(len(parts)))]
