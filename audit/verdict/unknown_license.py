"""Reasons why a licence is not known, each with a rule of its own: "not pinned" has another way out than "none"."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from audit.facts import UNKNOWN_TERMS_RULE, Cell, Judgement, Learned, LicenseVerdict, Unknown

NO_LICENSE_RULE: Final = "license/none"
"""The rule of a use without a licence that could be judged, when nothing more is known."""
RULES: Final[Mapping[Unknown, str]] = {
    unknown: NO_LICENSE_RULE if unknown is Unknown.NOT_STATED else f"license/{unknown.value}" for unknown in Unknown
}
"""The rule by which it is judged in its place."""
NOT_LOOKED_UP_NOTE: Final = (
    "Nothing wrong was found with these. Their licences were not asked for, so it is not known whether they fit."
)
"""The sentence of reports above uses whose licences no registry was asked for."""
NOT_LOOKED_UP: Final = frozenset({RULES[Unknown.OFFLINE], RULES[Unknown.UNREACHABLE]})
"""The rules of what a registry would know, had it been asked: nothing wrong was found with it."""
WORDS: Final[Mapping[str, str]] = {
    "license/not-pinned": "version not pinned",
    "license/offline": "not looked up",
    "license/unreachable": "registry not reachable",
    "license/private": "private package",
    "license/no-registry": "no registry for packages of that kind",
    "license/unreadable": "unreadable statement",
    NO_LICENSE_RULE: "no licence stated",
    "license/unknown": "unknown licence",
    "license/family": "name of several licences",
}
"""The words of a summary for each rule that leaves a licence unknown, in the order in which they are counted."""
_REASONS: Final[Mapping[Unknown, str]] = {
    Unknown.NOT_PINNED: "no version of it is pinned, and each version can have another licence",
    Unknown.OFFLINE: "no registry was asked for its licence",
    Unknown.UNREACHABLE: "a registry could not be asked for its licence",
    Unknown.PRIVATE: "it looks like a private package",
    Unknown.NO_REGISTRY: "nothing that is read in the repository states its licence, and no registry is asked about packages of this kind",
    Unknown.UNREADABLE: "its stated licence cannot be read",
    Unknown.NOT_STATED: "no licence is stated for it",
}


def explained(judged: Judgement, said: Learned) -> Judgement:
    """The judgement with the rule and the reason for which the licence is not known; any other as it is."""
    if judged.rule not in (NO_LICENSE_RULE, UNKNOWN_TERMS_RULE) or said.unknown is None or said.expression:
        return judged
    detail = said.place.said if said.place else ""
    is_of_model = judged.rule == UNKNOWN_TERMS_RULE
    # Models keep their rule: a rulebook's `fail_on` takes it for an unknown licence.
    known = "its terms are not known" if is_of_model else _REASONS[said.unknown]
    reason = known + (f": {detail}" if detail else "")
    return replace(judged, rule=judged.rule if is_of_model else RULES[said.unknown], reason=reason)


def is_not_looked_up(cell: Cell) -> bool:
    """Whether its licence is not known only because no registry was asked, or none answered."""
    return cell.judgement.rule in NOT_LOOKED_UP


def same_rule(rule: str) -> str:
    """One rule in place of all by which a licence is not known; any other as it is."""
    # A registry that is away tonight makes no other verdict.
    return NO_LICENSE_RULE if rule in RULES.values() else rule


def counts(cells: Iterable[Cell]) -> dict[str, int]:
    """The number of uses that are unknown by each rule, in the order of WORDS; rules by which none is are left out."""
    found = Counter(cell.judgement.rule for cell in cells if cell.judgement.verdict is LicenseVerdict.UNKNOWN_LICENSE)
    # A rule that has no words here is counted all the same.
    ordered = [*(rule for rule in WORDS if found[rule]), *sorted(found.keys() - WORDS.keys())]
    return {rule: found[rule] for rule in ordered}


def summary(cells: Iterable[Cell]) -> str:
    """The same counts in words, but for what was not looked up: "version not pinned: 2"; empty where all is known."""
    found = counts(cells).items()
    return ", ".join(f"{WORDS.get(rule, rule)}: {count:,}" for rule, count in found if rule not in NOT_LOOKED_UP)
