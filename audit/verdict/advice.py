"""Advice on a verdict, by the ways out that its rule leaves, the cheapest first; and on a finding."""

from collections.abc import Mapping
from typing import Final

from audit.facts import LicenseVerdict
from audit.licenses.spdx import data_file

_ADVICE: Final = data_file("advice.toml")
BY_RULE: Final[Mapping[str, str]] = _ADVICE["rules"]
"""Advice by rule (docs/reference/license-rules.md); a rule after which there is nothing to do has no row."""
BY_CODE: Final[Mapping[str, str]] = _ADVICE["findings"]
"""Advice by the code of a finding."""
FINDINGS: Final = "'Findings' in the documentation"
RULES: Final = "'How licences are judged' in the documentation"
WAIVER: Final = (
    "If someone takes responsibility for it, add a waiver to the rulebook, with a reason, a name and an expiry date."
)


def what_to_do(rule: str, verdict: LicenseVerdict) -> str:
    """The advice on a verdict, a sentence or two; empty where nothing is to be done."""
    if verdict in (LicenseVerdict.NOT_APPLICABLE, LicenseVerdict.COMPATIBLE):
        return ""
    return BY_RULE.get(rule, "Ask a lawyer.")


def help_of(code: str) -> str:
    """The advice about a finding, in a sentence; for a code that is not here, where it is described."""
    return BY_CODE.get(code, f"See {FINDINGS}.")
