"""Logs: one JSON object a line on standard error, without personal data and without tokens."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

ADDRESS = re.compile(r"[^\s@<>\"'(),;:]{1,128}@[^\s@<>\"'(),;:]{1,255}")
TOKEN = re.compile(r"\b(?:gh[a-z]_[A-Za-z0-9._-]{16,}|github_pat_\w{20,}|eyJ[\w-]+\.[\w-]+\.[\w-]*)")


def scrubbed(text: str) -> str:
    """The text with addresses and tokens blotted out. Linear in its length."""
    return TOKEN.sub("[token]", ADDRESS.sub("[address]", text))


def scrub(_logger: object, _method: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A structlog step: every text in the entry scrubbed, tracebacks included since it runs after they are formatted."""
    return {key: scrubbed(value) if isinstance(value, str) else value for key, value in entry.items()}


def where(error: BaseException) -> str:
    """File and line that raised: the text of a traceback may hold values."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else ""


def begin(level: int = logging.INFO) -> None:
    """Send our own logs and those of the libraries through the same steps."""
    steps: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*steps, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=steps,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                scrub,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        )
    )
    # An entry that cannot be written is lost: Python would print it with the exception at hand, unscrubbed.
    logging.raiseExceptions = False
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("bot").setLevel(level)
