"""The steps of a rehearsal by name, and what each of them showed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

Status = Literal["seen", "not-expected", "missing", "skipped"]
"""`not-expected`: the rules ask for nothing to be shown there, which is as good as seen."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step by its id, its title, and the id of the step without which it cannot be tried ("": none)."""

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
"""In their order."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What one step showed: at GitHub by GitHub's clock, and in our database by ours."""

    status: Status
    github: str = ""
    github_at: datetime | None = None
    recorded: str = ""
    recorded_at: datetime | None = None
    remedy: str = ""
    """What to do about a step that was not seen, in a sentence or more."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step showed, and how many seconds it took."""

    step: Step
    seen: Observation
    seconds: float

    @property
    def is_fine(self) -> bool:
        """Whether it showed what it should."""
        return self.seen.status in ("seen", "not-expected")
