"""Actions at the small GitHub change its world and send webhooks."""

import pytest

from bot.demo.github.refusal import ErrorResponse
from bot.demo.github.state import StoredToken
from tests.bot.demo.github import github_deeds


def test_a_pull_request_needs_a_branch_with_new_commits_and_none_open(place):
    pull, _ = place.pull()
    fork = pull.head_repository
    for branch, words in (("nothing", "no such branch"), ("main", "No commits between"), ("work", "already exists")):
        with pytest.raises(ErrorResponse) as refused:
            place.world.open_pull(place.runtime, place.mia, branch, source=fork)
        assert words in refused.value.more["errors"][0]["message"]
    assert list(place.runtime.pulls) == [1]


def test_the_title_is_the_newest_commits_first_line_unless_given(place):
    pull, _ = place.pull(commits=2)
    assert pull.title == "Change 1"


def test_a_push_moves_every_pull_request_of_the_branch(place):
    place.world.write(place.runtime, {"s": "s"}, branch="stable")
    pull, clone = place.pull()
    place.world.open_pull(place.runtime, place.mia, "work", base_branch="stable", source=pull.head_repository)
    clone.commit("More")
    clone.push()
    sent = [event["number"] for event in place.events("pull_request") if event["action"] == "synchronize"]
    assert sent == [1, 2]


def test_a_closed_pull_request_keeps_its_head(place):
    pull, clone = place.pull()
    place.world.close_pull(pull, place.mia)
    before = pull.head_sha
    clone.commit("Later")
    clone.push()
    assert pull.head_sha == before
    place.world.close_pull(pull, place.mia)
    assert [event["action"] for event in place.events("pull_request")] == ["opened", "closed"]


def test_an_edit_tells_only_the_changed_fields(place):
    pull, _ = place.pull()
    place.world.edit_pull(pull, place.mia, title="New", body="")
    place.world.edit_pull(pull, place.mia, title="New")
    sent = [event["changes"] for event in place.events("pull_request") if event["action"] == "edited"]
    assert sent == [{"title": {"from": "Change 0"}}]
    with pytest.raises(ErrorResponse):
        place.world.edit_pull(pull, place.mia, base="nothing")


def test_merging_moves_the_base_and_tells_both(place):
    pull, _ = place.pull()
    place.world.merge_pull(pull, place.ada)
    assert place.events()[-2:] == [("pull_request", "closed"), ("push", None)]
    assert place.events("pull_request")[-1]["pull_request"]["merged"] is True
    with pytest.raises(ErrorResponse, match="not mergeable"):
        place.world.merge_pull(pull, place.ada)


def test_revoking_ends_only_the_apps_tokens_for_that_person(place):
    for name, who in (("a", place.mia), ("b", place.ada)):
        place.world.tokens[name] = StoredToken(None, place.app, None, who)
    place.world.revoke(place.app, place.mia)
    assert "a" not in place.world.tokens
    assert "b" in place.world.tokens


def test_a_branch_without_a_common_past_cannot_be_proposed(place):
    pull, clone = place.pull()
    clone.git("switch", "--quiet", "--orphan", "alone")
    clone.commit("Alone", files={"b.txt": "b"})
    clone.push()
    with pytest.raises(ErrorResponse) as refused:
        place.world.open_pull(place.runtime, place.mia, "alone", source=pull.head_repository)
    assert "no history in common" in refused.value.more["errors"][0]["message"]
    other = place.world.repository(place.mia, "other")
    with pytest.raises(ErrorResponse):
        place.world.open_pull(place.runtime, place.mia, "main", source=other)
    assert list(place.runtime.pulls) == [pull.number]
    clone.push("work", force=True)
    assert (pull.head_sha, place.events("pull_request")[-1]["action"]) == (clone.head, "synchronize")


def test_joining_and_leaving_an_organisation_are_told_with_the_role(place):
    team = place.world.team(place.cann, "cla-admins", [place.ada])
    github_deeds.add_member(place.world, place.cann, place.mia, place.ada)
    github_deeds.add_to_team(place.world, place.cann, team, place.mia, place.ada)
    assert place.cann.members[place.mia.id] == "member"
    github_deeds.remove_member(place.world, place.cann, place.mia, place.ada)
    assert place.mia.id not in place.cann.members
    assert team.members == [place.ada.id]
    assert place.events()[-4:] == [
        ("organization", "member_added"), ("membership", "added"), ("membership", "removed"),
        ("organization", "member_removed"),
    ]  # fmt: skip
    first, last = place.events("organization")
    assert [event["membership"]["user"]["login"] for event in (first, last)] == ["mia", "mia"]
    assert (last["membership"]["role"], last["sender"]["login"]) == ("member", "ada")
    assert [event["team"]["slug"] for event in place.events("membership")] == ["cla-admins"] * 2


def test_collaborators_added_edited_and_removed_are_told(place):
    for role in ("triage", "maintain"):
        github_deeds.set_collaborator(place.world, place.runtime, place.mia, place.ada, role=role)
    path = "/repos/cann/runtime/collaborators/mia/permission"
    assert place.api("GET", path)["role_name"] == "maintain"
    github_deeds.remove_collaborator(place.world, place.runtime, place.mia, place.ada)
    assert place.api("GET", path)["role_name"] == "read"
    added, edited, removed = place.events("member")
    assert (added["changes"]["role_name"], added["changes"]["permission"]) == ({"to": "triage"}, {"to": "read"})
    assert edited["changes"]["permission"] == {"from": "triage", "to": "write"}
    assert (removed["action"], removed["member"]["id"]) == ("removed", place.mia.id)


def test_an_organisations_new_name_is_told_with_the_former_one(place):
    github_deeds.rename_account(place.world, place.cann, "lab")
    [renamed] = place.events("organization")
    assert (renamed["changes"]["login"]["from"], renamed["organization"]["login"]) == ("cann", "lab")


def test_an_app_that_is_not_subscribed_installed_or_is_suspended_hears_nothing(place):
    place.world.suspend(place.installation, place.ada)
    github_deeds.add_member(place.world, place.cann, place.mia, place.ada)
    place.world.suspend(place.installation, place.ada, again=False)
    lab = place.world.organization("lab", admins=[place.ada])
    github_deeds.add_member(place.world, lab, place.mia, place.ada)
    place.app.events.remove("organization")
    github_deeds.remove_member(place.world, place.cann, place.mia, place.ada)
    assert place.events("organization") == []
