"""Licences that nothing in a repository tells are asked of registries; what was learned once is not asked again."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from audit.ecosystems.purls import without_version
from audit.facts import Dependency, Finding, Place, Repository
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


def _nobody(_done: int, _of: int) -> None:
    """Nobody wants to know how far it is."""


def learn(
    repository: Repository,
    cache: Cache,
    ask: Ask | None,
    *,
    whom: Whom = questions,
    settled: Callable[[Dependency], bool] = lambda _one: False,
    told: Told = _nobody,
) -> Learnt:
    """The repository with the licences that registries state for what has none.

    `ask` is None where nobody may be asked: then only what is remembered counts. `settled` tells which dependencies'
    licences the rulebook states.
    """
    wanted, unasked = _wanted(repository, whom, settled)
    answers = dict(cache.known(wanted.keys())) if wanted else {}
    waiting = {purl: wanted[purl] for purl in sorted(wanted) if purl not in answers}
    if ask is not None and waiting:
        told(0, len(waiting))
        for done, (purl, answer) in enumerate(ask(waiting), 1):
            answers[purl] = answer
            if answer.address:
                cache.keep(purl, answer)
            told(done, len(waiting))
    failed = Counter(one.failed for one in answers.values() if one.failed)
    found = {purl: one.learned for purl, one in answers.items() if one.stated.expression is not None}
    dependencies = tuple(
        replace(one, license=found[one.purl])
        if one.purl in found and one.license.expression is None and not settled(one)
        else one
        for one in repository.dependencies
    )
    findings = (*repository.findings, *_findings(failed))
    return Learnt(replace(repository, dependencies=dependencies, findings=findings), failed, unasked)


def _wanted(
    repository: Repository, whom: Whom, settled: Callable[[Dependency], bool]
) -> tuple[dict[str, tuple[Question, ...]], Counter[Unasked]]:
    """Whom to ask about which package; and how many are asked about nowhere.

    A package that is anywhere in the repository said to come from another registry comes from there everywhere.
    """
    elsewhere = {without_version(one.purl) for one in repository.dependencies if one.purl and "_url=" in one.purl}
    found: dict[str, tuple[Question, ...]] = {}
    unasked: Counter[Unasked] = Counter()
    for one in repository.dependencies:
        if one.license.expression is not None or settled(one) or one.purl in found:
            continue
        asked = whom(one.purl) if one.purl else Unasked.NO_REGISTRY
        if one.purl and "_url=" not in one.purl and without_version(one.purl) in elsewhere:
            asked = Unasked.ELSEWHERE
        if isinstance(asked, Unasked):
            unasked[asked] += 1
        elif one.purl:
            found[one.purl] = asked
    return found, unasked


def _findings(failed: Mapping[str, int]) -> Iterator[Finding]:
    """What could not be asked, by reason."""
    for why, count in sorted(failed.items()):
        yield Finding(UNREACHED, Place("registries"), f"{count:,} licences could not be asked about: {why}")
