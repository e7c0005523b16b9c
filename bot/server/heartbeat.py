"""A long step of a start says every few seconds that it goes on, also where no terminal shows a bar."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

HEARTBEAT_SECONDS: Final = 8.0
"""Between two signs of life: a person who sees nothing for ten seconds thinks that the program hangs."""


@contextmanager
def heartbeat(say: Callable[[int], None], *, seconds: float = HEARTBEAT_SECONDS) -> Iterator[None]:
    """Call `say` with the seconds that the block has taken, again and again until it ends."""
    ended = threading.Event()

    def beat() -> None:
        count = 0
        while not ended.wait(seconds):
            count += 1
            say(round(count * seconds))

    thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()  # Nothing is said of a step that is over.
