"""Our readers before recorded answers of the real GitHub: the wire is ours down to the socket, the answers are theirs."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from urllib.parse import unquote, urlsplit

import responses

from agreements.facts import Account
from agreements.github_server import GITHUB_COM
from bot.github import by_rest
from bot.github.client.graphql_errors import judge_graphql
from bot.github.connection import connect
from bot.github.contents.trees import merge_base
from bot.github.hub import Hub
from bot.github.ports import CheckRun, HubError, PullRequestProposal, RepositoryPlace
from bot.portal.session import login
from bot.rehearsal.person import GitHubPerson
from tests.contract.contract import Contract, Operation
from tests.contract.recordings import Recorded, exchanges

TOKEN = "ghs_7_token"
OURS = "countersign/recorded"
"""A branch that no repository has."""
ORGANIZATION = "GithubApp-Test-Org"
"""Where a recorded list of installations has the App."""
INSTALLATION = 77
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
_TRANSFER = frozenset({"content-encoding", "transfer-encoding", "content-length", "connection"})
"""Headers of how the bytes were sent, which the recorder has undone."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a reader is given: the hub, and what the recorded address names."""

    hub: Hub
    named: Mapping[str, str]
    recorded: Recorded

    @property
    def here(self) -> RepositoryPlace:
        return RepositoryPlace(INSTALLATION, self.named["owner"], self.named["repo"], 3544490)

    @property
    def line(self):
        return self.hub._pool.installation(INSTALLATION)

    @property
    def person(self) -> GitHubPerson:
        return GitHubPerson(self.line, self.named["owner"], self.named["repo"])

    @property
    def path(self) -> str:
        return urlsplit(self.recorded.target).path.removeprefix("/api/v3")

    def write(self):
        """What only the wire reads."""
        return self.line.write(self.recorded.method, self.path, json.loads(self.recorded.sent or "{}"))

    def propose(self):
        """All that a pull request of ours takes, on a branch that is not there yet."""
        return self.hub.propose(self.here, PullRequestProposal(
            branch=OURS, marker="<!-- m -->", title="t", body="b <!-- m -->", message="m", files={"NOTICE": b"n\n"}
        ))  # fmt: skip

    def snapshot(self):
        return by_rest.fetch_snapshot(
            self.line, self.here, int(self.named.get("pull_number", 1)), ("cla/yes",), GITHUB_COM
        )

    def issue(self, *, wanted: bool):
        return self.hub.issue(self.here, marker="<!-- m -->", title="t", body="b <!-- m -->", wanted=wanted)

    def query(self):
        asked = json.loads(self.recorded.sent)
        answer = self.line.query(asked["query"], asked.get("variables", {}))
        judge_graphql(answer)
        return answer


def _check(call: Call) -> CheckRun:
    return CheckRun(
        name="DCO", head_sha=call.named.get("ref", "a" * 40), external_id="1", details_url="", title="t", summary="s"
    )


R = "/repos/{owner}/{repo}"
READERS: Mapping[str, Callable[[Call], object]] = {
    "GET /app": lambda call: call.hub.registration(),
    "GET /app/installations": lambda call: call.hub.installations(),
    "GET /app/installations/{installation_id}": lambda call: call.hub._pool.app().read(call.path)[
        "repository_selection"
    ],
    "POST /app/installations/{installation_id}/access_tokens": lambda call: call.hub.listed(
        int(call.named["installation_id"])
    ),
    "GET /installation/repositories": lambda call: call.hub.listed(INSTALLATION),
    "GET /orgs/{org}/members": lambda call: call.hub.members(RepositoryPlace(INSTALLATION, call.named["org"], "x", 1)),
    "GET /orgs/{org}/teams/{team_slug}": lambda call: call.hub.team_by_name(ORGANIZATION, call.named["team_slug"]),
    "GET /orgs/{org}/teams/{team_slug}/members": lambda call: list(call.line.pages(call.path)),
    "GET /rate_limit": lambda call: call.hub.clock_offset(NOON),
    f"GET {R}": lambda call: call.hub.repository_by_name(call.named["owner"], call.named["repo"]),
    f"GET {R}/branches/{{branch}}": lambda call: call.hub.required_checks(call.here, call.named["branch"]),
    f"GET {R}/collaborators/{{username}}/permission": lambda call: call.hub.role(
        call.here, Account(1, call.named["username"])
    ),
    f"GET {R}/commits/{{ref}}/check-runs": lambda call: call.hub.find_check(call.here, call.named["ref"], bool),
    f"GET {R}/commits/{{commit_sha}}/pulls": lambda call: call.hub.bringing_pulls(call.here, call.named["commit_sha"]),
    f"POST {R}/check-runs": lambda call: call.hub.create_check(call.here, _check(call)),
    f"PATCH {R}/check-runs/{{check_run_id}}": lambda call: call.hub.update_check(
        call.here, int(call.named["check_run_id"]), _check(call)
    ),
    f"GET {R}/compare/{{basehead}}": lambda call: merge_base(
        call.line, f"/repos/{call.named['owner']}/{call.named['repo']}", *call.named["basehead"].split("...")
    ),
    f"GET {R}/contents/{{path}}": lambda call: call.hub.rule_files(call.here),
    f"PUT {R}/contents/{{path}}": lambda call: call.hub.put_file(call.here, call.named["path"], b"x", "m"),
    f"GET {R}/git/blobs/{{file_sha}}": lambda call: call.hub.blobs(call.here, {call.named["file_sha"]: 1}),
    f"GET {R}/git/commits/{{commit_sha}}": Call.propose,
    f"GET {R}/git/matching-refs/{{ref}}": lambda call: call.person.rehearsal_branches(),
    f"GET {R}/git/ref/{{ref}}": Call.propose,
    f"GET {R}/git/trees/{{tree_sha}}": lambda call: call.hub.tree(call.here, call.named["tree_sha"]),
    f"POST {R}/git/blobs": Call.propose,
    f"POST {R}/git/trees": Call.propose,
    f"POST {R}/git/commits": Call.propose,
    f"POST {R}/git/refs": Call.propose,
    f"PATCH {R}/git/refs/{{ref}}": Call.write,
    f"GET {R}/installation": lambda call: call.hub.repository_by_name(call.named["owner"], call.named["repo"]),
    f"GET {R}/issues": lambda call: call.issue(wanted=False),
    f"POST {R}/issues": lambda call: call.issue(wanted=True),
    f"PATCH {R}/issues/{{issue_number}}": Call.write,
    f"GET {R}/issues/comments/{{comment_id}}": lambda call: call.hub.comment(call.here, int(call.named["comment_id"])),
    f"PATCH {R}/issues/comments/{{comment_id}}": Call.write,
    f"GET {R}/issues/comments/{{comment_id}}/reactions": lambda call: call.hub.our_reaction(
        call.here, int(call.named["comment_id"])
    ),
    f"GET {R}/issues/{{issue_number}}/labels": lambda call: call.hub.labels(call.here, int(call.named["issue_number"])),
    f"POST {R}/issues/comments/{{comment_id}}/reactions": lambda call: call.hub.react(
        call.here, int(call.named["comment_id"]), "eyes"
    ),
    f"GET {R}/issues/{{issue_number}}/comments": lambda call: call.hub.find_comment(
        call.here, int(call.named["issue_number"]), "<!-- m -->"
    ),
    f"POST {R}/issues/{{issue_number}}/comments": lambda call: call.hub.create_comment(
        call.here, int(call.named["issue_number"]), "b"
    ),
    f"POST {R}/issues/{{issue_number}}/labels": lambda call: call.hub.add_label(
        call.here, int(call.named["issue_number"]), "cla/yes"
    ),
    f"DELETE {R}/issues/{{issue_number}}/labels/{{name}}": lambda call: call.hub.remove_label(
        call.here, int(call.named["issue_number"]), call.named["name"]
    ),
    f"GET {R}/labels": lambda call: list(call.line.pages(call.path)),
    f"POST {R}/labels": lambda call: call.hub.create_label(call.here, "cla/yes", "0e8a16", "d"),
    f"GET {R}/labels/{{name}}": lambda call: by_rest.optional(call.line, call.path),
    f"GET {R}/pulls": lambda call: call.hub.open_numbers(call.here),
    f"POST {R}/pulls": Call.propose,
    f"GET {R}/pulls/{{pull_number}}": Call.snapshot,
    f"PATCH {R}/pulls/{{pull_number}}": Call.write,
    f"GET {R}/pulls/{{pull_number}}/commits": Call.snapshot,
    f"GET {R}/pulls/{{pull_number}}/files": lambda call: call.hub.files(call.snapshot()),
    "GET /user": lambda call: login._account(call.line.read(call.path)),
    "GET /user/emails": lambda call: login._verified(call.line.read(call.path), GITHUB_COM),
    "GET /user/{account_id}": lambda call: call.hub.role(
        RepositoryPlace(INSTALLATION, "nobody-here", "x", 1), Account(int(call.named["account_id"]), "")
    ),
    "GET /users/{username}": lambda call: call.hub.account_with_age(call.named["username"]),
    "POST /graphql": Call.query,
}
"""For each operation the reader of ours that asks it."""


def operation_of(contract: Contract, recorded: Recorded) -> str:
    """The operation that was asked, if it is one of ours; else ""."""
    path = urlsplit(recorded.target).path.removeprefix("/api/v3")
    if path == "/graphql":
        return "POST /graphql"
    found = contract.operation(recorded.method, path)
    # A branch may have slashes in its name, but these are other operations of GitHub's, which we do not use.
    if found is None or recorded.host == "github.com" or re.search(r"/branches/[^/]+/protection|^/repos/random/", path):
        return ""
    values = found.pattern.fullmatch(re.sub(r"^/repositories/\d+", "/repos/owner/repo", path))
    numbers = [
        parameter["name"]
        for parameter in found.parameters
        if parameter["in"] == "path" and parameter["schema"].get("type") == "integer"
    ]
    return str(found) if values is None or all(values[name].isdecimal() for name in numbers) else ""


@cache
def by_operation(contract: Contract) -> Mapping[str, tuple[Recorded, ...]]:
    """The recorded exchanges of each of our operations."""
    found: dict[str, list[Recorded]] = {}
    for exchange in exchanges():
        if name := operation_of(contract, exchange):
            found.setdefault(name, []).append(exchange)
    return {name: tuple(some) for name, some in found.items()}


def read(hub: Hub, contract: Contract, recorded: Recorded) -> HubError | None:
    """What our reader makes of the answer: nothing to say, or our own error. Any other exception comes through."""
    name, refused = operation_of(contract, recorded), None
    with _played(contract, recorded, name) as given:
        try:
            READERS[name](Call(hub, named(contract, recorded), recorded))
        except HubError as error:
            refused = error
    assert given, f"{recorded.place}: our reader did not ask ({refused})"
    return refused


def named(contract: Contract, recorded: Recorded) -> Mapping[str, str]:
    """What stands for the parameters of the path."""
    path = urlsplit(recorded.target).path.removeprefix("/api/v3")
    operation = contract.operation(recorded.method, path)
    matched = (
        operation.pattern.fullmatch(re.sub(r"^/repositories/\d+", "/repos/owner/repo", path)) if operation else None
    )
    return {key: unquote(value) for key, value in matched.groupdict().items()} if matched else {}


def new_hub(key: str) -> Hub:
    """One that waits for nothing, of github.com."""
    return connect(app_id=7, server=GITHUB_COM, private_key=key, pause=0)


@contextmanager
def _played(contract: Contract, recorded: Recorded, name: str) -> Iterator[list[bool]]:
    """To this operation the recorded answer, to the reader's other calls the first recorded success of theirs, else 404."""
    given: list[bool] = []

    def answer(request):
        path = urlsplit(request.url).path
        asked = contract.operation(request.method, path)
        if (str(asked) if asked else f"{request.method} {path}") == name and OURS not in path:
            body = recorded.body if not given else _emptied(recorded.body)
            headers = [
                pair
                for pair in recorded.headers
                if pair[0].lower() not in _TRANSFER and not (given and pair[0].lower() == "link")
            ]
            given.append(True)
            return recorded.status, headers, body
        return _beside(contract, asked, path)

    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        for method in ("GET", "POST", "PATCH", "PUT", "DELETE"):
            mock.add_callback(method, re.compile(r".*"), callback=answer, content_type=None)
        yield given


def _emptied(body: str) -> str:
    """The same list without its items: no list goes on for ever."""
    try:
        data = json.loads(body)
    except ValueError:
        return body
    if isinstance(data, list):
        return "[]"
    if isinstance(data, dict) and "total_count" in data:
        return json.dumps({key: [] if isinstance(value, list) else value for key, value in data.items()})
    return body


def _beside(contract: Contract, asked: Operation | None, path: str) -> tuple[int, list[tuple[str, str]], str]:
    json_type = [("Content-Type", "application/json; charset=utf-8")]
    if path.endswith("/access_tokens"):
        return 201, json_type, json.dumps({"token": TOKEN, "expires_at": "2099-01-01T00:00:00Z", "permissions": {}})
    if "/rules/branches/" in path:
        return 200, json_type, "[]"
    fitting = [] if OURS in path or "nobody-here" in path else by_operation(contract).get(str(asked), ())
    good = next((recorded for recorded in fitting if recorded.status in (200, 201) and recorded.body), None)
    if good is None:
        return 404, json_type, '{"message": "Not Found"}'
    if path == "/app":
        return 200, json_type, json.dumps({**json.loads(good.body), "id": 7})
    is_list = (
        asked is not None
        and "page" in {parameter["name"] for parameter in asked.parameters}
        and path != "/app/installations"
    )
    return good.status, json_type, _emptied(good.body) if is_list else good.body
