"""Asks questions at the same time, each for so many seconds: whoever is silent holds nobody up, and passes nothing."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Final

from bot.clock import monotonic
from bot.doctor.report import DoctorCheck, DoctorResult

LATE: Final = (
    "Run `countersign doctor` again. If it takes as long again, look at the network and the firewall on the way there."
)


@dataclass(frozen=True, slots=True)
class Question:
    """`judge` asks, and gives results as it finds them; `checks` are those that it has a result for when it ends."""

    about: str
    """What is asked, for messages: a noun without an article."""
    checks: tuple[DoctorCheck, ...]
    judge: Callable[[], Iterable[DoctorResult]] = field(repr=False)


def ask(
    questions: Sequence[Question], seconds: float, on_progress: Callable[[str], None] = lambda _about: None
) -> list[DoctorResult]:
    """All results in the order of the questions; what was not found in time is unknown. Raises what a judge raises."""
    end = monotonic() + seconds
    asked = [_Asked(one) for one in questions]
    for one in asked:
        on_progress(one.question.about)
        # Nobody waits for its end: what hangs ends with the process.
        Thread(target=one.run, name=f"doctor-{one.question.about}", daemon=True).start()
    return [result for one in asked for result in one.results(end, seconds)]


class _Asked:
    def __init__(self, question: Question) -> None:
        self.question = question
        self._found: list[DoctorResult] = []
        self._done = Event()
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            for result in self.question.judge():
                self._found.append(result)
        except BaseException as error:  # noqa: BLE001 - whoever asked is told
            self._error = error
        finally:
            self._done.set()

    def results(self, end: float, seconds: float) -> list[DoctorResult]:
        is_done = self._done.wait(max(end - monotonic(), 0))
        if self._error is not None:
            raise self._error
        found = list(self._found)
        ids = {one.id for one in found}
        assert ids <= {check.id for check in self.question.checks}, "or it would be forgotten when it is late"
        if is_done:
            return found
        said = f"Not checked: the {self.question.about} did not answer within {seconds:.0f} seconds."
        return [*found, *(check.unknown(said, LATE) for check in self.question.checks if check.id not in ids)]
