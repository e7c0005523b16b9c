"""A wrong field in a query, its variables or its answer is found."""

import pytest

QUERY = """
query Look($owner: String!, $name: String!, $number: Int!, $rules: String!) {
  repository(owner: $owner, name: $name) {
    rules: object(expression: $rules) { ... on Blob { text isTruncated } }
    pullRequest(number: $number) {
      state
      author { __typename login ... on User { databaseId } ... on Bot { databaseId } }
      commits(first: 100) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes { commit { oid authors(first: 20) { nodes { name email user { databaseId login } } } } }
      }
    }
  }
}
"""
VARIABLES = {"owner": "cann", "name": "ops", "number": 1, "rules": "HEAD:.github/countersign.yml"}


def answer(**changes) -> dict:
    """What GitHub says to that query, with some fields of the pull request changed."""
    ada = {"name": "Ada", "email": "ada@example.org", "user": None}
    commits = {"totalCount": 1, "pageInfo": {"hasNextPage": False, "endCursor": "MQ"},
               "nodes": [{"commit": {"oid": "1" * 40, "authors": {"nodes": [ada]}}}]}  # fmt: skip
    author = {"__typename": "User", "login": "ada", "databaseId": 7}
    pull = {"state": "OPEN", "author": author, "commits": commits, **changes}
    return {"data": {"repository": {"rules": {"text": "", "isTruncated": False}, "pullRequest": pull}}}


def test_a_right_query_and_its_answer_have_no_findings(contract):
    assert contract.check_graphql(QUERY, VARIABLES) == []
    assert contract.check_graphql_answer(QUERY, VARIABLES, answer()) == []
    assert contract.check_graphql_answer(QUERY, VARIABLES, answer(author=None)) == []


@pytest.mark.parametrize(
    ("right", "wrong", "finding"),
    [
        ("totalCount", "totalcount", "Did you mean 'totalCount'?"),
        ("first: 100", "frist: 100", "Unknown argument 'frist'"),
        ("$number: Int!", "$number: String!", "used in position expecting type 'Int!'"),
        ("on Blob", "on Bolb", "Unknown type 'Bolb'"),
        ("state", "state {", "Syntax Error"),
    ],
)
def test_a_wrong_query_is_found(contract, right, wrong, finding):
    findings = contract.check_graphql(QUERY.replace(right, wrong, 1))
    assert [line for line in findings if finding in line], findings


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"number": "one"}, "Int cannot represent non-integer value"),
        ({"extra": 1}, "variable extra is not in the query"),
    ],
)
def test_wrong_variables_are_found(contract, change, finding):
    findings = contract.check_graphql(QUERY, {**VARIABLES, **change})
    assert [line for line in findings if finding in line], findings


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"state": "open"}, "PullRequestState"),
        ({"state": None}, "Cannot return null for non-nullable field"),
        ({"title": "t"}, "data/repository/pullRequest/title: the query did not ask for this"),
        ({"author": {"__typename": "User", "login": "ada"}}, "databaseId is missing"),
        ({"author": {"__typename": "Robot", "login": "ada"}}, "Robot"),
        ({"commits": {"totalCount": "1", "pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": []}},
         "totalCount: str where int is right"),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_found(contract, change, finding):
    findings = contract.check_graphql_answer(QUERY, VARIABLES, answer(**change))
    assert [line for line in findings if finding in line], findings


def test_an_error_needs_a_message(contract):
    right = {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
    assert contract.check_graphql_answer(QUERY, VARIABLES, right) == []
    assert contract.check_graphql_answer(QUERY, VARIABLES, {"errors": [{}]}) == [
        "graphql answer: an error without a message"
    ]
    assert contract.check_graphql_answer(QUERY, VARIABLES, {}) == ["graphql answer: neither data nor errors"]
