"""From the event to the first completed check run, and how many calls to GitHub each kind of change takes."""

import time
from collections import Counter
from collections.abc import Callable, Sequence

from figures import Figure, percentiles
from place import Place, opened

from bot.demo.github.contributor import Contributor
from bot.demo.github.state import Call, StoredPull

LATENCY = 0.02
"""Seconds that each call to the simulated GitHub takes longer."""

Opener = Callable[[], StoredPull]


def measure(*, quick: bool) -> list[Figure]:
    """Pull requests opened one after another, every second one by a person who signed."""
    count = 6 if quick else 50
    with opened(latency=LATENCY) as place:
        new, member, later = (place.person(name) for name in ("new", "member", "later"))
        place.sign(member.account)
        first, *red = _openers(place, new, 1 + count - count // 2)
        green, [last] = _openers(place, member, count // 2), _openers(place, later, 1)
        place.stage.serve()
        very_first = _made(place, first)
        waits, calls = [], []
        for number in range(count):
            wait, made = _opened(place, (green if number % 2 else red).pop())
            waits.append(wait)
            calls.append(made)
        what, targets = f"event → first completed run, {{}} of {count}", {"p50": "", "p95": "≤ 300 ms", "max": ""}
        floor = [_before_completion(made) * LATENCY for made in calls]
        return [
            *percentiles(what, waits, floor, beside="its calls × 20 ms", targets=targets),
            *_counted("the very first red verdict", very_first),
            *_counted("a red verdict", calls[-2], target="≤ 3 reads"),
            *_counted("a green verdict", calls[-1], target="≤ 3 reads"),
            *_changes(place, later, last),
        ]


def _openers(place: Place, who: Contributor, count: int) -> list[Opener]:
    names = [f"{who.account.login}-{number}" for number in range(count)]
    fork = place.branches(who, names)

    def opener(name: str) -> Opener:
        return lambda: place.world.open_pull(place.repository, who.account, name, source=fork)

    return [opener(name) for name in names]


def _opened(place: Place, opener: Opener) -> tuple[float, list[Call]]:
    """Seconds from the event to the completed run, and all calls until nothing is left to be done."""
    before = len(place.world.calls)
    start = time.perf_counter()
    pull = opener()
    place.until(lambda: place.completed(pull), pause=0.002)
    wait = time.perf_counter() - start
    place.quiet()
    return wait, place.world.calls[before:]


def _made(place: Place, deed: Callable[[], object]) -> list[Call]:
    before = len(place.world.calls)
    deed()
    time.sleep(0.1)  # Until its webhook is on its way.
    place.quiet()
    return place.world.calls[before:]


def _before_completion(made: Sequence[Call]) -> int:
    return 1 + next(place for place, call in enumerate(made) if "check-runs" in call.template and call.method != "GET")


def _changes(place: Place, who: Contributor, opener: Opener) -> list[Figure]:
    """A pull request of a person who signs while it is open; then a check is asked for although nothing changed."""
    pull = opener()
    place.until(lambda: place.completed(pull))
    place.quiet()
    before = len(place.world.calls)
    start = time.perf_counter()
    place.sign(who.account)
    place.until(lambda: place.completed(pull) == "success", pause=0.002)
    wait = time.perf_counter() - start
    place.quiet()
    signed = place.world.calls[before:]
    asked = _made(place, lambda: place.world.comment(pull, who.account, "/cla-check"))
    return [
        Figure(what="signature stored → run turns green", value=wait * 1000, unit="ms"),
        *_counted("red → green after signing", signed),
        *_counted("/cla-check, nothing changed", asked, target="≤ 1 write"),
    ]


def _counted(what: str, made: Sequence[Call], *, target: str = "") -> list[Figure]:
    """Reads and writes; a minted token is neither. The calls themselves are printed."""
    kinds = Counter(_kind(call) for call in made)
    print(f"{what}: " + ", ".join(f"{call.method} {call.template}" for call in made))
    return [
        Figure(what=f"{what}: reads", value=kinds["read"], unit="calls", target=target if "read" in target else ""),
        Figure(what=f"{what}: writes", value=kinds["write"], unit="calls", target=target if "write" in target else ""),
    ]


def _kind(call: Call) -> str:
    if "access_tokens" in call.template:
        return "token"
    return "read" if call.method == "GET" or "graphql" in call.template else "write"  # GraphQL reads by POST.
