"""What the web server loads in each of its processes: the settings read again, the parts wired, the engine running."""

import signal
import sys
from multiprocessing.util import Finalize
from types import FrameType
from typing import TYPE_CHECKING

from bot import processes

if TYPE_CHECKING:
    from flask import Flask


def whole() -> "Flask":
    """Web and worker in one process."""
    return _started(worker=True)


def web() -> "Flask":
    """The web alone: it stores jobs and leaves them to the workers."""
    return _started(worker=False)


class _Loading:
    """Hears SIGTERM until the web server does: its process has the parent's handler, which does nothing here.

    While the parts are being joined an exception could come up anywhere, and be lost: then the end waits for the next rest.
    """

    def __init__(self) -> None:
        self.joining, self.told = True, False

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        self.told = True
        if not self.joining:
            sys.exit(0)

    def rest(self, *, joined: bool = False) -> None:
        """Nothing is half done; ends the process when it was told to meanwhile."""
        self.joining = not joined
        if self.told:
            sys.exit(0)


def _started(*, worker: bool) -> "Flask":
    loading = _Loading()
    signal.signal(signal.SIGTERM, loading)
    with processes.loading():
        from bot import app, logs, settings  # noqa: PLC0415 - loading takes a second, and one may be told to end in it

        loading.rest()
        logs.begin()
        wired = app.wire(settings.load(serving=True))
    wired.attend()
    if worker:
        wired.start()
        # A forked process ends without `atexit`; this runs there, too.
        Finalize(None, wired.stop, exitpriority=10)
    loading.rest(joined=True)
    return wired.web
