"""The reader of GraphQL documents."""

import pytest

from bot.demo.github.graphql.query import Fragment, QueryInvalid, SelectedField, Spread, Variable, parse
from bot.github.documents import MORE_COMMITS_QUERY, SNAPSHOT_QUERY


def test_fields_aliases_arguments_and_fragments_are_read():
    document = parse(
        """
        # a comment, and commas are spaces
        query Q($n: Int!, $names: [String!]!, $some: [ID!], $x: String) {
          one: repository(owner: "o\\u00e9", n: $n, all: true, none: null, order: {}, list: [1, -2.5, A]) { id ... on User { login } ...F }
        }
        fragment F on Actor { __typename }
        """.replace("order: {}, ", "")
    )
    field = document.selection[0]
    assert isinstance(field, SelectedField)
    assert (field.key, field.name) == ("one", "repository")
    assert field.arguments == {"owner": "oé", "n": Variable("n"), "all": True, "none": None, "list": [1, -2.5, "A"]}
    assert field.selection == (
        SelectedField("id", "id", {}, ()), Fragment("User", (SelectedField("login", "login", {}, ()),)), Spread("F"),
    )  # fmt: skip
    assert document.fragments == {"F": Fragment("Actor", (SelectedField("__typename", "__typename", {}, ()),))}
    assert document.variables == {"n": True, "names": True, "some": False, "x": False}


def test_the_documents_of_the_hub_are_read():
    assert all(parse(SNAPSHOT_QUERY).variables[name] for name in ("owner", "name", "number"))
    assert parse(MORE_COMMITS_QUERY).variables["after"]


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "{ a", "{ a(b: ) }", '{ a(b: "x) }', "mutation { a }", "subscription { a }", "query A { a } query B { b }",
        "{ a ; }", "{ a(b: $) }", "fragment F on X { a }", "{ a: }", "{ 1 }", "query($a Int) { a }",
        "query($a:) { a }", "query($a: Int", "{ ... { a } }", "query($a: Int = 1) { a }",
    ],
)  # fmt: skip
def test_a_text_that_is_no_single_query_is_refused(text):
    with pytest.raises(QueryInvalid):
        parse(text)
