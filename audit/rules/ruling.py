"""What a rule says of a pair of licences, before the date of the data and the branch that was chosen are put to it."""

from typing import NamedTuple

from audit.facts import LicenseVerdict


class Ruling(NamedTuple):
    """A verdict, the id of the rule that gave it (docs/reference/license-rules.md), who answered, and one sentence of reason."""

    verdict: LicenseVerdict
    rule: str
    basis: str
    reason: str
