"""What the web server loads in each of its processes: the settings read again, the parts wired, the engine running."""

import atexit
from typing import TYPE_CHECKING

from bot import app, logs, settings

if TYPE_CHECKING:
    from flask import Flask


def whole() -> "Flask":
    """Web and worker in one process."""
    return _started(worker=True)


def web() -> "Flask":
    """The web alone: it stores jobs and leaves them to the workers."""
    return _started(worker=False)


def _started(*, worker: bool) -> "Flask":
    logs.begin()
    wired = app.wire(settings.load(serving=True))
    if worker:
        wired.start()
        atexit.register(wired.stop)
    return wired.web
