"""Every route, every webhook and every query of the small GitHub, held against what GitHub published."""

import base64
import json
from datetime import UTC, datetime
from urllib.parse import quote

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from werkzeug.test import Client

from bot.demo.github.server import create_app
from bot.demo.github.state import Email
from bot.demo.github.world import World
from bot.github import documents

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
REST = "/api/v3"
HERE = f"{REST}/repos/cann/runtime"
RUN = {"name": "Countersign", "status": "completed", "conclusion": "failure", "external_id": "countersign:1:1",
       "details_url": "https://countersign.example/1", "started_at": "2026-11-21T09:00:00Z",
       "output": {"title": "One agreement is missing", "summary": "mia has not signed.", "text": "more"},
       "actions": [{"label": "Check again", "description": "Judge it again", "identifier": "recheck"}]}  # fmt: skip


class Small:
    """cann/runtime with the App on it, mia's pull request from a fork, and a caller for each kind of credentials."""

    def __init__(self, folder, watch):
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        folder.mkdir()
        self.watch = watch
        self.world = World(folder, lambda: NOW)
        self.ada = self.world.user("ada", name="Ada Admin", emails=["ada@cann.example"])
        self.mia = self.world.user("mia", emails=["mia@home.example", Email("mia@huawei.com", verified=False)])
        self.cann = self.world.organization("cann", admins=[self.ada], members=[self.mia])
        self.world.team(self.cann, "cla-admins", [self.ada])
        self.runtime = self.world.repository(self.cann, "runtime", files={"README.md": "# runtime\n", ".mailmap": "\n"})
        self.app = self.world.app("countersign", self.cann, public.decode(), webhook_secret="s3cret")
        self.installation = self.world.install(self.app, self.cann, self.ada)
        self.flask = create_app(self.world)
        self.client = Client(watch.wrap(self.flask.wsgi_app))
        claims = {"iat": int(NOW.timestamp()) - 60, "exp": int(NOW.timestamp()) + 300, "iss": str(self.app.id)}
        self.jwt = jwt.encode(claims, key, "RS256")
        self.tokens = f"{REST}/app/installations/{self.installation.id}/access_tokens"
        self.token = self.call("POST", self.tokens, token=self.jwt)["token"]
        self.fork = self.world.fork(self.runtime, self.mia)
        self.world.write(
            self.fork, {"a.txt": "a\n"}, branch="work", message="Add a\n\nCo-authored-by: Bo <bo@b.example>"
        )
        self.pull = self.world.open_pull(self.runtime, self.mia, "work", source=self.fork)

    def call(self, method, path, body=None, *, token=None, status=None):
        """The answer's JSON; fails when it is no success, or not the status that was expected."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        answer = self.client.open(path, method=method, json=body, headers=headers)
        assert (answer.status_code == status) if status else answer.status_code < 300, answer.text
        return answer.json if answer.data else None

    def run(self):
        """A check run of ours on the pull request."""
        return self.call("POST", f"{HERE}/check-runs", {**RUN, "head_sha": self.pull.head_sha})

    def told(self, *events):
        """Judge every webhook sent so far; these (event, action) must be among them."""
        sent = {(one.event, one.action) for one in self.world.hooks.log}
        assert set(events) <= sent, sent
        for one in self.world.hooks.log:
            self.watch.webhook(one.event, one.body)


@pytest.fixture(name="small")
def _small(tmp_path, gate):
    small = Small(tmp_path / "git", gate)
    yield small
    small.world.close()


def test_every_route(small):
    """Each route of the REST interface answers as GitHub describes it; a route that nobody tries here fails."""
    comment = small.world.comment(small.pull, small.mia, "hello")
    run = small.run()
    number = small.pull.number
    small.call("POST", f"{HERE}/labels", {"name": "cla/no", "color": "b60205", "description": "Not covered"})
    small.call("POST", f"{HERE}/issues/{number}/labels", {"labels": ["cla/no", "kind/x"]})
    for path in (
        "/installation/repositories", "/orgs/cann/members", "/orgs/cann/memberships/mia", "/orgs/cann/repos",
        "/orgs/cann/teams/cla-admins", "/orgs/cann/teams/cla-admins/members",
        f"/organizations/{small.cann.id}/team/{small.cann.teams['cla-admins'].id}/members",
        "/rate_limit", "/users/mia", "/users/cann", "/users/countersign[bot]", f"/user/{small.mia.id}",
        "/repos/mia/runtime", f"/repositories/{small.runtime.id}", f"/repositories/{small.runtime.id}/pulls",
    ):  # fmt: skip
        small.call("GET", f"{REST}{quote(path)}")
    for path in (
        "", "/activity?ref=work", "/contents/README.md", "/commits/main", f"/commits/{small.pull.head_sha}/check-runs?filter=all",
        "/labels", "/labels/cla%2Fno", "/collaborators/mia/permission", "/pulls?state=all", f"/pulls/{number}",
        f"/pulls/{number}/commits", f"/pulls/{number}/files", f"/issues/{number}", f"/issues/{number}/comments",
        f"/issues/{number}/labels", f"/issues/comments/{comment.id}", f"/check-runs/{run['id']}",
    ):  # fmt: skip
        small.call("GET", HERE + path)
    content = base64.b64encode(b"{}").decode()
    small.call(
        "PUT", f"{HERE}/contents/whitelist.json", {"message": "Publish", "content": content}, token=small.ada.token
    )
    for path in (
        "/app", "/app/installations", f"/app/installations/{small.installation.id}",
        "/app/hook/deliveries?status=failure",
    ):  # fmt: skip
        small.call("GET", REST + path, token=small.jwt)
    small.world.hooks.log[-1].statuses.append(None)
    [lost] = small.call("GET", f"{REST}/app/hook/deliveries?status=failure", token=small.jwt)
    small.call("POST", f"{REST}/app/hook/deliveries/{lost['id']}/attempts", token=small.jwt)
    for path in ("/user", "/user/emails"):
        small.call("GET", REST + path, token=small.mia.token)
    small.call(
        "POST",
        small.tokens,
        {"repository_ids": [small.runtime.id], "permissions": {"checks": "write"}},
        token=small.jwt,
    )
    for _ in range(2):
        small.call("POST", f"{HERE}/issues/comments/{comment.id}/reactions", {"content": "+1"})
    small.call("GET", f"{HERE}/issues/comments/{comment.id}/reactions")
    small.call("PATCH", f"{HERE}/check-runs/{run['id']}", {"conclusion": "success"})
    small.call("POST", f"{HERE}/check-runs/{run['id']}/rerequest", token=small.ada.token)
    small.call("POST", f"{HERE}/check-suites/{run['check_suite']['id']}/rerequest", token=small.ada.token)
    ours = small.call("POST", f"{HERE}/issues/{number}/comments", {"body": "ours"})
    small.call("PATCH", f"{HERE}/issues/comments/{ours['id']}", {"body": "ours, changed"})
    small.call("DELETE", f"{HERE}/issues/comments/{ours['id']}")
    small.call("DELETE", f"{HERE}/issues/{number}/labels/cla%2Fno")
    small.call("PATCH", f"{HERE}/pulls/{number}", {"title": "Another", "state": "closed"})
    small.call("POST", f"{HERE}/pulls", {"head": "mia:work", "base": "main", "title": "Again", "draft": True})
    git_issues_and_reports(small)
    untried = served(small) - {(call.method, call.template) for call in small.world.calls}
    assert untried == set()


def git_issues_and_reports(small):
    """What a repository is read by without a clone, and what is proposed to it; GitHub's own words when it says no."""
    small.app.permissions["contents"] = "write"
    writing = small.call("POST", small.tokens, {}, token=small.jwt)["token"]
    tip = small.call("GET", f"{HERE}/git/ref/heads/main")["object"]["sha"]
    root = small.call("GET", f"{HERE}/git/commits/{tip}")["tree"]["sha"]
    [one, *_] = small.call("GET", f"{HERE}/git/trees/{tip}?recursive=1")["tree"]
    assert small.call("GET", f"{HERE}/git/blobs/{one['sha']}")["size"] == one["size"]
    blob = small.call("POST", f"{HERE}/git/blobs", {"content": "Kg==", "encoding": "base64"}, token=writing)["sha"]
    entry = {"path": "NOTICE", "mode": "100644", "type": "blob", "sha": blob}
    tree = small.call("POST", f"{HERE}/git/trees", {"base_tree": root, "tree": [entry]}, token=writing)["sha"]
    fields = {"message": "Add it", "tree": tree, "parents": [tip]}
    made = small.call("POST", f"{HERE}/git/commits", fields, token=writing)["sha"]
    small.call("POST", f"{HERE}/git/refs", {"ref": "refs/heads/ours", "sha": tip}, token=writing)
    small.call("PATCH", f"{HERE}/git/refs/heads/ours", {"sha": made}, token=writing)
    small.call("PATCH", f"{HERE}/git/refs/heads/ours", {"sha": tip}, token=writing, status=422)
    small.call("POST", f"{HERE}/git/refs", {"ref": "refs/heads/ours", "sha": tip}, status=403)
    assert small.call("GET", f"{HERE}/compare/{tip}...{made}")["merge_base_commit"]["sha"] == tip
    small.call("GET", f"{HERE}/compare/{tip}...{'0' * 40}", status=404)
    number = small.call("POST", f"{HERE}/issues", {"title": "Licences", "body": "two"})["number"]
    small.call("PATCH", f"{HERE}/issues/{number}", {"state": "closed", "body": "none"})
    small.call("GET", f"{HERE}/issues/{number}")
    assert len(small.call("GET", f"{HERE}/issues?state=all&creator=countersign[bot]")) == 2
    assert len(small.call("GET", f"{HERE}/issues?state=all")) == 3
    small.call("GET", f"{HERE}/dependency-graph/sbom/generate-report", status=404)
    small.runtime.sbom, small.world.sbom_patience = {"spdxVersion": "SPDX-2.3"}, 1
    report = small.call("GET", f"{HERE}/dependency-graph/sbom/generate-report", status=201)["sbom_url"]
    report = report.removeprefix(small.world.url)
    small.call("GET", report, status=202)
    small.call("GET", report, status=302)
    small.world.repository(small.cann, "bare", files={})
    small.call("GET", f"{REST}/repos/cann/bare/git/trees/main", status=409)
    small.runtime.has_issues = False
    small.call("POST", f"{HERE}/issues", {"title": "More"}, status=410)


def served(small):
    """(method, template) of every REST route by name."""
    rules = [
        rule for rule in small.flask.url_map.iter_rules() if rule.rule.startswith(REST) and rule.endpoint != "unknown"
    ]
    return {
        (method, "".join(f"{{{part}}}" if variable else part for variable, part in rule._trace)
         .removeprefix("|").removeprefix(REST))
        for rule in rules for method in rule.methods - {"HEAD", "OPTIONS"} if "/repositories/" not in rule.rule
    }  # fmt: skip


def test_refusals(small):
    """Errors and redirects have GitHub's form."""
    small.call("GET", f"{REST}/app", token="nobody", status=401)
    small.call("GET", f"{HERE}/pulls/99", status=404)
    small.call("GET", f"{REST}/users/nobody", status=404)
    small.call("POST", f"{HERE}/labels", {"name": "x" * 51}, status=422)
    small.call("POST", f"{HERE}/issues/1/comments", {"body": " "}, status=422)
    small.call("POST", f"{HERE}/pulls", {"head": "mia:none", "base": "main", "title": "x"}, status=422)
    small.call("POST", f"{HERE}/check-runs", {**RUN, "head_sha": "0" * 40}, status=422)
    small.call("PATCH", f"{HERE}/pulls/1", {"title": "x"}, token=small.world.user("eve").token, status=403)
    small.world.rename(small.runtime, "renamed", small.ada)
    small.call("GET", HERE, status=301)
    small.call("POST", f"{HERE}/issues/1/comments", {"body": "x"}, status=307)


def test_what_is_gone_is_null(small):
    """A deleted fork and a deleted account leave nulls, as at GitHub."""
    small.world.delete(small.fork)
    small.pull.opener = None
    for path in ("/pulls/1", "/pulls", "/issues/1"):
        small.call("GET", HERE + path)
    assert small.call("GET", f"{HERE}/pulls/1")["head"]["repo"] is None
    small.world.add_labels(small.pull, ["cla/no"], small.ada)
    small.told(("pull_request", "labeled"))


def test_every_webhook_about_a_pull_request(small):
    """Opened, pushed, edited, labelled, closed, reopened, merged."""
    world, pull = small.world, small.pull
    before = pull.head_sha
    after = world.write(small.fork, {"b.txt": "b\n"}, branch="work")
    world.landed(small.fork, small.mia, {"refs/heads/work": (before, after)})
    world.write(small.runtime, {"s.txt": "s\n"}, branch="stable")
    world.edit_pull(pull, small.mia, title="New", body="New", base="stable")
    world.add_labels(pull, ["cla/no"], small.ada)
    world.remove_label(pull, "cla/no", small.ada)
    pull.draft = True
    world.ready(pull, small.mia)
    world.close_pull(pull, small.mia)
    world.reopen_pull(pull, small.mia)
    world.merge_pull(pull, small.ada)
    actions = ["opened", "synchronize", "edited", "labeled", "unlabeled", "ready_for_review", "closed", "reopened"]
    small.told(*[("pull_request", action) for action in actions], ("push", None))


def test_every_other_webhook(small):
    """Checks, comments, installations, repositories, authorisations, pushes of a new and a deleted branch."""
    world = small.world
    run = small.run()
    world.rerequest(world.check_runs[run["id"]], small.ada)
    world.rerequest_suite(world.check_runs[run["id"]], small.ada)
    world.comment(small.pull, small.mia, "/cla-check")
    other = world.repository(small.cann, "other")
    world.choose(small.installation, small.ada, removed=[other])
    world.choose(small.installation, small.ada, added=[other])
    sha = world.write(small.runtime, {"n.txt": "n\n"}, branch="new")
    world.landed(small.runtime, small.ada, {"refs/heads/new": (None, sha)})
    world.landed(small.runtime, small.ada, {"refs/heads/new": (sha, None)})
    world.rename(small.runtime, "renamed", small.ada)
    world.revoke(small.app, small.mia)
    world.suspend(small.installation, small.ada)
    world.suspend(small.installation, small.ada, again=False)
    world.uninstall(small.installation, small.ada)
    small.told(
        *[("check_run", action) for action in ("created", "completed", "rerequested")], ("check_suite", "rerequested"),
        ("issue_comment", "created"), ("push", None), ("repository", "renamed"), ("github_app_authorization", "revoked"),
        *[("installation", action) for action in ("created", "deleted", "suspend", "unsuspend")],
        *[("installation_repositories", action) for action in ("added", "removed")],
    )  # fmt: skip


@pytest.mark.parametrize("gone", [False, True])
def test_every_query(small, gone):
    """Countersign's own documents, on a pull request whose fork and opener exist or are gone."""
    small.world.write(small.runtime, {".github/countersign.yml": "schema: 1\n"})
    if gone:
        small.world.delete(small.fork)
        small.pull.opener = None
    variables = {"owner": "cann", "name": "runtime", "number": 1}
    for query, more in (
        (documents.LOOK, documents.label_variables(["cla/no"])),
        (documents.MORE, {"after": "Y3Vyc29yOnYyOjE="}),
        (documents.FORCED, {}),
    ):
        answer = small.call("POST", "/api/graphql", {"query": query, "variables": {**variables, **more}})
        assert answer["data"]["repository"]["pullRequest"], json.dumps(answer)
    assert small.watch.seen >= 3


def test_queries_of_the_audit(small):
    """Heads of repositories, one of them gone, and contents by their SHA, one of them not there."""
    asked = {"nodes": [f"R_{small.runtime.id}", "R_1"]}
    answer = small.call("POST", "/api/graphql", {"query": documents.HEADS, "variables": asked})
    assert answer["data"]["nodes"][1] is None
    assert answer["errors"][0]["type"] == "NOT_FOUND"
    [mailmap, readme] = small.call("GET", f"{HERE}/git/trees/main")["tree"]
    assert (mailmap["path"], readme["size"]) == (".mailmap", 10)
    asked = {"owner": "cann", "name": "runtime", "oid0": readme["sha"], "oid1": "0" * 40}
    query = documents.blobs_query(2)
    found = small.call("POST", "/api/graphql", {"query": query, "variables": asked})["data"]["repository"]
    assert (found["blob0"]["text"], found["blob1"]) == ("# runtime\n", None)
