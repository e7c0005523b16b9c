"""A pull request is read by GraphQL or REST, and a renamed repository is found."""

import pytest
import requests

from agreements.completeness import NO_COUNT
from agreements.facts import Account
from bot.github.ports import Files, Missing, RepositoryPlace, Unreachable
from tests.bot.github.conftest import HERE
from tests.bot.github.shapes import connection, look_data, next_page, rest_commit, rest_repository, rest_user, sha

ONE = connection([1], 1)
GONE = {"message": "Not Found", "documentation_url": "https://docs.github.com"}
MOVED = {"message": "Moved Permanently", "url": "https://api.github.com/repositories/900/pulls"}
NOT_FOUND = [{"type": "NOT_FOUND", "path": ["repository"], "message": "Could not resolve to a Repository"}]


def test_a_pull_request_of_one_page_costs_one_call(hub, github):
    github.graphql(look_data(ONE, head=sha(1)))

    assert hub.history(hub.fetch_snapshot(HERE, 3, ())).complete
    assert len(github.sent()) == 1


def test_an_unknown_total_is_incomplete(hub, github):
    github.graphql(look_data({**ONE, "totalCount": None}, head=sha(1)))

    assert hub.history(hub.fetch_snapshot(HERE, 3, ())).doubt == NO_COUNT


@pytest.mark.parametrize("rename", [("newcann", "ops"), ("cann", "kernels")])
def test_a_renamed_repository_is_looked_at_again_under_its_name(hub, github, rename):
    """GraphQL follows renames, but the rule files would be those of the new owner of the old name."""
    owner = {"__typename": "Organization", "login": rename[0], "databaseId": 500}
    renamed = look_data(ONE, head=sha(1), repository={"owner": owner, "name": rename[1]})
    github.graphql(renamed)

    found = hub.fetch_snapshot(HERE, 3, ())

    assert found.place == RepositoryPlace(77, *rename, 900)
    asked = [body["variables"] for body in github.bodies("POST", "/graphql")]
    assert [(question["owner"], question["name"]) for question in asked] == [("cann", "ops"), rename]


def test_another_case_of_the_same_name_is_no_rename(hub, github):
    github.graphql(look_data(ONE, head=sha(1)))

    assert hub.fetch_snapshot(RepositoryPlace(77, "CANN", "Ops", 900), 3, ()).place == HERE
    assert len(github.sent()) == 1


def test_a_name_that_belongs_to_another_repository_is_resolved_by_id(hub, github):
    github.graphql(look_data(ONE, head=sha(1), repository={"databaseId": 901}))
    github.on("GET", "/repositories/900", rest_repository(900, "cann", "kernels"))
    github.graphql(look_data(ONE, head=sha(1), repository={"name": "kernels"}))

    assert hub.fetch_snapshot(HERE, 3, ()).place.name == "kernels"


def test_two_repositories_that_swap_names_meanwhile_are_missing(hub, github):
    github.graphql(look_data(ONE, head=sha(1), repository={"databaseId": 901}))
    github.on("GET", "/repositories/900", rest_repository())

    with pytest.raises(Missing):
        hub.fetch_snapshot(HERE, 3, ())


def test_a_name_that_no_repository_has_is_resolved_by_id(hub, github):
    github.graphql({"repository": None}, errors=NOT_FOUND)
    github.on("GET", "/repositories/900", rest_repository(900, "cann", "kernels"))
    github.graphql(look_data(ONE, head=sha(1), repository={"name": "kernels"}))

    assert hub.fetch_snapshot(HERE, 3, ()).place.name == "kernels"


def test_a_repository_that_is_gone_is_missing(hub, github):
    github.graphql({"repository": None}, errors=NOT_FOUND)
    github.on("GET", "/repositories/900", GONE, status=404)

    with pytest.raises(Missing):
        hub.fetch_snapshot(HERE, 3, ())


def test_a_moved_repository_is_found_by_rest_too(hub, github):
    github.graphql(status=502)
    github.on("GET", "/repos/cann/ops/pulls/3", MOVED, status=301,
              headers={"Location": "https://api.github.com/repositories/900/pulls/3"})  # fmt: skip
    github.on("GET", "/repositories/900", rest_repository(900, "cann", "kernels"))
    github.on("GET", "/repos/cann/kernels/pulls/3", GONE, status=404)

    with pytest.raises(Missing):
        hub.fetch_snapshot(HERE, 3, ())


@pytest.mark.parametrize(
    "error",
    [
        {"type": "RATE_LIMITED", "message": "API rate limit exceeded"},
        {
            "type": "RATE_LIMIT",
            "code": "graphql_rate_limit",
            "message": "API rate limit already exceeded for installation ID 77.",
        },
        {"message": "API rate limit already exceeded for installation ID 77."},
    ],
)
def test_a_rate_limit_of_graphql_does_not_turn_to_rest(hub, github, error):
    github.graphql(errors=[error], headers={"Retry-After": "30"})

    with pytest.raises(Unreachable) as caught:
        hub.fetch_snapshot(HERE, 3, ())

    assert caught.value.retry_after == 30
    assert len(github.sent()) == 1


def test_without_any_network_github_is_unreachable(hub, github):
    for verb, path in (("POST", "/graphql"), ("GET", "/repos/cann/ops/pulls/3")):
        github.mock.add(verb, github.api + path, body=requests.ConnectionError("ann@example.org"))

    with pytest.raises(Unreachable) as caught:
        hub.fetch_snapshot(HERE, 3, ())

    assert "ann@" not in str(caught.value)


@pytest.fixture(name="files")
def _files(hub, github):
    """Ask for the files of a pull request of so many, when GitHub gives these pages."""

    def ask(count, *pages):
        github.graphql(look_data(ONE, head=sha(1), pull={"changedFiles": count}))
        for number, page in enumerate(pages, 1):
            more = {"Link": next_page("/repos/cann/ops/pulls/3/files", number)} if number < len(pages) else {}
            github.on("GET", "/repos/cann/ops/pulls/3/files", page, headers=more)
        return hub.files(hub.fetch_snapshot(HERE, 3, ()))

    return ask


def test_files_of_all_pages_are_listed_once_by_their_new_names(files):
    first = [{"filename": f"f{number}", "status": "added"} for number in range(100)]
    second = [{"filename": "new", "previous_filename": "old", "status": "renamed"}]

    names = (*[f"f{number}" for number in range(100)], "new")
    assert files(101, first, second) == Files(names, complete=True, gone=("old",), added=names[:-1])


@pytest.mark.parametrize(
    ("status", "counts"),
    [
        ("added", True),
        ("modified", True),
        ("copied", True),
        ("removed", False),
        ("changed", False),
        ("unchanged", False),
        ("something new", False),
    ],
)
def test_a_file_counts_where_new_content_is_left(files, status, counts):
    found = files(1, [{"filename": "NEWS", "status": status}])
    assert found.paths == (("NEWS",) if counts else ())
    assert found.added == (("NEWS",) if status in {"added", "copied"} else ())


@pytest.mark.parametrize(("count", "complete"), [(1, True), (2, True), (3, False), (4000, False)])
def test_files_beyond_githubs_list_are_not_known_to_be_missing(files, count, complete):
    """GitHub lists at most 3,000 files."""
    assert files(count, [{"filename": name, "status": "removed"} for name in "ab"]).complete is complete


def test_open_numbers_of_a_renamed_repository_are_asked_under_its_present_name(hub, github):
    github.on(
        "GET",
        "/repos/cann/ops/pulls",
        MOVED,
        status=301,
        headers={"Location": "https://api.github.com/repositories/900/pulls"},
    )
    github.on("GET", "/repositories/900", rest_repository(900, "cann", "kernels"))
    github.on("GET", "/repos/cann/kernels/pulls", [{"number": 5}, {"number": 2}])

    assert hub.open_numbers(HERE) == (2, 5)
    assert "state=open" in github.sent("GET", "kernels/pulls")[0].url


def test_bots_are_found_by_rest_with_no_page_more_than_needed(hub, github):
    linked = {"5+x[bot]@y": rest_user(5, "x[bot]", "Bot"), "6+nobody[bot]@y": None, "7+ann@y": rest_user()}

    def commit(number, email):
        item = rest_commit(number, author=linked.get(email, rest_user()))
        item["commit"]["author"] = {**item["commit"]["author"], "email": email}
        return item

    github.graphql(look_data(ONE, head=sha(1)))
    listed = [commit(number, email) for number, email in enumerate(["ann@y", *linked, *linked])]
    github.on(
        "GET", "/repos/cann/ops/pulls/3/commits", listed, headers={"Link": next_page("/repos/cann/ops/pulls/3/commits")}
    )

    assert hub.linked_bots(hub.fetch_snapshot(HERE, 3, ()), linked) == {"5+x[bot]@y": Account(5, "x[bot]", "Bot")}
    assert len(github.sent()) == 2


def test_an_address_on_no_page_belongs_to_no_bot(hub, github):
    github.graphql(look_data(ONE, head=sha(1)))
    github.on("GET", "/repos/cann/ops/pulls/3/commits", [rest_commit(1)])

    assert hub.linked_bots(hub.fetch_snapshot(HERE, 3, ()), {"5+x[bot]@y"}) == {}
