"""The CLA where accounts are not known: who is probably covered, never that all is fine."""

from collections.abc import Iterable, Iterator

from agreements.cla.small_changes import counted_lines
from agreements.dco.diagnosis import label
from agreements.domains.canonical_form import domains_over
from agreements.domains.masking import masked_text
from agreements.facts import Check, Conclusion, Facts, Note, Problem, Value, Verdict
from agreements.github_server import GitHubServer
from agreements.identity.subjects import Subject, subjects
from agreements.rulebook.rules import for_repository
from agreements.whitelist import Whitelist

ADVISORY = frozenset({"CLA", "Changelog"})
"""Checks of a local clone that change no exit code: accounts and labels are not known there."""
_MAX_NAMED = 10


def cla(facts: Facts, listed: Whitelist | None = None) -> Check:
    """A CLA check that leaves the decision to the App; `listed` is a copy of its public whitelist."""
    values: dict[str, Value] = {"of": "accounts"}
    if listed is not None:
        people = [subject for subject in subjects(facts) if not subject.agent and (subject.account or subject.email)]
        known = [person for person in people if _is_listed(person, listed, facts.server)]
        values["listed"] = _names(known)
        values["others"] = _names(person for person in people if person not in known)
    problem = Problem(code="facts/incomplete", values=values)
    # Never a pass: in a clone accounts are not known.
    return Check(name="CLA", conclusion=Conclusion.ACTION_REQUIRED, problems=(problem,), notes=tuple(_small(facts)))


def _small(facts: Facts) -> Iterator[Note]:
    """The note about a small change: how many lines its people had before is not known in a clone."""
    small, lines = for_repository(facts.rules, facts.repository).small, counted_lines(facts)
    if small is not None and lines is not None:
        values: dict[str, Value] = {"lines": lines, "paths": small.paths, "total": small.total, "why": "clone"}
        yield Note(code="cla/small-change", values=values)


def passes(verdict: Verdict) -> bool:
    """Whether what decides in a local clone passes. Doubt does not, an empty range included."""
    return all(
        check.conclusion.passes
        # An empty range must not look fine: no commit was looked at.
        or (check.name in ADVISORY and all(problem.code != "facts/empty" for problem in check.problems))
        for check in verdict.checks
    )


def _is_listed(subject: Subject, listed: Whitelist, server: GitHubServer) -> bool:
    # By the id in GitHub's own noreply address, else by the domain of the address: both are claims.
    if subject.account is not None:
        return subject.account.id in listed.ids
    return any(domain in listed.domains for domain in domains_over(subject.email, server))


def _names(people: Iterable[Subject]) -> tuple[str, ...]:
    names = list(dict.fromkeys(_name(person) for person in people))
    more = len(names) - _MAX_NAMED
    return (*names[:_MAX_NAMED], f"+{more}") if more > 0 else tuple(names)


def _name(subject: Subject) -> str:
    if subject.account is not None and subject.account.login:
        return masked_text(subject.account.login)
    return label(subject.name, subject.email)
