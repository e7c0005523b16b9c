"""The ruling of one rule on a pair of licences, before the date of the data and the chosen branch are put to it."""

from typing import NamedTuple

from audit.facts import LicenseVerdict
from audit.licenses import license_review
from audit.licenses.expression import Atom
from audit.licenses.license_review import Grade


class Ruling(NamedTuple):
    """A `verdict`, the id of its `rule` (docs/reference/license-rules.md), its `basis`, and a sentence of `reason`."""

    verdict: LicenseVerdict
    rule: str
    basis: str
    reason: str


def permissive(inbound: Atom, rule: str, said: str) -> Ruling:
    """Compatible by `rule`, or obligations where the review found a condition; `said` is the reason without it."""
    found = license_review.of(inbound.license)
    if found is None or not found.condition:
        return Ruling(LicenseVerdict.COMPATIBLE, rule, "category", said)
    if found.grade is Grade.NOTICES:
        return Ruling(LicenseVerdict.COMPATIBLE, rule, "category", f"{said}, and {found.condition}")
    return Ruling(LicenseVerdict.OBLIGATIONS, "category/condition", "review", f"{said}, and {found.condition}")
