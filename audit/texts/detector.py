"""Names the texts of one repository within a budget of work, which counts the same with or without texts remembered from another repository."""

from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from audit.facts import Finding
from audit.texts import identification
from audit.texts.identification import DetectedText, is_license_file
from audit.work_budget import WorkBudget

_CACHE_ENTRIES: Final = 4_096
_BEYOND: Final = DetectedText(None, "beyond-budget")


class DetectionCache:
    """What the last few thousand texts are, by their digests: the same text comes with hundreds of packages."""

    def __init__(self, detect: Callable[..., DetectedText] = identification.detect) -> None:
        self._detect = detect
        self._known: dict[bytes, DetectedText] = {}

    def detect(self, text: str, *, is_license: bool = False) -> DetectedText:
        """What this text is."""
        person = b"license" if is_license else b""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32, person=person).digest()
        # Several threads may be here: each step is whole by itself, and a text that two of them look at is the same.
        found = self._known.pop(digest, None) or self._detect(text, is_license=is_license)
        self._known[digest] = found  # the newest is last
        if len(self._known) > _CACHE_ENTRIES:
            for oldest in list(self._known)[: _CACHE_ENTRIES // 8]:
                self._known.pop(oldest, None)
        return found


class Detector:
    """One repository's, with its budget: each different text is charged once, also where it is remembered."""

    def __init__(self, memory: DetectionCache, budget: int) -> None:
        self._memory = memory
        self._budget = WorkBudget(budget)
        self._found: dict[tuple[str, bool], DetectedText] = {}

    def detect(self, text: str, path: str) -> DetectedText:
        """What this text is; not known, as soon as the budget is used up."""
        asked = text, is_license_file(path)
        if asked in self._found:
            return self._found[asked]
        if not self._budget.is_left(path):
            self._found[asked] = _BEYOND
            return _BEYOND
        found = self._found[asked] = self._memory.detect(text, is_license=asked[1])
        self._budget.spend(found.work)
        return found

    def license(self, text: str, path: str) -> str | None:
        """Its licence's expression; None when it is not known."""
        return self.detect(text, path).spdx

    def findings(self) -> tuple[Finding, ...]:
        """Whether there were texts beyond the budget, and how many."""
        return self._budget.findings("licence text is not identified", "licence texts are not identified")
