"""`countersign evaluate`: the decision as a program, facts in and verdict out, without network or clock."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TextIO

import click

from agreements.domains.masking import visible
from agreements.json.facts_reader import FactsInvalid
from agreements.json.verdict_writer import plain
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import form_option, standard_output
from bot.cli.verdicts import facts_json, verdict_text


@click.command(name="evaluate")
@click.argument("facts", type=click.Path(path_type=Path, allow_dash=True))
@form_option(help="With --lines, text prints the first line of each verdict.")
@click.option("--lines", is_flag=True, help="Read one facts object on each line, and print one verdict on each line.")
def command(facts: Path, form: str, *, lines: bool) -> None:
    """Check the pull request in FACTS, a JSON file or - for standard input.

    Exit codes: 0 every verdict passes, 1 one does not, 2 the input is wrong.
    """
    if str(facts) == "-" and not sys.stdin:  # None: closed before the start.
        raise CommandError("cannot read the facts: standard input is closed")
    with file_access("read", facts):
        opened = click.open_file(str(facts), "rb")
    with opened as source, standard_output() as out:
        code = _lines(source, form, out) if lines else _whole(source, facts, form, out)
    raise click.exceptions.Exit(code)


def _whole(source: IO[bytes], path: Path, form: str, out: TextIO) -> int:
    try:
        facts, verdict = facts_json.verdict(b"".join(_readable(source)))
    except FactsInvalid as error:
        raise CommandError(f"{'' if str(path) == '-' else f'{visible(str(path))}: '}{error}") from None
    words = verdict_text.wording(facts, verdict)
    if form == "text":
        out.writelines(f"{line}\n" for line in verdict_text.lines(verdict, words, verdict_text.subjects(facts)))
    else:
        out.write(json.dumps(plain(verdict, words), indent=2) + "\n")
    return 0 if verdict.conclusion.passes else 1


def _lines(source: IO[bytes], form: str, out: TextIO) -> int:
    from bot.cli.verdicts import batch

    worst: int | None = None
    for text, code in batch.answers(_readable(batch.arriving(source)), form):
        out.write(text)
        out.flush()  # The caller may wait for this answer before sending more
        worst = max(worst or 0, code)
    if worst is None:
        raise CommandError("the input is empty, not one line of facts")
    return worst


def _readable(lines: Iterable[bytes]) -> Iterator[bytes]:
    # Else `standard_output` would take it for a fault of the output.
    try:
        yield from lines
    except OSError as error:
        raise CommandError(f"cannot read the facts: {error.strerror}") from None
