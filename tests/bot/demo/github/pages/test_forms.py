"""The forms of the pages."""

import pytest
import requests

from bot.demo.github.state import StoredCheckRun


class Browser:
    def __init__(self, place, who):
        self.place = place
        self.session = place.browser(who)

    def post(self, path, **fields):
        return self.session.post(self.place.server.url + path, data=fields, timeout=60)


def test_forms_lead_from_a_fork_to_a_pull_request_with_a_comment(place):
    mia = Browser(place, place.mia)
    assert mia.post("/cann/runtime/fork").url.endswith("/mia/runtime")
    fork = place.world.find_repository("mia", "runtime")
    clone = place.clone(fork, place.mia)
    clone.branch("work")
    clone.commit("Do it", files={"a": "1"})
    clone.push()
    answer = mia.post("/cann/runtime/pulls", **{"from": f"{fork.id}:work"})
    assert answer.url.endswith("/cann/runtime/pull/1")
    assert "Do it" in answer.text
    mia.post("/cann/runtime/pull/1/comments", body="/cla-check\r\nplease")
    pull = place.runtime.pulls[1]
    assert (pull.opener, pull.comments[0].body, pull.comments[0].user) == (place.mia, "/cla-check\nplease", place.mia)


def test_the_opener_closes_and_reopens_and_only_writers_merge(place):
    pull, _ = place.pull()
    pull.draft = True
    mia, ada, path = Browser(place, place.mia), Browser(place, place.ada), "/cann/runtime/pull/1/state"
    mia.post(path, action="ready")
    mia.post(path, action="close")
    assert (pull.draft, pull.state) == (False, "closed")
    mia.post(path, action="reopen")
    assert mia.post(path, action="merge").status_code == 403
    assert pull.merged_at is None
    assert mia.post(path, action="explode").status_code == 422
    ada.post(path, action="merge")
    assert pull.merged_by is place.ada
    sent = [event["action"] for event in place.events("pull_request")]
    assert sent == ["opened", "ready_for_review", "closed", "reopened", "closed"]


def test_only_a_button_that_the_app_put_on_its_run_can_be_pressed(place):
    pull, _ = place.pull()
    run = StoredCheckRun(7, 8, place.app, place.runtime, "Countersign", pull.head_sha, place.world.now())
    run.actions = [{"label": "Check again", "description": "Look at it now", "identifier": "recheck"}]
    place.world.check_runs[7] = run
    mia, address = Browser(place, place.mia), "/cann/runtime/runs/7/actions"
    assert mia.post(address, identifier="other").status_code == 422
    answer = mia.post(address, identifier="recheck")
    assert answer.url.endswith("/cann/runtime/pull/1/checks")
    assert "Check again" in answer.text
    assert [event["requested_action"] for event in place.events("check_run")] == [{"identifier": "recheck"}]


def test_only_the_author_and_writers_rerun_a_check(place):
    pull, _ = place.pull()
    place.world.check_runs[7] = StoredCheckRun(
        7, 8, place.app, place.runtime, "Countersign", pull.head_sha, place.world.now()
    )
    eve = Browser(place, place.world.user("eve"))
    assert eve.post("/cann/runtime/runs/7/rerequest").status_code == 403
    assert place.events("check_run") == []
    assert Browser(place, place.mia).post("/cann/runtime/runs/7/rerequest").url.endswith("/cann/runtime/pull/1/checks")
    assert [event["action"] for event in place.events("check_run")] == ["rerequested"]


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/cann/runtime/pulls", {"from": "1:main"}),
        ("/cann/runtime/pulls", {"from": ""}),
        ("/cann/runtime/pull/1/comments", {"body": "  "}),
    ],
)
def test_wrong_forms_are_answered_in_words_and_change_nothing(place, path, fields):
    place.pull()
    answer = Browser(place, place.mia).post(path, **fields)
    assert answer.status_code == 422
    assert "That did not work" in answer.text
    assert (len(place.runtime.pulls), place.runtime.pulls[1].comments) == (1, [])


def test_forms_without_a_sign_in_or_from_other_sites_are_refused(place):
    url = place.server.url + "/cann/runtime/fork"
    assert requests.post(url, timeout=60).status_code == 401
    mia = Browser(place, place.mia)
    answer = mia.session.post(url, headers={"Origin": "https://evil.example"}, timeout=60)
    assert answer.status_code == 403
    assert place.world.find_repository("mia", "runtime") is None


def test_a_revoked_authorisation_is_told_and_ends_the_token(place):
    place.world.allowed.add((place.app.id, place.mia.id))
    answer = Browser(place, place.mia).post(f"/settings/apps/{place.app.id}/revoke")
    assert answer.status_code == 200
    assert place.events("github_app_authorization")[0]["sender"]["login"] == "mia"
    assert place.world.allowed == set()
