"""A verdict on standard output: as JSON, or for people, each reason on its line and each fix below its problem."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TextIO

from agreements.domains import masked_text, names_mailbox, visible
from agreements.facts import Facts, Note, Problem, Verdict
from agreements.writer import Wording
from bot.cli.mistake import Mistake


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output, whole at the end: what can't be written there (a full disk) is one line and exit code 2.

    A reader that went away (`| head -1`) is no mistake: click ends quietly then.
    """
    out: TextIO | None = sys.stdout
    if out is None:
        raise Mistake("cannot write the verdict: standard output is closed")
    if isinstance(out, TextIOWrapper):
        out.reconfigure(errors="backslashreplace")  # a terminal without these letters
    try:
        yield out
        out.flush()
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        _forget(out)
        raise Mistake(f"cannot write the verdict: {error.strerror}") from None


def _forget(out: TextIO) -> None:
    """Let what is left in the buffer go nowhere, or Python would try again at its end and complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, out.fileno())
    os.close(nowhere)


def wording(facts: Facts | None, verdict: Verdict, *, others: bool | None = None) -> Wording:
    """The English words, with the commands that fit these facts.

    `others`: whether a command would sign other people's commits; None: it would where there are several authors.
    """
    from bot.words import Situation, text  # noqa: PLC0415 - not needed for a wrong input

    if facts is None or all(not check.problems for check in verdict.checks):
        return lambda item: text(item, "en")
    failing = {one.sha for check in verdict.checks for one in check.commits or () if one.status == "fail"}
    amend = failing == {facts.pull_request.head_sha}
    base = "" if names_mailbox(facts.pull_request.base) else facts.pull_request.base  # a mask would make it another
    several = len(set(_authors(facts))) > 1 if others is None else others
    situation = Situation(base, amend=amend, others=several)
    return lambda item: text(item, "en", situation=situation)


def _authors(facts: Facts) -> Iterator[str]:
    """Whose commits a rebase would sign."""
    for commit in facts.commits:
        if commit.author is not None and len(commit.parents) < 2:
            yield commit.author.email.casefold()


def headline(verdict: Verdict) -> str:
    """The whole and each of its checks, on one line."""
    checks = ", ".join(f"{check.name} {check.conclusion.value}" for check in verdict.checks)
    return f"{verdict.conclusion.value}: {checks or 'nothing is required here'}"


def lines(verdict: Verdict, words: Wording) -> Iterator[str]:
    """The verdict for people, nothing that a terminal obeys; a fix that several problems share stands once, below them."""
    yield headline(verdict)
    for check in verdict.checks:
        items: tuple[Problem | Note, ...] = (*check.problems, *check.notes)
        fix = ""
        for item in items:
            said = words(item)
            if said.fix != fix:
                yield from _fix(fix)
            fix = said.fix
            where = f"{masked_text(item.sha)[:12]} " if item.sha else ""
            who = f"{masked_text(item.account.login)} " if item.account is not None else ""
            yield visible(f"  {check.name} {item.code} {where}{who}- {said.message}")
        yield from _fix(fix)


def _fix(fix: str) -> Iterator[str]:
    return (visible(f"      {line}".rstrip()) for line in fix.splitlines())
