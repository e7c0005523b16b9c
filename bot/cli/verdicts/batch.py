"""Many lines of facts, judged on all processors, answered in order."""

import gc
import json
import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain
from select import select
from typing import IO, NamedTuple

from agreements.domains.masking import visible
from agreements.json.facts_reader import FactsInvalid
from agreements.json.verdict_writer import plain
from bot.cli.command_error import CommandError
from bot.cli.verdicts import facts_json, verdict_text
from bot.server import processes

_BATCH_LINES = 256
"""Lines that one process is given at a time; fewer in all are not worth a second process."""
_BATCH_BYTES = 4_000_000
"""Bytes of lines after which a portion ends early."""
_BATCHES_PER_PROCESS = 3
"""Portions for each process that are read before they are due: enough to keep it busy, and memory has an end."""


class Answers(NamedTuple):
    """The `text` to print for some lines, and the exit `code` that they ask for."""

    text: str
    code: int


def answers(lines: Iterable[bytes], form: str) -> Iterator[Answers]:
    """A line of text for every line of facts, in order, in portions. Raises CommandError when a process is lost.

    `lines` may come from `arriving`: then those that are there are answered before more are waited for.
    """
    portions = _portions(lines)
    for portion in portions:
        # A few lines are judged before a second process has begun.
        if not portion.full or processes.usable() < 2:
            yield _answer(portion.lines, form)
            continue
        try:
            yield from _side_by_side(chain([portion], portions), form)
        except BrokenProcessPool:
            raise CommandError(
                "a worker process was stopped, perhaps because memory ran out: the answers are not complete"
            ) from None


def arriving(source: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file, a pipe or a terminal; one of no bytes when the next is not there yet. Raises OSError."""
    try:
        number = source.fileno()
    except OSError:  # No file of the system: all of it is there
        yield from source
        return
    rest: list[bytes] = []
    while True:
        if os.name == "posix" and not select([number], [], [], 0)[0]:  # Elsewhere it takes sockets alone.
            yield b""
        read = os.read(number, _BATCH_BYTES)  # Unlike `read` it does not wait for all of them.
        if not read:
            break
        *ended, last = read.split(b"\n")
        if ended:
            yield b"".join([*rest, ended[0], b"\n"])
            yield from (line + b"\n" for line in ended[1:])
            rest = []
        rest.append(last)
    if any(rest):  # The last line may lack its end.
        yield b"".join(rest)


class _LineBatch(NamedTuple):
    """Some `lines`; `full` when there may be more at once."""

    lines: list[bytes]
    full: bool


def _portions(lines: Iterable[bytes]) -> Iterator[_LineBatch]:
    portion: list[bytes] = []
    size = 0
    for line in lines:
        portion += [line] if line else []
        size += len(line)
        full = len(portion) >= _BATCH_LINES or size >= _BATCH_BYTES
        if full or (portion and not line):
            yield _LineBatch(portion, full)
            portion, size = [], 0
    if portion:
        yield _LineBatch(portion, full=False)


def _side_by_side(portions: Iterable[_LineBatch], form: str) -> Iterator[Answers]:
    count = processes.usable()
    pool = ProcessPoolExecutor(count, mp_context=processes.context(), initializer=processes.only_work)
    waiting: deque[Future[Answers]] = deque()
    try:
        for lines, full in portions:
            waiting.append(pool.submit(_answer, lines, form))
            # A portion that is not full comes from a caller who waits for its answers.
            while waiting and (not full or len(waiting) >= count * _BATCHES_PER_PROCESS):
                yield processes.result(pool, waiting.popleft())
        while waiting:
            yield processes.result(pool, waiting.popleft())
    finally:
        pool.shutdown(cancel_futures=True)  # A reader that went away needs no more answers.


def _answer(lines: list[bytes], form: str) -> Answers:
    gc.disable()  # Facts and verdicts hold no cycles: looking for them would cost a third of the time
    code = 0
    said: list[str] = []
    for line in lines:
        try:
            facts, verdict = facts_json.verdict(line)
        except FactsInvalid as error:
            code = 2
            said.append(visible(f"error: {error}") if form == "text" else json.dumps({"error": str(error)}))
            continue
        code = max(code, 0 if verdict.conclusion.passes else 1)
        words = verdict_text.wording(facts, verdict)
        said.append(verdict_text.headline(verdict) if form == "text" else json.dumps(plain(verdict, words)))
    gc.enable()
    return Answers("".join(f"{line}\n" for line in said), code)
