"""Licences learned from registries, remembered in the server's database, or in a file of the person who audits on the command line.

Where nothing is to be asked, neither a database nor the network is touched, nor what speaks to them loaded.
"""

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from audit.facts import Repository
from audit.sources import license_lookup
from audit.sources.answers import Answer
from audit.sources.license_lookup import Ask, Cache, LookupResult, OnProgress
from audit.sources.questions import Registry, questions
from audit.verdict.repository_verdict import Judge
from bot.clock import Clock
from bot.settings import Settings

if TYPE_CHECKING:
    from audit.sources.registry_queue import RegistryQueue


class LicenseLookup:
    """Learns what a repository's own files don't tell; `ask` is the reason where no registry may be asked.

    It fulfils Cache itself: `opened` gives the cache behind it (None: there is none), and is called when that is first needed.
    """

    def __init__(self, opened: Callable[[], Cache | None], ask: Ask | str, settings: Settings) -> None:
        self._cache = cache(opened)
        self._ask = ask
        self._private = settings.private_packages
        # The host alone: an address may hold credentials, and `scope` goes into a digest that is stored.
        self._own = {
            Registry(name): urlsplit(address).hostname or "" for name, address in settings.registries.addresses
        }

    @property
    def scope(self) -> str:
        """The settings that decide which registry is asked about which package, as one text without credentials."""
        return repr((self._private, sorted(self._own.items()), self._ask if isinstance(self._ask, str) else ""))

    def learned(
        self, repository: Repository, judge: Judge, on_progress: OnProgress = lambda _done, _of: None
    ) -> LookupResult:
        """The repository with registries' statements on packages of which neither its files nor the rules tell.

        `failed` of the answer says what could not be asked: a caller whose verdict is kept asks again later.
        """
        return license_lookup.learn(
            repository,
            self,
            self._ask,
            whom=lambda purl, wanted: questions(purl, self._private, self._own, wanted),
            settled=lambda dependency: judge.states(repository.name, dependency),
            on_progress=on_progress,
        )

    def known(self, purls: Collection[str]) -> Mapping[str, Answer]:
        held = self._cache()
        return held.known(purls) if held else {}

    def keep(self, purl: str, answer: Answer) -> None:
        held = self._cache()
        if held:
            held.keep(purl, answer)


def of_server(settings: Settings, sessions: Any, clock: Clock) -> LicenseLookup:
    """A lookup with the server's own database, for one job: the next job's asks registries again that were away."""

    def opened() -> Cache:
        from bot.licenses.registry_answers import DatabaseAnswers  # noqa: PLC0415 - only where something is to be asked

        return DatabaseAnswers(sessions, clock)

    return LicenseLookup(opened, _ask(settings, clock), settings)


def of_user(settings: Settings, clock: Clock, say: Callable[[str], None], *, offline: bool) -> LicenseLookup:
    """A lookup with a file in the user's cache; `say` is given a line when that can't be used."""
    ask = license_lookup.OFFLINE if offline else _ask(settings, clock)

    def opened() -> Cache | None:
        # Offline, a cache that is not there is not made.
        if isinstance(ask, str) and not settings.license_cache.exists():
            return None
        from bot.licenses.registry_answers import FileAnswers  # noqa: PLC0415 - only where something is to be asked

        return FileAnswers(settings.license_cache, clock, say)

    return LicenseLookup(opened, ask, settings)


def _ask(settings: Settings, clock: Clock) -> Ask | str:
    """A function that asks the registries in the settings; or why none is asked."""
    addresses = {Registry(name): address for name, address in settings.registries.addresses}

    @cache  # Outages and waits of a registry hold for all repositories together
    def asking() -> "RegistryQueue":
        from audit.sources.registry_queue import RegistryQueue  # noqa: PLC0415 - only where something is to be asked

        return RegistryQueue(addresses, now=clock)

    return (lambda asked: asking().answers(asked)) if addresses else "the settings let no registry be asked"
