"""Pull requests by REST, where GraphQL does not answer: up to 250 commits, and no word on co-authors' accounts."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from agreements.completeness import COAUTHORS, REST_ONLY
from agreements.dco.trailers import coauthors
from agreements.facts import Coauthor, Commit
from agreements.github_server import GitHubServer
from bot.github import ports, reading
from bot.github.client.transport import Transport
from bot.github.renames import root

MAX_COMMITS = 250  # GitHub lists no more commits by REST, however many pages are asked for.

PREFIX = "rest:"  # A cursor of REST begins with it; the page number follows.


def fetch_snapshot(
    transport: Transport, place: ports.RepositoryPlace, number: int, labels: tuple[str, ...], server: GitHubServer
) -> ports.PullRequestSnapshot:
    """The snapshot, gathered call by call. `Missing` without the repository or the pull request, `Moved` when renamed."""
    shell = fetch_head(transport, place, number, labels)
    there = shell.place
    items = transport.read(f"{root(there)}/pulls/{number}/commits", {"per_page": 100, "page": 1})
    with reading.understanding():
        commits, doubt = _with_coauthors(tuple(reading.rest_commit(item) for item in items), server)
    more = shell.commit_count is None or shell.commit_count > len(commits)
    return replace(
        shell,
        known_labels=frozenset(name for name in labels if _has_label(transport, there, name)),
        rule_files=rule_files(transport, there, shell.owner_id),
        mailmap=mailmap(transport, there, shell.base_sha),
        commits=commits,
        cursor=f"{PREFIX}2" if more and commits else None,
        doubt=doubt,
    )


def fetch_head(
    transport: Transport, place: ports.RepositoryPlace, number: int, labels: tuple[str, ...] = ()
) -> ports.PullRequestSnapshot:
    """The pull request without commits, rule files and mailmap, in one call."""
    pull = transport.read(f"{root(place)}/pulls/{number}")
    with reading.understanding():
        base, head = pull["base"], pull["head"]
        owner = base["repo"]["owner"]
        count = pull.get("commits")
        return ports.PullRequestSnapshot(
            place=reading.place(base["repo"], place.installation),
            owner_id=int(owner["id"]),
            owner_type="Organization" if owner["type"] == "Organization" else "User",
            private=bool(base["repo"]["private"]),
            number=int(pull["number"]),
            title=str(pull.get("title") or ""),
            state="merged" if pull.get("merged_at") else "open" if pull["state"] == "open" else "closed",
            draft=bool(pull.get("draft")),
            opener=reading.account(pull.get("user")),
            created_at=reading.moment(pull["created_at"]),
            updated_at=reading.moment(pull["updated_at"]),
            base=str(base["ref"]),
            base_sha=str(base["sha"]),
            head=str(head["ref"]),
            head_sha=str(head["sha"]),
            head_repository=(head.get("repo") or {}).get("full_name"),
            labels=reading.as_asked((str(label["name"]) for label in pull["labels"]), labels),
            known_labels=frozenset(),
            changed_files=int(pull["changed_files"]),
            # They are not read here, and what is unreadable passes nothing.
            rule_files=ports.RuleFiles(
                None, ports.RuleFile(reading.RULEBOOK, ports.UNREADABLE), ports.RuleFile(reading.DCO, ports.UNREADABLE)
            ),
            mailmap="",
            commit_count=count if isinstance(count, int) else None,
            commits=(),
            cursor=None,
        )


def listed_commits(transport: Transport, place: ports.RepositoryPlace, number: int) -> Mapping[str, reading.Json]:
    """The pull request's commits by SHA, as REST lists them: 250 at most."""
    items = list(transport.pages(f"{root(place)}/pulls/{number}/commits"))
    with reading.understanding():
        return {str(item["sha"]): item for item in items}


def history(transport: Transport, start: ports.PullRequestSnapshot, server: GitHubServer) -> ports.History:
    """All commits that REST gives, and the head again after the last page."""
    # The list would end before the last commits, so it is not read at all.
    if start.commit_count is not None and start.commit_count > MAX_COMMITS:
        return ports.History(start.head_sha, start.commit_count, start.commits, REST_ONLY)
    path = f"{root(start.place)}/pulls/{start.number}"
    items = list(transport.pages(f"{path}/commits"))
    pull = transport.read(path)
    with reading.understanding():
        commits, doubt = _with_coauthors(tuple(reading.rest_commit(item) for item in items), server)
        head, count = str(pull["head"]["sha"]), pull.get("commits")
    return reading.assemble_history(start, commits=commits, head_sha=head, count=count, doubt=doubt)


def segment(text: str) -> str:
    """A name as one segment of a path."""
    return quote(text, safe="")


def _has_label(transport: Transport, place: ports.RepositoryPlace, name: str) -> bool:
    try:
        return optional(transport, f"{root(place)}/labels/{segment(name)}") is not None
    except ports.Refused:
        return False  # Creating a label that is there does no harm.


def rule_files(transport: Transport, place: ports.RepositoryPlace, owner_id: int) -> ports.RuleFiles:
    """The rule files of the default branches. `Moved` when the repository has another name now."""
    here = root(place)
    repository, dco = rule_file(transport, here, reading.RULEBOOK), rule_file(transport, here, reading.DCO)
    return reading.rule_files(organization_file(transport, place.owner, owner_id), repository, dco)


def rule_file(transport: Transport, where: str, path: str) -> ports.RuleFile:
    """The file at `path` of the default branch; WITHHELD where GitHub refuses it to the App."""
    try:
        return ports.RuleFile(path, _file(transport, where, path))
    except ports.Refused:
        return ports.RuleFile(path, ports.WITHHELD)


def organization_file(transport: Transport, owner: str, owner_id: int) -> ports.RuleFile | ports.Unread:
    """The organisation's file, or why it is not known."""
    where = f"/repos/{segment(owner)}/.github"
    try:
        found = transport.read(where)
    except (ports.Missing, ports.Moved):  # A `.github` that was renamed is not found, as by GraphQL.
        return "not-found"
    except ports.Refused:
        return "refused"
    with reading.understanding():
        if int(found["owner"]["id"]) != owner_id:
            return "no-answer"  # Another owner took the name over.
    file = rule_file(transport, where, reading.RULEBOOK)
    return "refused" if file.text == ports.WITHHELD else file


def mailmap(transport: Transport, place: ports.RepositoryPlace, base_sha: str) -> str:
    """The base's mailmap; "" where it cannot be read or GitHub withholds it, as by GraphQL."""
    try:
        text = _file(transport, root(place), ".mailmap", ref=base_sha)
    except ports.Refused:
        return ""  # The strict side: a mailmap can only add equivalences.
    return "" if text in (None, ports.UNREADABLE) else str(text)


def _file(transport: Transport, where: str, path: str, ref: str = "") -> str | None:
    """The text; None when there is no such path; UNREADABLE for a folder, a binary or a file of over 1 MB."""
    found = optional(transport, f"{where}/contents/{path}", {"ref": ref} if ref else None)
    if found is None:
        return None
    # Of a file of over 1 MB GitHub gives no content, and the encoding "none".
    if not isinstance(found, dict) or found.get("type") != "file" or found.get("encoding") != "base64":
        return ports.UNREADABLE
    try:
        text = base64.b64decode(str(found.get("content") or "")).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ports.UNREADABLE
    return ports.UNREADABLE if "\0" in text else text  # Git takes a file with NUL for a binary.


def optional(transport: Transport, path: str, parameters: dict[str, str | int] | None = None) -> Any:
    """The answer; None where there is nothing."""
    try:
        return transport.read(path, parameters)
    except ports.Missing:
        return None


def _with_coauthors(commits: tuple[Commit, ...], server: GitHubServer) -> tuple[tuple[Commit, ...], str]:
    """The commits with the co-authors that their messages name, and the doubt when one's account can't be known."""
    known = reading.known_addresses(commits)
    doubt = ""
    done = []
    for commit in commits:
        people = tuple(
            Coauthor(who.name, who.email, reading.linked(who.email, known, server)) for who in coauthors(commit.message)
        )
        if any(person.account is None for person in people):
            doubt = COAUTHORS
        done.append(replace(commit, coauthors=people))
    return tuple(done), doubt
