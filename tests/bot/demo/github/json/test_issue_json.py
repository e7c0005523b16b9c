"""Issues, comments and reactions as JSON; the routes' tests hold them against GitHub's description."""

from bot.demo.github.json import issue_json


def test_an_issue_says_its_opener_its_app_and_why_it_was_closed(place):
    hers = place.world.open_issue(place.runtime, place.ada, "Title")
    ours = place.world.open_issue(place.runtime, place.app.bot, "Title", "Body", app=place.app)
    place.world.edit_issue(ours, state="closed")
    first, second = (issue_json.issue(place.world, issue) for issue in (hers, ours))
    assert (first["body"], first["author_association"], first["performed_via_github_app"]) == (None, "MEMBER", None)
    assert (first["state"], first["state_reason"]) == ("open", None)
    assert (second["performed_via_github_app"]["id"], second["author_association"]) == (place.app.id, "NONE")
    assert (second["state"], second["state_reason"]) == ("closed", "completed")


def test_a_comment_by_the_app_says_so_and_a_deleted_author_is_null(place):
    pull, _ = place.pull()
    hers = place.world.comment(pull, place.mia, "Hi")
    ours = place.world.comment(pull, place.app.bot, "Hello", app=place.app)
    bodies = [issue_json.comment(place.world, pull, said) for said in (hers, ours)]
    assert bodies[0]["performed_via_github_app"] is None
    assert bodies[1]["performed_via_github_app"]["slug"] == "countersign"
    hers.user = None
    assert issue_json.comment(place.world, pull, hers)["user"] is None


def test_a_reaction_says_its_author_content_and_time(place):
    body = issue_json.reaction(place.world, (5, place.mia, "eyes", place.clock()))
    assert (body["id"], body["content"], body["user"]["login"]) == (5, "eyes", "mia")
