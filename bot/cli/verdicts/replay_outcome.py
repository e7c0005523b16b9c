"""What replaying one pull request found, as a line for people and as plain data for JSON."""

from collections.abc import Iterator, Sequence

from agreements.domains.domains import masked_text, visible
from agreements.json.verdict_writer import Plain, finding
from bot.rulebook.replay import ReplayOutcome, ReplayProblem

_MAX_NAMES = 5
"""How many people or commits a line names for one code."""


def line(name: str, outcome: ReplayOutcome | str) -> str:
    """`cann/ops#7  success → failure  + CLA cla/unsigned bo`; a text says why there is no outcome.

    `+` stands before what would be new, `-` before what would be gone, `?` before what decides about more and is not known.
    """
    if isinstance(outcome, str):
        return visible(f"{name}  {outcome}")
    ends = outcome.before if outcome.before == outcome.after else f"{outcome.before} → {outcome.after}"
    parts = [f"{name}  {ends}"]
    parts += [f"mode {' → '.join(outcome.mode)}"] if outcome.mode else []
    parts += [f"+ {said}" for said in _said(outcome.new)]
    parts += [f"- {said}" for said in _said(outcome.gone)]
    parts += [f"? {outcome.unknown}"] if outcome.unknown else []
    return visible("  ".join(parts))


def plain(name: str, outcome: ReplayOutcome | str) -> Plain:
    """Keys in a fixed order; a problem has those of evaluate's verdict, but for its words, and its check's name.

    `mode` and `unknown` are there only where there is something to say.
    """
    if isinstance(outcome, str):
        return {"pull_request": name, "error": outcome}
    return {
        "pull_request": name,
        "before": outcome.before,
        "after": outcome.after,
        "new": [{"check": one.check, **finding(one.problem)} for one in outcome.new],
        "gone": [{"check": one.check, **finding(one.problem)} for one in outcome.gone],
        **({"mode": list(outcome.mode)} if outcome.mode else {}),
        **({"unknown": outcome.unknown} if outcome.unknown else {}),
    }


def summary(outcomes: Sequence[ReplayOutcome | str]) -> str:
    """`3 of 120 pull requests would change; 2 could not be replayed; 1 is known in part`."""
    changed = sum(1 for one in outcomes if isinstance(one, ReplayOutcome) and one.changes)
    lost = sum(1 for one in outcomes if isinstance(one, str))
    said = f"{changed} of {len(outcomes)} pull request{'' if len(outcomes) == 1 else 's'} would change"
    partly = sum(1 for one in outcomes if isinstance(one, ReplayOutcome) and one.unknown)
    said += f"; {lost} could not be replayed" if lost else ""
    return f"{said}; {partly} {'is' if partly == 1 else 'are'} known in part" if partly else said


def _said(findings: Sequence[ReplayProblem]) -> Iterator[str]:
    """Each code once, with whom or which commits it is about."""
    about: dict[str, list[str]] = {}
    for one in findings:
        about.setdefault(f"{one.check} {one.problem.code}", []).append(_whom(one))
    for code, found in about.items():
        more = f" and {len(found) - _MAX_NAMES} more" if len(found) > _MAX_NAMES else ""
        yield " ".join(filter(None, [code, ", ".join(filter(None, found[:_MAX_NAMES]))])) + more


def _whom(one: ReplayProblem) -> str:
    """The commit of a sign-off, else the person; a rulebook's first mistake."""
    problem = one.problem
    errors = problem.values.get("errors")
    if isinstance(errors, tuple) and errors:
        return f"({masked_text(errors[0])})"
    if problem.sha:
        return masked_text(problem.sha)[:7]
    account = problem.account
    return "" if account is None else masked_text(account.login) or f"account {account.id}"
