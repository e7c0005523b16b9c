"""Issues and labels over REST."""

HERE = "/repos/cann/runtime/issues"


def test_issues_and_pull_requests_are_counted_and_listed_together(place):
    token = place.token()
    first = place.api("POST", HERE, {"title": "One", "body": "b"})
    pull, _ = place.pull()
    second = place.api("POST", HERE, {"title": "Two"}, token=place.mia.token)
    assert [first["number"], pull.number, second["number"]] == [1, 2, 3]
    place.call("PATCH", f"{HERE}/1", {"state": "closed", "title": "One, done"}, token=token)

    def numbers(query):
        return [issue["number"] for issue in place.api("GET", f"{HERE}?{query}")]

    assert numbers("state=all") == [3, 2, 1]
    assert (numbers(""), numbers("state=closed")) == ([3, 2], [1])
    assert (numbers("creator=MIA&state=all"), numbers("creator=nobody")) == ([3, 2], [])
    _, pull, changed = place.api("GET", f"{HERE}?state=all")
    assert (changed["title"], "pull_request" in pull, "pull_request" in changed) == ("One, done", True, False)


def test_an_issue_is_changed_by_its_opener_writers_and_permitted_apps(place):
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


def test_switched_off_issues_are_410(place):
    place.runtime.has_issues = False
    place.api("POST", HERE, {"title": "x"}, status=410)


def test_labels_come_and_go_and_are_told(place):
    pull, _ = place.pull()
    path = "/repos/cann/runtime/issues/1/labels"
    assert [label["name"] for label in place.api("POST", path, {"labels": ["cla: no"]})] == ["cla: no"]
    assert [label["name"] for label in place.api("POST", path, {"labels": ["cla: no", "bug"]})] == ["cla: no", "bug"]
    assert [label["name"] for label in place.api("DELETE", f"{path}/cla:%20no")] == ["bug"]
    assert [label["name"] for label in place.api("GET", path)] == ["bug"]
    place.api("DELETE", f"{path}/cla:%20no", status=404)
    assert [label.name for label in pull.labels] == ["bug"]
    sent = [
        (event["action"], event["label"]["name"], event["sender"]["type"]) for event in place.events("pull_request")[1:]
    ]
    assert sent == [("labeled", "cla: no", "Bot"), ("labeled", "bug", "Bot"), ("unlabeled", "cla: no", "Bot")]


def test_labels_and_comments_of_a_pull_request_count_at_its_issue(place):
    pull, _ = place.pull()
    place.world.comment(pull, place.mia, "Hello")
    [body] = place.api("GET", HERE)
    assert (body["number"], body["comments"], body["state"]) == (1, 1, "open")


COMMENTS = "/repos/cann/runtime/issues/1/comments"


def test_the_apps_comment_is_its_bots_and_can_be_changed(place):
    place.pull()
    said = place.api("POST", COMMENTS, {"body": "Hello"})
    assert (said["user"]["login"], said["user"]["type"]) == ("countersign[bot]", "Bot")
    assert said["performed_via_github_app"]["id"] == place.app.id
    path = f"/repos/cann/runtime/issues/comments/{said['id']}"
    assert place.api("PATCH", path, {"body": "Changed"})["body"] == "Changed"
    assert [comment["body"] for comment in place.api("GET", COMMENTS)] == ["Changed"]
    place.api("GET", f"{path}0", status=404)


def test_a_persons_comment_is_told_to_the_app(place):
    place.pull()
    place.call("POST", COMMENTS, {"body": "/cla-check"}, token=place.mia.token)
    sent = place.events("issue_comment")[0]
    assert (sent["action"], sent["comment"]["body"], sent["issue"]["number"]) == ("created", "/cla-check", 1)
    assert sent["issue"]["pull_request"]["html_url"].endswith("/cann/runtime/pull/1")
    assert sent["sender"]["login"] == "mia"


def test_only_the_author_and_writers_change_a_comment(place):
    pull, _ = place.pull()
    said = place.world.comment(pull, place.mia, "Mine")
    path = f"/repos/cann/runtime/issues/comments/{said.id}"
    eve = place.world.user("eve")
    place.api("PATCH", path, {"body": "Eve's"}, token=eve.token, status=403)
    assert place.api("PATCH", path, {"body": "Ada's"}, token=place.ada.token)["body"] == "Ada's"


def test_a_comment_too_long_or_empty_is_refused(place):
    place.pull()
    place.api("POST", COMMENTS, {"body": "x" * 65537}, status=422)
    place.api("POST", COMMENTS, {"body": " "}, status=422)
    place.api("POST", COMMENTS, {"body": "x" * 65536}, status=201)


def test_a_reaction_is_given_once(place):
    pull, _ = place.pull()
    said = place.world.comment(pull, place.mia, "/cla-check")
    path = f"/repos/cann/runtime/issues/comments/{said.id}/reactions"
    first = place.call("POST", path, {"content": "+1"}, token=place.token())
    second = place.call("POST", path, {"content": "+1"}, token=place.token())
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert [content for _, _, content, _ in said.reactions] == ["+1"]
    assert place.api("GET", path) == [first.json()]
    body = place.api("GET", f"/repos/cann/runtime/issues/comments/{said.id}")
    assert (body["reactions"]["+1"], body["reactions"]["total_count"]) == (1, 1)
