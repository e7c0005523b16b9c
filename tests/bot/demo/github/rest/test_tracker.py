"""Issues over REST."""

HERE = "/repos/cann/runtime/issues"


def test_issues_and_pull_requests_are_counted_and_listed_together(place):
    """The newest first; by state and by who opened them."""
    token = place.token()
    first = place.call("POST", HERE, {"title": "One", "body": "b"}, token=token).json()
    pull, _ = place.pull()
    second = place.call("POST", HERE, {"title": "Two"}, token=place.mia.token).json()
    assert [first["number"], pull.number, second["number"]] == [1, 2, 3]
    place.call("PATCH", f"{HERE}/1", {"state": "closed", "title": "One, done"}, token=token)

    def numbers(query):
        return [one["number"] for one in place.call("GET", f"{HERE}?{query}", token=token).json()]

    assert numbers("state=all") == [3, 2, 1]
    assert (numbers(""), numbers("state=closed")) == ([3, 2], [1])
    assert (numbers("creator=MIA&state=all"), numbers("creator=nobody")) == ([3, 2], [])
    assert place.call("GET", f"{HERE}/1", token=token).json()["title"] == "One, done"
    assert "pull_request" in place.call("GET", f"{HERE}/2", token=token).json()


def test_who_may_change_an_issue(place):
    """Who opened it, who may write, an App with the permission; nobody else, and nothing that is not there."""
    mine = place.world.open_issue(place.runtime, place.mia, "One")
    eve = place.world.user("eve")
    path = f"{HERE}/{mine.number}"
    assert place.call("PATCH", path, {"title": "x"}, token=eve.token).status_code == 403
    for who in (place.mia, place.ada):
        assert place.call("PATCH", path, {"title": "x"}, token=who.token).status_code == 200
    assert place.call("PATCH", f"{HERE}/99", {"title": "x"}, token=place.token()).status_code == 404
    place.app.permissions["issues"] = "read"
    assert place.call("PATCH", path, {"title": "x"}, token=place.token()).status_code == 403
    assert place.call("POST", HERE, {"title": "x"}, token=place.token()).status_code == 403


def test_issues_can_be_switched_off(place):
    """410, as GitHub."""
    place.runtime.has_issues = False
    assert place.call("POST", HERE, {"title": "x"}, token=place.token()).status_code == 410
