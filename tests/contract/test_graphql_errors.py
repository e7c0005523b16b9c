"""An error stands where its null is, and in a form that GitHub's have."""

import pytest

from tests.contract.graphql_errors import TYPES

QUERY = """
query Look($owner: String!, $name: String!) {
  there: repository(owner: $owner, name: $name) {
    pullRequest(number: 1) {
      headRepository { nameWithOwner }
      commits(first: 2) { nodes { commit { oid author { user { login } } } } }
    }
  }
}
"""
VARIABLES = {"owner": "cann", "name": "ops"}
COMMIT = {"commit": {"oid": "1" * 40, "author": {"user": {"login": "ada"}}}}


def found(contract, data, *errors):
    """Findings about that answer."""
    return contract.check_graphql_answer(QUERY, VARIABLES, {"data": data, "errors": list(errors)})


def pull(**changed):
    """An answer whose pull request has some fields changed."""
    whole = {"headRepository": {"nameWithOwner": "mia/ops"}, "commits": {"nodes": [COMMIT, COMMIT]}}
    return {"there": {"pullRequest": {**whole, **changed}}}


def error(*path, **more):
    """An error at that path."""
    return {"type": "FORBIDDEN", "message": "Resource not accessible by integration", "path": list(path), **more}


HEAD = ("there", "pullRequest", "headRepository")
USER = ("there", "pullRequest", "commits", "nodes", 1, "commit", "author", "user")


def test_an_error_at_a_null_is_right(contract):
    locations = [{"line": 5, "column": 7}]
    assert found(contract, pull(headRepository=None), error(*HEAD, locations=locations, extensions={"code": "x"})) == []
    unknown = {"commit": {"oid": "1" * 40, "author": {"user": None}}}
    assert found(contract, pull(commits={"nodes": [COMMIT, unknown]}), error(*USER)) == []
    climbed = error("there", "pullRequest", "commits", "nodes", 0, "commit", "oid", type="SERVICE_UNAVAILABLE")
    assert found(contract, pull(commits={"nodes": [None, COMMIT]}), climbed) == []
    assert found(contract, {"there": None}, error("there", type="NOT_FOUND")) == []


def test_an_error_without_type_and_path_is_about_the_whole_query(contract):
    message = {"message": "Resource limits for this query exceeded."}
    assert found(contract, None, message) == []
    assert found(contract, pull(), message) == []


@pytest.mark.parametrize(
    ("wrong", "finding"),
    [
        (error(*HEAD), "an error at there.pullRequest.headRepository: there is an answer"),
        (error("there", "pullRequest", "title"), "an error at there.pullRequest.title: the query did not ask for this"),
        (error("repository"), "an error at repository: the query did not ask for this"),
        (error("there", 0), "an error at there.0: the query did not ask for this"),
        (error(*USER[:4], 7), "an error at there.pullRequest.commits.nodes.7: the answer has no such place"),
        (error(type="FORBIDDEN?"), "an error of type FORBIDDEN? is unknown"),
        (error(locations=[{"line": 1}]), "an error's locations are [{'line': 1}]"),
        (error(extensions=[]), "an error's extensions are no object"),
        (error(hint="x"), "an error has no hint"),
        ({**error(), "path": "there"}, "an error's path is 'there'"),
        ({"type": "FORBIDDEN"}, "an error without a message"),
    ],
)
def test_an_error_at_a_wrong_place_or_of_a_wrong_form_is_found(contract, wrong, finding):
    assert found(contract, pull(), wrong) == [f"graphql answer: {finding}"]


def test_a_null_higher_than_it_may_climb_is_found(contract):
    climbed = found(contract, {"there": {"pullRequest": None}}, error(*HEAD))
    assert climbed == [
        "graphql answer: an error at there.pullRequest.headRepository: the null stands higher than it may climb"
    ]


def test_missing_data_needs_an_error(contract):
    assert contract.check_graphql_answer(QUERY, VARIABLES, {"data": None}) == [
        "graphql answer: no data, and no error that says why"
    ]
    assert found(contract, pull()) == ["graphql answer: errors is no list of errors"]


def test_every_type_of_error_has_a_source():
    assert all("GitHub" in why or "recorded" in why or "#" in why or "GraphQL API" in why for why in TYPES.values())
