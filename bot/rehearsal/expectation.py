"""What a verdict on one commit without sign-off must look like, by what the rules require; pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agreements.rulebook.rules import RepositoryRule

_NO_SIGN_OFF: Final = "dco/missing"
_EXEMPT: Final = frozenset({"dco/member", "dco/exempt", "rules/before-since"})
"""Why the person's commit may need no sign-off although the rules require one."""

REQUIRED: Final[Mapping[str, str]] = {
    "cla": "a CLA is required: the check fails unless you have signed",
    "dco": "a sign-off (DCO) is required: the check fails",
    "both": "a CLA and a sign-off (DCO) are required: the check fails",
    "either": "a CLA or a sign-off (DCO) is required: the check fails unless you have signed the CLA",
    "none": "no CLA and no sign-off is required: the check passes, without a label or comment",
}
"""What is to be expected, by `require` of the rulebook."""


def surprise(rule: RepositoryRule, conclusion: str, codes: Sequence[Mapping[str, Any]], head_sha: str) -> str:
    """Why that verdict is not what the rules ask for, as a sentence; "" when it is."""
    named = {str(one["code"]) for one in codes}
    if conclusion == "action_required":
        return f"It could not be judged: {', '.join(sorted(named)) or 'no reason was recorded'}."
    if rule.require in ("dco", "both") and not named & _EXEMPT:
        missing = any(one["code"] == _NO_SIGN_OFF and one["sha"] == head_sha for one in codes)
        if conclusion != "failure" or not missing:
            return "A sign-off is required, and the verdict does not name the one that is missing."
    if rule.require == "none" and conclusion == "failure" and not any(one.startswith("changelog/") for one in named):
        return "Nothing is required, and the check fails."
    return ""
