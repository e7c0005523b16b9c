"""Licences learned from registries, remembered in the server's database, or in a file of whoever audits on the command line.

Where nothing is to be asked, neither a database nor the network is touched, nor what speaks to them loaded.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from audit.facts import Repository
from audit.sources import license_lookup
from audit.sources.answers import Answer
from audit.sources.license_lookup import Cache, Learnt
from audit.sources.questions import Question, Registry, questions
from audit.verdict.repository_verdict import Judge
from bot.clock import Clock
from bot.settings import Settings

if TYPE_CHECKING:
    from audit.sources.registry_queue import Asking

OnProgress = Callable[[int, int], None]
"""Is told how many of how many packages have been asked about."""


class Learner:
    """Learns what a repository's own files don't tell; `asks` gives who asks, and is None where nobody may be asked.

    It fulfils Cache itself: `opened` gives what remembers (None: nothing does), and is called when that is first needed.
    """

    def __init__(
        self,
        opened: Callable[[], Cache | None],
        asks: "Callable[[], Asking] | None",
        settings: Settings,
        *,
        offline: bool = False,
    ) -> None:
        self._nobody = license_lookup.OFFLINE if offline else "the settings let no registry be asked"
        self._opened = opened
        self._asks = asks
        self._private = settings.private_packages
        self._own = {Registry(name): urlsplit(one).hostname or "" for name, one in settings.registries.addresses}

    def learned(
        self, repository: Repository, judge: Judge, on_progress: OnProgress = lambda _done, _of: None
    ) -> Learnt:
        """The repository with what registries state for whatever neither its files nor the judge's rulebook tell.

        `failed` of the answer says what could not be asked: whoever judges for good asks again later.
        """
        return license_lookup.learn(
            repository,
            self,
            self._nobody if self._asks is None else self._answers,
            whom=lambda purl, wanted: questions(purl, self._private, self._own, wanted),
            settled=lambda one: judge.states(repository.name, one),
            on_progress=on_progress,
        )

    @cached_property
    def _cache(self) -> Cache | None:
        return self._opened()

    def known(self, purls: Collection[str]) -> Mapping[str, Answer]:
        """The answers that are still good."""
        return self._cache.known(purls) if self._cache else {}

    def keep(self, purl: str, answer: Answer) -> None:
        """Remember it."""
        if self._cache:
            self._cache.keep(purl, answer)

    @cached_property
    def _asking(self) -> "Asking":
        assert self._asks is not None
        return self._asks()

    def _answers(self, asked: Mapping[str, tuple[Question, ...]]) -> Iterator[tuple[str, Answer]]:
        return self._asking.answers(asked)


def of_server(settings: Settings, sessions: Any, clock: Clock) -> Learner:
    """With the server's own database. For one job: the next one's asks again who was away."""

    def cache() -> Cache:
        from bot.licenses.registry_answers import InDatabase  # noqa: PLC0415 - only where something is to be asked

        return InDatabase(sessions, clock)

    return Learner(cache, _asks(settings, clock), settings)


def of_user(settings: Settings, clock: Clock, say: Callable[[str], None], *, offline: bool) -> Learner:
    """With a file in the user's cache; `say` is given a line when that can't be used."""
    asks = None if offline else _asks(settings, clock)

    def cache() -> Cache | None:
        if asks is None and not settings.license_cache.exists():
            return None
        from bot.licenses.registry_answers import InFile  # noqa: PLC0415 - only where something is to be asked

        return InFile(settings.license_cache, clock, say)

    return Learner(cache, asks, settings, offline=offline)


def _asks(settings: Settings, clock: Clock) -> "Callable[[], Asking] | None":
    """Who asks those registries that the operator lets be asked; None if that is none."""
    addresses = {Registry(name): address for name, address in settings.registries.addresses}

    def asking() -> "Asking":
        from audit.sources.registry_queue import Asking  # noqa: PLC0415 - only where something is to be asked

        return Asking(addresses, now=clock)

    return asking if addresses else None
