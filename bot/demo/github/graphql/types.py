"""The types of GitHub's GraphQL schema that are served here: each field is a function of the object and its arguments."""

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.demo.github.authentication import Caller
from bot.demo.github.git import bare_repository, changed_files, objects
from bot.demo.github.graphql.query import QueryInvalid
from bot.demo.github.state import StoredAccount, StoredPull, StoredRepository, timestamp

Arguments = Mapping[str, Any]
Resolver = Callable[[Caller, Any, Arguments], Any]
_COAUTHOR = re.compile(r"^co-authored-by:[ \t]*([^<\n]*?)[ \t]*<([^<>\n]*)>[ \t]*$", re.IGNORECASE | re.MULTILINE)
_MAX_PAGE_ITEMS = 100  # GitHub gives no more items of a connection at once.
_MAX_TEXT_BYTES = 512_000  # GitHub cuts longer texts.


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A `value` with the name of its GraphQL `type`."""

    type: str
    value: Any


class NodeNotFound(Exception):
    """GraphQL's NOT_FOUND: the field is null and an error stands beside the data."""


def _typed(name: str, value: object) -> TypedValue | None:
    return None if value is None else TypedValue(name, value)


def account(who: StoredAccount | None) -> TypedValue | None:
    """A person, bot or organisation under its own type."""
    return None if who is None else TypedValue(who.type, who)


def connection(type_name: str, items: Sequence[Any], arguments: Arguments) -> TypedValue:
    """A page of a list by cursors; `first` or `last` is demanded as at GitHub, 100 at most."""
    first = arguments.get("first", arguments.get("last"))
    if not isinstance(first, int) or not 0 <= first <= _MAX_PAGE_ITEMS:
        raise QueryInvalid(
            f"You must provide a `first` or `last` value of 0 to {_MAX_PAGE_ITEMS} to properly paginate."
        )
    start = int(base64.b64decode(arguments["after"]).decode().rpartition(":")[2]) if arguments.get("after") else 0
    if "last" in arguments:
        start = max(len(items) - first, 0)
    page = list(items[start : start + first])
    end = start + len(page)
    cursor = base64.b64encode(f"cursor:v2:{end}".encode()).decode() if page else None
    return TypedValue(type_name, {"all": items, "page": page, "cursor": cursor, "has_more": end < len(items)})


def repository(caller: Caller, owner: str, name: str, *, follow: bool = True) -> TypedValue:
    """A repository by name, by a former name unless told not to; NodeNotFound when the caller may not know of it."""
    world = caller.world
    found = world.find_repository(owner, name) or (world.formerly(owner, name) if follow else None)
    # GitHub does not tell a repository that the caller may not see from one that is not there.
    if found is None or not caller.sees(found):
        raise NodeNotFound(f"Could not resolve to a Repository with the name '{owner}/{name}'.")
    return TypedValue("Repository", found)


def _owner(caller: Caller, _: object, arguments: Arguments) -> TypedValue | None:
    # As at GitHub: in any case of letters; null for a bot.
    who = caller.world.find_account(arguments["login"])
    return None if who is None or who.type == "Bot" else account(who)


def _pull(caller: Caller, repo: StoredRepository, arguments: Arguments) -> TypedValue:
    caller.need(repo, "read", "pull_requests")
    number = arguments["number"]
    if number not in repo.pulls:
        raise NodeNotFound(f"Could not resolve to a PullRequest with the number of {number}.")
    return TypedValue("PullRequest", repo.pulls[number])


def _file(caller: Caller, repo: StoredRepository, revision: str, path: str) -> TypedValue | None:
    caller.need(repo, "read", "contents")
    revision = f"refs/heads/{repo.default_branch}" if revision == "HEAD" else revision
    found = bare_repository.blob(repo.git, revision, path)
    return TypedValue("Blob", found[1]) if found else None


def _nodes(caller: Caller, _: object, arguments: Arguments) -> list[TypedValue | NodeNotFound]:
    # GitHub answers the others where one is gone or not for the caller.
    known = {f"R_{number}": repo for number, repo in caller.world.repositories.items() if caller.sees(repo)}
    return [
        TypedValue("Repository", known[node])
        if node in known
        else NodeNotFound(f"Could not resolve to a node with the global id of '{node}'.")
        for node in arguments["ids"]
    ]


def _object(caller: Caller, repo: StoredRepository, arguments: Arguments) -> TypedValue | None:
    if arguments.get("oid") is not None:
        caller.need(repo, "read", "contents")
        oid = str(arguments["oid"])
        data = objects.content(repo.git, oid)
        if data is not None:
            return TypedValue("Blob", data)
        return _of(repo, oid) if bare_repository.resolve(repo.git, oid) == oid else None
    revision, colon, path = arguments["expression"].partition(":")
    if not colon:
        raise QueryInvalid("this small GitHub finds objects by their oid, and files as `revision:path`")
    return _file(caller, repo, revision, path)


def _branch(repo: StoredRepository, name: str) -> TypedValue | None:
    return _typed("Ref", _of(repo, bare_repository.resolve(repo.git, f"refs/heads/{name}")))


def _commits(_: Caller, pull: StoredPull, arguments: Arguments) -> TypedValue:
    listed = bare_repository.between(pull.repository.git, pull.base_sha, pull.head_sha)
    commits = [TypedValue("PullRequestCommit", (pull.repository, commit)) for commit in listed]
    return connection("PullRequestCommitConnection", commits, arguments)


def _pulls(caller: Caller, repo: StoredRepository, arguments: Arguments) -> TypedValue:
    caller.need(repo, "read", "pull_requests")
    if arguments.get("states") != "OPEN" or arguments.get("orderBy") != {"field": "UPDATED_AT", "direction": "DESC"}:
        raise QueryInvalid("this small GitHub lists open pull requests by their last update only")
    found = sorted(
        (pull for pull in repo.pulls.values() if pull.state == "open"), key=lambda pull: pull.updated_at, reverse=True
    )
    return connection("PullRequestConnection", [TypedValue("PullRequest", pull) for pull in found], arguments)


def _timeline(_: Caller, pull: StoredPull, arguments: Arguments) -> TypedValue:
    if arguments.get("itemTypes") != ["HEAD_REF_FORCE_PUSHED_EVENT"]:
        raise QueryInvalid("this small GitHub knows no other items of a timeline")
    source = pull.head_repository
    forced = [
        TypedValue("HeadRefForcePushedEvent", (source, activity))
        for activity in (source.activities if source else ())
        if activity.kind == "force_push" and activity.branch == pull.head and activity.at >= pull.created_at
    ]
    return connection("PullRequestTimelineItemsConnection", forced, arguments)


def _of(repo: StoredRepository, sha: str | None) -> TypedValue | None:
    return None if sha is None else TypedValue("Commit", (repo, bare_repository.commit(repo.git, sha)))


def _person(caller: Caller, who: tuple[str, str], _: Arguments) -> TypedValue | None:
    found = caller.world.account_of_email(who[1])
    return account(found) if found is not None and found.type == "User" else None  # By the schema never a bot.


def _authors(_: Caller, node: tuple[StoredRepository, bare_repository.GitCommit], arguments: Arguments) -> TypedValue:
    # GitHub lists the git author first, then those of Co-authored-by trailers, each address once.
    commit = node[1]
    people = [(commit.author.name, commit.author.email), *_COAUTHOR.findall(commit.message)]
    once: dict[str, TypedValue] = {}
    for name, email in people:
        once.setdefault(email.lower(), TypedValue("GitActor", (name, email)))
    return connection("GitActorConnection", list(once.values()), arguments)


def _text(data: bytes) -> str | None:
    # Cut where it is long, with replaced characters where it is no UTF-8: only the hash tells the bytes.
    return None if b"\0" in data else data[:_MAX_TEXT_BYTES].decode(errors="replace")


def _merge_queue(caller: Caller, repo: StoredRepository, arguments: Arguments) -> TypedValue | None:
    caller.need(repo, "read", "merge_queues")
    branch = arguments.get("branch") or repo.default_branch
    waiting = [entry for entry in repo.merge_queue if entry.pull.base == branch]
    entries = [TypedValue("MergeQueueEntry", (place, entry)) for place, entry in enumerate(waiting, 1)]
    return TypedValue("MergeQueue", entries) if entries else None  # As GitHub does for an empty queue.


def _own_entry(caller: Caller, pull: StoredPull, _: Arguments) -> TypedValue | None:
    queue = _merge_queue(caller, pull.repository, {"branch": pull.base})
    return next((entry for entry in (queue.value if queue else ()) if entry.value[1].pull is pull), None)


def _value(get: Callable[[Any], Any]) -> Resolver:
    return lambda _, value, __: get(value)


_CONNECTION: dict[str, Resolver] = {
    "totalCount": _value(lambda listing: len(listing["all"])),
    "nodes": _value(lambda listing: listing["page"]),
    "pageInfo": _value(lambda listing: TypedValue("PageInfo", listing)),
}
_ACCOUNT: dict[str, Resolver] = {
    "databaseId": _value(lambda who: who.id),
    "login": _value(lambda who: who.login),
}

# Every type and field that is known; asking for another is refused, as a schema would.
TYPES: Mapping[str, Mapping[str, Resolver]] = {
    "Query": {
        "node": lambda caller, _, arguments: _nodes(caller, _, {"ids": [arguments["id"]]})[0],
        "nodes": _nodes,
        "repository": lambda caller, _, arguments: repository(
            caller, arguments["owner"], arguments["name"], follow=arguments.get("followRenames", True)
        ),
        "repositoryOwner": _owner,
    },
    "User": _ACCOUNT,
    "Bot": _ACCOUNT,
    "Organization": _ACCOUNT,
    "Repository": {
        "databaseId": _value(lambda repo: repo.id),
        "name": _value(lambda repo: repo.name),
        "nameWithOwner": _value(lambda repo: repo.full_name),
        "isPrivate": _value(lambda repo: repo.private),
        "owner": _value(lambda repo: account(repo.owner)),
        "defaultBranchRef": _value(lambda repo: _branch(repo, repo.default_branch)),
        "object": _object,
        "label": lambda caller, repo, arguments: _typed("Label", caller.world.find_label(repo, arguments["name"])),
        "pullRequest": _pull,
        "pullRequests": _pulls,
        "mergeQueue": _merge_queue,
    },
    "MergeQueue": {
        "entries": lambda _, entries, arguments: connection("MergeQueueEntryConnection", entries, arguments),
    },
    "MergeQueueEntry": {
        "position": _value(lambda entry: entry[0]),
        "pullRequest": lambda caller, entry, _: _pull(
            caller, entry[1].pull.repository, {"number": entry[1].pull.number}
        ),
        "baseCommit": _value(lambda entry: _of(entry[1].pull.repository, entry[1].base_sha)),
        "headCommit": _value(lambda entry: _of(entry[1].pull.repository, entry[1].head_sha)),
    },
    "PullRequest": {
        "number": _value(lambda pull: pull.number),
        "title": _value(lambda pull: pull.title),
        "state": _value(lambda pull: "MERGED" if pull.merged_at else pull.state.upper()),
        "isDraft": _value(lambda pull: pull.draft),
        "createdAt": _value(lambda pull: timestamp(pull.created_at)),
        "updatedAt": _value(lambda pull: timestamp(pull.updated_at)),
        "changedFiles": _value(
            lambda pull: len(changed_files.between(pull.repository.git, pull.base_sha, pull.head_sha))
        ),
        "baseRefName": _value(lambda pull: pull.base),
        "baseRefOid": _value(lambda pull: pull.base_sha),
        "baseRef": _value(lambda pull: _branch(pull.repository, pull.base)),
        "headRefName": _value(lambda pull: pull.head),
        "headRefOid": _value(lambda pull: pull.head_sha),
        "headRepository": _value(lambda pull: _typed("Repository", pull.head_repository)),
        "author": _value(lambda pull: account(pull.opener)),
        "labels": lambda _, pull, arguments: connection(
            "LabelConnection", [TypedValue("Label", label) for label in pull.labels], arguments
        ),
        "commits": _commits,
        "timelineItems": _timeline,
        "mergeQueueEntry": _own_entry,
    },
    "HeadRefForcePushedEvent": {
        "actor": _value(lambda event: account(event[1].actor)),
        "createdAt": _value(lambda event: timestamp(event[1].at)),
        "beforeCommit": _value(lambda event: _of(event[0], event[1].before)),
        "afterCommit": _value(lambda event: _of(event[0], event[1].after)),
    },
    "Ref": {"target": _value(lambda newest: newest)},
    "PullRequestCommit": {"commit": _value(lambda commit: TypedValue("Commit", commit))},
    "Commit": {
        "oid": _value(lambda commit: commit[1].sha),
        "message": _value(lambda commit: commit[1].message),
        "authoredDate": _value(lambda commit: timestamp(commit[1].author.at)),
        "author": _value(lambda commit: TypedValue("GitActor", (commit[1].author.name, commit[1].author.email))),
        "committer": _value(
            lambda commit: TypedValue("GitActor", (commit[1].committer.name, commit[1].committer.email))
        ),
        "authors": _authors,
        "parents": lambda _, commit, arguments: connection(
            "CommitConnection", [_of(commit[0], sha) for sha in commit[1].parents], arguments
        ),
        "signature": lambda caller, commit, _: (
            TypedValue("GitSignature", None) if commit[1].sha in caller.world.verified_commits else None
        ),
        "file": lambda caller, commit, arguments: _typed(
            "TreeEntry", _file(caller, commit[0], commit[1].sha, arguments["path"])
        ),
    },
    "TreeEntry": {"object": _value(lambda blob: blob)},
    "GitSignature": {"isValid": _value(lambda _: True)},
    "GitActor": {
        "name": _value(lambda who: who[0]),
        "email": _value(lambda who: who[1]),
        "user": _person,
    },
    "Blob": {
        "text": _value(_text),
        "isBinary": _value(lambda data: b"\0" in data),
        "isTruncated": _value(lambda data: len(data) > _MAX_TEXT_BYTES),
    },
    "Label": {"name": _value(lambda label: label.name)},
    "PageInfo": {
        "hasNextPage": _value(lambda info: info["has_more"]),
        "endCursor": _value(lambda info: info["cursor"]),
    },
    **{
        f"{of}Connection": _CONNECTION
        for of in (
            "PullRequestCommit",
            "PullRequestTimelineItems",
            "Label",
            "GitActor",
            "Commit",
            "MergeQueueEntry",
            "PullRequest",
        )
    },
}

# Interfaces, and types without any object here.
ABSTRACT: Mapping[str, frozenset[str]] = {
    "Actor": frozenset({"User", "Bot", "Organization"}),
    "RepositoryOwner": frozenset({"User", "Organization"}),
    "GitObject": frozenset({"Commit", "Blob"}),
    "Node": frozenset({"Commit", "Blob", "Repository"}),
    "PullRequestTimelineItems": frozenset({"HeadRefForcePushedEvent"}),
    "Mannequin": frozenset(),  # Accounts that an import made.
}
