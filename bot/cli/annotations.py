"""A verdict as GitHub Actions reads it: an annotation for each problem, and no line that begins with others' text."""

from collections.abc import Iterator
from typing import Final

from agreements.domains import masked_text, visible
from agreements.facts import Note, Problem, Verdict
from agreements.writer import Wording
from bot.advice import ADVISORY
from bot.cli.saying import headline

_TOLD: Final = frozenset({"dco/bot", "dco/equivalent", "dco/remediated"})
"""The notes that are worth an annotation: reasons for passing that somebody may want to look at."""


def lines(verdict: Verdict, words: Wording) -> Iterator[str]:
    """Workflow commands, one a line, and the whole as the last line.

    A runner obeys `::` at the start of a line and `##[` anywhere in one that is no such command: what others wrote
    stands only in the data of our own commands, escaped (docs.github.com, "Workflow commands for GitHub Actions").
    What several problems ask for stands in the first of them: a run shows only some, and not many lines of each.
    """
    told: set[str] = set()
    for check in verdict.checks:
        kind = "warning" if check.name in ADVISORY else "error"
        for problem in check.problems:
            said = words(problem)
            yield _command(
                kind, check.name, problem, said.message if said.fix in told else f"{said.message}\n{said.fix}"
            )
            told.add(said.fix)
        for note in check.notes:
            if note.code in _TOLD:
                yield _command("notice", check.name, note, words(note).message)
    yield f"countersign: {headline(verdict)}"


def _command(kind: str, check: str, item: Problem | Note, said: str) -> str:
    where = f" in {masked_text(item.sha)[:12]}" if item.sha else ""
    text = "\n".join(visible(line) for line in said.strip().split("\n"))
    return f"::{kind} title={_property(f'{check} {item.code}{where}')}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")
