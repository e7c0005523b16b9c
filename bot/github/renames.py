"""Follows repositories to their present names: names change hands, the id does not."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from bot.github.client.graphql_errors import Withheld, WithheldField, judge_graphql
from bot.github.client.transport import Parameters, Transport
from bot.github.client.transport_pool import TransportPool
from bot.github.ports import Moved, RepositoryPlace
from bot.github.reading import Json, understanding
from bot.github.reading import place as place_of

Found = TypeVar("Found")


def root(place: RepositoryPlace) -> str:
    """The path of the repository in the API."""
    return f"/repos/{place.owner}/{place.name}"


def current(transport: Transport, place: RepositoryPlace) -> RepositoryPlace:
    """The repository under its present name, asked by id. `Missing` when it is gone or out of reach."""
    data = transport.read(f"/repositories/{place.repository_id}")
    with understanding():
        return place_of(data, place.installation)


def by_name(
    transport: Transport,
    place: RepositoryPlace,
    document: str,
    *,
    optional: Collection[str] = (),
    **variables: str | int | None,
) -> tuple[Json | None, Sequence[WithheldField]]:
    """The repository of that name in GraphQL's answer, and what GitHub withheld there of the `optional` fields.

    None when there is none, or another one is called so now. Raises `Withheld` where it is not known which one it is.
    """
    answer = transport.query(document, {"owner": place.owner, "name": place.name, **variables})
    lost = judge_graphql(answer, optional=optional)
    found: Json = answer.data.get("repository") or {}
    if found and found.get("databaseId") is None:  # Names change hands: it may be another repository.
        raise Withheld([WithheldField(("repository", "databaseId"))])
    return (found if found.get("databaseId") == place.repository_id else None), lost


def same_name(place: RepositoryPlace, other: RepositoryPlace) -> bool:
    """True when both are called the same; GitHub ignores the case of names."""
    return place.full_name.casefold() == other.full_name.casefold()


class RepositoryClient:
    """A part of the hub: it calls GitHub over a pool of transports, and follows repositories that were renamed."""

    def __init__(self, pool: TransportPool) -> None:
        self._pool = pool

    def _transport(self, place: RepositoryPlace) -> Transport:
        return self._pool.installation(place.installation)

    def _bot_login(self) -> str:
        """The login of our App's account."""
        return f"{self._pool.identity().slug}[bot]"

    def _is_ours(self, item: Any, marker: str) -> bool:
        """Whether our App's account wrote it, with that marker in its body."""
        # GitHub keeps the person as author of what they write through an App.
        author, through = item.get("user") or {}, item.get("performed_via_github_app") or {}
        if marker not in (item.get("body") or "") or author.get("type") != "Bot":
            return False
        return bool(through.get("id") == self._pool.app_id if through else author.get("login") == self._bot_login())

    def _pages(
        self, place: RepositoryPlace, path: str, parameters: Parameters | None = None, *, under: str = ""
    ) -> Sequence[Any]:
        """The items of all pages of a list of the repository's."""

        def ask(transport: Transport, there: RepositoryPlace) -> Sequence[Any]:
            return list(transport.pages(root(there) + path, parameters, under=under))

        return self._following(place, ask)

    def _following(self, place: RepositoryPlace, ask: Callable[[Transport, RepositoryPlace], Found]) -> Found:
        """Ask about a repository; when GitHub redirects because it was renamed, ask again under its present name."""
        transport = self._transport(place)
        try:
            return ask(transport, place)
        except Moved:
            there = current(transport, place)
        return ask(transport, there)
