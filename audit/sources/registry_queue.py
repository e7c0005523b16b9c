"""Many questions to several registries at once: a few at a time, at each one's pace, and never for longer than was given.

Each registry has threads of its own, which end with the program: one that hangs holds up no other.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from queue import Empty, SimpleQueue
from typing import Final

from audit.licenses.declared_license import DeclaredLicense
from audit.sources.answers import NO_METADATA, REFUSED, Answer, GarbledAnswer
from audit.sources.questions import PUBLIC, LicenseQuestion, Registry
from audit.sources.registry_client import (
    RegistryBusy,
    RegistryConnection,
    RegistryFailed,
    RegistryRefused,
    RequestTimeouts,
)


@dataclass(frozen=True, slots=True)
class RequestPace:
    """The pace of a registry: requests `at_once`, seconds `apart` between two starts.

    After `willing` questions another registry that knows the same comes first.
    """

    at_once: int = 4
    apart: float = 0
    willing: int = 1_000_000


PACES: Final[Mapping[Registry, RequestPace]] = {
    Registry.CRATES: RequestPace(1, 1, 60),  # One a second, as it asks: hundreds of crates would take many minutes.
    Registry.RUBYGEMS: RequestPace(4, 0.12),  # It allows ten a second.
    Registry.HEX: RequestPace(1, 0.6),  # It allows a hundred a minute.
}


_MAX_REFUSALS: Final = 20  # Of a registry that has answered nothing yet.


@dataclass(frozen=True, slots=True)
class RetryLimits:
    """Limits of waiting, in seconds: for one `request`, and for `everything` together.

    `tries` is how often a question is put (twice to whom was never reached); before a new try it is waited for `pause`, then twice that, or as long as the
    registry asks for, if that is no more than `longest`.
    """

    request: RequestTimeouts = field(default_factory=RequestTimeouts)
    everything: float = 900
    tries: int = 3
    pause: float = 1
    longest: float = 60


@dataclass
class _RegistryState:
    """One registry, by its `connection` and `pace`; why it is `away`: not reached at all, or failed three times in a row.

    `next_at` is its next turn; `lock` guards that, the questions `put`, `failures` in a row, and `refusals`.
    `answered`: it has said something of some package, so that what it refuses is that package's matter.
    """

    connection: RegistryConnection
    pace: RequestPace
    lock: threading.Lock = field(default_factory=threading.Lock)
    next_at: float = 0
    put: int = 0
    failures: int = 0
    away: str = ""
    answered: bool = False
    refusals: int = 0

    def turn(self, seconds: float = 0) -> float:
        """The moment from which on it may be asked: by its pace, and for all questions `seconds` from now."""
        with self.lock:
            mine = self.next_at = max(self.next_at, time.monotonic() + seconds)
            if not seconds:
                self.next_at += self.pace.apart
            return mine

    def refused(self, why: str) -> None:
        """Count a question that the registry refuses us; where it refuses all, that is no matter of the packages."""
        with self.lock:
            self.refusals += 1
            if not self.answered and self.refusals >= _MAX_REFUSALS:
                self.away = self.away or why

    def failed(self, why: str) -> str:
        """Count a question without an answer; returns the reason, which is the registry's own once it is away."""
        with self.lock:
            self.failures += 1
            if not self.away and (not self.connection.reached or self.failures >= 3):  # Never reached: once is enough.
                self.away = why
            return self.away or why


@dataclass
class _RequestRound:
    """One call of `answers`: questions `asked` and `waiting`, answers that `came`, and whether it is `over`."""

    asked: Mapping[str, tuple[LicenseQuestion, ...]]
    waiting: Mapping[Registry, "SimpleQueue[tuple[str, LicenseQuestion] | None]"]
    came: "SimpleQueue[tuple[str, Registry | None, Answer]]" = field(default_factory=SimpleQueue)
    over: threading.Event = field(default_factory=threading.Event)


class RegistryQueue:
    """Asks registries at these addresses; one that is not named is not asked. `now` is the time of day.

    `everything` of its patience is for all its calls together.
    """

    def __init__(
        self,
        addresses: Mapping[Registry, str] = PUBLIC,
        *,
        now: Callable[[], datetime],
        patience: RetryLimits = RetryLimits(),
        paces: Mapping[Registry, RequestPace] = PACES,
    ) -> None:
        self.patience = patience
        self._states = {
            name: _RegistryState(
                RegistryConnection(address, now=now, limits=patience.request), paces.get(name, RequestPace())
            )
            for name, address in addresses.items()
        }
        self._ends = 0.0

    def answers(self, asked: Mapping[str, tuple[LicenseQuestion, ...]]) -> Iterator[tuple[str, Answer]]:
        """Each package's answer as it comes: the first licence that one of its registries states."""
        self._ends = self._ends or time.monotonic() + self.patience.everything  # The first call starts the clock.
        whole = _RequestRound(asked, {name: SimpleQueue() for name in self._states})
        for name, state in self._states.items():
            for _ in range(state.pace.at_once):
                # A thread that hangs in a request must not keep the program from ending.
                threading.Thread(target=self._work, args=(state, name, whole), daemon=True).start()
        try:
            yield from self._collected(whole)
        finally:
            whole.over.set()
            for name, state in self._states.items():
                for _ in range(state.pace.at_once):
                    whole.waiting[name].put(None)  # Wakes a thread that waits.

    def _collected(self, whole: _RequestRound) -> Iterator[tuple[str, Answer]]:
        """One package after the other; an answer that has not come in time has failed.

        What was refused comes last: only then it is known whether that registry answers for any package.
        """
        more = {purl: self._ordered(questions) for purl, questions in whole.asked.items()}
        held: dict[str, tuple[Registry | None, Answer]] = {}
        refused: dict[str, tuple[Registry | None, Answer]] = {}
        for purl, questions in more.items():
            self._put(whole, purl, questions)
        while more:
            try:
                purl, registry, answer = whole.came.get(timeout=max(0.01, self._ends - time.monotonic()))
            except Empty:
                break
            if purl not in held or answer.weight > held[purl][1].weight:
                held[purl] = registry, answer
            more[purl] = [question for question in more[purl] if not (question.spare and answer.is_known_package)]
            if answer.stated.expression is None and more[purl]:
                self._put(whole, purl, more[purl])
                continue
            del more[purl]
            if answer.stated.expression is not None:
                yield purl, answer
            elif held[purl][1].stated == REFUSED:
                refused[purl] = held[purl]
            else:
                yield purl, held[purl][1]
        for purl, (registry, answer) in refused.items():
            # One that refuses all of them is closed to us: that is no matter of the packages.
            answers_others = registry is not None and self._states[registry].answered
            yield purl, replace(answer, failed="") if answers_others else Answer(failed=answer.failed)
        for purl in more:
            yield purl, Answer(failed=f"the {self.patience.everything:,.0f} seconds for asking were over")

    def _ordered(self, questions: tuple[LicenseQuestion, ...]) -> list[LicenseQuestion]:
        """As they are, but for a registry that is asked enough already: that comes last."""
        known = [question for question in questions if question.registry in self._states]
        if known:
            state = self._states[known[0].registry]
            state.put += 1
            if state.put > state.pace.willing:
                return [*known[1:], known[0]]
        return known

    def _put(self, whole: _RequestRound, purl: str, questions: list[LicenseQuestion]) -> None:
        """The next question goes to its registry; where there is none to ask, nothing is known."""
        if questions:
            question = questions.pop(0)
            whole.waiting[question.registry].put((purl, question))
        else:
            whole.came.put((purl, None, Answer()))

    def _work(self, state: _RegistryState, name: Registry, whole: _RequestRound) -> None:
        while (waiting := whole.waiting[name].get()) and not whole.over.is_set():
            purl, question = waiting
            whole.came.put((purl, name, self._answer(state, whole, question)))

    def _answer(self, state: _RegistryState, whole: _RequestRound, question: LicenseQuestion) -> Answer:
        url, why = state.connection.url(question.path), ""
        for attempt in range(1, self.patience.tries + 1):
            if not state.away:
                whole.over.wait(max(0.0, min(state.turn(), self._ends) - time.monotonic()))
            if state.away or whole.over.is_set():
                return Answer(failed=state.away or "it was not asked any more")
            try:
                stated, url = _followed(state.connection, question)
            except RegistryBusy as busy:
                why = f"{state.connection.host} {busy}"
                after = self.patience.pause * 2 ** (attempt - 1) if busy.after is None else busy.after
                last = attempt == self.patience.tries or (attempt > 1 and not state.connection.reached)
                if last or after > self.patience.longest:
                    break
                state.turn(after)  # All its questions wait.
            except RegistryRefused as refused:
                why = f"{state.connection.host} {refused}"
                state.refused(why)
                return Answer(REFUSED, question.source, url, why)
            except (RegistryFailed, GarbledAnswer) as failed:
                why = f"{state.connection.host} {failed}"
                break
            else:
                state.failures, state.answered = 0, True
                return Answer(stated, question.source, url)
        return Answer(failed=state.failed(why))


def _followed(connection: RegistryConnection, question: LicenseQuestion) -> tuple[DeclaredLicense, str]:
    """The licence that the answer states, or where that leads, and its address. Raises what `fetch` raises."""
    url = connection.url(question.path)
    while True:
        data = connection.fetch(url, question.accept, question.most)
        stated = question.missing if data is None else question.read(question.decode(data))
        if not isinstance(stated, LicenseQuestion):
            return stated, url
        file = connection.file(url, stated.address) if stated.address else connection.url(stated.path)
        if file is None:
            return NO_METADATA, url
        question, url = stated, file
