"""Issues and labels over REST."""

HERE = "/repos/cann/runtime/issues"


def test_issues_and_pull_requests_are_counted_and_listed_together(place):
    """The newest first; by state and by who opened them."""
    token = place.token()
    first = place.api("POST", HERE, {"title": "One", "body": "b"})
    pull, _ = place.pull()
    second = place.api("POST", HERE, {"title": "Two"}, token=place.mia.token)
    assert [first["number"], pull.number, second["number"]] == [1, 2, 3]
    place.call("PATCH", f"{HERE}/1", {"state": "closed", "title": "One, done"}, token=token)

    def numbers(query):
        return [one["number"] for one in place.api("GET", f"{HERE}?{query}")]

    assert numbers("state=all") == [3, 2, 1]
    assert (numbers(""), numbers("state=closed")) == ([3, 2], [1])
    assert (numbers("creator=MIA&state=all"), numbers("creator=nobody")) == ([3, 2], [])
    _, pull, changed = place.api("GET", f"{HERE}?state=all")
    assert (changed["title"], "pull_request" in pull, "pull_request" in changed) == ("One, done", True, False)


def test_who_may_change_an_issue(place):
    """Who opened it, who may write, an App with the permission; nobody else, and nothing that is not there."""
    mine = place.world.open_issue(place.runtime, place.mia, "One")
    eve = place.world.user("eve")
    path = f"{HERE}/{mine.number}"
    place.api("PATCH", path, {"title": "x"}, token=eve.token, status=403)
    for who in (place.mia, place.ada):
        place.api("PATCH", path, {"title": "x"}, token=who.token, status=200)
    place.api("PATCH", f"{HERE}/99", {"title": "x"}, status=404)
    place.app.permissions["issues"] = "read"
    place.api("PATCH", path, {"title": "x"}, token=place.token(), status=403)
    place.api("POST", HERE, {"title": "x"}, token=place.token(), status=403)


def test_issues_can_be_switched_off(place):
    """410, as GitHub."""
    place.runtime.has_issues = False
    place.api("POST", HERE, {"title": "x"}, status=410)


def test_labels_come_and_go_and_are_told(place):
    """Labels that do not exist are made."""
    pull, _ = place.pull()
    path = "/repos/cann/runtime/issues/1/labels"
    assert [one["name"] for one in place.api("POST", path, {"labels": ["cla: no"]})] == ["cla: no"]
    assert [one["name"] for one in place.api("POST", path, {"labels": ["cla: no", "bug"]})] == ["cla: no", "bug"]
    assert [one["name"] for one in place.api("DELETE", f"{path}/cla:%20no")] == ["bug"]
    assert [one["name"] for one in place.api("GET", path)] == ["bug"]
    place.api("DELETE", f"{path}/cla:%20no", status=404)
    assert [one.name for one in pull.labels] == ["bug"]
    sent = [(one["action"], one["label"]["name"], one["sender"]["type"]) for one in place.events("pull_request")[1:]]
    assert sent == [("labeled", "cla: no", "Bot"), ("labeled", "bug", "Bot"), ("unlabeled", "cla: no", "Bot")]


def test_the_issue_half_of_a_pull_request(place):
    """Labels and comments are counted there."""
    pull, _ = place.pull()
    place.world.comment(pull, place.mia, "Hello")
    [body] = place.api("GET", HERE)
    assert (body["number"], body["comments"], body["state"]) == (1, 1, "open")
