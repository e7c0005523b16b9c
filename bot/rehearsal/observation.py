"""The steps of a rehearsal by name, what each of them showed, and what a verdict on a commit without sign-off must look like; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from agreements.rulebook.rules import RepositoryRule

_NO_SIGN_OFF: Final = "dco/missing"
_EXEMPT: Final = frozenset({"dco/member", "dco/exempt", "rules/before-since"})
"""The reasons for which the person's commit may need no sign-off although the rules require one."""

REQUIRED: Final[Mapping[str, str]] = {
    "cla": "a CLA is required: the check fails unless you have signed",
    "dco": "a sign-off (DCO) is required: the check fails",
    "both": "a CLA and a sign-off (DCO) are required: the check fails",
    "either": "a CLA or a sign-off (DCO) is required: the check fails unless you have signed the CLA",
    "none": "no CLA and no sign-off is required: the check passes, without a label or comment",
}
"""The expectation by `require` of the rulebook."""


def surprise(rule: RepositoryRule, conclusion: str, codes: Sequence[Mapping[str, Any]], head_sha: str) -> str:
    """The reason for which that verdict is not what the rules ask for, as a sentence; "" when it is."""
    named = {str(code["code"]) for code in codes}
    if conclusion == "action_required":  # A doubt says nothing of the rules.
        return f"It could not be judged: {', '.join(sorted(named)) or 'no reason was recorded'}."
    if rule.require in ("dco", "both") and not named & _EXEMPT:
        # Of this commit: the pull request has no other.
        missing = any(code["code"] == _NO_SIGN_OFF and code["sha"] == head_sha for code in codes)
        if conclusion != "failure" or not missing:
            return "A sign-off is required, and the verdict does not name the one that is missing."
    # A changelog may be required all the same.
    if rule.require == "none" and conclusion == "failure" and not any(code.startswith("changelog/") for code in named):
        return "Nothing is required, and the check fails."
    return ""


Status = Literal["seen", "not-expected", "missing", "skipped"]
"""`not-expected`: the rules ask for nothing to be shown there, which is as good as seen."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step by its `id`, its `title`, and the id of the step that it `needs` to be tried ("": none)."""

    id: str
    title: str
    needs: str = ""


STEPS: Final = (
    Step("commit", "Commit"),
    Step("branch", "Branch", "commit"),
    Step("pull-request", "Pull request", "branch"),
    Step("webhook", "Webhook", "pull-request"),
    Step("check", "Check", "webhook"),
    Step("label", "Label", "check"),
    Step("comment", "Comment", "check"),
    Step("command", "Command", "check"),
    Step("answer", "Answer", "command"),
    Step("close", "Close", "pull-request"),
    Step("delete-branch", "Delete branch", "branch"),
)
"""The steps in their order."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The outcome of a step: its `status`, what `github` shows by its clock (`github_at`), what we `recorded` by ours (`recorded_at`)."""

    status: Status
    github: str = ""
    github_at: datetime | None = None
    recorded: str = ""
    recorded_at: datetime | None = None
    remedy: str = ""
    """The advice on a step that was not seen, in a sentence or more."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The `step`, what was `seen` of it, and how many `seconds` it took."""

    step: Step
    seen: Observation
    seconds: float

    @property
    def is_fine(self) -> bool:
        """Whether it showed what it should."""
        return self.seen.status in ("seen", "not-expected")
