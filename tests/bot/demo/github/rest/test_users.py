"""People by REST."""


def test_accounts_by_login_and_by_id(place):
    """The id finds whoever has it after a change of login; the old login finds nobody."""
    body = place.call("GET", "/users/MIA").json()
    assert (body["id"], body["name"], body["email"]) == (place.mia.id, "Mia Chen", None)
    place.world.rename_account(place.mia, "mia-chen")
    assert place.call("GET", f"/user/{place.mia.id}").json()["login"] == "mia-chen"
    assert place.call("GET", "/users/mia").status_code == 404
    assert place.call("GET", "/user/1").status_code == 404


def test_members_are_for_the_organisations_app_and_people(place):
    """The App needs its permission; strangers see nobody."""
    assert [one["login"] for one in place.api("GET", "/orgs/cann/members")] == ["ada"]
    less = place.token(permissions={"metadata": "read"})
    place.api("GET", "/orgs/cann/members", token=less, status=403)
    assert place.api("GET", "/orgs/cann/members", token=place.mia.token) == []
    assert [one["login"] for one in place.api("GET", "/orgs/cann/members", token=place.ada.token)] == ["ada"]


def test_a_team_by_its_name(place):
    """By its slug in any case, for whom may see the members; a team that is not there is 404."""
    made = place.world.team(place.cann, "cla-admins", [place.ada, place.mia])

    path = "/orgs/cann/teams/CLA-admins"
    assert place.cann.members[place.mia.id] == "member"
    place.api("GET", path, token=place.token(permissions={"metadata": "read"}), status=403)
    place.api("GET", "/orgs/mia/teams/cla-admins", status=404)
    found = place.api("GET", path)
    assert (found["id"], found["slug"], found["organization"]["id"]) == (made.id, "cla-admins", place.cann.id)
    place.api("GET", "/orgs/cann/teams/others", status=404)


def test_a_team_by_the_ids_of_both(place):
    """After the organisation took another name, too; a team made in place of it, of the same slug, is another one."""
    made = place.world.team(place.cann, "cla-admins", [place.ada])
    token, path = place.token(), f"/organizations/{place.cann.id}/team/{made.id}/members"

    place.world.rename_account(place.cann, "cann-community")
    assert [one["login"] for one in place.api("GET", path, token=token)] == ["ada"]
    place.api("GET", path, token=place.token(permissions={"metadata": "read"}), status=403)
    place.api("GET", f"/organizations/1/team/{made.id}/members", token=token, status=404)
    other = place.world.team(place.cann, "cla-admins", [place.ada, place.mia])
    place.api("GET", path, token=token, status=404)
    path = f"/organizations/{place.cann.id}/team/{other.id}/members"
    assert [one["login"] for one in place.api("GET", path, token=token)] == ["ada", "mia"]


def test_own_addresses_verified_or_not(place):
    """Only for the person; nobody else's token opens them."""
    listed = place.api("GET", "/user/emails", token=place.mia.token)
    assert [(one["email"], one["verified"], one["primary"]) for one in listed] == [
        ("mia@home.example", True, True), ("mia@huawei.com", False, False),
    ]  # fmt: skip
    place.api("GET", "/user/emails", status=403)
    assert place.call("GET", "/user").status_code == 401
