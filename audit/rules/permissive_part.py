"""A permissive part of a work: what is asked for beside its notices."""

from audit.facts import LicenseVerdict
from audit.licenses import license_review
from audit.licenses.expression import Atom
from audit.licenses.license_review import Grade
from audit.rules.ruling import Ruling


def ruling(inbound: Atom, rule: str, said: str) -> Ruling:
    """Compatible by `rule`, or obligations where the review found one more condition; `said` is the reason without what to keep."""
    found = license_review.of(inbound.license)
    if found is None or not found.condition:
        return Ruling(LicenseVerdict.COMPATIBLE, rule, "category", said)
    if found.grade is Grade.NOTICES:
        return Ruling(LicenseVerdict.COMPATIBLE, rule, "category", f"{said}, and {found.condition}")
    return Ruling(LicenseVerdict.OBLIGATIONS, "category/condition", "review", f"{said}, and {found.condition}")
