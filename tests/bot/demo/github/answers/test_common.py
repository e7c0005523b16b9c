"""Bodies about people and repositories; their whole shape is checked against GitHub's OpenAPI by every test here."""

from bot.demo.github.answers import common


def test_a_moment_is_utc_to_the_second(place):
    """GitHub's form."""
    assert common.moment(place.clock()) == "2026-11-21T09:00:00Z"
    assert common.maybe(None) is None


def test_profiles_keep_addresses_to_themselves(place):
    """Also the verified ones."""
    assert "mia@" not in str(common.profile(place.world, place.mia))


def test_a_fork_names_its_parent_and_the_readers_rights(place):
    """In the full form."""
    fork = place.world.fork(place.runtime, place.mia)
    body = common.repository_for(place.world, fork, place.mia)
    assert (body["fork"], body["parent"]["full_name"], body["permissions"]["admin"]) == (True, "cann/runtime", True)
    assert common.repository_for(place.world, fork, place.ada)["permissions"] == {
        "pull": True, "triage": False, "push": False, "maintain": False, "admin": False,
    }  # fmt: skip
    assert common.repository(place.world, place.runtime)["forks_count"] == 1


def test_association_with_the_base(place):
    """Member, collaborator, contributor or none."""
    pull, _ = place.pull()
    eve = place.world.user("eve")
    found = [common.association(pull, one) for one in (place.ada, place.mia, eve, place.cann, None)]
    assert found == ["MEMBER", "CONTRIBUTOR", "NONE", "OWNER", "NONE"]
    place.runtime.collaborators[eve.id] = "write"
    assert common.association(pull, eve) == "COLLABORATOR"
