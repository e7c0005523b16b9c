"""Pull requests by GraphQL: one query for the snapshot, one for each further hundred commits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, TypeVar, cast

from agreements.completeness import ACCOUNTS, AUTHORS, COAUTHORS, MOVED, REPEATED, TOO_MANY
from agreements.facts import Commit
from bot.github import reading, withheld
from bot.github.client.graphql_errors import GraphqlAnswer, Withheld, WithheldField, judge_graphql
from bot.github.client.transport import Transport
from bot.github.documents import AUTHOR_SLOTS, MORE_COMMITS_QUERY, SNAPSHOT_QUERY, authors_query, label_variables
from bot.github.ports import UNREADABLE, History, Missing, PullRequestSnapshot, RepositoryPlace, RuleFile, Unread
from bot.github.renames import by_name

Answer = TypeVar("Answer")

_STATES: Mapping[str, Literal["open", "closed", "merged"]] = {"OPEN": "open", "CLOSED": "closed", "MERGED": "merged"}
MAX_COMMITS = 10_000  # Of one pull request; beyond, the history is incomplete.
MAX_AUTHOR_PAGES = 50  # Queries for further authors: 500 commits with up to 120, or fewer with more.
_PAGE, _SMALL_PAGE = "commits(first: 100", "commits(first: 10"  # Ten, where GraphQL finds a hundred too large.
_RENAMED = "the repository was renamed while its commits were being read"


def fetch_snapshot(
    transport: Transport, place: RepositoryPlace, number: int, labels: tuple[str, ...]
) -> PullRequestSnapshot:
    """The snapshot in one query. `Unavailable` when GraphQL is of no use, `Missing` without the repository or the pull request."""
    variables = {"owner": place.owner, "name": place.name, "number": number, **label_variables(labels)}

    def ask(document: str) -> tuple[GraphqlAnswer, Sequence[WithheldField]]:
        answer = transport.query(document, variables)
        return answer, judge_graphql(answer, optional=withheld.OF_SNAPSHOT)

    (answer, lost), _ = _answered(ask, SNAPSHOT_QUERY)
    repository = answer.data.get("repository")
    if not repository or not repository.get("pullRequest"):
        raise Missing("the pull request was not found, or the App may not read it")
    with reading.understanding():
        here = reading.place(repository, place.installation)  # It may have another name now, or be another one
        pull = {**repository["pullRequest"]}
        page, lost = pull["commits"], (*lost, *withheld.nameless(pull))
    pull["commits"], doubt = withheld.people(transport, here, number, page, lost)
    if any(field.is_within("repository.pullRequest.labels") for field in lost):
        pull["labels"] = {"nodes": []}  # Those of REST take their place
    with reading.understanding():
        found = _fetch_snapshot({**answer.data, "repository": {**repository, "pullRequest": pull}}, here, labels)
    return withheld.complete(transport, replace(found, doubt=doubt), lost, labels)


def history(transport: Transport, start: PullRequestSnapshot, *, coauthors: bool) -> History:
    """The commits of that snapshot with all further pages, and with all their co-authors where these are asked for."""
    commits, after, doubt = list(start.commits), start.cursor, ""
    head, count, of_people = start.head_sha, start.commit_count, start.doubt
    more, document = dict(start.more_authors), MORE_COMMITS_QUERY
    while after is not None and not doubt:
        (pull, lost), document = _answered(partial(_page, transport, start, after), document)
        page, unknown = withheld.people(transport, start.place, start.number, pull["commits"], lost)
        of_people = _worse(of_people, unknown)
        with reading.understanding():
            nodes = [node["commit"] for node in page["nodes"]]
            commits += [reading.graphql_commit(node) for node in nodes]
            head, count = str(pull["headRefOid"]), int(page["totalCount"])
            more |= _more_authors(nodes)
            last, after = after, reading.next_page(page)
        if head != start.head_sha or after == last or len(commits) > MAX_COMMITS:  # There is no point in reading on
            doubt = MOVED if head != start.head_sha else REPEATED if after == last else TOO_MANY
    # Further authors cost queries of their own: they are read only where a verdict depends on them.
    if more and not doubt:
        commits, unknown = _with_authors(transport, start, commits, more) if coauthors else (commits, AUTHORS)
        of_people = _worse(of_people, unknown)
    return reading.assemble_history(start, commits=tuple(commits), head_sha=head, count=count, doubt=doubt or of_people)


def _answered(ask: Callable[[str], Answer], document: str) -> tuple[Answer, str]:
    """The answer, and the document that got it: with a tenth of the commits where GraphQL finds a page too large."""
    try:
        return ask(document), document
    except Withheld as error:
        if not error.is_too_much or _PAGE not in document:
            raise
    document = document.replace(_PAGE, _SMALL_PAGE)
    return ask(document), document


def _worse(doubt: str, other: str) -> str:
    """The doubt about people that concerns more of them."""
    return ACCOUNTS if ACCOUNTS in (doubt, other) else doubt or other


def _with_authors(
    transport: Transport, start: PullRequestSnapshot, commits: list[Commit], more: dict[str, str]
) -> tuple[list[Commit], str]:
    """The commits with the authors that are missing; a doubt where there are too many to read, or GitHub withholds some."""
    whole, doubt = {commit.sha: commit for commit in commits}, ""
    for _ in range(MAX_AUTHOR_PAGES):
        if not more:
            break
        asked = list(more.items())[:AUTHOR_SLOTS]
        found, lost = _authors(transport, start, asked)
        for sha, node in found.items():
            with reading.understanding():
                people = list(node["authors"]["nodes"])
                doubt = COAUTHORS if lost or any(map(withheld.is_unknown, people)) else doubt
                whole[sha] = reading.with_authors(whole[sha], people)
                after = reading.next_page(node["authors"])
            if after is None:
                del more[sha]
            elif after == more[sha]:  # GitHub repeated a page: the rest of them is not to be had
                return commits, AUTHORS
            else:
                more[sha] = after
    return [whole[commit.sha] for commit in commits], AUTHORS if more else doubt


def _authors(
    transport: Transport, start: PullRequestSnapshot, asked: Sequence[tuple[str, str]]
) -> tuple[Mapping[str, reading.Json], Sequence[WithheldField]]:
    """The next page of the authors of these commits, by SHA, and whose accounts GitHub withheld."""
    variables: dict[str, str] = {}
    for slot, (sha, after) in enumerate(asked):
        variables |= {f"oid{slot}": sha, f"after{slot}": after}
    document = authors_query(len(asked))
    repository, lost = by_name(transport, start.place, document, optional=withheld.OF_AUTHORS, **variables)
    if repository is None:
        raise Missing(_RENAMED)
    found = {sha: repository.get(f"commit{slot}") for slot, (sha, _) in enumerate(asked)}
    if not all(found.values()):
        raise Missing("a commit disappeared before its co-authors were read")
    return {sha: node for sha, node in found.items() if node}, lost


def _page(
    transport: Transport, start: PullRequestSnapshot, after: str, document: str
) -> tuple[reading.Json, Sequence[WithheldField]]:
    """The pull request with the next page of its commits, and what GitHub withheld of it."""
    repository, lost = by_name(
        transport, start.place, document, optional=withheld.OF_COMMITS, number=start.number, after=after
    )
    if repository is None or not repository.get("pullRequest"):
        raise Missing(_RENAMED)
    return cast("reading.Json", repository["pullRequest"]), lost


def _fetch_snapshot(data: reading.Json, place: RepositoryPlace, labels: tuple[str, ...]) -> PullRequestSnapshot:
    repository = data["repository"]
    pull, owner = repository["pullRequest"], repository["owner"]
    commits = pull["commits"]
    nodes = [node["commit"] for node in commits["nodes"]]
    # An unreadable mailmap is an empty one: it can only add equivalences, so that is the strict side.
    entry = ((pull.get("baseRef") or {}).get("target") or {}).get("file")
    text = _file(entry["object"]) if entry else None
    return PullRequestSnapshot(
        place=place,
        owner_id=int(owner["databaseId"]),
        owner_type="Organization" if owner["__typename"] == "Organization" else "User",
        private=bool(repository["isPrivate"]),
        number=int(pull["number"]),
        title=str(pull.get("title") or ""),
        state=_STATES[pull["state"]],
        draft=bool(pull["isDraft"]),
        opener=reading.account(pull.get("author")),
        created_at=reading.moment(pull["createdAt"]),
        updated_at=reading.moment(pull["updatedAt"]),
        base=str(pull["baseRefName"]),
        base_sha=str(pull["baseRefOid"]),
        head=str(pull["headRefName"]),
        head_sha=str(pull["headRefOid"]),
        head_repository=(pull.get("headRepository") or {}).get("nameWithOwner"),
        labels=reading.as_asked((str(label["name"]) for label in pull["labels"]["nodes"]), labels),
        known_labels=frozenset(name for slot, name in enumerate(labels) if repository[f"label{slot}"]),
        changed_files=int(pull["changedFiles"]),
        rule_files=reading.rule_files(
            _organization(data),
            RuleFile(reading.RULEBOOK, _file(repository["rulebook"])),
            RuleFile(reading.DCO, _file(repository["dco"])),
        ),
        mailmap="" if text in (None, UNREADABLE) else str(text),
        commit_count=commits["totalCount"],
        commits=tuple(reading.graphql_commit(node) for node in nodes),
        cursor=reading.next_page(commits),
        more_authors=_more_authors(nodes),
    )


def _organization(data: reading.Json) -> RuleFile | Unread:
    rules = data.get("rules")
    # Another owner may have taken the name over, whose rules do not count here.
    if not rules or rules["owner"]["databaseId"] != data["repository"]["owner"]["databaseId"]:
        return "no-answer"
    # An old server ignores `followRenames: false`: this repository was called `.github` once.
    is_renamed = str(rules["name"]).casefold() != ".github"
    return "no-answer" if is_renamed else RuleFile(reading.RULEBOOK, _file(rules["rulebook"]))


def _file(found: reading.Json | None) -> str | None:
    """The text; None when there is no such path; UNREADABLE for a folder, a binary or a file that GitHub cut."""
    if found is None:
        return None
    if found["__typename"] != "Blob" or found["isTruncated"] or found["isBinary"] or found["text"] is None:
        return UNREADABLE
    return str(found["text"])


def _more_authors(nodes: list[reading.Json]) -> dict[str, str]:
    """The cursors of further authors, by SHA, for those commits that have more."""
    return {str(node["oid"]): after for node in nodes if (after := reading.next_page(node["authors"])) is not None}
