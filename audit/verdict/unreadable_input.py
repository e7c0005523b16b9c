"""Input that could not be read, or that has no reader, so that it is not known what is used: all that an audit shows asks the same here."""

from collections.abc import Iterable
from operator import add
from typing import Final, NamedTuple

from audit import display_text
from audit.ecosystems.parsed_file import NOT_READ
from audit.facts import Finding, RepositoryAudit
from audit.scan.reuse import dep5
from audit.usage import is_template, usage_by_folder

COULD_NOT_JUDGE: Final = "could-not-judge"  # The word of each report for such input.
TRUNCATED: Final = "tree/cut-short"  # Not all was read: anything may be in the rest.
EMPTY: Final = "scope/empty"
BARE: Final = "scope/bare"
SPARSE: Final = "scope/sparse"
NO_SOURCE: Final = "scope/no-source"
LANGUAGE: Final = "scope/language"
SUBMODULE: Final = "scope/submodule"
CHECKOUT: Final = "scope/checkout"
# Codes of files of which nothing, or only the beginning, is known.
WHOLE_FILE: Final = frozenset({"file/broken", "file/refused", "file/too-large", "file/unreadable"})
UNREAD: Final = "repository/unread"  # Of its newest commit nothing is known.
_WHOLE_TREE: Final = frozenset({TRUNCATED, EMPTY, BARE, SPARSE, UNREAD})
_CODES: Final = WHOLE_FILE | {"file/outside", "file/missing", "dependency/unreadable"}
# Kinds that have no reader: the rest is judged, and nothing is claimed of these.
_NOT_READ: Final = frozenset({NOT_READ, LANGUAGE, SUBMODULE, CHECKOUT})


class NotRead(NamedTuple):
    """The numbers of `files`, `submodules` and other `checkouts` in the tree that are not read."""

    files: int = 0
    submodules: int = 0
    checkouts: int = 0

    def __str__(self) -> str:
        """In words: "2 files and 1 submodule not read"; empty where all was read."""
        counted = [
            display_text.count(count, singular, plural)
            for count, singular, plural in (
                (self.files, "file", "files"),
                (self.submodules, "submodule", "submodules"),
                (self.checkouts, "checkout", "checkouts"),
            )
            if count
        ]
        return f"{' and '.join(filter(None, (', '.join(counted[:-1]), *counted[-1:])))} not read" if counted else ""

    def plus(self, other: "NotRead") -> "NotRead":
        """The sum of both."""
        return NotRead(*map(add, self, other))


ALL_READ: Final = NotRead()
"""Nothing is left out."""
# Things whose author is not known, by the code of a finding.
_UNKNOWN_ORIGIN: Final = {"license/nested": "folders", "license/weights-unstated": "weights"}


def is_unreadable(finding: Finding) -> bool:
    """Whether the finding leaves open what is used."""
    if finding.code in _WHOLE_TREE:
        return True
    # A folder of tests, examples or documentation holds files that are broken on purpose, and what such a file names is
    # used there alone. `.reuse/dep5` is in a hidden folder and speaks of the whole repository.
    is_own = usage_by_folder(finding.place.path) is None or finding.place.path == dep5.PATH
    # In a template stand values that only its use gives.
    return finding.code in _CODES and is_own and not is_template(finding.place.path)


def unreadable(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that leave open what is used, in their order."""
    return tuple(filter(is_unreadable, findings))


def is_not_read(finding: Finding) -> bool:
    """Whether the finding is of something that may name dependencies and is of a kind that is not read."""
    return finding.code in _NOT_READ


def unjudged(audited: RepositoryAudit) -> tuple[Finding, ...]:
    """The findings that leave an audit without an answer: unreadable input; without any cell, all that is not read."""
    return tuple(
        finding
        for finding in audited.findings
        if is_unreadable(finding) or (not audited.cells and is_not_read(finding))
    )


def not_read(findings: Iterable[Finding]) -> NotRead:
    """The numbers of what is not read of one repository."""
    found = list(filter(is_not_read, findings))
    # A file may have several such findings.
    manifests = {finding.place.path for finding in found if finding.code == NOT_READ}
    sources = sum(finding.files for finding in found if finding.code == LANGUAGE)
    folders = (sum(finding.code == code for finding in found) for code in (SUBMODULE, CHECKOUT))
    return NotRead(len(manifests) + sources, *folders)


def nothing_found(findings: Iterable[Finding]) -> str:
    """The words where no dependency was found: there is none only if everything was read and is known to be our own."""
    found = tuple(findings)
    codes = {finding.code for finding in found}
    if EMPTY in codes or BARE in codes:
        return "there is nothing to read"
    if unreadable(found):
        return "nothing was found in the files that could be read"
    if any(not_read(found)):
        return "nothing was found in the files that are read"
    if NO_SOURCE in codes:
        return "no file that is read could name a dependency"
    doubtful = of_unknown_origin(found)
    return f"only {doubtful} of unknown origin were found" if doubtful else "nothing is used"


def of_unknown_origin(findings: Iterable[Finding]) -> str:
    """Things in the tree that may be another author's, in words ("folders and weights"); empty where there are none."""
    codes = {finding.code for finding in findings}
    return " and ".join(words for code, words in _UNKNOWN_ORIGIN.items() if code in codes)
