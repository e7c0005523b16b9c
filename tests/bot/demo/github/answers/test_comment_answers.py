"""Bodies about Apps, installations, comments and reactions."""

from bot.demo.github.answers import comment_answers


def test_a_comment_by_a_person_and_by_the_app(place):
    """Only the App's is performed via it; a deleted account is null."""
    pull, _ = place.pull()
    one = place.world.comment(pull, place.mia, "Hi")
    two = place.world.comment(pull, place.app.bot, "Hello", app=place.app)
    bodies = [comment_answers.comment(place.world, pull, said) for said in (one, two)]
    assert bodies[0]["performed_via_github_app"] is None
    assert bodies[1]["performed_via_github_app"]["slug"] == "countersign"
    one.user = None
    assert comment_answers.comment(place.world, pull, one)["user"] is None


def test_the_permission_to_read_addresses_has_two_names(place):
    """`email_addresses` of an installation is `emails` of an App, as in GitHub's own schemas."""
    assert comment_answers.installation(place.world, place.installation)["permissions"]["email_addresses"] == "read"
    assert comment_answers.app(place.world, place.app)["permissions"]["emails"] == "read"


def test_a_chosen_installation_says_so(place):
    """`selected` instead of `all`."""
    assert comment_answers.installation(place.world, place.installation)["repository_selection"] == "all"
    place.world.choose(place.installation, place.ada, removed=[place.runtime])
    assert comment_answers.installation(place.world, place.installation)["repository_selection"] == "selected"


def test_a_reaction(place):
    """Who, what, when."""
    body = comment_answers.reaction(place.world, (5, place.mia, "eyes", place.clock()))
    assert (body["id"], body["content"], body["user"]["login"]) == (5, "eyes", "mia")
