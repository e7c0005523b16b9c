"""Questions about licences as lines of JSON, each answered by a line of JSON, in order."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import IO, Final, NamedTuple, TextIO

from agreements.domains.masking import visible
from audit.facts import Delivery, Judgement, LicenseVerdict, Usage
from audit.licenses.expression import read
from audit.licenses.osadl import Matrix
from audit.rules.expression_compatibility import judge
from audit.verdict.advice import what_to_do
from bot.cli.command_error import CommandError

_MAX_LINE_BYTES: Final = 1_000_000
"""Bytes of a line."""
_CACHE_ENTRIES: Final = 50_000
"""Lines: those of one audit repeat themselves."""
_MAX_CACHED_LINE_BYTES: Final = 1_000  # A longer one hardly comes again.
"""Bytes of a line up to which it is remembered."""
# The answers that ask for exit code 1.
_BAD: Final = frozenset({LicenseVerdict.INCOMPATIBLE, LicenseVerdict.UNKNOWN_LICENSE})


class BatchAnswer(NamedTuple):
    """A line of JSON as `text`, its exit `code`, the `error` in the question ("": none), and the judgement if one was `found`."""

    text: str
    code: int
    error: str = ""
    found: Judgement | None = None


def shown(answered: BatchAnswer, form: str) -> str:
    """The answer as its line of JSON; as text the verdict and its reason, the rule, and what to do."""
    found = answered.found
    if form == "json":
        return answered.text
    if found is None:
        return f"error: {visible(answered.error)}\n"
    advice = what_to_do(found.rule, found.verdict)
    branch = f"; {found.branch} was chosen" if found.branch else ""
    lines = [
        f"{found.verdict}: {found.reason}{branch} ({found.rule}, data of {found.data_version})",
        f"  {advice}" if advice else "",
    ]
    return "".join(f"{visible(line)}\n" for line in lines if line)


def answer(line: object, data: Matrix) -> BatchAnswer:
    """The judgement that is asked for, for any text or none as inbound; an error for a bad other value."""
    if not isinstance(line, Mapping):
        return _wrong("must be a JSON object with outbound and inbound")
    outbound, inbound = line.get("outbound"), line.get("inbound")
    if not isinstance(outbound, str) or read(outbound) is None:
        return _wrong("outbound: must be a licence expression")
    if not isinstance(inbound, str | None):
        return _wrong("inbound: must be a licence expression as text, or null where no licence is known")
    usage, delivery = line.get("usage"), line.get("delivery")
    try:
        used = Usage.UNKNOWN if usage is None else Usage(usage)
    except ValueError:
        return _wrong(f"usage: must be one of {', '.join(Usage)}")
    try:
        delivered = Delivery.BINARY if delivery is None else Delivery(delivery)
    except ValueError:
        return _wrong(f"delivery: must be one of {', '.join(Delivery)}")
    # Asked about no licence, the answer is that none is known, for a tool as well.
    found = judge(outbound, inbound or "", used, delivered, data)
    return BatchAnswer(f"{json.dumps(asdict(found))}\n", 1 if found.counts_as in _BAD else 0, found=found)


def answers(source: IO[bytes], out: TextIO, data: Matrix, form: str = "json") -> int:
    """A line for every line of the source; the exit code that they ask for together. Raises CommandError."""
    known: dict[bytes, BatchAnswer] = {}
    worst = None
    for line in _lines(source):
        found = known.get(line)
        if found is None:
            found = _read(line, data)
            # Bounded, since standard input may go on for ever.
            if len(line) <= _MAX_CACHED_LINE_BYTES and len(known) < _CACHE_ENTRIES:
                known[line] = found
        out.write(shown(found, form))
        out.flush()  # The caller may wait for this answer before asking more
        worst = found.code if worst is None or found.code > worst else worst
    if worst is None:
        raise CommandError("the input is empty, not one line of JSON")
    return worst


class _KeyTwice(Exception):
    """An object has two values under one key."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # Of two values under one key none can be trusted (RFC 8259, section 4).
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _KeyTwice
    return found


def _read(line: bytes, data: Matrix) -> BatchAnswer:
    if len(line) > _MAX_LINE_BYTES:
        return _wrong(f"a line has at most {_MAX_LINE_BYTES} bytes")
    try:
        return answer(json.loads(line.decode(), object_pairs_hook=_once), data)
    except RecursionError:  # Python's reader recurses into brackets.
        return _wrong("the JSON is nested too deeply")
    except _KeyTwice:
        return _wrong("a key stands twice: which of its values counts is not said")
    except ValueError:
        return _wrong("not a line of JSON in UTF-8")


def _wrong(error: str) -> BatchAnswer:
    return BatchAnswer(f"{json.dumps({'error': error})}\n", 2, error)


def _lines(source: IO[bytes]) -> Iterator[bytes]:
    try:
        while line := source.readline(_MAX_LINE_BYTES + 1):
            yield line
            # The rest of a line that is far too long is passed over in pieces: memory has an end.
            while len(line) > _MAX_LINE_BYTES and not line.endswith(b"\n"):
                line = source.readline(_MAX_LINE_BYTES + 1)
    except OSError as error:
        raise CommandError(f"cannot read the input: {error.strerror}") from None
