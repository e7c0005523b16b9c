"""People by REST."""

from tests.bot.demo.github import github_deeds


def test_accounts_are_found_by_present_login_and_by_id(place):
    body = place.call("GET", "/users/MIA").json()
    assert (body["id"], body["name"], body["email"]) == (place.mia.id, "Mia Chen", None)
    github_deeds.rename_account(place.world, place.mia, "mia-chen")
    assert place.call("GET", f"/user/{place.mia.id}").json()["login"] == "mia-chen"
    assert place.call("GET", "/users/mia").status_code == 404
    assert place.call("GET", "/user/1").status_code == 404


def test_members_are_shown_to_the_organisations_app_and_people(place):
    assert [member["login"] for member in place.api("GET", "/orgs/cann/members")] == ["ada"]
    less = place.token(permissions={"metadata": "read"})
    place.api("GET", "/orgs/cann/members", token=less, status=403)
    assert place.api("GET", "/orgs/cann/members", token=place.mia.token) == []
    assert [member["login"] for member in place.api("GET", "/orgs/cann/members", token=place.ada.token)] == ["ada"]


def test_a_team_is_found_by_its_slug_in_any_case(place):
    made = place.world.team(place.cann, "cla-admins", [place.ada, place.mia])

    path = "/orgs/cann/teams/CLA-admins"
    assert place.cann.members[place.mia.id] == "member"
    place.api("GET", path, token=place.token(permissions={"metadata": "read"}), status=403)
    place.api("GET", "/orgs/mia/teams/cla-admins", status=404)
    found = place.api("GET", path)
    assert (found["id"], found["slug"], found["organization"]["id"]) == (made.id, "cla-admins", place.cann.id)
    place.api("GET", "/orgs/cann/teams/others", status=404)


def test_a_team_is_found_by_the_ids_of_both_after_a_rename(place):
    made = place.world.team(place.cann, "cla-admins", [place.ada])
    token, path = place.token(), f"/organizations/{place.cann.id}/team/{made.id}/members"

    github_deeds.rename_account(place.world, place.cann, "cann-community")
    assert [member["login"] for member in place.api("GET", path, token=token)] == ["ada"]
    place.api("GET", path, token=place.token(permissions={"metadata": "read"}), status=403)
    place.api("GET", f"/organizations/1/team/{made.id}/members", token=token, status=404)
    other = place.world.team(place.cann, "cla-admins", [place.ada, place.mia])
    place.api("GET", path, token=token, status=404)
    path = f"/organizations/{place.cann.id}/team/{other.id}/members"
    assert [member["login"] for member in place.api("GET", path, token=token)] == ["ada", "mia"]


def test_a_persons_addresses_are_shown_to_that_person_alone(place):
    listed = place.api("GET", "/user/emails", token=place.mia.token)
    assert [(address["email"], address["verified"], address["primary"]) for address in listed] == [
        ("mia@home.example", True, True), ("mia@huawei.com", False, False),
    ]  # fmt: skip
    place.api("GET", "/user/emails", status=403)
    assert place.call("GET", "/user").status_code == 401
