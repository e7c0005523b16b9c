"""A repository judged whole: what the rulebook knows better, every dependency's verdict, and the waivers in force."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import chain
from operator import itemgetter
from typing import Final, NamedTuple

from audit.facts import (
    Cell,
    Dependency,
    Finding,
    Judgement,
    Learned,
    Place,
    Repository,
    RepositoryAudit,
    Source,
    Waiver,
)
from audit.licenses.expression import And, read
from audit.licenses.osadl import Matrix
from audit.purl_match import meanings, pattern, sourced
from audit.rules import system_library
from audit.rules.expression_compatibility import judge
from audit.verdict import unknown_own_license
from audit.verdict.allow_deny import AllowDeny
from audit.verdict.policy import CuratedLicense, Policy, fits
from audit.verdict.unknown_license import explained

_CACHE_ENTRIES: Final = 200_000  # Cells of a few hundred bytes each.


class _JudgedDependency(NamedTuple):
    """The `cell` of a dependency, its `key` in the order, the rulebook's `entry` for it (an index), and `findings`."""

    key: str
    cell: Cell
    original: Dependency  # As it came; held, so that no other object gets its `id()`.
    entry: int | None
    findings: tuple[Finding, ...]


# No loop of our own: these run over ten million cells.
_KEY, _CELL, _ENTRY, _FINDINGS = (
    itemgetter(_JudgedDependency._fields.index(name)) for name in ("key", "cell", "entry", "findings")
)


class Judge:
    """Judges repositories by one policy, on one day, with one set of data; `remembered` is how many cells are kept."""

    def __init__(self, policy: Policy, data: Matrix, today: date, *, remembered: int = _CACHE_ENTRIES) -> None:
        self.policy = policy
        self.data = data
        self.today = today
        self._waivers: dict[str, list[tuple[int, str, Waiver]]] = {}
        for at, waiver in enumerate(policy.waivers):
            package, version = pattern(waiver.purl)
            self._waivers.setdefault(package, []).append((at, version, waiver))
        self._meant = [None if entry.purl is None else pattern(entry.purl) for entry in policy.dependencies]
        self._added = [_as_dependency(entry, policy.path) for entry in policy.dependencies]
        self._pinned = any(entry.sha256 for entry in policy.dependencies)
        self._lists = AllowDeny(policy.lists) if policy.lists else None
        # Many repositories use the same things: a cell is made once for each licence of a repository and then shared.
        self._known: dict[tuple[str | None, tuple[str, ...], tuple[int, ...]], dict[int, _JudgedDependency]] = {}
        self._kept = 0
        self._most = remembered

    def audited(self, repository: Repository) -> RepositoryAudit:
        """The repository as the rulebook knows it, with a cell for each dependency, ordered by name, and all findings."""
        said = self.policy.license_of(repository.name)
        if said is not None:
            repository = replace(repository, license=Learned(said, Source.RULEBOOK, Place(self.policy.path)))
        licenses = unknown_own_license.possible(repository.license, self.data)
        repository = replace(
            repository, delivery=self.policy.delivery, findings=unknown_own_license.settled(repository, licenses)
        )
        entries = self._entries(repository.name)
        found = self._cells(repository, repository.dependencies, entries, licenses)
        if entries:
            used = set(map(_ENTRY, found))
            # A pinned entry corrects a text that was looked at: without it there is nothing to correct, and nothing to add.
            pinned = {index for index in entries if self.policy.dependencies[index].sha256 is not None}
            known = used | pinned
            added = [self._added[index] for index in entries if index not in known]
            found += self._cells(repository, added, entries, licenses)
        found.sort(key=_KEY)
        # Only what is pinned or ends gives findings here, and every pass over ten million cells counts.
        may_find = self.policy.waivers or self._pinned
        findings = dict.fromkeys(chain.from_iterable(map(_FINDINGS, found))) if may_find else ()
        cells = tuple(map(_CELL, found))
        # Each use may fit some licence of the work, and all of them together none.
        if licenses:
            cells = tuple(unknown_own_license.without_conflicts(cells, licenses, self._in_work))
        return RepositoryAudit(repository, cells, (*repository.findings, *findings))

    def _in_work(self, used: Dependency, own: str | None, expression: str | None) -> Judgement:
        judged = judge(own, expression, used.usage, self.policy.delivery, self.data)
        return system_library.considered(judged, own, used)

    def states(self, full_name: str, dependency: Dependency) -> bool:
        """Whether the rulebook itself says under which licence that repository's dependency is."""
        entries = self._entries(full_name) if self.policy.dependencies else ()
        entry, _ = self._entry(entries, dependency)
        return entry is not None and self.policy.dependencies[entry].license is not None

    def _entries(self, full_name: str) -> tuple[int, ...]:
        curated = enumerate(self.policy.dependencies)
        return tuple(index for index, entry in curated if not entry.repositories or fits(entry.repositories, full_name))

    def _cells(
        self,
        repository: Repository,
        dependencies: Sequence[Dependency],
        entries: tuple[int, ...],
        licenses: tuple[str, ...],
    ) -> list[_JudgedDependency]:
        """The cells of these dependencies; `licenses` are those that the work could have, if its own is not known."""
        if self._kept > self._most:
            self._known.clear()
            self._kept = 0
        outbound = repository.license.expression
        # All that a cell depends on, besides the dependency itself and what is the same for this judge.
        known = self._known.setdefault((outbound, licenses, entries), {})
        # By identity: comparing all fields takes longer than judging. No loop of our own either: this is ten million cells.
        found = list(map(known.get, map(id, dependencies)))
        if all(found):
            return found  # type: ignore[return-value]  # nothing in it is None
        for dependency in dependencies:
            if id(dependency) not in known:
                known[id(dependency)] = self._judged(outbound, dependency, entries, licenses)
                self._kept += 1
        return [known[id(dependency)] for dependency in dependencies]

    def _judged(
        self, outbound: str | None, original: Dependency, entries: tuple[int, ...], licenses: tuple[str, ...]
    ) -> _JudgedDependency:
        entry, mismatched = self._entry(entries, original)
        dependency = (
            original if entry is None else _corrected(original, self.policy.dependencies[entry], self.policy.path)
        )
        own = _own(outbound, dependency.component)
        if own != outbound:
            # The licence of one component may be known where that of the whole is not.
            licenses = unknown_own_license.possible(Learned(own), self.data)

        def ask(expression: str | None) -> Judgement:
            if not licenses:
                return self._in_work(dependency, own, expression)
            return unknown_own_license.weighed(
                expression, licenses, lambda work: self._in_work(dependency, work, expression)
            )

        said = dependency.license.expression
        judgement = ask(said) if self._lists is None else self._lists.judged(dependency, ask)
        judgement = explained(judgement, dependency.license)
        waiver, findings = self._waiver(dependency)
        return _JudgedDependency(
            _order(dependency), Cell(dependency, judgement, waiver), original, entry, (*mismatched, *findings)
        )

    def _entry(self, entries: tuple[int, ...], dependency: Dependency) -> tuple[int | None, list[Finding]]:
        """The first entry that is for this dependency and its text, and a finding for each before it that is for another text."""
        findings: list[Finding] = []
        for index in entries:
            if not self._is_meant(index, dependency):
                continue
            entry = self.policy.dependencies[index]
            # An entry with a digest corrects the one text that a person has read, and no other.
            if entry.sha256 is None or _came_with(dependency, entry.sha256):
                return index, findings
            named = entry.purl or entry.name
            there = "another licence text is there" if dependency.licenses else "no licence text came with it"
            message = f"the correction of {named} is pinned to a licence text, and {there}"
            findings.append(Finding("correction/other-text", Place(self.policy.path, None, named), message))
        return None, findings

    def _waiver(self, dependency: Dependency) -> tuple[Waiver | None, list[Finding]]:
        """The first waiver in force, and a finding for each that no longer is."""
        force, findings = None, []
        package, of = sourced(dependency.purl or "")
        named = [entry for each in meanings(package) if each for entry in self._waivers.get(each, ())]
        for _, version, waiver in sorted(named, key=itemgetter(0)):  # The rulebook's first one counts.
            if version not in ("", of):
                continue
            why = _why_not(waiver, dependency, self.today)
            if why is None:
                force = force or waiver
            else:
                message = f"the waiver of {waiver.purl} {why[1]}"  # Without the person: a check run is public.
                findings.append(Finding(why[0], Place(self.policy.path, None, waiver.purl), message))
        return force, findings

    def _is_meant(self, index: int, dependency: Dependency) -> bool:
        meant = self._meant[index]
        if meant is None:
            return self.policy.dependencies[index].name.casefold() == dependency.name.casefold()
        package, version = sourced(dependency.purl or "")
        return meant[0] in meanings(package) and meant[1] in ("", version)


def _order(dependency: Dependency) -> str:
    # One text compares several times faster than a tuple of seven.
    return "\0".join(
        (
            dependency.name.casefold(),
            dependency.name,
            dependency.version or "",
            dependency.usage,
            dependency.purl or "",
            dependency.component or "",
            dependency.why,
        )
    )


def _came_with(dependency: Dependency, sha256: str) -> bool:
    return any(text.sha256 == sha256 for text in dependency.licenses)


def _why_not(waiver: Waiver, dependency: Dependency, today: date) -> tuple[str, str] | None:
    """The code and words of a finding where a waiver does not count; None when it does."""
    if today >= waiver.until:  # The day itself no longer counts.
        return "waiver/expired", f"ended on {waiver.until.isoformat()}"
    if waiver.sha256 is None or _came_with(dependency, waiver.sha256):
        return None
    return "waiver/other-text", "is for a different licence text"


def _own(outbound: str | None, component: str | None) -> str | None:
    """The part of a work's own `AND` that is the component's; all of it when it names no part."""
    if outbound is None or component is None:
        return outbound
    whole, part = read(outbound), read(component)
    # A component has a licence of its own only where the work's `AND` names that licence.
    return component if isinstance(whole, And) and part in whole.parts else outbound


def _corrected(found: Dependency, entry: CuratedLicense, rulebook: str) -> Dependency:
    """The dependency as the rulebook (its path) knows it: what the entry says in place of what was found."""
    return replace(
        found,
        license=found.license if entry.license is None else Learned(entry.license, Source.RULEBOOK, Place(rulebook)),
        usage=entry.usage or found.usage,
        why=_words(entry) if entry.usage else found.why,
        version=entry.version or found.version,
        component=entry.component or found.component,
        modified=entry.modified or found.modified,
    )


def _as_dependency(entry: CuratedLicense, rulebook: str) -> Dependency:
    version = entry.version or (pattern(entry.purl)[1] if entry.purl else "") or None
    nothing = Dependency(
        name=entry.name, purl=entry.purl, version=version, why=_words(entry), places=(Place(rulebook),)
    )
    return _corrected(nothing, entry, rulebook)


def _words(entry: CuratedLicense) -> str:
    return f"rulebook: {entry.reason}" if entry.reason else "rulebook"
