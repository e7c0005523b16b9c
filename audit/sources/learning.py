"""Licences that nothing in a repository tells are asked of registries; what was learned once is not asked again."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, Protocol

from audit.ecosystems.purls import without_version
from audit.facts import Dependency, Finding, Learned, Place, Repository, Source, Unknown
from audit.sources.answers import Answer
from audit.sources.questions import Question, Unasked, questions

UNREACHED: Final = "license/not-asked"
"""The code of the finding for licences that could not be asked about."""


class Cache(Protocol):
    """What is remembered of earlier answers, by package URL."""

    def known(self, purls: Collection[str]) -> Mapping[str, Answer]:
        """Those of them that have an answer which is still good."""

    def keep(self, purl: str, answer: Answer) -> None:
        """Remember an answer, at once: whoever is ended meanwhile need not ask again."""


Ask = Callable[[Mapping[str, tuple[Question, ...]]], Iterator[tuple[str, Answer]]]
"""Asks about packages, in any order; gives each one's answer once, as it comes."""
Whom = Callable[[str], tuple[Question, ...] | Unasked]
"""Whom to ask about a package URL, or why nobody."""
Told = Callable[[int, int], None]
"""Is told how many of how many questions have been answered."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """The repository with what could be learned.

    `failed` counts by reason the packages about which somebody should have been asked and could not be; whoever judges
    for good has to wait while there are any. `unasked` counts those about which nobody is asked.
    """

    repository: Repository
    failed: Mapping[str, int] = field(default_factory=dict)
    unasked: Mapping[Unasked, int] = field(default_factory=dict)


OFFLINE: Final = "the audit ran offline"
"""Why nobody is asked, where whoever audits wants it so."""
_UNASKED: Final[Mapping[Unasked, tuple[Unknown, str]]] = {
    Unasked.NO_REGISTRY: (Unknown.NO_REGISTRY, ""),
    Unasked.NO_VERSION: (Unknown.NOT_PINNED, ""),
    Unasked.ELSEWHERE: (Unknown.PRIVATE, "the files name another registry for it, so no public one is asked"),
    Unasked.PRIVATE: (Unknown.PRIVATE, "the settings name it as private, so no registry is asked"),
}
_BUT_A_TEXT: Final = frozenset({Unknown.NO_REGISTRY, Unknown.NOT_STATED})
"""Reasons that would not be true of what has a licence text."""


def _nobody(_done: int, _of: int) -> None:
    """Nobody wants to know how far it is."""


class _Planned(NamedTuple):
    """What is done about one dependency: nothing (it has a licence), questions under a key, or nobody is asked."""

    key: str = ""
    questions: tuple[Question, ...] = ()
    unasked: Unasked | None = None


def learn(
    repository: Repository,
    cache: Cache,
    ask: Ask | str,
    *,
    whom: Whom = questions,
    settled: Callable[[Dependency], bool] = lambda _one: False,
    told: Told = _nobody,
) -> Learnt:
    """The repository with the licences that registries state for what has none, and why the rest is not known.

    `ask` says why where nobody may be asked: then only what is remembered counts. `settled` tells which dependencies'
    licences the rulebook states.
    """
    planned = _plan(repository, whom, settled)
    wanted = {one.key: one.questions for one in planned if one.key}
    answers = dict(cache.known(wanted.keys())) if wanted else {}
    waiting = {key: wanted[key] for key in sorted(wanted) if key not in answers}
    if not isinstance(ask, str) and waiting:
        told(0, len(waiting))
        for done, (key, answer) in enumerate(ask(waiting), 1):
            answers[key] = answer
            if answer.address:
                cache.keep(key, answer)
            told(done, len(waiting))
    failed = Counter(one.failed for one in answers.values() if one.failed)
    unasked = Counter(one.unasked for one in planned if one.unasked is not None)
    dependencies = tuple(
        _told_of(one, plan, answers, ask if isinstance(ask, str) else OFFLINE)
        for one, plan in zip(repository.dependencies, planned, strict=True)
    )
    findings = (*repository.findings, *_findings(failed))
    return Learnt(replace(repository, dependencies=dependencies, findings=findings), failed, unasked)


def _plan(repository: Repository, whom: Whom, settled: Callable[[Dependency], bool]) -> list[_Planned]:
    """Whom to ask about which dependency.

    A package that is anywhere in the repository said to come from another registry comes from there everywhere.
    """
    elsewhere = {without_version(one.purl) for one in repository.dependencies if one.purl and "_url=" in one.purl}
    found: list[_Planned] = []
    for one in repository.dependencies:
        if one.license.expression is not None or settled(one):
            found.append(_Planned())
            continue
        asked = whom(one.purl) if one.purl else Unasked.NO_REGISTRY
        if one.purl and "_url=" not in one.purl and without_version(one.purl) in elsewhere:
            asked = Unasked.ELSEWHERE
        found.append(_Planned(unasked=asked) if isinstance(asked, Unasked) else _Planned(one.purl or "", asked))
    return found


def _told_of(one: Dependency, plan: _Planned, answers: Mapping[str, Answer], nobody: str) -> Dependency:
    """The dependency with what was learned of its licence; one whose licence is known already as it is."""
    if plan.unasked is not None:
        unknown, said = _UNASKED[plan.unasked]
        learned = Learned(None, Source.NOBODY, Place("registries", None, said) if said else None, unknown)
    elif not plan.key:
        return one
    elif plan.key in answers:
        learned = answers[plan.key].learned
    else:
        learned = Learned(None, Source.NOBODY, Place("registries", None, nobody), Unknown.OFFLINE)
    if learned.unknown in _BUT_A_TEXT and one.licenses:
        text = one.licenses[0]
        said = f"a text came with it that was not recognised, {text.path}"
        learned = Learned(None, Source.NOBODY, Place(text.path, None, said), Unknown.UNREADABLE)
    return replace(one, license=learned)


def _findings(failed: Mapping[str, int]) -> Iterator[Finding]:
    """What could not be asked, by reason."""
    for why, count in sorted(failed.items()):
        yield Finding(UNREACHED, Place("registries"), f"{count:,} licences could not be asked about: {why}")
