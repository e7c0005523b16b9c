"""Nothing stays of a rehearsal but a closed pull request: what one left behind is found, and what is there is taken away."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from agreements.facts import Account
from bot.github.ports import HubError
from bot.rehearsal.person import GitHubPerson, OpenedPull, Sandbox

REMNANT_AGE: Final = timedelta(hours=1)
"""A younger branch may belong to a rehearsal that is at work."""


@dataclass(frozen=True, slots=True)
class Remnant:
    """The remains of an earlier rehearsal: a `branch` whose commit was made at `since`, and its `pulls` that are still open."""

    branch: str
    since: datetime
    pulls: tuple[OpenedPull, ...]

    @property
    def name(self) -> str:
        """The branch and its pull requests in one clause."""
        numbers = ", ".join(f"#{pull.number}" for pull in self.pulls)
        return f"branch {self.branch} of {self.since:%Y-%m-%d}" + (f" with pull request {numbers}" if numbers else "")


def remnants(person: GitHubPerson, me: Account, *, at: datetime) -> tuple[Remnant, ...]:
    """Branches of rehearsals older than an hour; one whose pull request another person opened is left to them."""
    found = []
    for branch, sha in person.rehearsal_branches().items():
        since = person.committed_at(sha)
        if at - since <= REMNANT_AGE:
            continue
        pulls = person.pulls(branch)
        # A branch from which another person opened a pull request is theirs now.
        if all(pull.opener is not None and pull.opener.id == me.id for pull in pulls):
            found.append(Remnant(branch, since, tuple(pull for pull in pulls if pull.is_open)))
    return tuple(found)


def remove(person: GitHubPerson, sandbox: Sandbox, branch: str, number: int | None = None) -> tuple[str, ...]:
    """Close what is open from that branch, and delete it, however far the rehearsal came; what is left."""
    left = []
    # One by one: what GitHub refuses leaves no more behind than that.
    for known in _open_numbers(person, branch, number):
        try:
            person.close(known)
        except HubError as error:
            left.append(f"pull request {sandbox.page}/pull/{known}: {error}")
    try:
        if person.tip(branch) is not None:  # The rehearsal may have ended before.
            person.delete_branch(branch)
    except HubError as error:
        left.append(f"branch {sandbox.page}/tree/{branch}: {error}")
    return tuple(left)


def _open_numbers(person: GitHubPerson, branch: str, number: int | None) -> Sequence[int]:
    own = [] if number is None else [number]
    try:
        listed = {pull.number: pull.is_open for pull in person.pulls(branch)}
    except HubError:  # Then at least the one that is known.
        return own
    # GitHub's list may not have a new pull request yet.
    return sorted(
        {
            *(pull_number for pull_number in own if listed.get(pull_number, True)),
            *(pull_number for pull_number in listed if listed[pull_number]),
        }
    )
