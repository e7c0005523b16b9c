"""What a rule says of a pair of licences, before the date of the data and the branch that was chosen are put to it."""

from typing import NamedTuple

from audit.facts import Verdict


class Ruling(NamedTuple):
    """A verdict, the id of the rule that gave it (docs/reference/license-rules.md), who answered, and one sentence of reason."""

    verdict: Verdict
    rule: str
    basis: str
    reason: str
