"""What becomes of each field that GitHub withholds, by the readers over a GitHub in memory, and the table of it for people.

`python -m tests.bot.github.withheld_table` writes docs/reference/withheld-fields.csv anew.
"""

import csv
import io
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import structlog

from agreements.facts import Verdict
from bot.github import documents
from bot.github.client.graphql_errors import GraphqlAnswer
from bot.github.contents.blobs import GitHubBlobs, blob_sha
from bot.github.contents.trees import GitHubTrees
from bot.github.merge_queue import GitHubMergeQueues, in_group
from bot.github.open_pulls import GitHubOpenPulls
from bot.github.ports import HubError
from bot.github.pull_requests import GitHubPulls
from bot.github.push_activity import GitHubPushes
from bot.github.repositories import GitHubRepositories
from tests.bot.github.field_faults import FAULTS, FieldAt, fields_of, withhold
from tests.bot.github.shapes import (
    blob,
    more_data,
    rest_repository,
    rest_user,
    sha,
)  # fmt: skip
from tests.bot.github.withheld_cases import ANN, HERE, LABELS, Wire, World
from tests.contract.contract import Contract

TABLE = Path("docs/reference/withheld-fields.csv")
Query = tuple[str, dict]


@dataclass(frozen=True)
class Case:
    """A document, GitHub's whole answer to it, what REST answers, and what a reader makes of it: text, the same for the same.

    `before` are the answers to the queries that come first. `name` is what people read.
    """

    name: str
    document: str
    answer: dict
    rest: Mapping[str, object]
    read: Callable[[Wire], str]
    before: tuple[dict, ...] = ()

    @property
    def fields(self) -> list[FieldAt]:
        return fields_of(contract()._graphql, self.document)

    def outcome(self, data: dict | None, errors: list[dict], **wire: object) -> tuple[str, bool]:
        """What the reader makes of that answer, which is as GraphQL's rules say, and whether REST was asked."""
        left = list(self.before)

        def asked(document: str, variables: Mapping) -> GraphqlAnswer:
            if left:
                return GraphqlAnswer(left.pop(0))
            small = document.replace("commits(first: 10)", "commits(first: 100)")
            small = small.replace("commits(first: 10,", "commits(first: 100,")
            assert small == self.document
            found = contract().check_graphql_answer(
                document, variables, {"data": data} | ({"errors": errors} if errors else {})
            )
            assert not found, found
            return GraphqlAnswer(data or {}, tuple(errors))

        line = Wire(asked, self.rest, **wire)
        try:
            return self.read(line), any(call != "graphql" for call in line.calls)
        except HubError as error:
            return f"said: {error}", any(call != "graphql" for call in line.calls)


@cache
def contract() -> Contract:
    """GitHub's published schema."""
    return Contract.load()


def told(verdict: Verdict) -> str:
    """The conclusion and the problems of a verdict."""
    problems = [f"{problem.code} {dict(problem.values)}" for check in verdict.checks for problem in check.problems]
    return f"{verdict.conclusion.value}: {'; '.join(problems)}" if problems else verdict.conclusion.value


def of_snapshot(world: World, name: str = "a pull request") -> Case:
    """The first query of each review, up to its verdict."""

    def read(wire: Wire) -> str:
        pulls = GitHubPulls(wire)
        return told(world.verdict(pulls.fetch_snapshot(HERE, 3, LABELS), pulls))

    return Case(name, documents.SNAPSHOT_QUERY, world.graphql, world.rest, read)


def of_more_commits(world: World) -> Case:
    """The second page of commits: the first one has Ann's, this one has Bob's and Cat's."""
    first = world.graphql
    nodes = first["repository"]["pullRequest"]["commits"]["nodes"]
    page = {"totalCount": 2, "pageInfo": {"hasNextPage": True, "endCursor": "c1"}, "nodes": nodes[:1]}
    first["repository"]["pullRequest"]["commits"] = page
    more = {"totalCount": 2, "pageInfo": {"hasNextPage": False, "endCursor": "c2"}, "nodes": nodes[1:]}
    case = of_snapshot(world, "more commits")
    return replace(case, document=documents.MORE_COMMITS_QUERY, answer=more_data(more, head=sha(2)), before=(first,))


def of_authors(world: World) -> Case:
    """The further co-authors of a commit."""
    first = world.graphql
    authors = first["repository"]["pullRequest"]["commits"]["nodes"][1]["commit"]["authors"]
    ann, cat = authors["nodes"]
    authors |= {"pageInfo": {"hasNextPage": True, "endCursor": "a1"}, "nodes": [ann]}
    page = {"pageInfo": {"hasNextPage": False, "endCursor": "a2"}, "nodes": [cat]}
    answer = {"repository": {"databaseId": 900, "commit0": {"__typename": "Commit", "oid": sha(2), "authors": page}}}
    del answer["repository"]["commit0"]["__typename"]
    case = of_snapshot(world, "more co-authors")
    return replace(case, document=documents.authors_query(1), answer=answer, before=(first,))


def of_merge_queue() -> Case:
    """Two entries, the group of the second."""
    heads = {1: ("a" * 40, "0" * 40), 2: ("b" * 40, "a" * 40)}
    nodes = [
        {"position": at, "pullRequest": {"number": at, "headRefOid": sha(at)}, "headCommit": {"oid": head}, "baseCommit": {"oid": base}}
        for at, (head, base) in heads.items()
    ]  # fmt: skip
    entries = {"totalCount": 2, "pageInfo": {"hasNextPage": False, "endCursor": "q"}, "nodes": nodes}
    place = {"databaseId": 900, "name": "ops", "owner": {"login": "cann"}, "mergeQueue": {"entries": entries}}

    def read(wire: Wire) -> str:
        group = in_group(GitHubMergeQueues(wire).merge_queue(HERE, "main").entries, "b" * 40)
        if not group:
            return "said: the merge queue has no entry for this commit"
        if any(queue_entry.number is None for queue_entry in group):
            return "said: the merge queue does not show all of its pull requests"
        return f"judged: {[(queue_entry.number, queue_entry.pull_head_sha) for queue_entry in group]}"

    return Case(
        "a merge queue", documents.MERGE_QUEUE, {"repository": place}, {"/repositories/900": rest_repository()}, read
    )


def of_forced_pushes() -> Case:
    """A forced push that no delivery told us of; the activity log has nothing."""
    push = {"createdAt": "2026-11-01T09:00:00Z", "beforeCommit": {"oid": sha(1)}, "afterCommit": {"oid": sha(2)},
            "actor": {"__typename": "User", "login": "ann", "databaseId": 11}}  # fmt: skip
    answer = {"repository": {"databaseId": 900, "pullRequest": {"timelineItems": {"nodes": [push]}}}}
    world = World()

    def read(wire: Wire) -> str:
        snapshot = GitHubPulls(wire).fetch_snapshot(HERE, 3, LABELS)
        found = GitHubPushes(wire).pushes(replace(snapshot, head_repository=None))
        return (
            f"known: {[push.account.login for push in found]}" if found else "said: GitHub did not tell us who pushed"
        )

    return Case("forced pushes", documents.FORCE_PUSHES_QUERY, answer, world.rest, read, (world.graphql,))


def of_heads() -> Case:
    """The newest commits of two repositories."""
    nodes = [{"__typename": "Repository", "defaultBranchRef": {"target": {"oid": sha(number)}}} for number in (1, 2)]

    def read(wire: Wire) -> str:
        found = GitHubTrees(wire).heads(77, ["R_1", "R_2"])
        assert found["R_1"] == sha(1), "one repository stops another"
        return "known" if found.get("R_2") else "empty or gone" if "R_2" in found else "left for the next night"

    return Case("newest commits", documents.HEADS_QUERY, {"nodes": nodes}, {}, read)


def of_blobs() -> Case:
    """A file by its SHA."""
    name = blob_sha(b"text")
    answer = {"repository": {"databaseId": 900, "blob0": blob("text")}}
    rest = {f"/repos/cann/ops/git/blobs/{name}": {"encoding": "utf-8", "content": "text"}}

    def read(wire: Wire) -> str:
        return f"read: {dict(GitHubBlobs(wire).blobs(HERE, {name: 4}))}"

    return Case("files", documents.blobs_query(1), answer, rest, read)


def _open(number: int) -> dict:
    queued = {"headCommit": {"oid": "e" * 40}}
    node = {
        "number": number,
        "headRefOid": sha(number),
        "updatedAt": "2026-11-01T09:00:00Z",
        "baseRefName": "main",
        "mergeQueueEntry": queued,
    }
    return {"nodes": [node], "pageInfo": {"hasNextPage": False, "endCursor": "p"}}


def of_open_pulls() -> Case:
    """The open pull requests of two repositories."""
    nodes = [{"__typename": "Repository", "pullRequests": _open(number)} for number in (1, 2)]

    def read(wire: Wire) -> str:
        found = GitHubOpenPulls(wire).open_pulls(77, ["R_1", "R_2"])
        assert [pull.number for pull in found["R_1"].pulls] == [1], "one repository stops another"
        return _listed(found.get("R_2"))

    return Case("open pull requests", documents.OPEN_PULLS, {"nodes": nodes}, {}, read)


def of_more_open_pulls() -> Case:
    """The next page of one repository."""
    answer = {"node": {"__typename": "Repository", "pullRequests": _open(2)}}

    def read(wire: Wire) -> str:
        return _listed(GitHubOpenPulls(wire).more_open_pulls(77, "R_1", "c"))

    return Case("more open pull requests", documents.MORE_OPEN_PULLS, answer, {}, read)


def _listed(page: object) -> str:
    if page is None:
        return "left for the next sweep"
    numbers = [pull.number for pull in page.pulls]
    return "known" if numbers == [2] else "left for the next sweep"


def of_logins() -> Case:
    """Whose a login is."""
    answer = {"login0": {"__typename": "Organization", "login": "ann", "databaseId": 11}}
    installed = {"id": 77, "account": rest_user(500, "cann", "Organization"), "suspended_at": None, "permissions": {}}
    rest = {"/app/installations": [installed], "/users/ann": rest_user(11, "ann", "Organization")}

    def read(wire: Wire) -> str:
        (found,) = GitHubRepositories(wire).accounts_by_login(["ann"])
        return f"account {found['ann'].id}" if found["ann"] else "no account"

    return Case("logins", documents.logins_query(1), answer, rest, read)


CASES = (
    of_snapshot(World()), of_more_commits(World()), of_authors(World()), of_merge_queue(), of_forced_pushes(), of_heads(), of_blobs(),
    of_open_pulls(), of_more_open_pulls(), of_logins(),
)  # fmt: skip
"""Every document of ours."""

RED = {
    "an author has not signed": World(signed=(ANN, ("cat", 13), ("dan", 14))),
    "a co-author has not signed": World(signed=(ANN, ("bob", 12), ("dan", 14))),
    "the opener has not signed": World(signed=(ANN, ("bob", 12), ("cat", 13))),
    "the organisation asks for sign-offs": World(signoff=False, organization="both", own=""),
    "the repository asks for sign-offs": World(signoff=False, organization="cla", own="both"),
    "no person has signed": World(signed=()),
}
"""Pull requests that must not pass, each for one reason alone."""


def outcomes(case: Case, **wire: object) -> Iterator[tuple[FieldAt, str, str, bool]]:
    """Each field and fault with what becomes of it, and whether REST was asked."""
    for field in case.fields:
        for fault in FAULTS:
            found = withhold(case.answer, field, fault)
            if found is not None:
                yield field, fault, *case.outcome(*found, **wire)


KEPT = "the same"
BY_REST = "the same, by REST"


def short(case: Case, outcome: str, *, by_rest: bool) -> str:
    """What becomes of it, in a word: the same, or how the check does not pass."""
    if outcome == case.outcome(case.answer, [])[0]:
        return BY_REST if by_rest and case.name != "logins" else KEPT
    if outcome.startswith("said: "):
        return "the check says it"
    codes = re.findall(r"([a-z]+/[a-z-]+) (\{.*?\})(?:; |$)", outcome)
    if not codes:
        return outcome
    return ", ".join(dict.fromkeys(code + _detail(values) for code, values in codes))


def _detail(values: str) -> str:
    """Which accounts are not known, or why a rulebook is not."""
    found = re.search(r"'(?:of|why)': '([a-z-]+)'", values)
    return f" ({found[1]})" if found else ""


def rows(case: Case) -> Iterator[tuple[str, str, str]]:
    """Of each field its path, what follows from a null without an error, and what from an error."""
    found: dict[FieldAt, dict[str, str]] = {}
    for field, fault, outcome, by_rest in outcomes(case):
        found.setdefault(field, {})[fault] = short(case, outcome, by_rest=by_rest)
    for field, by_fault in found.items():
        errors = {fault: said for fault, said in by_fault.items() if fault != "null"}
        usual = Counter(errors.values()).most_common(1)[0][0]
        others = [f"{fault}: {said}" for fault, said in errors.items() if said != usual]
        yield str(field), by_fault.get("null", ""), "; ".join([usual, *others])


def table() -> str:
    """The whole table, as CSV."""
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n")
    write.writerow(("question", "field", "null without an error", "with an error"))
    write.writerows((case.name, *row) for case in CASES for row in rows(case))
    return text.getvalue()


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    TABLE.write_text(table(), encoding="utf-8")
