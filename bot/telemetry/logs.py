"""Logs: one JSON object a line on standard error, also of libraries, without personal data and without tokens."""

import logging
import re
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, MutableMapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import structlog

from bot.telemetry import metrics, outages, tracing

# Bounded lengths keep the search linear in the length of what a stranger wrote.
ADDRESS = re.compile(r"[^\s@<>\"'(),;:]{1,128}@[^\s@<>\"'(),;:]{1,255}")
# GitHub's tokens (`ghs_…`, `github_pat_…`), and JSON Web Tokens, whose first bytes are always `eyJ`.
TOKEN = re.compile(r"\b(?:gh[a-z]_[A-Za-z0-9._-]{16,}|github_pat_\w{20,}|eyJ[\w-]+\.[\w-]+\.[\w-]*)")
_MAX_MESSAGE_CHARACTERS: Final = 300
"""Characters of a library's message: some quote whole statements and answers."""
_MAX_FRAMES: Final = 8
_FIRST: Final = ("timestamp", "level", "event", "delivery", "repository", "number", "head")

Entry = MutableMapping[str, Any]

log = structlog.get_logger()


def scrubbed(text: str) -> str:
    """The text with addresses and tokens blotted out."""
    return TOKEN.sub("[token]", ADDRESS.sub("[address]", text))


def scrub(_logger: object, _method: str, entry: Entry) -> Entry:
    """A structlog step: every text in the entry scrubbed, those of lists and mappings in it as well."""
    return {key: _scrubbed(value) for key, value in entry.items()}


def where(error: BaseException) -> str:
    """The file and the line that raised."""
    # Not the traceback's text, which may hold values; the innermost frame is the last one.
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else ""


def for_command() -> None:
    """Log only faults, on standard error: a command reports errors itself, and its standard output is its answer."""
    structlog.reset_defaults()
    structlog.configure(
        logger_factory=lambda *_names: structlog.PrintLogger(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
    )


def begin(level: str = "info", outage: Callable[[BaseException], str | None] = lambda _error: None) -> None:
    """Send our own logs and those of the libraries through the same steps.

    `outage` says of an error that the database is away, in one line: such entries become one a minute.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    steps: list[Any] = [
        structlog.contextvars.merge_contextvars,
        _traced,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*steps, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(number),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*steps, _foreign],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _raised,
                scrub,
                _ordered,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        )
    )
    handler.addFilter(outages.Outages(outage))
    handler.addFilter(_counted)  # After the outages: only lines that are written count.
    # An entry that cannot be written is lost: Python would print it with the exception at hand, unscrubbed.
    logging.raiseExceptions = False
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("bot").setLevel(number)


def hear_python() -> None:
    """Log what Python prints as text of several lines: warnings, and errors that end a thread or the process."""

    def uncaught(kind: type[BaseException], error: BaseException | None, _trace: TracebackType | None = None) -> None:
        if not issubclass(kind, KeyboardInterrupt | SystemExit):  # Both are ordinary ends.
            log.critical("process.uncaught", exc_info=error)

    def warned(  # What Python would print it to, and the line of code, are of no use here
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: object = None,
        line: object = None,
    ) -> None:
        del file, line
        text = " ".join(str(message).split())[:_MAX_MESSAGE_CHARACTERS]
        log.warning("python.warning", kind=category.__name__, why=text, at=f"{filename}:{lineno}")

    sys.excepthook = uncaught
    threading.excepthook = lambda given: uncaught(given.exc_type, given.exc_value)
    sys.unraisablehook = lambda given: uncaught(given.exc_type, given.exc_value)
    warnings.showwarning = warned


def _counted(record: logging.LogRecord) -> bool:
    if record.levelno >= logging.WARNING:
        metrics.LOG_LINES.labels(record.levelname.lower()).inc()
    return True


def _traced(_logger: object, _method: str, entry: Entry) -> Entry:
    trace = tracing.current()
    return entry if trace is None else {**entry, "trace": trace}


def _foreign(_logger: object, _method: str, entry: Entry) -> Entry:
    record: logging.LogRecord = entry["_record"]
    # The filter of outages has put an entry of ours in the place of the library's.
    if (instead := getattr(record, outages.REPLACEMENT_ATTRIBUTE, None)) is not None:
        return {**entry, **instead}
    text = " ".join(str(entry["event"]).split())  # Each entry is one line.
    return {
        **entry,
        "event": text if len(text) <= _MAX_MESSAGE_CHARACTERS else text[:_MAX_MESSAGE_CHARACTERS] + "…",
        "logger": record.name,
    }


def _raised(_logger: object, _method: str, entry: Entry) -> Entry:
    # Only the kind and the lines of code: the text of an exception may hold values.
    found = entry.pop("exc_info", None)
    entry.pop("stack_info", None)
    error = sys.exc_info()[1] if found is True else found[1] if isinstance(found, tuple) else found
    if isinstance(error, BaseException):
        entry.setdefault("why", type(error).__name__)
        last = traceback.extract_tb(error.__traceback__)[-_MAX_FRAMES:]
        entry.setdefault("at", [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in last])
    return entry


def _ordered(_logger: object, _method: str, entry: Entry) -> Entry:
    # People look for these fields at the beginning of a line.
    return {**{name: entry[name] for name in _FIRST if name in entry}, **entry}


def _scrubbed(value: Any) -> Any:
    if isinstance(value, str):
        return scrubbed(value)
    if isinstance(value, list | tuple):
        return [_scrubbed(part) for part in value]
    if isinstance(value, dict):
        return {key: _scrubbed(part) for key, part in value.items()}
    return value
