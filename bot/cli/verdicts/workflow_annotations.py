"""A verdict as GitHub Actions reads it: an annotation for each problem, and no line that begins with others' text."""

from collections.abc import Iterator

from agreements.domains.masking import masked_text, visible
from agreements.facts import Note, Problem, Verdict
from agreements.json.verdict_writer import Wording
from audit.facts import Place
from bot import verdict_codes
from bot.cli.verdicts.verdict_text import headline, without_commands
from bot.report.local_cla_check import ADVISORY


def lines(verdict: Verdict, words: Wording) -> Iterator[str]:
    """Workflow commands, one a line, and the whole as the last line."""
    # A runner obeys `::` at the start of a line and `##[` anywhere (docs.github.com, "Workflow commands for
    # GitHub Actions"): what others wrote stands escaped, in the data of our own commands alone.
    shown = {""}
    for check in verdict.checks:
        kind = "warning" if check.name in ADVISORY else "error"
        for problem in check.problems:
            said = words(problem)
            # A run shows only some annotations, and few lines of each: what several ask for stands in the first.
            first, _, commands = said.fix.partition("\n")
            asked = without_commands(first) if commands in shown else first
            fix = (part for key, part in ((first, asked), (commands, commands)) if key not in shown)
            yield annotation(kind, _title(check.name, problem), "\n".join([said.message, *fix]))
            shown |= {first, commands}
        for note in check.notes:
            if verdict_codes.of(note.code).annotated:
                yield annotation("notice", _title(check.name, note), words(note).message)
    yield f"countersign: {headline(verdict)}"


def annotation(kind: str, title: str, said: str, place: Place | None = None) -> str:
    """One annotation: `error`, `warning` or `notice`; at a file and its line, if it has one."""
    at = f"file={_property(place.path)}," if place else ""
    at += f"line={place.line}," if place and place.line else ""
    text = "\n".join(visible(line) for line in said.strip().split("\n"))
    return f"::{kind} {at}title={_property(title)}::{_data(text)}"


def _title(check: str, item: Problem | Note) -> str:
    where = f" in {masked_text(item.sha)[:12]}" if item.sha else ""
    return f"{check} {item.code}{where}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")  # `%` first: it begins the others.


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")  # Either would end a property.
