"""The typed events that webhooks become: ids and SHAs, and how they are stored."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from agreements.facts import Account
from bot.report.comment_commands import COMMANDS, Handling
from bot.webhook import external_ids
from bot.webhook.payload import BadPayload, Payload


@dataclass(frozen=True, slots=True)
class EventRepository:
    """A repository: `id` and `owner_id` are its identity, `owner` and `name` are labels of the moment."""

    id: int
    owner_id: int
    owner: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryEvent:
    """An event about a `repository`, which is reached through an `installation`."""

    installation: int
    repository: EventRepository


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestChanged(RepositoryEvent):
    """A pull request (`number`) was opened, pushed to, edited or closed (`action`), or gained or lost a `label`.

    `edited`: it got another base branch; `retitled`: another title alone.

    `after` is the head that `sender` answers for, if any; `before` is the one that it replaced. `squash` says what GitHub's
    default message of a squash holds, in its words: COMMIT_MESSAGES, PR_BODY, BLANK; "" where that is not known.
    """

    number: int
    action: str
    sender: Account
    after: str | None = None
    before: str = ""  # The head that `after` took the place of, where GitHub says it
    label: str = ""  # It was put on or taken off.
    squash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandGiven(RepositoryEvent):
    """A `command` of `sender` in the comment `comment_id` on pull request `number`; the text stays at GitHub.

    `head_sha` is the head that we had judged last when the command arrived: what an override is about.
    """

    number: int
    comment_id: int
    command: str
    sender: Account
    head_sha: str = ""

    @property
    def handling(self) -> Handling:
        """The way in which the command is handled."""
        return COMMANDS[self.command].handling


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRerequested(RepositoryEvent):
    """A person (`sender`) pressed "Re-run" on our check of `head_sha`; `external_id` is None for a whole suite.

    `paced`: it was our own button, which counts as the command that judges again.
    """

    head_sha: str
    external_id: str | None
    sender: Account
    paced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VouchPressed(RepositoryEvent):
    """A person (`sender`) pressed "I answer for this" on our check of `head_sha`, the run of pull request `number`."""

    number: int
    head_sha: str
    sender: Account


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRunReplaced(RepositoryEvent):
    """Another deployment of our App wrote the run `check_id` (`external_id`, on `head_sha`) in the place of ours."""

    head_sha: str
    external_id: str
    check_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookPushed(RepositoryEvent):
    """The rule files of a default branch changed, or may have; `whole_owner` when they are the organisation's."""

    whole_owner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchPushed(RepositoryEvent):
    """A `branch` got commits: its head was `before` ("" where it is new) and is `after`; `default_branch`: the repository's.

    `rules`: rule files of the default branch changed, or may have; `whole_owner` when they are the organisation's.
    """

    branch: str
    default_branch: str
    before: str
    after: str
    rules: bool
    whole_owner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationChanged:
    """An `installation` of the App on an `account` came, went, slept, woke or got other `repositories` (`action`)."""

    installation: int
    account: Account
    action: str
    repositories: tuple[EventRepository, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryMoved(RepositoryEvent):
    """A repository has a new name, owner or visibility; the id stays.

    `private` is believed only where it hides. `whole_owner`: the rules of all repositories of its owner may change.
    """

    private: bool = False
    whole_owner: bool = False  # It was or is now `.github`, whose rulebook is the organisation's


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryDeleted(RepositoryEvent):
    """A repository is gone; `whole_owner` when it held the organisation's rulebook."""

    whole_owner: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipChanged:
    """The person `account_id` joined, left or has another role at `owner`, a team or a repository; `installation`."""

    installation: int
    owner: Account
    account_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeGroupChanged(RepositoryEvent):
    """A merge queue made a group for `branch` and asks for its checks, or gave it up (`destroyed`); `head_sha`: merged.

    `by_push`: only its temporary branch tells so; a server that sends events of merge groups tells it twice.
    """

    head_sha: str
    branch: str
    destroyed: bool
    by_push: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationRevoked:
    """The person `account_id` took back the permission they gave the App when signing in."""

    account_id: int


Event = (
    PullRequestChanged
    | CommandGiven
    | CheckRerequested
    | VouchPressed
    | CheckRunReplaced
    | RulebookPushed
    | BranchPushed
    | InstallationChanged
    | RepositoryMoved
    | RepositoryDeleted
    | MembershipChanged
    | MergeGroupChanged
    | AuthorizationRevoked
)
_KINDS: Mapping[str, type[Event]] = {kind.__name__: kind for kind in get_args(Event)}


def ids(event: Event) -> dict[str, Any]:
    """The event as plain JSON: ids, SHAs, names of repositories and logins as labels; nothing else was kept."""
    return {"kind": type(event).__name__, **asdict(event)}


def from_ids(stored: Payload) -> Event:
    """The event that `ids` wrote down, also after a round trip through JSON. Raises `BadPayload` otherwise."""
    values = dict(stored)
    kind = _KINDS.get(str(values.pop("kind", "")))
    if kind is None:
        raise BadPayload("stored event: unknown kind")
    try:
        for key in ("sender", "account", "owner"):
            if key in values:
                values[key] = Account(**values[key])
        if "repository" in values:
            values["repository"] = EventRepository(**values["repository"])
        if "repositories" in values:
            values["repositories"] = tuple(EventRepository(**entry) for entry in values["repositories"])
        return kind(**values)
    except TypeError:  # Another release may have stored other fields.
        raise BadPayload(f"stored event {kind.__name__}: fields do not fit") from None


def subject(event: Event) -> dict[str, Any]:
    """The subject of the event for log lines: `repository` as owner/name, `number`, `head`; each only if it has one."""
    repository = getattr(event, "repository", None)
    # A re-run names its pull request by the external id of our run.
    number = getattr(event, "number", None) or external_ids.number(getattr(event, "external_id", None))
    head = getattr(event, "after", None) or getattr(event, "head_sha", None)
    found = {
        "repository": f"{repository.owner}/{repository.name}" if repository is not None else None,
        "number": number,
        "head": head,
    }
    return {name: value for name, value in found.items() if value}


def of_stored(ids: Payload) -> dict[str, Any]:
    """The same of an event as it was stored; nothing of one that this release does not know."""
    try:
        return subject(from_ids(ids))
    except BadPayload:
        return {}
