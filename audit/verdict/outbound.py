"""Licences that a work could have so that everything it uses fits: each in turn, with what stands in its way."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from audit.facts import Delivery, Dependency, Judgement, LicenseVerdict
from audit.licenses.osadl import Matrix
from audit.licenses.strength import Strength, of
from audit.rules import system_library
from audit.rules.expression_compatibility import judge
from audit.verdict.unknown_license import explained

MORE: Final = ("MIT-0", "MulanPSL-2.0")
"""Licences that people choose for their work and that OSADL's matrix may lack."""


@dataclass(frozen=True, slots=True)
class OutboundCandidate:
    """A `license` that the work could have, and the `worst` verdict that any use has under it.

    `blockers` are the dependencies whose verdict is worse than conditional, each with its judgement, worst first.
    """

    license: str
    worst: LicenseVerdict
    blockers: tuple[tuple[Dependency, Judgement], ...]

    @property
    def is_clean(self) -> bool:
        """True if nothing stands in its way: at most there are obligations or conditions to keep."""
        return not self.blockers


def candidates(dependencies: Iterable[Dependency], delivery: Delivery, data: Matrix) -> tuple[OutboundCandidate, ...]:
    """Every licence of the matrix, and MORE, as the work's own: clean ones first, the freest first among them, then by name.

    After them those with the fewest blockers. What is unknown blocks every licence: no choice of one's own helps.
    """
    uses: dict[tuple[str | None, str, bool], list[Dependency]] = {}
    for dependency in dependencies:
        # Uses that are judged alike are judged once for each of more than a hundred licences.
        key = (dependency.license.expression, dependency.usage, system_library.is_candidate(dependency))
        uses.setdefault(key, []).append(dependency)
    found = [_candidate(name, uses, delivery, data) for name in dict.fromkeys((*data.names, *MORE))]
    return tuple(sorted(found, key=_order))


def _candidate(
    name: str, uses: dict[tuple[str | None, str, bool], list[Dependency]], delivery: Delivery, data: Matrix
) -> OutboundCandidate:
    worst = LicenseVerdict.NOT_APPLICABLE
    blockers: list[tuple[Dependency, Judgement]] = []
    for (inbound, *_), together in uses.items():
        found = judge(name, inbound, together[0].usage, delivery, data)
        found = system_library.considered(found, name, together[0])
        worst = max(worst, found.verdict, key=lambda verdict: verdict.rank)
        if found.verdict.rank > LicenseVerdict.CONDITIONAL.rank:  # Conditions can be met.
            blockers += [(dependency, explained(found, dependency.license)) for dependency in together]
    blockers.sort(
        key=lambda blocker: (
            -blocker[1].verdict.rank,
            blocker[0].name.casefold(),
            blocker[0].name,
            blocker[0].version or "",
        )
    )
    return OutboundCandidate(name, worst, tuple(blockers))


def _order(candidate: OutboundCandidate) -> tuple[bool, int, int, int, str]:
    license_id, _, exception = candidate.license.partition(" WITH ")
    # Clean before not, few blockers before many; then the least duties of one's own, the best verdict, the name.
    reach: Strength = of(license_id, exception or None)
    return not candidate.is_clean, len(candidate.blockers), reach, candidate.worst.rank, candidate.license.casefold()
