"""Hostile commit messages of a megabyte: milliseconds to read them and to judge them, and whether ten times is ten times."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from figures import Figure, best_of
from verdicts import evaluate

from agreements.dco.near_miss import malformed
from agreements.dco.trailers import coauthors, remediations, signoffs
from agreements.json.facts_reader import read
from agreements.judge import judge

MEGABYTE = 1_000_000
REMEDIATION = ", hereby add my Signed-off-by to this commit: "


def _line(piece: str, *, start: str = "", end: str = "") -> Callable[[int], str]:
    """One shape: the piece again and again between start and end, about that many characters."""
    return lambda size: start + piece * (size // len(piece)) + end


def _numbered(line: str) -> Callable[[int], str]:
    """One shape: a line that is different every time, by the number in it."""
    return lambda size: "".join(line.format(number) for number in range(size // (len(line) + 3)))


SHAPES: dict[str, Callable[[int], str]] = {
    "prose": _line("A line of prose about nothing much.\n"),
    "line ends": _line("\n"),
    "lines that begin like one": _line("S\n"),
    "one sign-off, again and again": _line("Signed-off-by: A <a@example.org>\n"),
    "different sign-offs": _numbered("Signed-off-by: A{0} <a{0}@example.org>\n"),
    "different sign-offs, other letters": _numbered("Signed-off-by: Å{0} <á{0}@example.org>\n"),
    "brackets without end": _line(" <", start="Signed-off-by: ", end=">"),
    "spaces without end": _line("\xa0", start="Signed-off-by: A <a@example.org>"),
    "malformed sign-offs": _numbered(" Signed-off-by : A{0}\n"),
    "invisible letters": _line("\u200b", start="Signed-off-by: A", end=" <a@example.org>"),
    "marks in the wrong order": _line("\u0301\u0316", start="Signed-off-by: A", end=" <a@example.org>"),
    "an address of dots": _line("a.", start="Signed-off-by: A <a@", end="a>"),
    "different co-authors": _numbered("Co-authored-by: A{0} <a{0}@example.org>\n"),
    "co-authors on one line": _line("<>", start="Co-authored-by: "),
    "remediations": _numbered(f"I, A <a{{0}}@example.org>{REMEDIATION}abc\n"),
    "one remediation without end": _line(f">{REMEDIATION}", start="I, "),
    "on behalf of nobody": _line(">, I, ", start="On behalf of A <a>, I, ", end=f" <>{REMEDIATION}abc"),
}


def measure(*, quick: bool) -> list[Figure]:
    """The slowest shapes first; reading stands beside ten times the tenth, judging beside reading."""
    size = MEGABYTE // 10 if quick else MEGABYTE
    rows = []
    for name, shape in SHAPES.items():
        subject, message = f"Change\n\n{shape(size // 10)}", f"Change\n\n{shape(size)}"
        runs = (partial(_read, message), partial(_read, subject), partial(_judge, _facts(message)))
        whole, tenth, judged = (best_of(3, run, clock=time.process_time) * 1000 for run in runs)
        rows.append((whole, tenth * 10, judged, name))
    rows.sort(reverse=True)
    return [figure for row in rows for figure in _figures(*row)]


def _figures(read_ms: float, tenth_ms: float, judged_ms: float, name: str) -> tuple[Figure, Figure]:
    return (
        Figure(
            what=f"1 MB read: {name}",
            value=read_ms,
            unit="ms",
            target="≤ 100 ms",
            baseline=tenth_ms,
            beside="ten times a tenth of it",
        ),
        Figure(what=f"1 MB judged: {name}", value=judged_ms, unit="ms", baseline=read_ms, beside="reading it"),
    )


def _read(message: str) -> None:
    # As a judge reads it: what is malformed is looked for only where no sign-off is well-formed.
    coauthors(message)
    remediations(message)
    if not signoffs(message):
        malformed(message)


def _judge(facts: dict[str, Any]) -> None:
    judge(read(facts))


def _facts(message: str) -> dict[str, Any]:
    """A pull request of one commit with this message, CLA and DCO required, remediation allowed."""
    facts = evaluate.facts(1)
    facts["rulebook"]["dco"] = {"remediation": {"individual": True, "third_party": True}}
    last = facts["commits"][-1]
    return facts | {"commits": [last | {"message": message}], "commit_count": 1}
