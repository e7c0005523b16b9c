"""Input that nobody could read, so that nobody can say what is used: the check on a pull request and the audit ask the same here."""

from collections.abc import Iterable
from typing import Final

from audit.facts import Finding
from audit.scan.reuse import dep5
from audit.usage import usage_by_folder

COULD_NOT_JUDGE: Final = "could-not-judge"
"""What an audit says of such input, in every form."""
TRUNCATED: Final = "tree/cut-short"
"""Not all of the repository was read, so anything may be in the rest."""
WHOLE_FILE: Final = frozenset({"file/broken", "file/refused", "file/too-large", "file/unreadable"})
"""Nothing, or only the beginning, is known of the file."""
_UNKNOWN_ORIGIN: Final = {"license/nested": "folders", "license/weights-unstated": "weights"}
"""By the code of a finding, what nobody can tell whose it is."""
_CODES: Final = WHOLE_FILE | {"file/outside", "file/missing", "dependency/unreadable", TRUNCATED}


def is_unreadable(finding: Finding) -> bool:
    """Whether the finding leaves open what is used.

    A fixture does not: a file below a folder of tests, examples or documentation, or below a hidden folder at the root. What
    such a folder names is used there alone (`test-only`, `dev-tool`), and many hold files that are broken on purpose. `.reuse/dep5` speaks
    of all the repository.
    """
    if finding.code == TRUNCATED:
        return True
    is_own = usage_by_folder(finding.place.path) is None or finding.place.path == dep5.PATH
    return finding.code in _CODES and is_own


def unreadable(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those of the findings that leave open what is used, in their order."""
    return tuple(filter(is_unreadable, findings))


def nothing_found(findings: Iterable[Finding]) -> str:
    """What is said where no dependency was found: that there is none only if everything could be read, and is known to be our own."""
    found = tuple(findings)
    if unreadable(found):
        return "nothing was found in the files that could be read"
    doubtful = of_unknown_origin(found)
    return f"only {doubtful} of unknown origin were found" if doubtful else "nothing is used"


def of_unknown_origin(findings: Iterable[Finding]) -> str:
    """What lies in the tree and may be somebody else's, in words ("folders and weights"); empty where there is nothing of that kind."""
    codes = {one.code for one in findings}
    return " and ".join(words for code, words in _UNKNOWN_ORIGIN.items() if code in codes)
