"""Issues in JSON; the routes' tests hold them against GitHub's description."""

from bot.demo.github.answers import issue_answers


def test_who_opened_it_and_through_what(place):
    """A member's own issue; an App's says which App; a closed one says why."""
    hers = place.world.open_issue(place.runtime, place.ada, "Title")
    ours = place.world.open_issue(place.runtime, place.app.bot, "Title", "Body", app=place.app)
    place.world.edit_issue(ours, state="closed")
    told, more = (issue_answers.issue(place.world, place.runtime, one) for one in (hers, ours))
    assert (told["body"], told["author_association"], told["performed_via_github_app"]) == (None, "MEMBER", None)
    assert (told["state"], told["state_reason"]) == ("open", None)
    assert (more["performed_via_github_app"]["id"], more["author_association"]) == (place.app.id, "NONE")
    assert (more["state"], more["state_reason"]) == ("closed", "completed")
