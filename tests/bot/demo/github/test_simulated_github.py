"""The methods that make a world of accounts, repositories and installations."""

import pytest

from bot.demo.github.git import bare_repository
from bot.demo.github.refusal import ErrorResponse
from tests.bot.demo.github import github_deeds


def test_logins_and_repository_names_are_taken_once_in_any_case(place):
    with pytest.raises(ErrorResponse, match="Validation Failed"):
        place.world.user("MIA")
    with pytest.raises(ErrorResponse):
        place.world.repository(place.cann, "Runtime")
    with pytest.raises(ErrorResponse):
        place.world.rename(place.runtime, "runtime", place.ada)


def test_a_fork_has_the_branches_of_its_parent_and_is_made_once(place):
    place.world.write(place.runtime, {"x": "x"}, branch="stable")
    fork = place.world.fork(place.runtime, place.mia)
    assert bare_repository.references(fork.git) == bare_repository.references(place.runtime.git)
    assert place.world.fork(place.runtime, place.mia) is fork


def test_installing_choosing_suspending_and_removing_are_told(place):
    other = place.world.repository(place.cann, "other")
    place.app.events.clear()
    place.world.choose(place.installation, place.ada, removed=[other])
    assert not place.installation.covers(other)
    place.world.choose(place.installation, place.ada, added=[other])
    place.world.suspend(place.installation, place.ada)
    place.world.suspend(place.installation, place.ada, again=False)
    github_deeds.uninstall(place.world, place.installation, place.ada)
    assert place.events() == [
        ("installation", "created"), ("repository", "created"),
        ("installation_repositories", "removed"), ("installation_repositories", "added"), ("installation", "suspend"), ("installation", "unsuspend"), ("installation", "deleted"),
    ]  # fmt: skip
    assert [event["name"] for event in place.events("installation")[-1]["repositories"]] == ["runtime", "other"]


def test_an_installation_on_all_repositories_covers_those_to_come(place):
    other = place.world.repository(place.cann, "other")
    place.world.choose(place.installation, place.ada, removed=[other])
    hidden = place.world.repository(place.cann, "hidden")
    before = len(place.events())
    github_deeds.choose_all(place.world, place.installation, place.ada)
    more = place.world.repository(place.cann, "more")
    place.world.delete(more)
    assert place.installation.covers(hidden)
    assert place.events()[before:] == [
        ("installation_repositories", "added"), ("repository", "created"), ("repository", "deleted"),
    ]  # fmt: skip
    sent = place.events("installation_repositories")[-1]
    assert [repository["name"] for repository in sent["repositories_added"]] == ["other", "hidden"]
    assert sent["repository_selection"] == "all"


def test_a_suspended_or_unconcerned_app_hears_nothing(place):
    pull, _ = place.pull()
    place.world.suspend(place.installation, place.ada)
    place.world.comment(pull, place.mia, "one")
    place.world.suspend(place.installation, place.ada, again=False)
    place.world.choose(place.installation, place.ada, removed=[place.runtime])
    place.world.comment(pull, place.mia, "two")
    place.world.choose(place.installation, place.ada, added=[place.runtime])
    place.app.events.remove("issue_comment")
    place.world.comment(pull, place.mia, "three")
    assert place.events("issue_comment") == []


def test_people_of_an_organisation_have_the_role_they_were_given(place):
    lab = place.world.organization("lab", admins=[place.ada])
    lab.members[place.mia.id] = "member"
    secret = place.world.repository(lab, "secret", private=True)
    assert lab.members == {place.ada.id: "admin", place.mia.id: "member"}
    assert [place.world.permission(account, secret) for account in (place.ada, place.mia, lab, None)] == [
        "admin",
        "read",
        "admin",
        "none",
    ]


def test_an_app_needs_a_public_key(place):
    with pytest.raises(ValueError, match="PEM"):
        place.world.app("other", place.ada, "no key")
    place.events()


def test_an_empty_repository_can_be_pushed_to(place):
    empty = place.world.repository(place.ada, "empty", files={})
    assert bare_repository.references(empty.git) == {}
    assert place.world.write(empty, {}) == ""
