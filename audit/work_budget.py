"""The work that is done for one repository, so that no repository can keep a process busy for long.

The budget is counted in work, never in time: what a file takes depends on the file alone, so the same repository is given
the same report on a slow machine and on a fast one.
"""

from audit import display_text
from audit.facts import Finding, Place


class WorkBudget:
    """The work that is left, in characters that are read, and the paths of the files for which not enough was left."""

    def __init__(self, most: int) -> None:
        """`most` is for the whole repository."""
        self.left = most
        self.beyond: set[str] = set()

    def is_left(self, path: str, work: int = 1) -> bool:
        """Whether so much work may still be done for that file; if not, the file is remembered."""
        if work > self.left:  # A smaller file may still be read.
            self.beyond.add(path)
            return False
        return True

    def spend(self, work: int) -> None:
        """Records work that was done."""
        self.left -= work  # The last file may take more than was left.

    def findings(self, one: str, many: str) -> tuple[Finding, ...]:
        """A finding where files were left out; `one` and `many` say what was not done, as `manifest is not read`."""
        if not self.beyond:
            return ()
        said = display_text.count(len(self.beyond), one, many)
        message = f"{said}: together they take more work than is done for one repository"
        return (Finding("tree/cut-short", Place(min(self.beyond)), message),)  # A set has no order of its own.
