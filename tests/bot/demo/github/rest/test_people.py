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
    token = place.token()
    assert [one["login"] for one in place.call("GET", "/orgs/cann/members", token=token).json()] == ["ada"]
    assert place.call("GET", "/orgs/cann/memberships/ada", token=token).json()["role"] == "admin"
    assert place.call("GET", "/orgs/cann/memberships/mia", token=token).status_code == 404
    assert place.call("GET", "/orgs/cann/members?role=member", token=token).json() == []
    less = place.token(permissions={"metadata": "read"})
    assert place.call("GET", "/orgs/cann/members", token=less).status_code == 403
    assert place.call("GET", "/orgs/cann/members", token=place.mia.token).status_code == 403


def test_a_team_and_its_members(place):
    """By its slug in any case, for whom may see the members; a team that is not there is 404."""
    made = place.world.team(place.cann, "cla-admins", [place.ada, place.mia])
    token = place.token()

    path = "/orgs/cann/teams/CLA-admins/members"
    assert [one["login"] for one in place.call("GET", path, token=token).json()] == ["ada", "mia"]
    assert place.cann.members[place.mia.id] == "member"
    assert place.call("GET", "/orgs/cann/teams/others/members", token=token).status_code == 404
    assert place.call("GET", path, token=place.token(permissions={"metadata": "read"})).status_code == 403
    assert place.call("GET", "/orgs/mia/teams/cla-admins/members", token=token).status_code == 404
    found = place.call("GET", "/orgs/cann/teams/CLA-admins", token=token).json()
    assert (found["id"], found["slug"], found["organization"]["id"]) == (made.id, "cla-admins", place.cann.id)
    assert place.call("GET", "/orgs/cann/teams/others", token=token).status_code == 404


def test_a_team_by_the_ids_of_both(place):
    """After the organisation took another name, too; a team made in place of it, of the same slug, is another one."""
    made = place.world.team(place.cann, "cla-admins", [place.ada])
    token, path = place.token(), f"/organizations/{place.cann.id}/team/{made.id}/members"

    place.world.rename_account(place.cann, "cann-community")
    assert [one["login"] for one in place.call("GET", path, token=token).json()] == ["ada"]
    assert place.call("GET", path, token=place.token(permissions={"metadata": "read"})).status_code == 403
    assert place.call("GET", f"/organizations/1/team/{made.id}/members", token=token).status_code == 404
    other = place.world.team(place.cann, "cla-admins", [place.mia])
    assert place.call("GET", path, token=token).status_code == 404
    path = f"/organizations/{place.cann.id}/team/{other.id}/members"
    assert [one["login"] for one in place.call("GET", path, token=token).json()] == ["mia"]


def test_own_addresses_verified_or_not(place):
    """Only for the person; nobody else's token opens them."""
    listed = place.call("GET", "/user/emails", token=place.mia.token).json()
    assert [(one["email"], one["verified"], one["primary"]) for one in listed] == [
        ("mia@home.example", True, True), ("mia@huawei.com", False, False),
    ]  # fmt: skip
    assert place.call("GET", "/user/emails", token=place.token()).status_code == 403
    assert place.call("GET", "/user").status_code == 401


def test_the_rate_limit_is_told(place):
    """In the answer and in every header."""
    answer = place.call("GET", "/rate_limit", token=place.token())
    assert answer.json()["rate"]["limit"] == 5000
    assert answer.headers["X-RateLimit-Remaining"] == "4999"
