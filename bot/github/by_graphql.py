"""Pull requests by GraphQL: one query for the snapshot, one for each further hundred commits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, cast

from agreements.completeness import AUTHORS, MOVED, REPEATED, TOO_MANY
from agreements.facts import Commit
from bot.github.client.failures import judge_graphql
from bot.github.client.transport import Json, Transport
from bot.github.documents import AUTHOR_SLOTS, MORE_COMMITS_QUERY, SNAPSHOT_QUERY, authors_query, label_variables
from bot.github.ports import (
    UNREADABLE,
    History,
    Missing,
    PullRequestSnapshot,
    RepositoryPlace,
    RuleFile,
    RuleFiles,
    Unread,
)
from bot.github.reading import (
    account,
    assemble_history,
    graphql_commit,
    moment,
    next_page,
    understanding,
    with_authors,
)
from bot.github.renames import by_name

RULEBOOK, DCO = ".github/countersign.yml", ".github/dco.yml"
_STATES: Mapping[str, Literal["open", "closed", "merged"]] = {"OPEN": "open", "CLOSED": "closed", "MERGED": "merged"}
MAX_COMMITS = 10_000
"""Commits read of one pull request at most; beyond, the history is incomplete."""
MAX_AUTHOR_PAGES = 50
"""Queries for further authors at most: 500 commits with up to 120, or fewer with more."""
_RENAMED = "the repository was renamed while its commits were being read"


def fetch_snapshot(
    transport: Transport, place: RepositoryPlace, number: int, labels: tuple[str, ...]
) -> PullRequestSnapshot:
    """The snapshot in one query. `Unavailable` when GraphQL is of no use, `Missing` without the repository or the pull request."""
    variables = {"owner": place.owner, "name": place.name, "number": number, **label_variables(labels)}
    answer = transport.query(SNAPSHOT_QUERY, variables)
    lost = judge_graphql(answer, optional=("rules",))
    repository = answer.data.get("repository")
    if not repository or not repository.get("pullRequest"):
        raise Missing("the pull request was not found, or the App may not read it")
    with understanding():
        return _fetch_snapshot(answer.data["repository"], _organization(answer.data, lost), place, labels)


def history(transport: Transport, start: PullRequestSnapshot, *, coauthors: bool) -> History:
    """The commits of that snapshot with all further pages, and with all their co-authors where these are asked for."""
    commits, after, doubt = list(start.commits), start.cursor, ""
    head, count = start.head_sha, start.commit_count
    more = dict(start.more_authors)
    while after is not None and not doubt:
        pull = _page(transport, start, after)
        with understanding():
            page = pull["commits"]
            nodes = [node["commit"] for node in page["nodes"]]
            commits += [graphql_commit(node) for node in nodes]
            head, count = str(pull["headRefOid"]), int(page["totalCount"])
            more |= _more_authors(nodes)
            doubt = _stuck(start, head, len(commits), (after, next_page(page)))
            after = next_page(page)
    if more and not doubt:
        commits, doubt = _with_authors(transport, start, commits, more) if coauthors else (commits, AUTHORS)
    return assemble_history(start, commits=tuple(commits), head_sha=head, count=count, doubt=doubt)


def _with_authors(
    transport: Transport, start: PullRequestSnapshot, commits: list[Commit], more: dict[str, str]
) -> tuple[list[Commit], str]:
    """The commits with the authors that are missing; a doubt where there are too many to read."""
    whole = {commit.sha: commit for commit in commits}
    for _ in range(MAX_AUTHOR_PAGES):
        if not more:
            break
        asked = list(more.items())[:AUTHOR_SLOTS]
        for sha, node in _authors(transport, start, asked).items():
            with understanding():
                whole[sha] = with_authors(whole[sha], node["authors"]["nodes"])
                after = next_page(node["authors"])
            if after is None:
                del more[sha]
            elif after == more[sha]:  # GitHub repeated a page: the rest of them is not to be had
                return commits, AUTHORS
            else:
                more[sha] = after
    return [whole[commit.sha] for commit in commits], AUTHORS if more else ""


def _authors(transport: Transport, start: PullRequestSnapshot, asked: Sequence[tuple[str, str]]) -> Mapping[str, Json]:
    """The next page of the authors of these commits, by SHA."""
    variables: dict[str, str] = {}
    for slot, (sha, after) in enumerate(asked):
        variables |= {f"oid{slot}": sha, f"after{slot}": after}
    repository = by_name(transport, start.place, authors_query(len(asked)), **variables)
    if repository is None:
        raise Missing(_RENAMED)
    found = {sha: repository.get(f"commit{slot}") for slot, (sha, _) in enumerate(asked)}
    if not all(found.values()):
        raise Missing("a commit disappeared before its co-authors were read")
    return {sha: node for sha, node in found.items() if node}


def _page(transport: Transport, start: PullRequestSnapshot, after: str) -> Json:
    repository = by_name(transport, start.place, MORE_COMMITS_QUERY, number=start.number, after=after)
    if repository is None or not repository.get("pullRequest"):
        raise Missing(_RENAMED)
    return cast("Json", repository["pullRequest"])


def _stuck(start: PullRequestSnapshot, head: str, have: int, cursors: tuple[str, str | None]) -> str:
    """Why there is no point in reading on."""
    if head != start.head_sha:
        return MOVED
    if cursors[0] == cursors[1]:
        return REPEATED
    return TOO_MANY if have > MAX_COMMITS else ""


def _fetch_snapshot(
    repository: Json, of_organization: RuleFile | Unread, place: RepositoryPlace, labels: tuple[str, ...]
) -> PullRequestSnapshot:
    pull, owner = repository["pullRequest"], repository["owner"]
    commits = pull["commits"]
    nodes = [node["commit"] for node in commits["nodes"]]
    return PullRequestSnapshot(
        place=RepositoryPlace(
            place.installation, str(owner["login"]), str(repository["name"]), int(repository["databaseId"])
        ),
        owner_id=int(owner["databaseId"]),
        owner_type="Organization" if owner["__typename"] == "Organization" else "User",
        private=bool(repository["isPrivate"]),
        number=int(pull["number"]),
        state=_STATES[pull["state"]],
        draft=bool(pull["isDraft"]),
        opener=account(pull.get("author")),
        created_at=moment(pull["createdAt"]),
        updated_at=moment(pull["updatedAt"]),
        base=str(pull["baseRefName"]),
        base_sha=str(pull["baseRefOid"]),
        head=str(pull["headRefName"]),
        head_sha=str(pull["headRefOid"]),
        head_repository=(pull.get("headRepository") or {}).get("nameWithOwner"),
        labels=as_asked((str(label["name"]) for label in pull["labels"]["nodes"]), labels),
        known_labels=frozenset(name for slot, name in enumerate(labels) if repository[f"label{slot}"]),
        changed_files=int(pull["changedFiles"]),
        rule_files=rule_files(
            of_organization,
            RuleFile(RULEBOOK, _file(repository["rulebook"])),
            RuleFile(DCO, _file(repository["dco"])),
        ),
        mailmap=_mailmap(pull.get("baseRef")),
        commit_count=commits["totalCount"],
        commits=tuple(graphql_commit(node) for node in nodes),
        cursor=next_page(commits),
        more_authors=_more_authors(nodes),
    )


def as_asked(names: Iterable[str], labels: tuple[str, ...]) -> tuple[str, ...]:
    """Label names, spelt as we asked for them where only the case differs: GitHub ignores the case of labels."""
    asked = {name.casefold(): name for name in labels}
    return tuple(asked.get(name.casefold(), name) for name in names)


def rule_files(organization: RuleFile | Unread, repository: RuleFile, dco: RuleFile) -> RuleFiles:
    """The three of them, or the two with the reason why the organisation's is not known."""
    if isinstance(organization, RuleFile):
        return RuleFiles(organization, repository, dco)
    return RuleFiles(None, repository, dco, unread=organization)


def _organization(data: Json, lost: frozenset[tuple[str, str]]) -> RuleFile | Unread:
    """The organisation's file; a `.github` repository of somebody else (the name was taken over) is not ours."""
    rules = data.get("rules")
    if lost:
        gone = rules is None and lost == {("rules", "NOT_FOUND")}
        return "not-found" if gone else "refused" if any(kind == "FORBIDDEN" for _, kind in lost) else "no-answer"
    if not rules or rules["owner"]["databaseId"] != data["repository"]["owner"]["databaseId"]:
        return "no-answer"
    return RuleFile(RULEBOOK, _file(rules["rulebook"]))


def _file(found: Json | None) -> str | None:
    """The text; None when there is no such path; UNREADABLE for a folder, a binary or a file that GitHub cut."""
    if found is None:
        return None
    if found["__typename"] != "Blob" or found["isTruncated"] or found["isBinary"] or found["text"] is None:
        return UNREADABLE
    return str(found["text"])


def _mailmap(base: Json | None) -> str:
    """An unreadable mailmap is an empty one: it can only add equivalences, so that is the strict side."""
    entry = ((base or {}).get("target") or {}).get("file")
    text = _file(entry["object"]) if entry else None
    return "" if text in (None, UNREADABLE) else str(text)


def _more_authors(nodes: list[Json]) -> dict[str, str]:
    """By SHA, where the next authors of those commits begin that have more."""
    return {str(node["oid"]): after for node in nodes if (after := next_page(node["authors"])) is not None}
