"""May this be used here: a work's licence, a dependency's licence and how it is used, judged together with the reason."""

from dataclasses import replace
from functools import lru_cache
from typing import Final

from audit.facts import UNKNOWN_TERMS_RULE, Delivery, Judgement, LicenseVerdict, Usage
from audit.licenses.expression import MAX_USUAL_CHARACTERS, And, Atom, Expression, Or, all_of, atoms, read
from audit.licenses.osadl import Matrix
from audit.rules import models_and_data
from audit.rules.pair_compatibility import pair, unlicensed_tool
from audit.rules.ruling import Ruling
from audit.usage import MODELS_AND_DATA

_MAX_EXPRESSION_CHARACTERS: Final = 200  # Of the work's own, in a reason.

# SPDX's words where there is no licence, or none is stated.
_NO_LICENSE: Final = frozenset({"", "NONE", "NOASSERTION"})


def judge(outbound: str | None, inbound: str | None, usage: Usage, delivery: Delivery, data: Matrix) -> Judgement:
    """The judgement of this usage of a thing under `inbound` in a work under `outbound`, by the work's delivery.

    Both are expressions as people write them; there is an answer to all of them: what cannot be read is not known. None is
    a licence that nothing states.
    """
    # Long ones are strangers' texts, each another: they would only fill the memory.
    is_usual = len(outbound or "") <= MAX_USUAL_CHARACTERS and len(inbound or "") <= MAX_USUAL_CHARACTERS
    return (_kept if is_usual else _whole)(outbound, inbound, usage, delivery, data)


def _whole(outbound: str | None, inbound: str | None, usage: Usage, delivery: Delivery, data: Matrix) -> Judgement:
    what = read(inbound)
    if what is None:
        written = (inbound or "").strip()[:60]
        is_none = written.upper() in _NO_LICENSE
        unread = f"{written} names no licence" if is_none else f"{written!r} cannot be read as a licence"
        reason = unread if written else "no licence is given"
        rule = "license/none" if is_none else "license/unreadable"
        # A tool of which nothing is known is listed apart; words that are no licence are no reason to let it pass.
        as_tool = unlicensed_tool(usage, reason) if inbound is None else None
        ruling = as_tool or Ruling(LicenseVerdict.UNKNOWN_LICENSE, rule, "none", reason)
        ruling = models_and_data.unknown(reason) if usage in MODELS_AND_DATA else ruling
        return Judgement(**ruling._asdict(), data_version=data.date)
    own = read(outbound)
    sides = atoms(own) or (None,)
    found = [(*_weighed(side, what, usage, delivery, data), side) for side in sides]
    # Those who take the work may choose any branch of its `OR`; of an `AND` it is not stated which part uses the thing.
    worst, taken, lost = max(found, key=lambda outcome: _severity(outcome[0]))
    branch = None if taken == what else str(taken)
    judged = Judgement(**worst._asdict(), data_version=data.date, branch=branch)
    if all(ruling.verdict.rank == worst.verdict.rank for ruling, *_ in found):
        return judged
    if isinstance(own, Or):
        about = f"the work could no longer be offered under {lost}, a choice of its own {_short(own)}"
    else:
        about = f"this is about the part under {lost} of the work's own {_short(own)}"
    return replace(judged, reason=f"{judged.reason}; {about}")


_kept = lru_cache(maxsize=2**16)(_whole)


def _short(own: Expression | None) -> str:
    text = str(own)
    return text if len(text) <= _MAX_EXPRESSION_CHARACTERS else f"{text[:_MAX_EXPRESSION_CHARACTERS]}…"


def _weighed(
    side: Atom | None, what: Expression, usage: Usage, delivery: Delivery, data: Matrix
) -> tuple[Ruling, Expression]:
    """The ruling, and the expression with its choices made."""
    if isinstance(what, Atom):
        return pair(side, what, usage, delivery, data), what
    found = [_weighed(side, part, usage, delivery, data) for part in what.parts]
    if isinstance(what, And):
        worst, _ = max(found, key=lambda outcome: _severity(outcome[0]))  # All parts apply.
        return worst, all_of(tuple(taken for _, taken in found))
    return min(found, key=lambda outcome: _severity(outcome[0]))  # Of an `OR` the best may be chosen.


def _severity(ruling: Ruling) -> tuple[int, bool]:
    """The rank of a verdict; of two alike, unknown terms are the worse: they fail where an unknown licence does."""
    return ruling.verdict.rank, ruling.rule == UNKNOWN_TERMS_RULE
