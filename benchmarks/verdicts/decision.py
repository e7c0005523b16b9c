"""The pure decision on large pull requests: seconds, and whether ten times the commits take ten times as long."""

from functools import partial
from typing import Any

from figures import Figure, best_of
from verdicts import evaluate

from agreements.json.facts_reader import read
from agreements.judge import judge

SIZES = (1_000, 10_000, 100_000)


def measure(*, quick: bool) -> list[Figure]:
    """Both matchings of sign-offs, CLA and DCO judged, every tenth commit without a sign-off, with 50 authors."""
    figures = []
    for matching in ("evidence", "exact"):
        before = None
        for size in SIZES[:2] if quick else SIZES:
            facts = read(_facts(size, matching))
            seconds = best_of(3, partial(_judge, facts))
            figures.append(
                Figure(
                    what=f"decision on {size:,} commits, {matching}",
                    value=seconds,
                    unit="s",
                    target="≤ 1 s" if size == 10_000 else "",
                    baseline=before and before * 10,
                    beside="ten times the row above",
                )
            )
            before = seconds
    return figures


def _facts(size: int, matching: str) -> dict[str, Any]:
    facts = evaluate.facts(1)
    commits = []
    for number in range(size):
        commit = dict(facts["commits"][0], sha=f"{number:040x}", parents=[f"{number - 1:040x}"] if number else [])
        who = number % 50
        commit["author"] = {"name": f"Person {who}", "email": f"person{who}@example.org"}
        commit["author_account"] = {"id": who + 1, "login": f"person{who}", "type": "User"}
        signed = "" if number % 10 == 0 else f"\n\nSigned-off-by: Person {who} <person{who}@example.org>"
        commits.append(commit | {"message": f"Change number {number}{signed}"})
    facts["rulebook"]["dco"] = {"matching": matching}
    facts["pull_request"]["head_sha"] = commits[-1]["sha"]
    return facts | {"commits": commits, "commit_count": size}


def _judge(facts: Any) -> None:
    verdict = judge(facts)
    if verdict.conclusion.passes or len(verdict.checks) != 2:  # A wrong verdict would be fast, too.
        raise RuntimeError("judged wrong")
