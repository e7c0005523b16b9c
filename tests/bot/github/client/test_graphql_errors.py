"""The errors of a GraphQL answer, field by field."""

import pytest

from bot.github.client.graphql_errors import (
    GraphqlAnswer,
    Unavailable,
    Withheld,
    WithheldField,
    is_graphql_limit,
    judge_graphql,
    plain_name,
    sentence,
    withheld_nodes,
)
from bot.github.ports import Missing, Unreachable

USER = ["repository", "pullRequest", "commits", "nodes", 3, "commit", "author", "user"]
ANY_USER = "repository.pullRequest.commits.nodes.*.commit.author"
IP_LIST = (
    "Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow list "
    "enabled, and your IP address is not permitted to access this resource."
)


def told(*errors):
    """An answer without data and with these errors."""
    return GraphqlAnswer({}, errors)


def test_only_an_optional_field_may_be_withheld():
    assert judge_graphql(told()) == ()
    errors = ({"type": "NOT_FOUND", "path": ["rules"]}, {"type": "FORBIDDEN", "path": ["rules", "rulebook"]})

    lost = judge_graphql(told(*errors), optional=("rules",))

    assert lost == (WithheldField(("rules",), "NOT_FOUND"), WithheldField(("rules", "rulebook"), "FORBIDDEN"))


def test_an_optional_error_does_not_hide_another():
    errors = ({"type": "NOT_FOUND", "path": ["rules"]}, {"type": "FORBIDDEN", "path": ["repository"]})

    with pytest.raises(Withheld, match=r"does not let the App see the repository$") as raised:
        judge_graphql(told(*errors), optional=("rules",))
    assert raised.value.fields == (WithheldField(("repository",), "FORBIDDEN"),)


@pytest.mark.parametrize(
    ("path", "pattern", "is_within"),
    [
        (USER, ANY_USER, True),
        (USER, "repository.pullRequest", True),
        (USER, "repository.pullRequest.commits.nodes.3.commit", True),
        (USER, "repository.pullRequest.commits.nodes.2.commit", False),
        (USER[:4], ANY_USER, False),
        (["repository", "pullRequest", "commits", "nodes", "x", "commit", "author"], ANY_USER, False),
        ([], "repository", False),
    ],
)
def test_a_pattern_names_a_field_and_its_parts(path, pattern, is_within):
    assert WithheldField(tuple(map(str, path))).is_within(pattern) is is_within


@pytest.mark.parametrize("path", [["repository"], ["repository", "pullRequest"], ["node"]])
def test_a_pull_request_that_is_not_found_is_missing_beside_other_errors(path):
    with pytest.raises(Missing):
        judge_graphql(told({"message": "no"}, {"type": "NOT_FOUND", "path": path}))


@pytest.mark.parametrize(
    "path", [["repository", "pullRequest", "changedFiles"], ["repository", "mergeQueue"], USER, None]
)
def test_a_part_that_is_not_found_is_withheld(path):
    with pytest.raises(Withheld):
        judge_graphql(told({"type": "NOT_FOUND", "path": path}))


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        (
            [{"type": "FORBIDDEN", "path": USER}],
            "GitHub does not let the App see the account of an author or committer",
        ),
        (
            [{"type": "FORBIDDEN", "path": USER, "message": IP_LIST}],
            "GitHub does not let the App see the account of an author or committer (the IP allow list of the organisation does not include this server)",
        ),
        (
            [{"type": "FORBIDDEN", "path": ["repository"], "extensions": {"saml_failure": True}}],
            "GitHub does not let the App see the repository (the organisation requires SAML single sign-on)",
        ),
        ([{"type": "NOT_FOUND", "path": ["repository", "owner"]}], "GitHub did not find the owner of the repository"),
        (
            [{"path": ["repository", "pullRequest", "changedFiles"], "message": "timeout of ada@x.org"}],
            "GitHub's GraphQL API did not answer the changed files of the pull request",
        ),
        (
            [{"message": "Resource limits for this query exceeded."}],
            "GitHub's GraphQL API did not answer the query (Resource limits for this query exceeded.)",
        ),
        ([{"message": "of ada@x.org"}], "GitHub's GraphQL API did not answer the query (of …)"),
        ([{}], "GitHub's GraphQL API did not answer the query"),
        (["odd"], "GitHub's GraphQL API did not answer the query"),
        (
            [{"path": [name]} for name in ("a", "b", "c", "d", "d")] + [{"type": "FORBIDDEN", "path": ["e"]}],
            "GitHub's GraphQL API did not answer the a, the b, the c and more; GitHub does not let the App see the e",
        ),
    ],
)
def test_the_message_names_fields_and_reasons_but_no_people(errors, said):
    with pytest.raises(Withheld) as raised:
        judge_graphql(told(*errors))
    assert str(raised.value) == sentence(raised.value.fields) == said


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ([], "the query"),
        (USER, "the account of an author or committer"),
        ([*USER, "login"], "the login of the account of an author or committer"),
        (USER[:4], "the commits"),
        (["repository", "pullRequest", "headRefOid"], "the head commit of the pull request"),
        (["rules", "rulebook", "text"], "the text of the rulebook"),
        (["somethingNew"], "the something new"),
    ],
)
def test_each_withheld_field_has_a_plain_name(path, name):
    assert plain_name(map(str, path)) == name


def test_nodes_of_which_a_field_is_withheld_are_known_unless_not_found():
    lost = judge_graphql(
        told(
            {"type": "NOT_FOUND", "path": ["nodes", 1]},
            {"type": "NOT_FOUND", "path": ["nodes", 2, "defaultBranchRef"]},
            {"type": "FORBIDDEN", "path": ["nodes", 4]},
            {"path": ["nodes", 4, "x"]},
        ),
        optional=("nodes",),
    )
    assert withheld_nodes(lost) == {2, 4}


@pytest.mark.parametrize(
    ("error", "is_limit"),
    [
        ({"type": "RATE_LIMITED"}, True),
        ({"message": "API rate limit exceeded for installation"}, True),
        ({"message": "Resource limits for this query exceeded"}, False),
        ("odd", False),
    ],
)
def test_a_rate_limit_is_told_from_a_query_that_is_too_large(error, is_limit):
    assert is_graphql_limit(error) is is_limit


def test_graphql_being_down_is_worth_another_try():
    assert issubclass(Unavailable, Unreachable)
    assert Unavailable("x").retry_after is None
