"""Small changes: a pull request within the rulebook's limits needs no agreement, but for work of agents and bots."""

from collections.abc import Sequence
from typing import Final

from agreements.cla.coverage import MISSES
from agreements.facts import Account, Facts, FileDiff, Identity, Note, Problem, Value
from agreements.identity.certifiers import is_bot, listed_agents, named_bot, people
from agreements.identity.matching import has_unreadable
from agreements.identity.subjects import accounts_of, agents_named
from agreements.rulebook import path_globs
from agreements.rulebook.rules import SmallChange, for_repository

MAX_PEOPLE: Final = 100
"""More people than that make no small change: anyone can name people, and the lines of each are stored for good."""


def let_off(facts: Facts, results: Sequence[Problem | Note]) -> list[Problem | Note]:
    """The results with a note for each person whom nothing covers, where the change is small; else as they are.

    It is the pull request that is small: all its people pass by it, or none does.
    """
    accounts = uncovered(results)
    lines = counted_lines(facts) if accounts else None
    small = for_repository(facts.rules, facts.repository).small
    if lines is None or small is None:
        return list(results)
    if any(facts.small_lines.get(account.id, 0) + lines > small.total for account in accounts):
        return list(results)
    values: dict[str, Value] = {"lines": lines, "paths": small.paths}
    return [
        Note(code="cla/small-change", account=result.account, role=result.role, values=values)
        if isinstance(result, Problem)
        else result
        for result in results
    ]


def uncovered(results: Sequence[Problem | Note]) -> tuple[Account, ...]:
    """The people whom nothing covers; none where a small change does not mend it: another problem, or too many people."""
    problems = [result for result in results if isinstance(result, Problem)]
    # All reasons alike: that a person withdrew is private.
    people = [problem.account for problem in problems if problem.code in MISSES and problem.account is not None]
    is_all = len(people) == len(problems) and all(person.id > 0 and person.type == "User" for person in people)
    return tuple(people) if is_all and len(people) <= MAX_PEOPLE else ()


def counted_lines(facts: Facts) -> int | None:
    """The lines that a small pull request changes, added and removed ones; None for one that is not small, or not known to be.

    A file counts as one line at least.
    """
    small, request = for_repository(facts.rules, facts.repository).small, facts.pull_request
    changes = request.changes
    if small is None or not changes or not request.files_complete or len(changes) < (request.changed_files or 0):
        return None
    if set(request.files) - {change.path for change in changes}:  # A file whose lines are not known.
        return None
    lines = sum(max(1, change.additions + change.deletions) for change in changes)
    is_small = lines <= small.lines and all(_is_allowed(change, small) for change in changes)
    return lines if is_small and not _has_machines(facts) else None


def _is_allowed(change: FileDiff, small: SmallChange) -> bool:
    # A renamed file counts by both names, or code could become a document.
    paths = (change.path, change.previous_path) if change.previous_path else (change.path,)
    return change.text and all(not _is_hidden(path) and path_globs.fits(small.paths, path) for path in paths)


def _is_hidden(path: str) -> bool:
    # Workflows, code owners and rulebooks: such files decide what others may do. No path of git has an empty name.
    # What a file with a name that could not be read is called, is not known.
    return has_unreadable(path) or any(not name or name.startswith(".") for name in path.split("/"))


def _has_machines(facts: Facts) -> bool:
    """Whether an AI agent or a bot takes part in any role, under any policy."""
    if agents_named(facts, listed_agents(facts)):
        return True
    if any(map(is_bot, accounts_of(facts.pull_request.opener, facts.senders, facts.commits))):
        return True
    named = [person.identity for commit in facts.commits for person in people(commit)]
    named += [Identity(coauthor.name, coauthor.email) for commit in facts.commits for coauthor in commit.coauthors]
    return any(named_bot(identity, None, facts.server) for identity in named)
