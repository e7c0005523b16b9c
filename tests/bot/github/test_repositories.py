"""Repositories, people, installations."""

from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs

from agreements.facts import Account
from bot.github.ports import (
    AccountWithAge,
    HubError,
    Installation,
    Missing,
    Refused,
    RepositoryPlace,
    Team,
    Unreachable,
)
from bot.github.reading import Garbled
from tests.bot.github.conftest import HERE
from tests.bot.github.shapes import next_page, rest_user

ANN = Account(11, "ann")
ASK = "/repos/cann/ops/collaborators/ann/permission"
NEXT = {"Link": next_page("/orgs/cann/members")}
GONE = {"message": "Not Found"}


def permission(level, number=11):
    """GitHub's answer about a collaborator."""
    return {"permission": level, "role_name": level, "user": rest_user(number)}


@pytest.mark.parametrize(
    ("answer", "role"),
    [
        (permission("admin"), "admin"),
        ({**permission("write"), "role_name": "maintain"}, "maintain"),
        (permission("maintain"), "maintain"),
        (permission("write"), "write"),
        ({**permission("write"), "role_name": "Security Engineer"}, "write"),
        ({**permission("write"), "role_name": "admin"}, "write"),
        ({**permission("write"), "role_name": None}, "write"),
        ({**permission("read"), "role_name": "maintain"}, "none"),
        ({**permission("read"), "role_name": "triage"}, "none"),
        (permission("read"), "none"),
        (permission("triage"), "none"),
        (permission("none"), "none"),
        (permission("owner"), "none"),
        (permission("admin", 12), "none"),
        ({**permission("admin"), "user": None}, "none"),
    ],
)
def test_the_role_of_an_account_counts_only_for_its_id(hub, github, answer, role):
    """A login that changed hands gives no right."""
    github.on("GET", ASK, answer)
    github.on("GET", "/user/11", GONE, status=404)

    assert hub.role(HERE, ANN) == role


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(permission("read"), True), (permission("admin"), True), (permission("none"), False)],
)
def test_any_permission_of_that_very_account_lets_it_read(hub, github, answer, expected):
    github.on("GET", ASK, answer)
    github.on("GET", "/user/12", GONE, status=404)

    assert hub.may_read(HERE, ANN) is expected
    assert not hub.may_read(HERE, Account(ANN.id + 1, ANN.login))


def test_an_account_that_github_does_not_know_has_no_role(hub, github):
    github.on("GET", ASK, GONE, status=404)
    github.on("GET", "/user/11", rest_user())
    assert hub.role(HERE, ANN) == "none"

    github.mock.replace("GET", github.api + ASK, json={"message": "Resource not accessible by integration"}, status=403)
    with pytest.raises(Refused, match="not accessible"):
        hub.role(HERE, ANN)


def test_an_account_without_a_login_is_asked_for_by_its_id(hub, github):
    github.on("GET", "/user/11", rest_user())
    github.on("GET", ASK, permission("write"))

    assert hub.role(HERE, Account(11)) == "write"


@pytest.mark.parametrize("answer", [None, ["ann"], "ann"])
def test_a_role_of_another_shape_is_no_answer(hub, github, answer):
    github.on("GET", "/app/installations", [])
    github.on("GET", "/user/11", answer)
    github.on("GET", "/users/ann", answer)

    with pytest.raises(Garbled):
        hub.role(HERE, Account(11))
    with pytest.raises(Garbled):
        hub.account_by_login("ann")


@pytest.mark.parametrize(("answer", "status"), [(GONE, 404), (permission("admin", 12), 200)], ids=["free", "another's"])
@pytest.mark.parametrize("now", ["write", "read"])
def test_a_login_that_changed_hands_gives_no_role(hub, github, answer, status, now):
    github.on("GET", ASK, answer, status=status)
    github.on("GET", "/user/11", {**rest_user(), "login": "ann-new"})
    github.on("GET", "/repos/cann/ops/collaborators/ann-new/permission", permission(now))

    assert hub.role(HERE, ANN) == ("write" if now == "write" else "none")


@pytest.mark.parametrize("found", [{**rest_user(12), "login": "eve"}, {**rest_user(), "login": "Ann"}])
def test_a_login_that_the_id_does_not_have_is_not_asked_about(hub, github, found):
    github.on("GET", ASK, permission("admin", 12))
    github.on("GET", "/user/11", found)

    assert hub.role(HERE, ANN) == "none"


def test_members_of_all_pages_are_read(hub, github):
    github.on("GET", "/orgs/cann/members", [rest_user(number) for number in range(100)], headers=NEXT)
    github.on("GET", "/orgs/cann/members", [rest_user(100)])
    github.on("GET", "/orgs/ann/members", GONE, status=404)

    assert hub.members(HERE) == frozenset(range(101))
    assert hub.members(RepositoryPlace(77, "ann", "x", 1)) == frozenset()


TEAM = {"id": 31, "slug": "cla-admins"}
COMMUNITY = Team(500, 31)


def test_a_team_is_found_through_the_installation_in_its_organisation(hub, github):
    github.on("GET", "/app/installations", [
        installed(76, rest_user(499, "other", "Organization")),
        installed(77, rest_user(500, "cann", "Organization")),
        installed(78, rest_user(501, "asleep", "Organization"), "2026-01-01T00:00:00Z"),
        installed(79, rest_user(502, "person")),
        installed(80, {"id": 3, "slug": "big"}),
    ])  # fmt: skip
    github.on("GET", "/orgs/CANN/teams/cla-admins", TEAM)

    assert hub.team_by_name("CANN", "cla-admins") == COMMUNITY
    for organization in ("asleep", "person", "big", "elsewhere"):
        with pytest.raises(Missing, match="not installed"):
            hub.team_by_name(organization, "cla-admins")


def test_the_members_of_a_team_are_asked_for_by_ids(hub, github):
    github.on("GET", "/app/installations", [
        installed(76, rest_user(499, "cann", "Organization")),
        installed(77, rest_user(500, "renamed", "Organization")),
        installed(78, rest_user(501, "asleep", "Organization"), "2026-01-01T00:00:00Z"),
    ])  # fmt: skip
    path = "/organizations/500/team/31/members"
    github.on("GET", path, [rest_user(number) for number in range(1, 101)], headers={"Link": next_page(path)})
    github.on("GET", path, [rest_user(101)])

    assert hub.team_members(COMMUNITY) == frozenset(range(1, 102))
    for organization_id in (501, 502):
        with pytest.raises(Missing, match="not installed"):
            hub.team_members(Team(organization_id, 31))


@pytest.mark.parametrize(
    ("path", "ask"),
    [
        ("/orgs/cann/teams/gone", lambda hub: hub.team_by_name("cann", "gone")),
        ("/organizations/500/team/31/members", lambda hub: hub.team_members(COMMUNITY)),
    ],
)
def test_an_absent_team_is_missing_and_a_refusal_is_an_error(hub, github, path, ask):
    github.on("GET", "/app/installations", [installed(77, rest_user(500, "cann", "Organization"))])
    for status, error in ((404, Missing), (403, Refused), (502, Unreachable)):
        github.mock.remove("GET", github.api + path)
        github.on("GET", path, {"message": "Resource not accessible by integration"}, status=status)
        with pytest.raises(error):
            ask(hub)


def installed(number, account, suspended=None):
    """An installation of REST's."""
    return {"id": number, "account": account, "suspended_at": suspended, "permissions": {}}


def test_installations_say_their_account_suspension_and_permissions(hub, github):
    github.on("GET", "/app/installations", [
        {**installed(77, rest_user(500, "cann", "Organization")), "permissions": {"checks": "write", "emails": "read"}},
        installed(78, {"id": 3, "slug": "big"}, "2026-01-01T00:00:00Z"),
    ])  # fmt: skip
    granted = {"checks": "write", "email_addresses": "read"}

    assert hub.installations() == (
        Installation(77, Account(500, "cann", "Organization"), suspended=False, permissions=granted),
        Installation(78, Account(3, "big", "Enterprise"), suspended=True),
    )


ODD = [
    ({"id": 3, "account": None, "permissions": {}}, "the installation 3 has no account"),
    ({"account": rest_user(501, "gone", "User"), "permissions": {}}, "an installation without an id is not in the expected format"),
    ({"id": "x", "account": rest_user(501, "gone", "User"), "permissions": {}}, "an installation without an id is not in the expected format"),
    ({"id": 3, "account": rest_user(501, "gone", "User")}, "the installation 3 is not in the expected format"),  # might have been granted everything
    ({"id": 3, "account": {"login": "gone"}, "permissions": {}}, "the installation 3 is not in the expected format"),
    ({"id": 3, "account": "gone", "permissions": {}}, "the installation 3 is not in the expected format"),
    ({"id": 3, "account": rest_user(501, "gone", "User"), "permissions": ["checks"]}, "the installation 3 is not in the expected format"),
    (None, "an installation without an id has no account"),
    ("gone", "an installation without an id has no account"),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "said"), ODD)
def test_an_odd_installation_does_not_stop_the_others(hub, github, entry, said):
    whole = installed(77, rest_user(500, "cann", "Organization"))
    github.on("GET", "/app/installations", [entry, whole, entry])
    told = []
    with capture_logs() as lines:
        found = [hub.installations(), hub.installations(), hub.installations(on_odd=told.append)]

    assert found == [(Installation(77, Account(500, "cann", "Organization"), suspended=False),)] * 3
    assert [(line["event"], line["why"]) for line in lines] == [("installations.odd", said)]
    assert told == [said, said]


def test_a_login_is_resolved_where_we_are_installed(hub, github):
    github.on("GET", "/app/installations", [installed(77, rest_user(500, "cann", "Organization"))])
    github.on("GET", "/users/other", rest_user(501, "other", "Organization"))
    github.on("GET", "/users/nobody", GONE, status=404)

    assert hub.account_by_login("CANN") == Account(500, "cann", "Organization")
    assert hub.account_by_login("other").id == 501
    assert github.sent("GET", "/users/other")[0].headers["Authorization"].startswith("Bearer ghs_")
    with pytest.raises(Missing):
        hub.account_by_login("nobody")


def test_the_slug_of_an_enterprise_is_no_login(hub, github):
    """Any person may give an enterprise the name of an organisation."""
    github.on("GET", "/app/installations", [
        installed(78, {"id": 777, "slug": "cann", "name": "CANN"}),
        installed(79, {"id": 778, "slug": "other", "name": "Other"}),
        installed(80, None),
        installed(77, rest_user(500, "cann", "Organization")),
    ])  # fmt: skip
    github.on("GET", "/users/other", rest_user(501, "other", "Organization"))

    assert hub.account_by_login("cann") == Account(500, "cann", "Organization")
    assert hub.account_by_login("other") == Account(501, "other", "Organization")


def test_a_login_is_resolved_without_any_installation(hub, github):
    github.on("GET", "/app/installations", [])
    github.on("GET", "/users/cann", rest_user(500, "cann", "Organization"))

    assert hub.account_by_login("cann").id == 500
    assert "Authorization" not in github.sent("GET", "/users/cann")[0].headers


def owner(number, login, kind="User"):
    """What GraphQL tells of a login's owner."""
    return {"__typename": kind, "login": login, "databaseId": number}


def gone(slot, kind="NOT_FOUND"):
    """An error of GraphQL about one login."""
    return {"type": kind, "path": [slot], "message": "Could not resolve to an owner."}


def test_many_logins_are_resolved_a_hundred_with_each_query(hub, github):
    github.on("GET", "/app/installations", [installed(77, rest_user(500, "cann", "Organization"))])
    github.graphql({f"login{slot}": owner(1000 + slot, f"p{slot}") for slot in range(100)})
    github.graphql(
        {"login0": owner(500, "cann", "Organization"), "login1": None, "login2": None}, errors=[gone("login2")]
    )

    found = hub.accounts_by_login([*(f"P{slot}" for slot in range(100)), "cann", "nobody", "former"])
    first = next(found)
    assert (len(first), first["P7"], len(github.sent("POST", "/graphql"))) == (100, Account(1007, "p7"), 1)
    assert list(found) == [{"cann": Account(500, "cann", "Organization"), "nobody": None, "former": None}]


def test_a_login_that_graphql_may_not_show_is_asked_for_alone(hub, github):
    github.on("GET", "/app/installations", [installed(77, rest_user(500, "cann", "Organization"))])
    github.graphql({"login0": None, "login1": None}, errors=[gone("login0", "FORBIDDEN"), gone("login1", "FORBIDDEN")])
    github.on("GET", "/users/guarded", rest_user(502, "guarded", "Organization"))
    github.on("GET", "/users/nobody", GONE, status=404)

    assert list(hub.accounts_by_login(["guarded", "nobody"])) == [
        {"guarded": Account(502, "guarded", "Organization"), "nobody": None}
    ]


def test_many_logins_are_not_taken_for_gone_while_graphql_is_down(hub, github):
    github.on("GET", "/app/installations", [installed(77, rest_user(500, "cann", "Organization"))])
    github.graphql(status=502)

    with pytest.raises(HubError):
        list(hub.accounts_by_login(["ann"]))


def test_many_logins_without_any_installation_are_asked_one_by_one(hub, github):
    github.on("GET", "/app/installations", [])
    github.on("GET", "/users/ann", rest_user(11, "ann"))
    github.on("GET", "/users/nobody", GONE, status=404)

    assert list(hub.accounts_by_login(["ann", "nobody"])) == [{"ann": ANN}, {"nobody": None}]
    assert github.sent("POST", "/graphql") == []


def test_an_account_is_found_by_its_number_while_it_exists(hub, github):
    github.on("GET", "/app/installations", [installed(77, rest_user(500, "cann", "Organization"))])
    github.on("GET", "/user/500", rest_user(500, "cann", "Organization"))
    github.on("GET", "/user/501", GONE, status=404)
    github.on("GET", "/user/502", rest_user(12, "bob"))

    found = {number: account for batch in hub.accounts_by_id([500, 501, 502]) for number, account in batch.items()}
    assert found == {500: Account(500, "cann", "Organization"), 501: None, 502: None}


def test_a_profile_tells_an_accounts_age(hub, github):
    made = {"created_at": "2011-01-25T18:44:36Z"}
    github.on("GET", "/app/installations", [installed(77, rest_user(500, "cann", "Organization"))])
    github.on("GET", "/users/cann", rest_user(500, "cann", "Organization") | made)
    github.on("GET", "/users/nobody", GONE, status=404)
    github.on("GET", "/users/broken", rest_user(12, "broken"))

    at = datetime(2011, 1, 25, 18, 44, 36, tzinfo=UTC)
    assert hub.account_with_age("cann") == AccountWithAge(Account(500, "cann", "Organization"), at)
    with pytest.raises(Missing):
        hub.account_with_age("nobody")
    with pytest.raises(Unreachable):
        hub.account_with_age("broken")
