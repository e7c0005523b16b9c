"""Whether a call that failed is sent again at once, and after how long; longer waits are left to the caller."""

from dataclasses import dataclass
from typing import Final

from bot.github.availability import AppRefused, CircuitOpen, Paced
from bot.github.client.failures import Limited, Transient
from bot.github.ports import Unreachable

MAX_REPEATS: Final = 3
RETRY_PAUSE_FACTORS: Final = (0.0, 2.0, 4.0)  # Units of waiting before the first repeat, and before each next one.
MAX_PACED_WAIT: Final = 2.0  # Seconds that a write waits for its turn, without being given back.


@dataclass(slots=True)
class Repeats:
    """The repeats of one call so far: how often it was `repeated`, and the seconds `waited`.

    `can_repeat`: repeating does nothing twice (a POST is sent once, ever). `patience`: seconds in all that it may wait
    for GitHub. `pause`: the unit of waiting after a bad moment. `time_limit`: seconds in which a repeat may begin.
    """

    can_repeat: bool
    patience: float
    pause: float
    time_limit: float
    repeated: int = 0
    waited: float = 0.0

    def delay(self, error: Unreachable, elapsed: float) -> float | None:
        """Seconds to wait before it is tried again; None to give it up."""
        if isinstance(error, Transient):
            if not self.can_repeat or self.repeated >= MAX_REPEATS or elapsed > self.time_limit:
                return None
            self.repeated += 1
            return self.pause * RETRY_PAUSE_FACTORS[self.repeated - 1]
        if isinstance(error, AppRefused):  # The queue tries again; the person at a command is told at once
            return None
        if not isinstance(error, CircuitOpen | Paced) and not (isinstance(error, Limited) and self.can_repeat):
            return None
        patience = max(self.patience, MAX_PACED_WAIT) if isinstance(error, Paced) else self.patience
        if error.retry_after is None or self.waited + error.retry_after > patience:
            return None
        self.waited += error.retry_after
        return error.retry_after
