"""Names the texts of one repository within a budget of work, which counts the same with or without texts remembered from another repository."""

from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from audit.facts import Finding
from audit.texts import identification
from audit.texts.identification import DetectedText, is_license_file
from audit.work_budget import WorkBudget

_CACHE_ENTRIES: Final = 4_096  # The same text comes with hundreds of packages.
_BEYOND: Final = DetectedText(None, "beyond-budget")


class DetectionCache:
    """Remembers what the last few thousand texts are, by their digests."""

    def __init__(self, detect: Callable[..., DetectedText] = identification.detect) -> None:
        self._detect = detect
        self._known: dict[bytes, DetectedText] = {}

    def detect(self, text: str, *, is_license: bool = False) -> DetectedText:
        """Identifies a text."""
        person = b"license" if is_license else b""  # A licence file is read differently.
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32, person=person).digest()
        # Several threads may be here: each step is whole by itself, and a text that two of them look at is the same.
        found = self._known.pop(digest, None) or self._detect(text, is_license=is_license)
        self._known[digest] = found  # The newest is last.
        if len(self._known) > _CACHE_ENTRIES:
            for oldest in list(self._known)[: _CACHE_ENTRIES // 8]:  # Many at once, so that this is rare.
                self._known.pop(oldest, None)
        return found


class Detector:
    """Identifies one repository's texts within a budget: each different text is charged once, also a remembered one."""

    def __init__(self, memory: DetectionCache, budget: int) -> None:
        self._memory = memory
        self._budget = WorkBudget(budget)
        self._found: dict[tuple[str, bool], DetectedText] = {}

    def detect(self, text: str, path: str) -> DetectedText:
        """Identifies a text; it is not known as soon as the budget is used up."""
        asked = text, is_license_file(path)
        if asked in self._found:
            return self._found[asked]
        if not self._budget.is_left(path):
            self._found[asked] = _BEYOND
            return _BEYOND
        found = self._found[asked] = self._memory.detect(text, is_license=asked[1])
        # A remembered text costs the same, so that a report does not depend on what was read before it.
        self._budget.spend(found.work)
        return found

    def license(self, text: str, path: str) -> str | None:
        """The text's licence as an expression; None when it is not known."""
        return self.detect(text, path).spdx

    def findings(self) -> tuple[Finding, ...]:
        """A finding with the number of texts beyond the budget, if there are any."""
        return self._budget.findings("licence text is not identified", "licence texts are not identified")
