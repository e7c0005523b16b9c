"""PDFs of pages, made in a process of its own; this process never loads the library."""

import json
import threading
from importlib.util import find_spec

from bot.pdf import typesetter_worker, worker_process
from bot.pdf.worker_process import WorkerFailed

TIMEOUT_SECONDS = 30
"""Seconds that one PDF may take."""

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
    given = json.dumps({"html": html, "attachment": attachment, "name": name}).encode()
    try:
        done = worker_process.run(typesetter_worker.__name__, given, _TURNS, patience=patience)
    except WorkerFailed as error:
        raise NoPDF(str(error)) from None
    if done.returncode == typesetter_worker.NO_FONT:
        raise NoPDF("no font of this machine has every character in it: install more (fonts-noto-cjk, fonts-noto-core)")
    # A process that the kernel killed for its memory has written nothing, or half.
    if done.returncode or not done.stdout.startswith(b"%PDF-"):
        raise NoPDF(f"its process ended with {done.returncode}")
    return done.stdout
