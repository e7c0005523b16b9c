"""Comments and reactions over REST."""

COMMENTS = "/repos/cann/runtime/issues/1/comments"


def test_the_apps_comment_is_its_bots(place):
    """`slug[bot]` says it, performed via the App; it can be changed."""
    place.pull()
    said = place.api("POST", COMMENTS, {"body": "Hello"})
    assert (said["user"]["login"], said["user"]["type"]) == ("countersign[bot]", "Bot")
    assert said["performed_via_github_app"]["id"] == place.app.id
    path = f"/repos/cann/runtime/issues/comments/{said['id']}"
    assert place.api("PATCH", path, {"body": "Changed"})["body"] == "Changed"
    assert [one["body"] for one in place.api("GET", COMMENTS)] == ["Changed"]
    place.api("GET", f"{path}0", status=404)


def test_a_persons_comment_is_told_to_the_app(place):
    """`issue_comment` created, with the pull request's issue."""
    place.pull()
    place.call("POST", COMMENTS, {"body": "/cla-check"}, token=place.mia.token)
    sent = place.events("issue_comment")[0]
    assert (sent["action"], sent["comment"]["body"], sent["issue"]["number"]) == ("created", "/cla-check", 1)
    assert sent["issue"]["pull_request"]["html_url"].endswith("/cann/runtime/pull/1")
    assert sent["sender"]["login"] == "mia"


def test_strangers_cannot_change_a_comment_and_writers_can(place):
    """Only the author and people with write."""
    pull, _ = place.pull()
    said = place.world.comment(pull, place.mia, "Mine")
    path = f"/repos/cann/runtime/issues/comments/{said.id}"
    eve = place.world.user("eve")
    place.api("PATCH", path, {"body": "Eve's"}, token=eve.token, status=403)
    assert place.api("PATCH", path, {"body": "Ada's"}, token=place.ada.token)["body"] == "Ada's"


def test_a_comment_too_long_or_empty_is_refused(place):
    """65,536 characters are the most."""
    place.pull()
    place.api("POST", COMMENTS, {"body": "x" * 65537}, status=422)
    place.api("POST", COMMENTS, {"body": " "}, status=422)
    place.api("POST", COMMENTS, {"body": "x" * 65536}, status=201)


def test_a_reaction_is_given_once(place):
    """The same again answers 200 with the old one."""
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
