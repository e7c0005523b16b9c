"""Issues, comments and reactions as JSON; the routes' tests hold them against GitHub's description."""

from bot.demo.github.json import issue_json


def test_who_opened_it_and_through_what(place):
    """A member's own issue; an App's says which App; a closed one says why."""
    hers = place.world.open_issue(place.runtime, place.ada, "Title")
    ours = place.world.open_issue(place.runtime, place.app.bot, "Title", "Body", app=place.app)
    place.world.edit_issue(ours, state="closed")
    first, second = (issue_json.issue(place.world, one) for one in (hers, ours))
    assert (first["body"], first["author_association"], first["performed_via_github_app"]) == (None, "MEMBER", None)
    assert (first["state"], first["state_reason"]) == ("open", None)
    assert (second["performed_via_github_app"]["id"], second["author_association"]) == (place.app.id, "NONE")
    assert (second["state"], second["state_reason"]) == ("closed", "completed")


def test_a_comment_by_a_person_and_by_the_app(place):
    """Only the App's is performed via it; a deleted account is null."""
    pull, _ = place.pull()
    one = place.world.comment(pull, place.mia, "Hi")
    two = place.world.comment(pull, place.app.bot, "Hello", app=place.app)
    bodies = [issue_json.comment(place.world, pull, said) for said in (one, two)]
    assert bodies[0]["performed_via_github_app"] is None
    assert bodies[1]["performed_via_github_app"]["slug"] == "countersign"
    one.user = None
    assert issue_json.comment(place.world, pull, one)["user"] is None


def test_a_reaction(place):
    """Who, what, when."""
    body = issue_json.reaction(place.world, (5, place.mia, "eyes", place.clock()))
    assert (body["id"], body["content"], body["user"]["login"]) == (5, "eyes", "mia")
