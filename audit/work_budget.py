"""The work that is done for one repository, so that no repository can keep a process busy for long.

The budget is counted in work, never in time: what a file takes depends on the file alone, so the same repository is given
the same report on a slow machine and on a fast one.
"""

from audit import display_text
from audit.facts import Finding, Place


class WorkBudget:
    """How much work is left, in characters that are read, and the paths of the files for which nothing was left."""

    def __init__(self, most: int) -> None:
        """`most` is for the whole repository."""
        self.left = most
        self.beyond: set[str] = set()

    def is_left(self, path: str, work: int = 1) -> bool:
        """Whether so much work may still be done for that file; if not, the file is remembered."""
        if work > self.left:
            self.beyond.add(path)
            return False
        return True

    def spend(self, work: int) -> None:
        """So much was done; the last file may take more than was left."""
        self.left -= work

    def findings(self, one: str, many: str) -> tuple[Finding, ...]:
        """Whether files were left out, and how many; `one` and `many` say of what and what was not done, as `manifest is not read`."""
        if not self.beyond:
            return ()
        said = display_text.count(len(self.beyond), one, many)
        message = f"{said}: together they take more work than is done for one repository"
        return (Finding("tree/cut-short", Place(min(self.beyond)), message),)
