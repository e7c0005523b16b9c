"""Pull requests by REST."""

import pytest


def test_a_push_to_a_fork_becomes_a_pull_request_with_real_commits(place):
    pull, clone = place.pull(commits=2)
    body = place.api("GET", "/repos/cann/runtime/pulls/1")
    assert (body["commits"], body["changed_files"], body["additions"]) == (2, 2, 2)
    assert body["head"]["sha"] == clone.head == pull.head_sha
    assert body["head"]["repo"]["full_name"] == "mia/runtime"
    assert body["base"]["repo"]["id"] == place.runtime.id
    assert ("pull_request", "opened") in place.events()


def test_a_commit_is_linked_by_verified_and_noreply_addresses_only(place):
    place.pull(author=("Mia", "mia@huawei.com"), committer=("GitHub", "noreply@127.0.0.1"))
    place.pull(branch="other", author=("Mia", place.mia.noreply.upper()), committer=("Mia", "MIA@home.example"))
    first = place.api("GET", "/repos/cann/runtime/pulls/1/commits")[0]
    assert first["author"] is None
    assert first["commit"]["author"]["email"] == "mia@huawei.com"
    assert first["committer"]["login"] == "web-flow"
    second = place.api("GET", "/repos/cann/runtime/pulls/2/commits")[0]
    assert (second["author"]["id"], second["committer"]["id"]) == (place.mia.id, place.mia.id)


def test_a_push_moves_the_head_and_names_the_account_that_pushed(place):
    pull, clone = place.pull()
    before = pull.head_sha
    after = clone.commit("More", author=("Ada", "ada@cann.example"))
    clone.push()
    sent = [event for event in place.events("pull_request") if event["action"] == "synchronize"]
    assert [(event["before"], event["after"], event["sender"]["login"]) for event in sent] == [(before, after, "mia")]
    assert place.call("GET", "/repos/cann/runtime/pulls/1").json()["head"]["sha"] == after


@pytest.mark.slow
def test_at_most_250_commits_are_listed(place):
    """GitHub has the same cap: the pull request says 251, its list ends at 250."""
    place.pull(commits=251)
    token = place.token()
    assert place.api("GET", "/repos/cann/runtime/pulls/1")["commits"] == 251
    pages, url = [], "/repos/cann/runtime/pulls/1/commits?per_page=100"
    while url:
        answer = place.call("GET", url, token=token)
        pages.append(len(answer.json()))
        url = answer.links.get("next", {}).get("url")
    assert pages == [100, 100, 50]


def test_closing_and_another_base_are_told(place):
    place.pull()
    place.world.write(place.runtime, {"stable.txt": "x"}, branch="stable")
    token = place.ada.token
    for change in ({"base": "stable"}, {"state": "closed"}):
        place.api("PATCH", "/repos/cann/runtime/pulls/1", change, token=token, status=200)
    sent = [event for event in place.events("pull_request") if event["action"] != "opened"]
    assert [event["action"] for event in sent] == ["edited", "closed"]
    assert sent[0]["changes"]["base"]["ref"]["from"] == "main"


def test_a_pull_request_is_opened_by_rest_once(place):
    place.world.write(place.runtime, {"second.txt": "x"}, branch="second")
    fields = {"title": "Second", "head": "second", "base": "main", "body": "Why"}
    answer = place.api("POST", "/repos/cann/runtime/pulls", fields, status=201)
    assert (answer["number"], answer["body"], answer["user"]["login"]) == (1, "Why", "countersign[bot]")
    again = place.api("POST", "/repos/cann/runtime/pulls", fields, status=422)
    assert "already exists for cann:second" in again["errors"][0]["message"]


def test_a_merged_pull_request_keeps_its_commits(place):
    pull, _ = place.pull()
    place.world.merge_pull(pull, place.ada)
    body = place.api("GET", "/repos/cann/runtime/pulls/1")
    assert (body["state"], body["merged"], body["commits"]) == ("closed", True, 1)
    assert body["merged_by"]["login"] == "ada"


def test_a_deleted_fork_leaves_null(place):
    pull, _ = place.pull()
    place.world.delete(pull.head_repository)
    body = place.api("GET", "/repos/cann/runtime/pulls/1")
    assert body["head"]["repo"] is None
    assert len(place.api("GET", "/repos/cann/runtime/pulls/1/commits")) == 1


@pytest.mark.parametrize(("state", "count"), [("open", 1), ("closed", 1), ("all", 2)])
def test_pull_requests_are_listed_by_state_open_by_default(place, state, count):
    first, _ = place.pull()
    place.pull(branch="other")
    place.world.close_pull(first, place.mia)
    answer = place.call("GET", f"/repos/cann/runtime/pulls?state={state}", token=place.token())
    assert len(answer.json()) == count
