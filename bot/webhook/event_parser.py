"""A webhook's payload becomes one typed event of ids and SHAs, or nothing."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from bot.webhook import commands, events, external_ids
from bot.webhook.payload import (
    GROUP_BRANCHES,
    MAX_NUMBER,
    Payload,
    account,
    dig,
    is_rules_repository,
    label,
    may_change_rules,
    number,
    text,
)

# Every App receives these events; GitHub refuses them in a manifest's `default_events`.
ALWAYS_SENT = frozenset({"installation", "installation_repositories", "github_app_authorization"})

_PULL_ACTIONS = frozenset(
    {"opened", "reopened", "synchronize", "ready_for_review", "edited", "retitled", "labeled", "unlabeled", "closed"}
)
_MEMBER_ACTIONS = frozenset({"added", "edited", "removed", "member_added", "member_removed"})
_SQUASH: Final = "squash_merge_commit_message"
_INSTALLATION_ACTIONS = frozenset({"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"})
# The temporary branch of a merge group. Source: GitHub's page "Managing a merge queue".
_GROUP_BRANCH: Final = re.compile(rf"refs/heads/{GROUP_BRANCHES}(.+)/pr-\d+-[0-9a-f]+")


def parse(event: str, payload: Payload, *, app_id: int, url: str = "") -> events.Event | None:
    """The typed event behind `X-GitHub-Event: event`; None when it asks nothing of us. Raises `BadPayload`.

    `url` is ours, to which our check runs link; without it those of other deployments are not told apart.
    """
    route = ROUTED.get(event)
    if route is None or not isinstance(payload, Mapping):
        return None
    # A repository's own webhook, which names no installation, is nothing to us.
    if event != "github_app_authorization" and not isinstance(payload.get("installation"), Mapping):
        return None
    if event == "check_run" and payload.get("action") == "completed":
        return _replaced(payload, app_id, url) if url else None
    return route(payload, app_id)


def _repository(payload: Payload) -> events.EventRepository:
    owner = account(payload, "repository", "owner")
    login = owner.login or text(payload, "repository", "owner", "name")  # A push names its owner the old way
    return events.EventRepository(
        number(payload, "repository", "id"), owner.id, login, text(payload, "repository", "name")
    )


def _pull_request(payload: Payload, _app_id: int) -> events.Event | None:
    action = text(payload, "action")
    if action == "edited" and not dig(payload, "changes", "base"):
        # Another text decides nothing. Nor does another title, but our page shows it.
        action = "retitled" if dig(payload, "changes", "title") else ""
    if action not in _PULL_ACTIONS:
        return None
    # Pushes to a closed pull request's branch are not announced: the person who reopens it answers for them.
    pushed = action in {"opened", "reopened", "synchronize"}
    return events.PullRequestChanged(
        installation=number(payload, "installation", "id"),
        repository=_repository(payload),
        number=number(payload, "pull_request", "number", most=MAX_NUMBER),
        action=action,
        sender=account(payload, "sender"),
        after=text(payload, "pull_request", "head", "sha") if pushed else None,
        before=label(payload, "before") if action == "synchronize" else "",
        label=label(payload, "label", "name") if action in {"labeled", "unlabeled"} else "",
        squash=_squash(payload),
    )


def _squash(payload: Payload) -> str:
    # Some of these events name the setting of the pull request, others that of its base (@octokit/openapi 23.0.2). REST
    # tells it only Apps that may write contents: "Get a repository" there.
    base = ("pull_request", "base", "repo")
    if dig(payload, *base, "allow_squash_merge") is False:
        return ""
    found = label(payload, "pull_request", _SQUASH) or label(payload, *base, _SQUASH)
    return found if found in {"COMMIT_MESSAGES", "PR_BODY", "BLANK"} else ""


def _issue_comment(payload: Payload, _app_id: int) -> events.Event | None:
    on_pull_request = isinstance(dig(payload, "issue", "pull_request"), Mapping)
    by_bot = "Bot" in (dig(payload, "comment", "user", "type"), dig(payload, "sender", "type"))
    command = commands.command(dig(payload, "comment", "body"))
    if payload.get("action") != "created" or not on_pull_request or by_bot or command is None:
        return None
    return events.CommandGiven(
        installation=number(payload, "installation", "id"),
        repository=_repository(payload),
        number=number(payload, "issue", "number", most=MAX_NUMBER),
        comment_id=number(payload, "comment", "id"),
        command=command,
        sender=account(payload, "sender"),
    )


def _check(subject: str) -> Callable[[Payload, int], events.Event | None]:
    def read(payload: Payload, app_id: int) -> events.Event | None:
        if dig(payload, subject, "app", "id") != app_id:
            return None  # It is another App's check.
        # A button that we offer, pressed by a person: as with commands, what a bot asks for is ignored.
        is_button = payload.get("action") == "requested_action" and dig(payload, "sender", "type") != "Bot"
        button = dig(payload, "requested_action", "identifier") if is_button else None
        if button == commands.ANSWER_FOR_AGENTS:
            return _vouch(payload)
        pressed = button == commands.CHECK_AGAIN
        if payload.get("action") != "rerequested" and not pressed:
            return None
        external_id = dig(payload, subject, "external_id")
        return events.CheckRerequested(
            installation=number(payload, "installation", "id"),
            repository=_repository(payload),
            head_sha=text(payload, subject, "head_sha"),
            external_id=external_id if isinstance(external_id, str) and external_id else None,
            sender=account(payload, "sender"),
            paced=pressed,
        )

    return read


def _vouch(payload: Payload) -> events.Event | None:
    external_id, repository = label(payload, "check_run", "external_id"), _repository(payload)
    pull = external_ids.number(external_id)
    # A run that another repository's pull request is named on, or one about licences, offers no such button.
    if pull is None or external_id != external_ids.of_pull(repository.id, pull):
        return None
    return events.VouchPressed(
        installation=number(payload, "installation", "id"),
        repository=repository,
        number=pull,
        head_sha=text(payload, "check_run", "head_sha"),
        sender=account(payload, "sender"),
    )


def _replaced(payload: Payload, app_id: int, url: str) -> events.Event | None:
    if dig(payload, "check_run", "app", "id") != app_id:
        return None
    external_id, link = (label(payload, "check_run", name) for name in ("external_id", "details_url"))
    repository, pull = _repository(payload), external_ids.number(external_id)
    # GitHub sends us what we wrote ourselves, too. Only runs on a pull request link to a page of ours.
    if (
        pull is None
        or external_id != external_ids.of_pull(repository.id, pull)
        or link.lower().startswith(f"{url}/".lower())
    ):
        return None
    return events.CheckRunReplaced(
        installation=number(payload, "installation", "id"),
        repository=repository,
        head_sha=text(payload, "check_run", "head_sha"),
        external_id=external_id,
        check_id=number(payload, "check_run", "id"),
    )


def _push(payload: Payload, _app_id: int) -> events.Event | None:
    if group := _GROUP_BRANCH.fullmatch(text(payload, "ref")):  # Some servers send no merge_group.
        is_gone = payload.get("deleted") is True
        return events.MergeGroupChanged(
            installation=number(payload, "installation", "id"),
            repository=_repository(payload),
            head_sha=text(payload, "before" if is_gone else "after"),
            branch=group[1],
            destroyed=is_gone,
            by_push=True,
        )
    branch = text(payload, "ref").removeprefix("refs/heads/")
    if branch == text(payload, "ref") or payload.get("deleted") is True:  # A tag changes no branch.
        return None
    default = text(payload, "repository", "default_branch")
    return events.BranchPushed(
        installation=number(payload, "installation", "id"),
        repository=_repository(payload),
        branch=branch,
        default_branch=default,
        before="" if payload.get("created") is True else text(payload, "before"),
        after=text(payload, "after"),
        rules=branch == default and may_change_rules(payload),
        whole_owner=is_rules_repository(payload),
    )


def _rulebook(payload: Payload) -> events.RulebookPushed:
    return events.RulebookPushed(
        installation=number(payload, "installation", "id"),
        repository=_repository(payload),
        whole_owner=is_rules_repository(payload),
    )


def _installation(prefix: str = "") -> Callable[[Payload, int], events.Event | None]:
    def read(payload: Payload, _app_id: int) -> events.Event | None:
        said = text(payload, "action")
        if said not in (("added", "removed") if prefix else _INSTALLATION_ACTIONS):
            return None
        action = prefix + said
        owner = account(payload, "installation", "account")
        listed = payload.get(action if prefix else "repositories")
        entries = listed if isinstance(listed, Sequence) else ()
        return events.InstallationChanged(
            installation=number(payload, "installation", "id"),
            account=owner,
            action=action,
            repositories=tuple(
                events.EventRepository(number(entry, "id"), owner.id, owner.login, text(entry, "name"))
                for entry in entries
            ),
        )

    return read


def _repository_event(payload: Payload, _app_id: int) -> events.Event | None:
    action = text(payload, "action")
    if action in {"renamed", "transferred", "privatized", "publicized"}:
        return events.RepositoryMoved(
            installation=number(payload, "installation", "id"),
            repository=_repository(payload),
            private=dig(payload, "repository", "private") is not False,  # Unknown is private.
            whole_owner=is_rules_repository(payload),
        )
    if action == "deleted":
        return events.RepositoryDeleted(
            installation=number(payload, "installation", "id"),
            repository=_repository(payload),
            whole_owner=is_rules_repository(payload),
        )
    is_new = action == "created" and is_rules_repository(payload)
    if is_new or (action == "edited" and dig(payload, "changes", "default_branch")):
        return _rulebook(payload)
    return None


def _merge_group(payload: Payload, _app_id: int) -> events.Event | None:
    action = text(payload, "action")
    if action not in {"checks_requested", "destroyed"}:
        return None
    return events.MergeGroupChanged(
        installation=number(payload, "installation", "id"),
        repository=_repository(payload),
        head_sha=text(payload, "merge_group", "head_sha"),
        branch=text(payload, "merge_group", "base_ref").removeprefix("refs/heads/"),
        destroyed=action == "destroyed",
    )


def _membership(*person: str) -> Callable[[Payload, int], events.Event | None]:
    def read(payload: Payload, _app_id: int) -> events.Event | None:
        who = dig(payload, *person)
        if payload.get("action") not in _MEMBER_ACTIONS or not isinstance(who, Mapping):
            return None  # An account that is gone has no name here; its pull requests are a ghost's from now on
        owner = ("organization",) if isinstance(payload.get("organization"), Mapping) else ("repository", "owner")
        return events.MembershipChanged(
            installation=number(payload, "installation", "id"),
            owner=account(payload, *owner),
            account_id=number(who, "id"),
        )

    return read


def _authorization(payload: Payload, _app_id: int) -> events.Event | None:
    is_revoked = payload.get("action") == "revoked"
    return events.AuthorizationRevoked(account_id=number(payload, "sender", "id")) if is_revoked else None


# Every event name that we act on; app.yaml subscribes to exactly these but `ALWAYS_SENT`.
ROUTED: Mapping[str, Callable[[Payload, int], events.Event | None]] = MappingProxyType(
    {
        "pull_request": _pull_request,
        "issue_comment": _issue_comment,
        "check_run": _check("check_run"),
        "check_suite": _check("check_suite"),
        "push": _push,
        "installation": _installation(),
        "installation_repositories": _installation("repositories_"),
        "repository": _repository_event,
        "merge_group": _merge_group,
        "member": _membership("member"),
        "membership": _membership("member"),
        "organization": _membership("membership", "user"),
        "github_app_authorization": _authorization,
    }
)
