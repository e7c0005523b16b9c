"""Licences that nothing in a repository tells are asked of registries; a question that was answered is not put again."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final, NamedTuple, Protocol

from packageurl import PackageURL

from audit.ecosystems.purls import version_in, without_version
from audit.facts import Dependency, Finding, Learned, Place, Repository, Source, Unknown
from audit.sources.answers import AT_ONCE, NO_VERSION_FITS, RANGE_SEPARATOR, Answer
from audit.sources.questions import LicenseQuestion, UnaskedReason, questions
from audit.version_range import MAX_RANGE_CHARACTERS

UNREACHED: Final = "license/not-asked"  # The code of a finding: licences that could not be asked about.


class Cache(Protocol):
    """The memory of earlier answers, by package URL; for a range of versions by that, RANGE_SEPARATOR and the range."""

    def known(self, purls: Collection[str]) -> Mapping[str, Answer]:
        """The answers under these keys that are still good."""

    def keep(self, purl: str, answer: Answer) -> None:
        """Remember an answer, at once: an audit that is ended meanwhile need not ask again."""


# Asks about packages, in any order; gives the answer of each once, as it comes.
Ask = Callable[[Mapping[str, tuple[LicenseQuestion, ...]]], Iterator[tuple[str, Answer]]]
# Finds the questions about a package URL, and the range where it names no version (""); or why no registry is asked.
Whom = Callable[[str, str], tuple[LicenseQuestion, ...] | UnaskedReason]
OnProgress = Callable[[int, int], None]  # Hears how many of how many questions have been answered.


NEVER: Final = datetime.max.replace(tzinfo=UTC)  # Where no question is asked.


@dataclass(frozen=True, slots=True)
class LookupResult:
    """The `repository` with what could be learned.

    `failed` counts by reason the packages about which a registry should have been asked and could not be; the audit
    for good has to wait while there are any. `until` is the moment from which anything is asked again: AT_ONCE where not all of it
    was remembered, NEVER where nothing is asked about.
    """

    repository: Repository
    failed: Mapping[str, int] = field(default_factory=dict)
    until: datetime = NEVER


OFFLINE: Final = "the audit ran offline"  # The caller's wish, and no failure.
_UNASKED: Final[Mapping[UnaskedReason, tuple[Unknown, str]]] = {
    UnaskedReason.NO_REGISTRY: (Unknown.NO_REGISTRY, ""),
    UnaskedReason.NO_VERSION: (Unknown.NOT_PINNED, ""),
    UnaskedReason.NO_CHANNEL: (Unknown.NO_REGISTRY, "the files name no channel for it"),
    UnaskedReason.ELSEWHERE: (
        Unknown.PRIVATE,
        "the files take it from elsewhere (another registry, an address or a file), so no public registry is asked",
    ),
    UnaskedReason.PRIVATE: (Unknown.PRIVATE, "the settings name it as private, so no registry is asked"),
}
_BUT_A_TEXT: Final = frozenset({Unknown.NO_REGISTRY, Unknown.NOT_STATED})  # Not true of what has a licence text.


class _LookupPlan(NamedTuple):
    """The plan for one dependency: none (it has a licence), `questions` under a `key`, or why it stays `unasked`."""

    key: str = ""
    questions: tuple[LicenseQuestion, ...] = ()
    unasked: UnaskedReason | None = None


@dataclass(frozen=True, slots=True)
class _LookupRun:
    """The means of a look-up: `whom` finds questions, `ask` puts them, `cache` keeps answers, `on_progress` counts."""

    ask: Ask
    whom: Whom
    cache: Cache
    on_progress: OnProgress

    def answers(self, waiting: Mapping[str, tuple[LicenseQuestion, ...]]) -> dict[str, Answer]:
        """An answer for each key: about ranges first which version is the newest that fits, then about versions."""
        self.on_progress(0, len(waiting))
        ranged = {key: queries for key, queries in waiting.items() if RANGE_SEPARATOR in key}
        newest = self._put(ranged, 0, len(waiting)) if ranged else {}
        found = {key: answer for key, answer in newest.items() if answer.stated.expression is None}
        meant = {key: _version_of(key, answer) for key, answer in newest.items() if key not in found}
        exact = {key: queries for key, queries in waiting.items() if key not in ranged}
        # The version that was found may be one about which is asked anyway, or which is remembered.
        known = dict(self.cache.known(set(meant.values()) - exact.keys())) if meant else {}
        for purl in sorted({*meant.values()} - exact.keys() - known.keys()):
            asked = self.whom(purl, "")
            if not isinstance(asked, UnaskedReason):
                exact[purl] = asked
        known |= self._put(exact, len(ranged), len(ranged) + len(exact)) if exact else {}
        found |= {key: known[key] for key in waiting.keys() - ranged.keys()}
        for key, purl in meant.items():
            found[key] = _fitting(key, purl, known.get(purl) or replace(newest[key], stated=NO_VERSION_FITS))
        for key in ranged:  # Only now complete.
            self._keep(key, found[key])
        return found

    def _put(self, waiting: Mapping[str, tuple[LicenseQuestion, ...]], before: int, of: int) -> dict[str, Answer]:
        found = {}
        for done, (key, answer) in enumerate(self.ask(waiting), before + 1):
            found[key] = answer
            # The answer about a range names only a version so far, whose licence comes later.
            if RANGE_SEPARATOR not in key:
                self._keep(key, answer)
            self.on_progress(done, of)
        return found

    def _keep(self, key: str, answer: Answer) -> None:
        if answer.address and not answer.failed:  # A failure may be over the next time.
            self.cache.keep(key, answer)


def _version_of(key: str, answer: Answer) -> str:
    package = PackageURL.from_string(key.partition(RANGE_SEPARATOR)[0])
    return PackageURL(
        package.type, package.namespace, package.name, answer.stated.expression, package.qualifiers
    ).to_string()


def _fitting(key: str, purl: str, answer: Answer) -> Answer:
    """The answer about a version as one about the range: it names the version."""
    if answer.stated.expression is None:
        return answer
    note = f"newest that fits {key.partition(RANGE_SEPARATOR)[2]}: {version_in(purl)}"
    return replace(answer, stated=replace(answer.stated, note="; ".join(filter(None, (note, answer.stated.note)))))


def learn(
    repository: Repository,
    cache: Cache,
    ask: Ask | str,
    *,
    whom: Whom = lambda purl, wanted: questions(purl, wanted=wanted),
    settled: Callable[[Dependency], bool] = lambda _one: False,
    on_progress: OnProgress = lambda _done, _of: None,
) -> LookupResult:
    """The repository with the licences that registries state for dependencies without one, and why the rest is not known.

    `ask` says why where no registry may be asked: then only what is remembered counts. `settled` tells which dependencies'
    licences the rulebook states.
    """
    planned = _plan(repository, whom, settled)
    wanted = {plan.key: plan.questions for plan in planned if plan.key}
    answers = dict(cache.known(wanted.keys())) if wanted else {}
    waiting = {key: wanted[key] for key in sorted(wanted) if key not in answers}
    # Once anything waits, the result is of this moment alone.
    until = AT_ONCE if waiting else min((answer.until for answer in answers.values()), default=NEVER)
    if not isinstance(ask, str) and waiting:
        answers |= _LookupRun(ask, whom, cache, on_progress).answers(waiting)
    failed = Counter(answer.failed for answer in answers.values() if answer.failed)
    dependencies = tuple(
        _with_answer(dependency, plan, answers, ask if isinstance(ask, str) else OFFLINE)
        for dependency, plan in zip(repository.dependencies, planned, strict=True)
    )
    findings = [
        Finding(UNREACHED, Place("registries"), f"{count:,} licences could not be asked about: {why}")
        for why, count in sorted(failed.items())
    ]
    found = replace(repository, dependencies=dependencies, findings=(*repository.findings, *findings))
    return LookupResult(found, failed, until)


def _plan(repository: Repository, whom: Whom, settled: Callable[[Dependency], bool]) -> list[_LookupPlan]:
    """A plan for each dependency, in their order."""
    # Said anywhere to come from another registry, a package comes from there everywhere.
    elsewhere = {
        without_version(dependency.purl)
        for dependency in repository.dependencies
        if dependency.purl and "_url=" in dependency.purl
    }
    found: list[_LookupPlan] = []
    for dependency in repository.dependencies:
        if dependency.license.expression is not None or settled(dependency):
            found.append(_LookupPlan())
            continue
        wanted = (
            ""
            if dependency.version or len(dependency.version_range) > MAX_RANGE_CHARACTERS
            else dependency.version_range
        )
        asked = whom(dependency.purl, wanted) if dependency.purl else UnaskedReason.NO_REGISTRY
        if dependency.purl and "_url=" not in dependency.purl and without_version(dependency.purl) in elsewhere:
            asked = UnaskedReason.ELSEWHERE
        key = (
            f"{dependency.purl}{RANGE_SEPARATOR}{wanted}"
            if wanted and not version_in(dependency.purl)
            else dependency.purl or ""
        )
        found.append(_LookupPlan(unasked=asked) if isinstance(asked, UnaskedReason) else _LookupPlan(key, asked))
    return found


def _with_answer(dependency: Dependency, plan: _LookupPlan, answers: Mapping[str, Answer], unasked: str) -> Dependency:
    """The dependency with the answer about its licence; one whose licence is known already as it is."""
    if plan.unasked is not None and dependency.license.unknown is not None:
        return dependency  # The tree itself says why, as of a model's card that names no licence.
    if plan.unasked is not None:
        unknown, said = _UNASKED[plan.unasked]
        learned = Learned(None, Source.UNSTATED, Place("registries", None, said) if said else None, unknown)
    elif not plan.key:
        return dependency
    elif plan.key in answers:
        learned = answers[plan.key].learned
    else:
        learned = Learned(None, Source.UNSTATED, Place("registries", None, unasked), Unknown.OFFLINE)
    if learned.unknown in _BUT_A_TEXT and dependency.licenses:
        text = dependency.licenses[0]
        said = f"a text came with it that was not recognised, {text.path}"
        learned = Learned(None, Source.UNSTATED, Place(text.path, None, said), Unknown.UNREADABLE)
    return replace(dependency, license=learned)
