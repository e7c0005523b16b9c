"""Members and collaborators, and the webhooks when they change; each is checked by the contract."""


def test_members_of_an_organisation(place):
    """Who comes and who goes, with the role that they had; who goes leaves the teams as well."""
    team = place.world.team(place.cann, "cla-admins", [place.ada])
    place.world.add_member(place.cann, place.mia, place.ada)
    place.world.add_to_team(place.cann, team, place.mia, place.ada)
    assert place.cann.members[place.mia.id] == "member"
    place.world.remove_member(place.cann, place.mia, place.ada)
    assert place.mia.id not in place.cann.members
    assert team.members == [place.ada.id]
    assert place.events()[-4:] == [
        ("organization", "member_added"), ("membership", "added"), ("membership", "removed"),
        ("organization", "member_removed"),
    ]  # fmt: skip
    first, last = place.events("organization")
    assert [one["membership"]["user"]["login"] for one in (first, last)] == ["mia", "mia"]
    assert (last["membership"]["role"], last["sender"]["login"]) == ("member", "ada")
    assert [one["team"]["slug"] for one in place.events("membership")] == ["cla-admins"] * 2


def test_collaborators_of_a_repository(place):
    """Added, given another role, and removed."""
    for role in ("triage", "maintain"):
        place.world.set_collaborator(place.runtime, place.mia, place.ada, role=role)
    path = "/repos/cann/runtime/collaborators/mia/permission"
    assert place.api("GET", path)["role_name"] == "maintain"
    place.world.remove_collaborator(place.runtime, place.mia, place.ada)
    assert place.api("GET", path)["role_name"] == "read"
    added, edited, removed = place.events("member")
    assert (added["changes"]["role_name"], added["changes"]["permission"]) == ({"to": "triage"}, {"to": "read"})
    assert edited["changes"]["permission"] == {"from": "triage", "to": "write"}
    assert (removed["action"], removed["member"]["id"]) == ("removed", place.mia.id)


def test_an_organisation_takes_another_name(place):
    """The App hears the former one."""
    place.world.rename_account(place.cann, "lab")
    [renamed] = place.events("organization")
    assert (renamed["changes"]["login"]["from"], renamed["organization"]["login"]) == ("cann", "lab")


def test_apps_that_do_not_subscribe_or_are_elsewhere_hear_nothing(place):
    """Nor those whose installation is suspended."""
    place.world.suspend(place.installation, place.ada)
    place.world.add_member(place.cann, place.mia, place.ada)
    place.world.suspend(place.installation, place.ada, again=False)
    lab = place.world.organization("lab", admins=[place.ada])
    place.world.add_member(lab, place.mia, place.ada)
    place.app.events.remove("organization")
    place.world.remove_member(place.cann, place.mia, place.ada)
    assert place.events("organization") == []
