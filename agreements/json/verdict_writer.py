"""A verdict as plain data for JSON; the caller gives the words, so no language is known here."""

from collections.abc import Callable
from typing import Protocol

from agreements.domains.masking import masked_text
from agreements.facts import Check, Note, Problem, Verdict


class VerdictWords(Protocol):
    """The words for a problem or note: the message, and for a problem the fix."""

    @property
    def message(self) -> str:
        """The finding and its reason."""

    @property
    def fix(self) -> str:
        """The remedy; empty for a note."""


Wording = Callable[[Problem | Note], VerdictWords]
Plain = dict[str, object]


def plain(verdict: Verdict, words: Wording) -> Plain:
    """The verdict as `countersign evaluate` prints it, in a fixed order of keys."""
    return {"conclusion": verdict.conclusion.value, "checks": [_check(check, words) for check in verdict.checks]}


def _check(check: Check, words: Wording) -> Plain:
    found: Plain = {"name": check.name, "conclusion": check.conclusion.value}
    if check.commits is not None:
        found["commits"] = [
            {"sha": _shown(commit.sha), "status": commit.status, "codes": list(commit.codes)}
            for commit in check.commits
        ]
    found["problems"] = [_worded(problem, words) for problem in check.problems]
    found["notes"] = [_worded(note, words) for note in check.notes]
    return found


def _worded(result: Problem | Note, words: Wording) -> Plain:
    said = words(result)
    return {**finding(result), "message": said.message, **({"fix": said.fix} if isinstance(result, Problem) else {})}


def finding(result: Problem | Note) -> Plain:
    """A problem or a note without its words, in a fixed order of keys."""
    return {
        "code": result.code,
        "sha": result.sha and _shown(result.sha),
        "account": result.account and {"id": result.account.id, "login": _shown(result.account.login)},
        **({"role": result.role} if isinstance(result, Problem) else {}),
        "values": {key: list(value) if isinstance(value, tuple) else value for key, value in result.values.items()},
    }


def _shown(text: str) -> str:
    # A login or SHA is the input's word: no address in it is printed in the open.
    return text if text.isascii() and "@" not in text else masked_text(text)
