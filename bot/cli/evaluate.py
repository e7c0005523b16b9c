"""`countersign evaluate`: the decision as a program, facts in and verdict out, without network or clock."""

import gc
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TextIO

import click

from agreements.domains import masked_text, visible
from agreements.facts import Facts, Verdict
from agreements.judge import judge
from agreements.reader import FactsInvalid, read
from agreements.rules import RuleError, Rules, RulesInvalid, parse
from agreements.writer import plain
from audit import policy
from bot.cli import saying
from bot.cli.mistake import Mistake

_MANY = 64  # rulebooks remembered; the lines of one file mostly share theirs


@click.command(name="evaluate")
@click.argument("facts", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--format", "form", type=click.Choice(["json", "text"]), default="json", help="How to print the verdict.")
@click.option("--lines", is_flag=True, help="Read one facts object a line, print one verdict a line.")
def command(facts: Path, form: str, *, lines: bool) -> None:
    """Judge the pull request in FACTS, a JSON file or - for standard input.

    Exit codes: 0 every verdict passes, 1 one does not, 2 the input is wrong.
    """
    reader = _Reader()
    with _opened(facts) as source, saying.standard_output() as out:
        code = _lines(source, reader, form, out) if lines else _whole(source, reader, form, out)
    raise click.exceptions.Exit(code)


def _opened(path: Path) -> IO[bytes]:
    if str(path) == "-" and not sys.stdin:
        raise Mistake("cannot read the facts: standard input is closed")
    try:
        return click.open_file(str(path), "rb")
    except OSError as error:
        raise Mistake(f"cannot read {visible(str(path))}: {error.strerror}") from None


def _whole(source: IO[bytes], reader: "_Reader", form: str, out: TextIO) -> int:
    try:
        facts, verdict = reader.judge(b"".join(_read(source)))
    except FactsInvalid as error:
        raise Mistake(str(error)) from None
    if form == "text":
        out.writelines(f"{line}\n" for line in saying.lines(verdict, saying.wording(facts, verdict)))
    else:
        out.write(json.dumps(plain(verdict, saying.wording(facts, verdict)), indent=2) + "\n")
    return 0 if verdict.conclusion.passes else 1


def _lines(source: IO[bytes], reader: "_Reader", form: str, out: TextIO) -> int:
    """A verdict or an error for every line, in order; a wrong line does not stop the rest."""
    worst: int | None = None
    gc.freeze()  # facts and verdicts hold no cycles: looking for them often would cost a third of the time
    gc.set_threshold(100_000)
    for line in _read(source):
        try:
            facts, verdict = reader.judge(line)
        except FactsInvalid as error:
            worst = 2
            out.write(json.dumps({"error": str(error)}) + "\n")
            continue
        worst = max(worst or 0, 0 if verdict.conclusion.passes else 1)
        out.write(
            (saying.headline(verdict) if form == "text" else json.dumps(plain(verdict, saying.wording(facts, verdict))))
            + "\n"
        )
    if worst is None:
        raise Mistake("the input is empty, not one line of facts")
    return worst


def _read(source: IO[bytes]) -> Iterator[bytes]:
    """The lines of the input; one that can't be read is no fault of the output."""
    try:
        yield from source
    except OSError as error:
        raise Mistake(f"cannot read the facts: {error.strerror}") from None


class _Reader:
    """Reads facts, and remembers rulebooks, since many lines share one."""

    def __init__(self) -> None:
        self.known: dict[str, Rules] = {}

    def judge(self, data: bytes) -> tuple[Facts, Verdict]:
        """The facts in these bytes and their verdict; raises FactsInvalid in one line."""
        try:
            facts = read(_load(data), self.rules)
            return facts, judge(facts)
        except RecursionError:
            raise FactsInvalid("", "the JSON is nested too deeply") from None

    def rules(self, data: object) -> Rules:
        """The rules in a rulebook's data, by the same grammar as a file."""
        key = json.dumps(data)
        if key not in self.known:
            if len(self.known) >= _MANY:
                self.known.clear()
            self.known[key] = _rules(data)
        return self.known[key]


def _rules(data: object) -> Rules:
    rules = parse(data)
    part = data.get("licenses") if isinstance(data, dict) else None
    errors = tuple(RuleError(("licenses", *one.path), one.message) for one in policy.mistakes(part))
    if errors:
        raise RulesInvalid(errors)
    return rules


def _load(data: bytes) -> object:
    """The JSON in the bytes; NaN, numbers without end and a key that stands twice are refused like any other mistake."""
    try:
        return json.loads(data.decode(), parse_constant=_no_number, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise FactsInvalid("", f"not JSON: {error.msg} ({where})" if data.strip() else "not JSON: empty") from None
    except UnicodeDecodeError as error:
        raise FactsInvalid("", f"not UTF-8 text (byte {error.start})") from None
    except FactsInvalid:
        raise
    except ValueError:
        raise FactsInvalid("", "not JSON: a number is too long") from None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object; of two values under one key none can be trusted (RFC 8259, section 4)."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise FactsInvalid("", f"not JSON that says one thing: the key {masked_text(twice)[:60]} stands twice")
    return found


def _no_number(name: str) -> object:
    raise FactsInvalid("", f"not JSON: {name} is no number")
