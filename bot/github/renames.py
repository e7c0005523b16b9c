"""Where a repository is now: names change hands, the id does not."""

from collections.abc import Callable
from typing import TypeVar

from bot.github.client.transport import Transport, TransportPool
from bot.github.ports import Moved, Place
from bot.github.reading import understanding

Found = TypeVar("Found")


def current(line: Transport, place: Place) -> Place:
    """The repository under its present name, asked by id. `Missing` when it is gone or out of reach."""
    data = line.read(f"/repositories/{place.repository_id}")
    with understanding():
        return Place(place.installation, str(data["owner"]["login"]), str(data["name"]), int(data["id"]))


def same_name(one: Place, other: Place) -> bool:
    """True when both are called the same; GitHub ignores the case of names."""
    return one.full_name.casefold() == other.full_name.casefold()


def following(board: TransportPool, place: Place, ask: Callable[[Transport, Place], Found]) -> Found:
    """Ask about a repository; when GitHub redirects because it was renamed, ask again under its present name."""
    line = board.installation(place.installation)
    try:
        return ask(line, place)
    except Moved:
        there = current(line, place)
    return ask(line, there)
