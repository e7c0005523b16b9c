"""Every route, every webhook and every query of the small GitHub, tried once under the contract with GitHub."""

import base64
import json
from urllib.parse import quote

import pytest

from bot.demo.github.simulated_server import create_app
from bot.github import documents
from tests.bot.demo.github import github_deeds
from tests.bot.demo.github.app_registration import made
from tests.contract import derive

HERE = "/repos/cann/runtime"
RUN = {"name": "Countersign", "status": "completed", "conclusion": "failure", "external_id": "countersign:1:1",
       "details_url": "https://countersign.example/1", "started_at": "2026-11-21T09:00:00Z",
       "output": {"title": "One agreement is missing", "summary": "mia has not signed.", "text": "more"},
       "actions": [{"label": "Check again", "description": "Judge it again", "identifier": "recheck"}]}  # fmt: skip

SPDX = {"spdxVersion": "SPDX-2.3", "SPDXID": "SPDXRef-DOCUMENT", "name": "runtime", "dataLicense": "CC0-1.0", "packages": [],
        "documentNamespace": "https://github.example/runtime", "creationInfo": {"created": "2026-11-21T09:00:00Z", "creators": []}}  # fmt: skip


@pytest.fixture(name="pull")
def _pull(place):
    """Mia's pull request from her fork; she is a member of cann, and ada administers."""
    place.cann.members[place.mia.id] = "member"
    place.world.team(place.cann, "cla-admins", [place.ada])
    fork = place.world.fork(place.runtime, place.mia)
    message = "Add a\n\nCo-authored-by: Bo <bo@b.example>"
    place.world.write(fork, {"a.txt": "a\n"}, branch="work", message=message)
    return place.world.open_pull(place.runtime, place.mia, "work", source=fork)


def make_run(place, pull):
    """A check run of ours on the pull request."""
    return place.api("POST", f"{HERE}/check-runs", {**RUN, "head_sha": pull.head_sha})


@pytest.mark.slow
def test_every_route_answers_as_github_describes_it(place, pull):
    comment = place.world.comment(pull, place.mia, "hello")
    run = make_run(place, pull)
    number = pull.number
    place.runtime.required_checks["Countersign"] = place.app.id
    place.runtime.protected_checks["CI"] = None
    place.api("POST", f"{HERE}/labels", {"name": "cla/no", "color": "b60205", "description": "Not covered"})
    place.api("POST", f"{HERE}/issues/{number}/labels", {"labels": ["cla/no", "kind/x"]})
    for path in (
        "/installation/repositories", "/orgs/cann/members", "/orgs/cann/teams/cla-admins",
        f"/organizations/{place.cann.id}/team/{place.cann.teams['cla-admins'].id}/members",
        "/rate_limit", "/meta", "/users/mia", "/users/cann", "/users/countersign[bot]", f"/user/{place.mia.id}",
        "/repos/mia/runtime", f"/repositories/{place.runtime.id}", f"/repositories/{place.runtime.id}/pulls",
    ):  # fmt: skip
        place.api("GET", quote(path))
    for path in (
        "", "/activity?ref=work", "/branches", "/branches?protected=true", "/branches/main", "/rules/branches/main", "/contents/README.md", f"/commits/{pull.head_sha}/check-runs?filter=all",
        f"/commits/{pull.head_sha}/pulls",
        "/labels", "/labels/cla%2Fno", "/collaborators/mia/permission", "/pulls?state=all", f"/pulls/{number}",
        f"/pulls/{number}/commits", f"/pulls/{number}/files", f"/issues/{number}/comments",
        f"/issues/comments/{comment.id}", f"/issues/{number}/labels", "/git/matching-refs/heads/ma",
    ):  # fmt: skip
        place.api("GET", HERE + path)
    content = base64.b64encode(b"{}").decode()
    place.api(
        "PUT", f"{HERE}/contents/whitelist.json", {"message": "Publish", "content": content}, token=place.ada.token
    )
    for path in (
        "/app", "/app/installations", f"/app/installations/{place.installation.id}", f"/repos/{place.runtime.full_name}/installation",
        "/app/hook/deliveries?status=failure",
    ):  # fmt: skip
        place.api("GET", path, token=place.jwt())
    place.api("GET", "/app/hook/config", token=place.jwt())
    place.api("POST", f"/app-manifests/{made(place)['code']}/conversions", token="", status=201)
    place.world.hooks.drain()
    place.app.hook_url = "http://127.0.0.1:9/webhook"
    place.world.close_pull(pull, place.mia)
    place.world.reopen_pull(pull, place.mia)
    place.world.hooks.drain()
    [lost, _] = place.api("GET", "/app/hook/deliveries?status=failure", token=place.jwt())
    place.api("GET", f"/app/hook/deliveries/{lost['id']}", token=place.jwt())
    place.api("POST", f"/app/hook/deliveries/{lost['id']}/attempts", token=place.jwt())
    for path in ("/user", "/user/emails"):
        place.api("GET", path, token=place.mia.token)
    place.token(permissions={"checks": "write"})
    for _ in range(2):
        place.api("POST", f"{HERE}/issues/comments/{comment.id}/reactions", {"content": "+1"})
    assert len(place.api("GET", f"{HERE}/issues/comments/{comment.id}/reactions")) == 1
    place.api("PATCH", f"{HERE}/check-runs/{run['id']}", {"conclusion": "success"})
    ours = place.api("POST", f"{HERE}/issues/{number}/comments", {"body": "ours"})
    place.api("PATCH", f"{HERE}/issues/comments/{ours['id']}", {"body": "ours, changed"})
    place.api("DELETE", f"{HERE}/issues/{number}/labels/cla%2Fno")
    place.api("PATCH", f"{HERE}/pulls/{number}", {"title": "Another", "state": "closed"})
    place.world.write(place.runtime, {"b.txt": "b\n"}, branch="side")
    place.api("POST", f"{HERE}/pulls", {"head": "side", "base": "main", "title": "Another"})
    git_issues_and_reports(place)
    untried = served(place) - {(call.method, call.template) for call in place.world.calls}
    assert untried == set()


def git_issues_and_reports(place):
    """What a repository is read by without a clone, and what is proposed to it."""
    place.app.permissions["contents"] = "write"
    writing = place.token()
    tip = place.api("GET", f"{HERE}/git/ref/heads/main")["object"]["sha"]
    root = place.api("GET", f"{HERE}/git/commits/{tip}")["tree"]["sha"]
    [file, *_] = place.api("GET", f"{HERE}/git/trees/{tip}?recursive=1")["tree"]
    assert place.api("GET", f"{HERE}/git/blobs/{file['sha']}")["size"] == file["size"]
    blob = place.api("POST", f"{HERE}/git/blobs", {"content": "Kg==", "encoding": "base64"}, token=writing)["sha"]
    entry = {"path": "NOTICE", "mode": "100644", "type": "blob", "sha": blob}
    tree = place.api("POST", f"{HERE}/git/trees", {"base_tree": root, "tree": [entry]}, token=writing)["sha"]
    fields = {"message": "Add it", "tree": tree, "parents": [tip]}
    made = place.api("POST", f"{HERE}/git/commits", fields, token=writing)["sha"]
    place.api("POST", f"{HERE}/git/refs", {"ref": "refs/heads/ours", "sha": tip}, token=writing)
    place.api("PATCH", f"{HERE}/git/refs/heads/ours", {"sha": made}, token=writing)
    assert place.api("GET", f"{HERE}/compare/{tip}...{made}")["merge_base_commit"]["sha"] == tip
    place.api("DELETE", f"{HERE}/git/refs/heads/ours", token=writing, status=204)
    number = place.api("POST", f"{HERE}/issues", {"title": "Licences", "body": "two"})["number"]
    place.api("PATCH", f"{HERE}/issues/{number}", {"state": "closed", "body": "none"})
    assert len(place.api("GET", f"{HERE}/issues?state=all&creator=countersign[bot]")) == 2
    assert len(place.api("GET", f"{HERE}/issues?state=all")) == 3
    place.runtime.sbom, place.world.sbom_patience = SPDX, 1
    place.api("GET", f"{HERE}/dependency-graph/sbom")
    report = place.api("GET", f"{HERE}/dependency-graph/sbom/generate-report", status=201)["sbom_url"]
    place.api("GET", report, status=202)
    place.api("GET", report, status=302)


def served(place):
    """(method, template) of every REST route by name."""
    rules = [rule for rule in create_app(place.world).url_map.iter_rules() if rule.endpoint != "unknown"]
    return {
        (method, "".join(f"{{{part}}}" if variable else part for variable, part in rule._trace)
         .removeprefix("|").removeprefix("/api/v3"))
        for rule in rules for method in rule.methods - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/v3") and "/repositories/" not in rule.rule
    }  # fmt: skip


def test_githubs_description_is_cut_to_the_served_routes(place):
    by_id = {"/organizations/{org_id}/team/{team_id}/members": "/orgs/{org}/teams/{team_slug}/members"}
    routes = [f"{method} {by_id.get(template, template)}" for method, template in served(place)]
    assert sorted(routes) == sorted(derive.wanted("operations"))


def test_errors_and_redirects_have_githubs_form(place, pull):
    place.api("GET", "/app", token="nobody", status=401)
    place.api("GET", f"{HERE}/pulls/99", status=404)
    place.api("GET", "/users/nobody", status=404)
    place.api("POST", f"{HERE}/labels", {"name": "x" * 51}, status=422)
    place.api("POST", f"{HERE}/issues/1/comments", {"body": " "}, status=422)
    place.api("POST", f"{HERE}/pulls", {"head": "none", "base": "main", "title": "x"}, status=422)
    place.api("POST", f"{HERE}/check-runs", {**RUN, "head_sha": "0" * 40}, status=422)
    place.api("PATCH", f"{HERE}/pulls/1", {"title": "x"}, token=place.world.user("eve").token, status=403)
    place.world.rename(place.runtime, "renamed", place.ada)
    place.api("GET", HERE, status=301)
    place.api("POST", f"{HERE}/issues/1/comments", {"body": "x"}, status=307)


def test_a_deleted_fork_and_a_deleted_account_are_null(place, pull):
    place.world.delete(pull.head_repository)
    pull.opener = None
    for path in ("/pulls/1", "/pulls", "/issues"):
        place.api("GET", HERE + path)
    assert place.api("GET", f"{HERE}/pulls/1")["head"]["repo"] is None
    place.world.add_labels(pull, ["cla/no"], place.ada)
    assert_sent(place, ("pull_request", "labeled"))


def assert_sent(place, *events):
    """These webhooks (event, action) were sent; `place` judges each of them by the contract."""
    assert set(events) <= set(place.events())


def test_every_webhook_about_a_pull_request_has_githubs_form(place, pull):
    world = place.world
    before = pull.head_sha
    after = world.write(pull.head_repository, {"b.txt": "b\n"}, branch="work")
    world.landed(pull.head_repository, place.mia, {"refs/heads/work": (before, after)})
    world.write(place.runtime, {"s.txt": "s\n"}, branch="stable")
    world.edit_pull(pull, place.mia, title="New", body="New", base="stable")
    world.add_labels(pull, ["cla/no"], place.ada)
    world.remove_label(pull, "cla/no", place.ada)
    pull.draft = True
    world.ready(pull, place.mia)
    world.close_pull(pull, place.mia)
    world.reopen_pull(pull, place.mia)
    world.merge_pull(pull, place.ada)
    actions = ["opened", "synchronize", "edited", "labeled", "unlabeled", "ready_for_review", "closed", "reopened"]
    assert_sent(place, *[("pull_request", action) for action in actions], ("push", None))


def test_every_other_webhook_has_githubs_form(place, pull):
    world = place.world
    run = make_run(place, pull)
    world.rerequest(world.check_runs[run["id"]], place.ada)
    github_deeds.rerequest_suite(world, world.check_runs[run["id"]], place.ada)
    world.comment(pull, place.mia, "/cla-check")
    other = world.repository(place.cann, "other")
    world.choose(place.installation, place.ada, removed=[other])
    world.choose(place.installation, place.ada, added=[other])
    sha = world.write(place.runtime, {"n.txt": "n\n"}, branch="new")
    world.landed(place.runtime, place.ada, {"refs/heads/new": (None, sha)})
    world.landed(place.runtime, place.ada, {"refs/heads/new": (sha, None)})
    world.rename(place.runtime, "renamed", place.ada)
    world.revoke(place.app, place.mia)
    world.suspend(place.installation, place.ada)
    world.suspend(place.installation, place.ada, again=False)
    github_deeds.uninstall(world, place.installation, place.ada)
    assert_sent(place,
        *[("check_run", action) for action in ("created", "completed", "rerequested")], ("check_suite", "rerequested"),
        ("issue_comment", "created"), ("push", None), ("repository", "renamed"), ("github_app_authorization", "revoked"),
        *[("installation", action) for action in ("created", "deleted", "suspend", "unsuspend")],
        *[("installation_repositories", action) for action in ("added", "removed")],
    )  # fmt: skip


@pytest.mark.parametrize("gone", [False, True])
def test_every_query_of_countersign_has_githubs_form(place, pull, gone):
    place.world.write(place.runtime, {".github/countersign.yml": "schema: 1\n"})
    if gone:
        place.world.delete(pull.head_repository)
        pull.opener = None
    variables = {"owner": "cann", "name": "runtime", "number": 1}
    for query, more in (
        (documents.SNAPSHOT_QUERY, documents.label_variables(["cla/no"])),
        (documents.MORE_COMMITS_QUERY, {"after": "Y3Vyc29yOnYyOjE="}),
        (documents.FORCE_PUSHES_QUERY, {}),
    ):
        answer = place.graphql(query, {**variables, **more})
        assert answer["data"]["repository"]["pullRequest"], json.dumps(answer)


def test_the_queries_of_the_audit_have_githubs_form(place, pull):
    answer = place.graphql(documents.HEADS_QUERY, {"nodes": [f"R_{place.runtime.id}", "R_1"]})
    assert answer["data"]["nodes"][1] is None
    assert answer["errors"][0]["type"] == "NOT_FOUND"
    [readme, other] = place.api("GET", f"{HERE}/git/trees/{pull.head_sha}")["tree"]
    assert (readme["size"], other["path"]) == (10, "a.txt")
    asked = {"owner": "cann", "name": "runtime", "oid0": readme["sha"], "oid1": "0" * 40}
    found = place.graphql(documents.blobs_query(2), asked)["data"]["repository"]
    assert (found["blob0"]["text"], found["blob1"]) == ("# runtime\n", None)


def test_a_login_is_found_in_any_case_and_a_former_one_is_null(place):
    github_deeds.rename_account(place.world, place.mia, "maria")
    asked = ["MARIA", "cann", "countersign[bot]", "mia", "nobody"]
    answer = place.graphql(documents.logins_query(5), {f"login{slot}": login for slot, login in enumerate(asked)})
    assert list(answer["data"].values()) == [
        {"__typename": "User", "login": "maria", "databaseId": place.mia.id},
        {"__typename": "Organization", "login": "cann", "databaseId": place.cann.id},
        None, None, None,
    ]  # fmt: skip
    assert "errors" not in answer
