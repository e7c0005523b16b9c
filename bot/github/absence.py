"""Whether an account certainly has no repository `.github`: a 404 alone never says so, the installation's own list does."""

import itertools
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from bot.clock import Clock
from bot.github.client.transport import Transport
from bot.github.ports import Unread
from bot.github.reading import understanding

NAME: Final = ".github"
PAGE_SIZE: Final = 100
ABSENCE_LIFETIME: Final = timedelta(minutes=5)  # It matters only while GitHub answers 404.
DOUBT_LIFETIME: Final = timedelta(seconds=30)  # Else 5,000 repositories would be listed anew for every pull request.
CACHED_INSTALLATIONS: Final = 1_000
"""Installations remembered at once."""


@dataclass(slots=True)
class _Answer:
    """The list's answer: `why` it proves nothing (None: it does), good `until` a moment. The holder of `lock` asks."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    why: Unread | None = None
    until: datetime | None = None


class AbsenceCache:
    """Remembers for a short while whether an account really has no `.github`; many threads may ask."""

    def __init__(self, now: Clock) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._answers: OrderedDict[tuple[int, int], _Answer] = OrderedDict()

    def why_unread(self, transports: tuple[Transport, Transport], installation: int, owner_id: int) -> Unread | None:
        """None: that account certainly has no `.github`. Else why that is not known. Raises HubError.

        To be asked only after GitHub answered the installation that it finds none. `transports`: the installation's, the App's.
        """
        with self._lock:
            answer = self._answers.setdefault((installation, owner_id), _Answer())
            self._answers.move_to_end((installation, owner_id))
            if len(self._answers) > CACHED_INSTALLATIONS:
                self._answers.popitem(last=False)
        with answer.lock:  # Of many pull requests at once one asks GitHub.
            now = self._now()
            if answer.until is None or now >= answer.until:
                answer.why = _ask(transports, installation, owner_id)
                # An installation on chosen repositories is asked anew each time: that costs one page, and may change at any moment.
                doubt = timedelta(0) if answer.why == "not-covered" else DOUBT_LIFETIME
                answer.until = now + (ABSENCE_LIFETIME if answer.why is None else doubt)
            return answer.why


def _ask(transports: tuple[Transport, Transport], installation: int, owner_id: int) -> Unread | None:
    """Every page of the installation's repositories, as many as GitHub counts; of chosen ones the first page alone."""
    known: set[int] = set()
    selection, before = None, None
    for number in itertools.count(1):
        data = transports[0].read("/installation/repositories", {"per_page": PAGE_SIZE, "page": number})
        with understanding():
            items, total = list(data["repositories"]), int(data["total_count"])
            names = {str(item["name"]).casefold() for item in items}
            owners = {int(item["owner"]["id"]) for item in items}
            known |= {int(item["id"]) for item in items}
            told = data.get("repository_selection")
        if owners - {owner_id}:
            return "no-answer"  # The repository went to another account, about which this installation knows nothing
        if NAME in names:
            return "listed"  # GitHub lists it, so the 404 was no proof.
        # GitHub's description lets the list leave it out; of the installation itself it is always told.
        with understanding():
            here = f"/app/installations/{installation}"
            selection = told or selection or transports[1].read(here)["repository_selection"]
        if selection == "selected":
            return "not-covered"  # The list has the chosen repositories alone.
        if selection != "all" or before not in (None, total):
            return "no-answer"  # The list changed between two pages: a repository may have slipped through.
        if len(known) >= total or len(items) < PAGE_SIZE:
            break
        before = total
    # An empty list proves nothing: the repository of the pull request itself has to be in it.
    return None if known and len(known) == total else "no-answer"
