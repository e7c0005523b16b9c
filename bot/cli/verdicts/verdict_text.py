"""A verdict on standard output: as JSON, or for people, each reason on its line and each fix below its problem."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from agreements.domains.masking import masked_text, visible
from agreements.facts import Check, Facts, Note, Problem, Verdict
from agreements.json.verdict_writer import Wording

if TYPE_CHECKING:
    from bot.report.words.git_commands import CommandContext

_MAX_NOTES: Final = 20
"""Notes that are shown one by one; of more, how many there are of each code."""
_MAX_SUBJECT_CHARACTERS: Final = 60
"""Characters of a commit's subject that are shown."""


def wording(facts: Facts | None, verdict: Verdict, situation: "CommandContext | None" = None) -> Wording:
    """The English words, with the commands that fit these facts, in that situation if a clone tells it."""
    from bot.report import dco_situation
    from bot.report.words import text

    # Only problems have commands.
    if facts is None or all(not check.problems for check in verdict.checks):
        return lambda item: text(item, "en")
    found = situation or dco_situation.of_verdict(facts, verdict)
    return lambda item: text(item, "en", situation=found)


def headline(verdict: Verdict) -> str:
    """The conclusion, and that of each check, on one line."""
    checks = ", ".join(f"{check.name} {check.conclusion.value}" for check in verdict.checks)
    return f"{verdict.conclusion.value}: {checks or 'nothing is required here'}"


def subjects(facts: Facts | None) -> dict[str, str]:
    """The first line of each commit's message, masked: people know their commits by it."""
    if facts is None:
        return {}
    # A message from Windows may end its lines with a carriage return, which git keeps.
    found = {
        commit.sha: masked_text(commit.message.strip().partition("\n")[0].rstrip("\r")) for commit in facts.commits
    }
    most = _MAX_SUBJECT_CHARACTERS
    return {sha: text if len(text) <= most else f"{text[: most - 1]}…" for sha, text in found.items()}


def lines(verdict: Verdict, words: Wording, known: Mapping[str, str] | None = None) -> Iterator[str]:
    """The verdict for people, nothing that a terminal obeys; what is to be done stands last.

    `known`: the subjects of the commits. A fix that several problems share stands once, below them.
    """
    yield headline(verdict)
    known = known or {}
    for check in verdict.checks:
        if len(check.notes) > _MAX_NOTES:
            counted = Counter(note.code for note in check.notes)
            yield from (visible(f"  {check.name} {code} - {count:,} of the commits") for code, count in counted.items())
        else:
            yield from (_row(check.name, note, words(note).message, known) for note in check.notes)
    # Problems last: a terminal shows the end.
    for check in verdict.checks:
        yield from _problems(check, words, known)


def _problems(check: Check, words: Wording, known: Mapping[str, str]) -> Iterator[str]:
    """The problems that the same commands cure, what each code asks for first, and the commands."""
    groups: dict[str, tuple[list[str], dict[str, None]]] = {}
    for item in check.problems:
        said = words(item)
        first, _, commands = said.fix.partition("\n")
        rows, firsts = groups.setdefault(commands or first, ([], {}))
        rows.append(_row(check.name, item, said.message, known))
        if commands:
            firsts[first] = None
    for last, (rows, firsts) in groups.items():
        yield from rows
        *others, nearest = firsts or [""]
        # The commands follow from the last of these sentences.
        for line in (*map(without_commands, others), *filter(None, [nearest]), *last.splitlines()):
            yield visible(f"      {line}".rstrip())


def without_commands(first: str) -> str:
    """The first sentence of a fix: the commands that it leads to stand elsewhere."""
    return f"{first[:-1]}." if first.endswith(":") else first


def _row(check: str, item: Problem | Note, message: str, known: Mapping[str, str]) -> str:
    where = f"{masked_text(item.sha)[:12]} " if item.sha else ""
    subject = known.get(item.sha or "")
    what = f'"{subject}" ' if subject else ""
    who = f"{masked_text(item.account.login)} " if item.account is not None else ""
    return visible(f"  {check} {item.code} {where}{what}{who}- {message}")
