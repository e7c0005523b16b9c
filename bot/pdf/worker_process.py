"""A process of its own for one PDF, with limited memory and time: text that others wrote never meets a PDF library in the server."""

import subprocess
import sys
import threading

from bot.settings import for_child

QUEUE_TIMEOUT_SECONDS = 5
"""Seconds that a request waits for its turn: it holds a thread of the pages."""

_MAX_FILE_BYTES = 16 * 1024**2


class WorkerFailed(Exception):
    """The process gave no answer; the message says why and quotes nothing of what it was given."""


def run(
    module: str, given: bytes, turns: threading.BoundedSemaphore, *, patience: float
) -> subprocess.CompletedProcess[bytes]:
    """The end of the process that runs this module with `given` on standard input.

    Raises WorkerFailed, for want of the machine and not for what was given, as long as `patience` is longer than the
    processor time to which the module limits itself.
    """
    if not turns.acquire(timeout=min(patience, QUEUE_TIMEOUT_SECONDS)):
        raise WorkerFailed("others are waiting for theirs")
    try:
        return subprocess.run(  # noqa: S603 - our own command, no argument from outside
            [sys.executable, "-m", module],
            input=given,
            env=for_child({"PYTHONSAFEPATH": "1"}),  # A `bot` folder of another project must not get in.
            capture_output=True,
            timeout=patience,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorkerFailed(f"its process did not end well: {type(error).__name__}") from None
    finally:
        turns.release()


def limit(address_space_bytes: int, cpu_seconds: int) -> None:
    """Limit memory, processor time and file size of this process."""
    import resource  # noqa: PLC0415 - Windows has none, and `receipt verify` reads JSON there

    for what, most in (
        (resource.RLIMIT_AS, address_space_bytes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, _MAX_FILE_BYTES),
        (resource.RLIMIT_CORE, 0),  # Names are in memory.
    ):
        resource.setrlimit(what, (most, most))
