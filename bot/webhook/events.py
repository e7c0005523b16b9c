"""What GitHub tells us, cut down to ids and SHAs: a webhook's payload becomes one typed event, or nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, get_args

from agreements.facts import Account
from bot.webhook import commands, rule_files
from bot.webhook.payload import MAX_NUMBER, BadPayload, Payload, account, dig, label, number, text

ALWAYS_SENT = frozenset({"installation", "installation_repositories", "github_app_authorization"})
"""Events that every App receives; GitHub refuses them in a manifest's `default_events`."""

_PULL_ACTIONS = frozenset(
    {"opened", "reopened", "synchronize", "ready_for_review", "edited", "labeled", "unlabeled", "closed"}
)
_MEMBER_ACTIONS = frozenset({"added", "edited", "removed", "member_added", "member_removed"})
_INSTALLATION_ACTIONS = frozenset({"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"})


@dataclass(frozen=True, slots=True)
class EventRepository:
    """A repository; the ids are its identity, owner and name are labels of the moment."""

    id: int
    owner_id: int
    owner: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryEvent:
    """What every event about a repository says: through which installation we reach it, and which it is."""

    installation: int
    repository: EventRepository


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestChanged(RepositoryEvent):
    """A pull request was opened, pushed to, edited or closed; `after` is the head that `sender` answers for, if any."""

    number: int
    action: str
    sender: Account
    after: str | None = None
    before: str = ""  # the head that `after` took the place of, where GitHub says it
    label: str = ""  # what was put on or taken off


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandGiven(RepositoryEvent):
    """Somebody asked in a comment; its text stays at GitHub.

    `head_sha` is the head that we had judged last when the command arrived: what an override is about.
    """

    number: int
    comment_id: int
    command: commands.Command
    sender: Account
    head_sha: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRerequested(RepositoryEvent):
    """Somebody pressed "Re-run" on our check; `external_id` is None for a whole suite.

    `paced`: it was our own button, which counts as the command that judges again.
    """

    head_sha: str
    external_id: str | None
    sender: Account
    paced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookPushed(RepositoryEvent):
    """The rule files of a default branch changed, or may have; `whole_owner` when they are the organisation's."""

    whole_owner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationChanged:
    """The App came, went, slept, woke or was given other repositories; `repositories` are those named."""

    installation: int
    account: Account
    action: str
    repositories: tuple[EventRepository, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryMoved(RepositoryEvent):
    """A repository has a new name, owner or visibility; the id stays. `private` is believed only where it hides."""

    private: bool = False
    whole_owner: bool = False  # it was or is now `.github`, whose rulebook is the organisation's


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipChanged:
    """Somebody came to or left an organisation, a team of it or a repository, or has another role: which, GitHub is asked."""

    installation: int
    owner: Account
    account_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeGroupChanged(RepositoryEvent):
    """A merge queue made a group for `branch`, whose checks it asks for, or gave it up; `head_sha` is its trial merge."""

    head_sha: str
    branch: str
    destroyed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationRevoked:
    """A person took back the permission they gave the App when signing in."""

    account_id: int


Event = (
    PullRequestChanged
    | CommandGiven
    | CheckRerequested
    | RulebookPushed
    | InstallationChanged
    | RepositoryMoved
    | MembershipChanged
    | MergeGroupChanged
    | AuthorizationRevoked
)
_KINDS: Mapping[str, type[Event]] = {kind.__name__: kind for kind in get_args(Event)}


def parse(event: str, payload: Payload, *, app_id: int) -> Event | None:
    """The typed event behind `X-GitHub-Event: event`; None when it asks nothing of us.

    What a repository's own webhook sends (no installation) and re-runs of other Apps' checks are nothing to us.
    Raises `BadPayload` when an event that we handle lacks what we need.
    """
    route = ROUTED.get(event)
    if route is None or not isinstance(payload, Mapping):
        return None
    if event != "github_app_authorization" and not isinstance(payload.get("installation"), Mapping):
        return None
    return route(payload, app_id)


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
    except TypeError:
        raise BadPayload(f"stored event {kind.__name__}: fields do not fit") from None


def _repository(payload: Payload) -> EventRepository:
    owner = account(payload, "repository", "owner")
    login = owner.login or text(payload, "repository", "owner", "name")  # a push names its owner the old way
    return EventRepository(number(payload, "repository", "id"), owner.id, login, text(payload, "repository", "name"))


def _pull_request(payload: Payload, _app_id: int) -> Event | None:
    action = text(payload, "action")
    if action not in _PULL_ACTIONS or (action == "edited" and not dig(payload, "changes", "base")):
        return None
    # Pushes to a closed pull request's branch are not announced: whoever reopens it answers for them.
    pushed = action in {"opened", "reopened", "synchronize"}
    return PullRequestChanged(
        installation=number(payload, "installation", "id"),
        repository=_repository(payload),
        number=number(payload, "pull_request", "number", most=MAX_NUMBER),
        action=action,
        sender=account(payload, "sender"),
        after=text(payload, "pull_request", "head", "sha") if pushed else None,
        before=label(payload, "before") if action == "synchronize" else "",
        label=label(payload, "label", "name") if action in {"labeled", "unlabeled"} else "",
    )


def _issue_comment(payload: Payload, _app_id: int) -> Event | None:
    on_pull_request = isinstance(dig(payload, "issue", "pull_request"), Mapping)
    by_bot = "Bot" in (dig(payload, "comment", "user", "type"), dig(payload, "sender", "type"))
    command = commands.command(dig(payload, "comment", "body"))
    if payload.get("action") != "created" or not on_pull_request or by_bot or command is None:
        return None
    return CommandGiven(
        installation=number(payload, "installation", "id"),
        repository=_repository(payload),
        number=number(payload, "issue", "number", most=MAX_NUMBER),
        comment_id=number(payload, "comment", "id"),
        command=command,
        sender=account(payload, "sender"),
    )


def _check(subject: str) -> Callable[[Payload, int], Event | None]:
    def read(payload: Payload, app_id: int) -> Event | None:
        if dig(payload, subject, "app", "id") != app_id:
            return None
        pressed = payload.get("action") == "requested_action" and _is_ours(payload)
        if payload.get("action") != "rerequested" and not pressed:
            return None
        external_id = dig(payload, subject, "external_id")
        return CheckRerequested(
            installation=number(payload, "installation", "id"),
            repository=_repository(payload),
            head_sha=text(payload, subject, "head_sha"),
            external_id=external_id if isinstance(external_id, str) and external_id else None,
            sender=account(payload, "sender"),
            paced=pressed,
        )

    return read


def _is_ours(payload: Payload) -> bool:
    """The button that we offer, pressed by a person: as with commands, what a bot asks for is ignored."""
    identifier, by_bot = dig(payload, "requested_action", "identifier"), dig(payload, "sender", "type") == "Bot"
    return identifier == commands.CHECK_AGAIN and not by_bot


def _push(payload: Payload, _app_id: int) -> Event | None:
    on_default = text(payload, "ref") == f"refs/heads/{text(payload, 'repository', 'default_branch')}"
    if not on_default or payload.get("deleted") is True or not rule_files.may_change(payload):
        return None
    return _rulebook(payload)


def _rulebook(payload: Payload) -> RulebookPushed:
    return RulebookPushed(
        installation=number(payload, "installation", "id"),
        repository=_repository(payload),
        whole_owner=rule_files.is_organizations(payload),
    )


def _installation(payload: Payload, _app_id: int) -> Event | None:
    action = text(payload, "action")
    if action not in _INSTALLATION_ACTIONS:
        return None
    return _installed(payload, action=action, listed=payload.get("repositories"))


def _installation_repositories(payload: Payload, _app_id: int) -> Event | None:
    action = text(payload, "action")
    if action not in {"added", "removed"}:
        return None
    return _installed(payload, action=f"repositories_{action}", listed=payload.get(f"repositories_{action}"))


def _installed(payload: Payload, *, action: str, listed: object) -> InstallationChanged:
    owner = account(payload, "installation", "account")
    entries = listed if isinstance(listed, Sequence) else ()
    return InstallationChanged(
        installation=number(payload, "installation", "id"),
        account=owner,
        action=action,
        repositories=tuple(
            EventRepository(number(entry, "id"), owner.id, owner.login, text(entry, "name")) for entry in entries
        ),
    )


def _repository_event(payload: Payload, _app_id: int) -> Event | None:
    action = text(payload, "action")
    if action in {"renamed", "transferred", "privatized", "publicized"}:
        return RepositoryMoved(
            installation=number(payload, "installation", "id"),
            repository=_repository(payload),
            private=dig(payload, "repository", "private") is not False,
            whole_owner=rule_files.is_organizations(payload),
        )
    came_or_went = action in {"created", "deleted"} and rule_files.is_organizations(payload)
    if came_or_went or (action == "edited" and dig(payload, "changes", "default_branch")):
        return _rulebook(payload)
    return None


def _merge_group(payload: Payload, _app_id: int) -> Event | None:
    action = text(payload, "action")
    if action not in {"checks_requested", "destroyed"}:
        return None
    return MergeGroupChanged(
        installation=number(payload, "installation", "id"),
        repository=_repository(payload),
        head_sha=text(payload, "merge_group", "head_sha"),
        branch=text(payload, "merge_group", "base_ref").removeprefix("refs/heads/"),
        destroyed=action == "destroyed",
    )


def _membership(*person: str) -> Callable[[Payload, int], Event | None]:
    def read(payload: Payload, _app_id: int) -> Event | None:
        who = dig(payload, *person)
        if payload.get("action") not in _MEMBER_ACTIONS or not isinstance(who, Mapping):
            return None  # an account that is gone has no name here; its pull requests are a ghost's from now on
        owner = ("organization",) if isinstance(payload.get("organization"), Mapping) else ("repository", "owner")
        return MembershipChanged(
            installation=number(payload, "installation", "id"),
            owner=account(payload, *owner),
            account_id=number(who, "id"),
        )

    return read


def _authorization(payload: Payload, _app_id: int) -> Event | None:
    if payload.get("action") != "revoked":
        return None
    return AuthorizationRevoked(account_id=number(payload, "sender", "id"))


ROUTED: Mapping[str, Callable[[Payload, int], Event | None]] = MappingProxyType(
    {
        "pull_request": _pull_request,
        "issue_comment": _issue_comment,
        "check_run": _check("check_run"),
        "check_suite": _check("check_suite"),
        "push": _push,
        "installation": _installation,
        "installation_repositories": _installation_repositories,
        "repository": _repository_event,
        "merge_group": _merge_group,
        "member": _membership("member"),
        "membership": _membership("member"),
        "organization": _membership("membership", "user"),
        "github_app_authorization": _authorization,
    }
)
"""The routing table: every event name that we act on; app.yaml subscribes to exactly these but `ALWAYS_SENT`."""
