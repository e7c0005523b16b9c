"""PDFs of pages, made in a process of its own; this process never loads the library."""

import json
import subprocess
import sys
import threading
from importlib.util import find_spec

from bot import pdf_worker
from bot.settings import for_child

TIMEOUT_SECONDS, QUEUE_TIMEOUT_SECONDS = 30, 5
"""Seconds that one PDF may take, and that a request waits for its turn: a waiting request holds a thread of the pages."""

_TURNS = threading.BoundedSemaphore(1)  # A worker takes a fifth of a gigabyte: one at a time.


class NoPDF(Exception):
    """The PDF could not be made; the message says why and names no person."""


def possible() -> bool:
    """True if the optional extra `pdf` is installed."""
    return find_spec("weasyprint") is not None


def make(html: str, attachment: str, name: str, *, patience: float = TIMEOUT_SECONDS) -> bytes:
    """The PDF of that HTML, with a file of that name attached. Raises NoPDF.

    Nothing that the HTML refers to is fetched, and every character of it is in a font or there is no PDF.
    """
    if not _TURNS.acquire(timeout=min(patience, QUEUE_TIMEOUT_SECONDS)):
        raise NoPDF("others are waiting for theirs")
    try:
        done = subprocess.run(  # noqa: S603 - our own command, no argument from outside
            [sys.executable, "-m", pdf_worker.__name__],
            input=json.dumps({"html": html, "attachment": attachment, "name": name}).encode(),
            env=for_child({"PYTHONSAFEPATH": "1"}),  # A `bot` folder of another project must not get in.
            capture_output=True,
            timeout=patience,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoPDF(f"its process did not end well: {type(error).__name__}") from None
    finally:
        _TURNS.release()
    if done.returncode == pdf_worker.NO_FONT:
        raise NoPDF("no font of this machine has every character in it: install more (fonts-noto-cjk, fonts-noto-core)")
    # A process that the kernel killed for its memory has written nothing, or half.
    if done.returncode or not done.stdout.startswith(b"%PDF-"):
        raise NoPDF(f"its process ended with {done.returncode}")
    return done.stdout
