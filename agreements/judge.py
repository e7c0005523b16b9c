"""One pull request's facts in, all its checks out; nothing here can fail, and doubt is never a pass."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from agreements import moments
from agreements.cla import contributors
from agreements.cla.small_changes import uncovered
from agreements.completeness import commits_problem
from agreements.dco import reverts, signoff
from agreements.dco.portal_signoff import is_counted
from agreements.domains.masking import masked_text
from agreements.facts import (
    WORST_FIRST,
    Account,
    Check,
    Conclusion,
    Facts,
    Note,
    Override,
    PortalSignoff,
    Problem,
    Verdict,
)
from agreements.rulebook.rules import Rules, for_repository

_BEST_FIRST = (Conclusion.SUCCESS, Conclusion.NEUTRAL, Conclusion.ACTION_REQUIRED, Conclusion.FAILURE)
_NAMES = {"cla": ("CLA",), "dco": ("DCO",), "both": ("CLA", "DCO"), "either": ("CLA", "DCO"), "none": ()}


def judge(facts: Facts, cla: Callable[[Facts], Check] = contributors.judge) -> Verdict:
    """The verdict under the rule that names the repository; `require: none` gives no check and is neutral.

    `cla` makes the CLA check of complete facts; where no accounts are known it is another one, which never passes.
    """
    require = for_repository(facts.rules, facts.repository).require
    names = required(facts.rules, facts.repository)
    if not names:
        return Verdict(conclusion=Conclusion.NEUTRAL)
    changelog = (_changelog(facts),) if facts.rules.changelog.require else ()
    early = _before_since(facts)
    if early is not None:
        names = (*names, *(check.name for check in changelog))
        checks = tuple(Check(name=name, conclusion=Conclusion.NEUTRAL, notes=(early,)) for name in names)
        return Verdict(conclusion=Conclusion.NEUTRAL, checks=checks)
    checks = tuple(_check(name, facts, cla) for name in names)
    if require == "either":
        return _either(checks, changelog)
    checks += changelog
    worst = min((check.conclusion for check in checks), key=WORST_FIRST.index)
    return Verdict(conclusion=worst, checks=checks)


def required(rules: Rules, full_name: str) -> tuple[str, ...]:
    """The checks of people that the rules require of the repository: `CLA`, `DCO`, both or none."""
    return _NAMES[for_repository(rules, full_name).require]


def coauthors_matter(rules: Rules, records: Sequence[Override | PortalSignoff]) -> frozenset[str]:
    """The checks for which it matters who the co-authors are; `records` are the overrides and sign-offs given here."""
    blocked = rules.people.agents.policy == "block"
    # An agent is blocked in any role, also as co-author.
    cla = ["CLA"] if blocked or "coauthors" in rules.people.check else []
    # An override by a co-author of the work is void, and in the portal each of them signs off.
    counting = [record for record in records if isinstance(record, Override) or is_counted(rules)]
    return frozenset(cla + (["DCO"] if blocked or counting else []))


def merged_matters(facts: Facts) -> frozenset[str]:
    """The SHAs of the commits for which it is not known, and matters, whether a protected branch holds them."""
    failing = _unsigned(facts) if facts.rules.dco.merged == "exempt" else frozenset()
    if not failing:
        return frozenset()
    # Where all that is not a merge is held, the merges have to be held, too.
    wanted = (commit for commit in facts.commits if commit.sha in failing or commit.is_merge)
    return frozenset(commit.sha for commit in wanted if commit.merged is None)


def small_matters(facts: Facts) -> tuple[Account, ...]:
    """The people who would pass by a small change; none where it does not matter, or is known, how many lines are changed."""
    small, request = for_repository(facts.rules, facts.repository).small, facts.pull_request
    # A file is a line at least, so most pull requests are known not to be small.
    if small is None or request.changes is not None or (request.changed_files or 0) > small.lines:
        return ()
    found = (check for check in judge(facts).checks if check.name == "CLA" and not check.conclusion.passes)
    return next((uncovered(check.problems) for check in found), ())


def reverts_matter(facts: Facts) -> Mapping[str, str]:
    """By SHA the commits for which it is not known, and matters, whether they are clean reverts, and what they say they revert."""
    failing = _unsigned(facts) if facts.rules.dco.reverts == "exempt" else frozenset()
    asked = (
        commit
        for commit in facts.commits
        if commit.sha in failing and commit.reverts is None and len(commit.parents) == 1
    )
    return {commit.sha: said for commit in asked if (said := reverts.named(commit.message))}


def _unsigned(facts: Facts) -> frozenset[str]:
    """The SHAs of the commits that lack a sign-off, where the verdict does not pass; none under `exact` matching."""
    if facts.rules.dco.matching == "exact":
        return frozenset()
    verdict = judge(facts)
    statuses = (status for check in verdict.checks for status in check.commits or () if status.status == "fail")
    return frozenset() if verdict.conclusion.passes else frozenset(status.sha for status in statuses)


def _check(name: str, facts: Facts, cla: Callable[[Facts], Check]) -> Check:
    doubt = commits_problem(facts, coauthors=name in coauthors_matter(facts.rules, (*facts.overrides, *facts.signoffs)))
    if doubt is not None:
        commits = () if name == "DCO" else None  # A DCO check lists commits: here none was judged.
        return Check(name=name, conclusion=Conclusion.ACTION_REQUIRED, problems=(doubt,), commits=commits)
    return cla(facts) if name == "CLA" else signoff.judge(facts)


def _before_since(facts: Facts) -> Note | None:
    """The note for a pull request opened before the rules began."""
    since, created = facts.rules.since, facts.pull_request.created_at
    if since is None or created is None or created >= since:  # An unknown date is not before.
        return None
    return Note(code="rules/before-since", values={"since": moments.text(since)})


def _changelog(facts: Facts) -> Check:
    rules, pull_request = facts.rules.changelog, facts.pull_request
    labels = {label.casefold() for label in pull_request.labels}  # GitHub tells no two labels apart by case.
    if rules.path in pull_request.files or rules.skip_label.casefold() in labels:
        return Check(name="Changelog", conclusion=Conclusion.SUCCESS)
    if not pull_request.files_complete:  # The changelog may be among the files that GitHub did not list.
        doubt = Problem(code="facts/incomplete", values={"of": "files"})
        return Check(name="Changelog", conclusion=Conclusion.ACTION_REQUIRED, problems=(doubt,))
    problem = Problem(code="changelog/missing", values={"path": masked_text(rules.path)})
    return Check(name="Changelog", conclusion=Conclusion.FAILURE, problems=(problem,))


def _either(checks: tuple[Check, ...], changelog: tuple[Check, ...]) -> Verdict:
    """The verdict of `either`: the better check decides; if it passes, the other is neutral, without problems."""
    better = min((check.conclusion for check in checks), key=_BEST_FIRST.index)
    if better.passes:
        checks = tuple(
            check if check.conclusion.passes else replace(check, conclusion=Conclusion.NEUTRAL, problems=())
            for check in checks
        )
    # The changelog is asked for in any case.
    whole = min([better, *(check.conclusion for check in changelog)], key=WORST_FIRST.index)
    return Verdict(conclusion=whole, checks=(*checks, *changelog))


def next_change(facts: Facts, proofs_until: datetime | None = None) -> datetime | None:
    """The first moment after `facts.now` at which the same facts may lead to another verdict; None for never.

    `proofs_until` is when the first proof behind `facts.emails` ends, which the addresses themselves do not tell.
    """
    is_about_cover = "CLA" in required(facts.rules, facts.repository)
    # The DCO asks who owns an address, too.
    found = _moments(facts, proofs_until) if is_about_cover else [proofs_until]
    return min((moment for moment in found if moment and moment > facts.now), default=None)


def _moments(facts: Facts, proofs_until: datetime | None) -> Iterator[datetime | None]:
    yield proofs_until
    yield from (accepted.until for versions in facts.rules.accept.values() for accepted in versions)
    for signature in facts.signatures:
        yield from (signature.signed_at, signature.withdrawn_at)
    for company in facts.companies:
        yield from (company.signed_at, company.ended_at)
        for entry in (*company.covers, *company.excludes):
            yield from (entry.since, entry.until)
