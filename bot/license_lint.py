"""What a valid licence part of a rulebook says but surely does not mean: waivers that are over, licences that nobody knows."""

from collections.abc import Iterator
from datetime import datetime

from audit import strength
from audit.aliases import FAMILIES
from audit.derivation import nobody_knows
from audit.expression import All, atoms, read
from audit.policy import Policy, fits
from bot.documents import Path

Doubt = tuple[Path, str]


def doubts(policy: Policy, now: datetime) -> tuple[Doubt, ...]:
    """Every doubt with the key path that it is about; only what is certain at `now`."""
    return (*_repositories(policy), *_dependencies(policy), *_waivers(policy, now))


def _repositories(policy: Policy) -> Iterator[Doubt]:
    names: list[str] = []
    for name, said in policy.repositories.items():
        at: Path = ("licenses", "repositories", name)
        if any(fits((earlier,), name) for earlier in names):
            yield at, "never counts: an earlier entry fits it, too"
        names.append(name)
        yield from _unknown(at, said)


def _dependencies(policy: Policy) -> Iterator[Doubt]:
    seen: set[tuple[object, ...]] = set()
    for index, one in enumerate(policy.dependencies):
        at: Path = ("licenses", "dependencies", index)
        same = (one.purl or one.name.casefold(), one.repositories)
        if same in seen:
            yield at, "never counts: an earlier entry is for the same dependency"
        seen.add(same)
        yield from _unknown((*at, "license"), one.license)
        own = [read(said) for said in policy.repositories.values()]
        part = read(one.component)
        if part is not None and not any(isinstance(whole, All) and part in whole.parts for whole in own):
            yield (
                (*at, "component"),
                "is no part of an AND that repositories above gives; it counts only where the files say so",
            )


def _waivers(policy: Policy, now: datetime) -> Iterator[Doubt]:
    for index, one in enumerate(policy.waivers):
        if one.until <= now.date():
            yield ("licenses", "waivers", index, "until"), f"is over since {one.until}: it waives nothing"


def _unknown(at: Path, said: str | None) -> Iterator[Doubt]:
    """Ids that nobody knows: mostly a slip, and unknown-license in every judgement."""
    expression = read(said)
    for atom in () if expression is None else atoms(expression):
        if atom.license not in FAMILIES and not strength.is_known(atom.license):
            yield at, nobody_knows(atom.license)
