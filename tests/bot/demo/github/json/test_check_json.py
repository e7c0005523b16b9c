"""Bodies about check runs."""

from bot.demo.github.json import check_json
from bot.demo.github.state import StoredCheckRun


def test_pull_requests_of_forks_are_not_listed(place):
    fork_pull, _ = place.pull()
    clone = place.clone(place.runtime, place.ada)
    clone.branch("own")
    clone.commit("Own")
    clone.push()
    own = place.world.open_pull(place.runtime, place.ada, "own")
    for pull, expected in ((fork_pull, []), (own, [own.number])):
        run = StoredCheckRun(1, 2, place.app, place.runtime, "Countersign", pull.head_sha, place.world.now())
        assert [entry["number"] for entry in check_json.run(place.world, run)["pull_requests"]] == expected


def test_a_suite_is_one_for_app_and_head_and_ends_as_its_newest_run(place):
    pull, _ = place.pull()
    empty = check_json.suite(place.world, place.app, place.runtime, pull.head_sha)
    assert (empty["status"], empty["conclusion"]) == ("queued", None)
    run = StoredCheckRun(1, empty["id"], place.app, place.runtime, "Countersign", pull.head_sha, place.world.now())
    run.status, run.conclusion = "completed", "success"
    place.world.check_runs[1] = run
    full = check_json.run_with_suite(place.world, run)["check_suite"]
    assert (full["id"], full["conclusion"]) == (empty["id"], "success")
