"""Repositories as JSON; their whole shape is checked against GitHub's OpenAPI by every test here."""

from bot.demo.github.json import repository_json


def test_a_fork_names_its_parent_and_the_readers_rights(place):
    fork = place.world.fork(place.runtime, place.mia)
    body = repository_json.full_repository(place.world, fork, place.mia)
    assert (body["fork"], body["parent"]["full_name"], body["permissions"]["admin"]) == (True, "cann/runtime", True)
    assert repository_json.full_repository(place.world, fork, place.ada)["permissions"] == {
        "pull": True, "triage": False, "push": False, "maintain": False, "admin": False,
    }  # fmt: skip
    assert repository_json.repository(place.world, place.runtime)["forks_count"] == 1


def test_an_author_is_member_collaborator_contributor_or_none(place):
    pull, _ = place.pull()
    eve = place.world.user("eve")
    found = [repository_json.association(pull, account) for account in (place.ada, place.mia, eve, place.cann, None)]
    assert found == ["MEMBER", "CONTRIBUTOR", "NONE", "OWNER", "NONE"]
    place.runtime.collaborators[eve.id] = "write"
    assert repository_json.association(pull, eve) == "COLLABORATOR"
