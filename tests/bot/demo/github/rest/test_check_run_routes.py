"""Check runs by REST."""

import pytest

from tests.bot.demo.github import github_deeds


def create(place, token, **more):
    pull = place.runtime.pulls.get(1) or place.pull()[0]
    fields = {
        "name": "Countersign",
        "head_sha": pull.head_sha,
        "external_id": "countersign:1",
        "status": "in_progress",
        **more,
    }
    return place.call("POST", "/repos/cann/runtime/check-runs", fields, token=token)


def test_a_run_is_created_completed_and_found(place):
    token = place.token()
    made = create(place, token).json()
    assert (made["status"], made["conclusion"], made["app"]["slug"]) == ("in_progress", None, "countersign")
    assert made["pull_requests"] == []  # as GitHub for forks
    change = {"conclusion": "failure", "output": {"title": "1 problem", "summary": "Sign"}}
    done = place.api("PATCH", f"/repos/cann/runtime/check-runs/{made['id']}", change)
    assert (done["status"], done["conclusion"], done["output"]["title"]) == ("completed", "failure", "1 problem")
    found = place.api("GET", f"/repos/cann/runtime/commits/{made['head_sha']}/check-runs?app_id={place.app.id}")
    assert found["check_runs"] == [done]


def test_latest_shows_one_run_of_a_name_and_all_shows_all(place):
    token = place.token()
    first, second = (create(place, token).json() for _ in range(2))
    path = f"/repos/cann/runtime/commits/{first['head_sha']}/check-runs"
    assert [run["id"] for run in place.api("GET", path)["check_runs"]] == [second["id"]]
    assert place.api("GET", path + "?filter=all")["total_count"] == 2
    assert place.api("GET", path + "?app_id=1")["total_count"] == 0


def test_only_the_app_is_told_of_its_runs(place):
    other = place.world.app("other", place.ada, place.app.key, hook_url=place.app.hook_url, webhook_secret="x")
    place.world.install(other, place.cann, place.ada)
    run = create(place, place.token(), conclusion="success").json()
    place.world.rerequest(place.world.check_runs[run["id"]], place.ada)
    github_deeds.rerequest_suite(place.world, place.world.check_runs[run["id"]], place.ada)
    place.world.hooks.drain()
    sent = [
        (delivery.app.slug, delivery.event, delivery.action)
        for delivery in place.world.hooks.log
        if delivery.event.startswith("check_")
    ]
    assert sent == [
        ("countersign", "check_run", "created"), ("countersign", "check_run", "completed"),
        ("countersign", "check_run", "rerequested"), ("countersign", "check_suite", "rerequested"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"head_sha": "0" * 40},
        {"output": {"title": "t", "summary": "x" * 65536}},
        {"status": "completed"},
    ],
)
def test_a_run_that_github_would_refuse_is_refused(place, wrong, gate):
    assert create(place, place.token(), **wrong).status_code == 422
    gate.findings.clear()  # the wrong request is meant here
    assert place.world.check_runs == {}


def test_a_refused_change_leaves_the_run_as_it_was(place, gate):
    run = create(place, place.token()).json()
    for wrong in ({"status": "completed"}, {"actions": [{"label": "Again"}]}):
        place.api("PATCH", f"/repos/cann/runtime/check-runs/{run['id']}", {"name": "Other", **wrong}, status=422)
    gate.findings.clear()  # the wrong request is meant here
    stored = place.world.check_runs[run["id"]]
    assert (stored.name, stored.status, stored.actions) == ("Countersign", "in_progress", [])


def test_another_app_may_not_change_the_run(place):
    run = create(place, place.token()).json()
    other = place.world.app("other", place.ada, place.app.key)
    place.installation = place.world.install(other, place.cann, place.ada)
    place.app = other
    answer = place.call(
        "PATCH", f"/repos/cann/runtime/check-runs/{run['id']}", {"conclusion": "success"}, token=place.token()
    )
    assert answer.status_code == 403
    assert place.world.check_runs[run["id"]].conclusion is None


def test_a_person_cannot_make_runs(place):
    pull, _ = place.pull()
    fields = {"name": "Countersign", "head_sha": pull.head_sha}
    place.api("POST", "/repos/cann/runtime/check-runs", fields, token=place.ada.token, status=403)
