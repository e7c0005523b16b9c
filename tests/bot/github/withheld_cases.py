"""GitHub in memory for one pull request: what GraphQL and REST answer of it, and the verdict that follows."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from agreements.facts import Facts, PullRequest, Signature, Verdict
from agreements.github_server import GITHUB_COM
from agreements.judge import judge
from bot.github.client.graphql_errors import GraphqlAnswer
from bot.github.ports import Missing, PullRequestSnapshot, Refused, RepositoryPlace
from bot.github.pull_requests import GitHubPulls
from bot.rulebook import effective
from bot.rulebook.effective import RulebookProblem
from tests.bot.github.shapes import (
    actor,
    blob,
    commit_node,
    connection,
    look_data,
    rest_commit,
    rest_file,
    rest_pull,
    rest_repository,
    rest_user,
    sha,
)

HERE = RepositoryPlace(77, "cann", "ops", 900)
LABELS = ("cla-signed", "cla-required")
NOW = datetime(2026, 11, 28, 9, tzinfo=UTC)
SKIP = "no changelog"
ANN, BOB, CAT, DAN = ("ann", 11), ("bob", 12), ("cat", 13), ("dan", 14)
RULEBOOK = (
    'version: 1\nrepositories: [{{match: ["*"], require: {require}}}]\n'
    f"changelog: {{{{require: true, skip-label: {SKIP}}}}}\n"
)


@dataclass
class World:
    """A pull request of Dan's with a commit of Ann's and one of Bob's with Cat as co-author.

    `signed` are those who signed, `signoff` says whether the commits are signed off; `organization` and `own` are what
    the rulebooks there require, "" for none.
    """

    signed: tuple[tuple[str, int], ...] = (ANN, BOB, CAT, DAN)
    signoff: bool = True
    organization: str = "both"
    own: str = "both"

    @property
    def graphql(self) -> dict:
        nodes = [self._node(1, ANN), self._node(2, BOB, CAT)]
        labels = {f"label{slot}": {"name": f"l{slot}"} for slot in range(4)}
        dco = blob("require:\n  members: false\n")
        return look_data(
            connection(nodes, 2) | {"pageInfo": {"hasNextPage": False, "endCursor": "c"}},
            head=sha(2),
            pull={"author": _user(DAN), "labels": {"nodes": [{"name": "bug"}, {"name": SKIP}]}, "changedFiles": 1},
            repository={"rulebook": blob(self._rulebook(self.own)) if self.own else None, "dco": dco, **labels},
            rules={"name": ".github", "owner": {"__typename": "Organization", "login": "cann", "databaseId": 500},
                   "rulebook": blob(self._rulebook(self.organization))},
        )  # fmt: skip

    def _node(self, number: int, *people: tuple[str, int]) -> dict:
        authors = [_actor(person) for person in people]
        page = {"pageInfo": {"hasNextPage": False, "endCursor": "a"}, "nodes": authors}
        return commit_node(number, message=self.message(number), author=authors[0], committer=authors[0], authors=page)

    def message(self, number: int) -> str:
        name = {1: "ann", 2: "bob"}[number]
        lines = ["Co-authored-by: cat <cat@x.org>"] if number == 2 else []
        lines += [f"Signed-off-by: {name} <{name}@x.org>"] if self.signoff else []
        return "\n\n".join(["Fix it", "\n".join(lines)]) if lines else "Fix it"

    def _rulebook(self, require: str) -> str:
        return RULEBOOK.format(require=require)

    @property
    def rest(self) -> dict[str, object]:
        root, commits = "/repos/cann/ops", [self._commit(1, ANN), self._commit(2, BOB)]
        labels = [{"name": "bug"}, {"name": SKIP}]
        return {
            f"{root}/pulls/3": rest_pull(2, sha(2), user=rest_user(DAN[1], DAN[0]), labels=labels, changed_files=1),
            f"{root}/pulls/3/commits": commits,
            f"{root}/pulls/3/files": [],
            **({f"{root}/contents/.github/countersign.yml": rest_file(self._rulebook(self.own))} if self.own else {}),
            f"{root}/contents/.github/dco.yml": rest_file("require:\n  members: false\n"),
            f"{root}/contents/.mailmap": rest_file("Ann <ann@example.org> <old@example.org>\n"),
            **{f"{root}/labels/{name}": {"name": name} for name in LABELS},
            "/repositories/900": rest_repository(),
            "/repos/cann/.github": rest_repository(901, "cann", ".github"),
            "/repos/cann/.github/contents/.github/countersign.yml": rest_file(self._rulebook(self.organization)),
        }

    def _commit(self, number: int, who: tuple[str, int]) -> dict:
        identity = {"name": who[0], "email": f"{who[0]}@x.org", "date": "2026-11-01T10:00:00Z"}
        item = rest_commit(
            number, self.message(number), author=rest_user(who[1], who[0]), committer=rest_user(who[1], who[0])
        )
        item["commit"] |= {"author": identity, "committer": identity}
        item["commit"]["verification"] = {"verified": True, "reason": "valid"}
        return item

    def verdict(self, snapshot: PullRequestSnapshot, pulls: GitHubPulls) -> Verdict:
        """By the rules that were read and by who signed."""
        rulebook = effective.read(snapshot.rule_files, None, snapshot.place.full_name)
        if isinstance(rulebook, RulebookProblem):
            return rulebook.verdict()
        history = pulls.history(snapshot)
        signatures = tuple(
            Signature(agreement="icla", version="2.0", account_id=number, signed_at=NOW, party=None)
            for _, number in self.signed
        )
        request = PullRequest(
            number=3, opener=snapshot.opener, head_sha=snapshot.head_sha, base=snapshot.base, created_at=snapshot.created_at,
            labels=snapshot.labels, changed_files=snapshot.changed_files,
        )  # fmt: skip
        return judge(Facts(
            rules=rulebook.rules, repository="cann/ops", owner_id=snapshot.owner_id, owner_type=snapshot.owner_type,
            pull_request=request, commit_count=history.count, commits=history.commits, commits_doubt=history.doubt,
            signatures=signatures, mailmap=snapshot.mailmap, now=NOW,
        ))  # fmt: skip


def _user(who: tuple[str, int]) -> dict:
    return {"__typename": "User", "databaseId": who[1], "login": who[0]}


def _actor(who: tuple[str, int]) -> dict:
    return actor(who[0], f"{who[0]}@x.org", _user(who))


@dataclass
class Wire:
    """A transport over these answers; a query is answered by `asked`, a path that is not there is not found.

    `refuses` says of a path whether REST refuses it with 403.
    """

    asked: Callable[[str, Mapping], GraphqlAnswer]
    rest: Mapping[str, object]
    refuses: Callable[[str], bool] = field(default=lambda _path: False)
    calls: list[str] = field(default_factory=list)

    def query(self, document: str, variables: Mapping) -> GraphqlAnswer:
        self.calls.append("graphql")
        return self.asked(document, variables)

    def read(self, path: str, parameters: Mapping | None = None) -> object:
        self.calls.append(path)
        if self.refuses(path):
            raise Refused("GitHub answered 403 to GET")
        if path not in self.rest:
            raise Missing("GitHub answered 404 to GET")
        return self.rest[path]

    def pages(self, path: str, parameters: Mapping | None = None, **_how: object) -> Iterator[object]:
        yield from self.read(path, parameters)

    # A pool of transports, too: all of them are this one.
    server = GITHUB_COM

    def installation(self, _number: int) -> "Wire":
        return self

    def app(self) -> "Wire":
        return self
