"""GraphQL over HTTP."""

import pytest

from tests.bot.demo.github import queued_merges


def test_aliases_fragments_and_typenames_are_answered(place):
    query = """
      query($o: String!) {
        a: repository(owner: $o, name: "runtime") { owner { login } owner { __typename ...Id } ...on Repository { name } }
      }
      fragment Id on RepositoryOwner { ... on Organization { databaseId } ... on User { databaseId login } }
    """
    data = place.graphql(query, {"o": "cann"})["data"]
    assert data == {
        "a": {"owner": {"login": "cann", "__typename": "Organization", "databaseId": place.cann.id}, "name": "runtime"}
    }


def test_an_object_out_of_sight_is_null_with_an_error(place):
    place.world.repository(place.mia, "secret", private=True)
    query = '{ a: repository(owner: "mia", name: "secret") { name } b: repository(owner: "cann", name: "runtime") { name } }'
    body = place.graphql(query)
    assert body["data"] == {"a": None, "b": {"name": "runtime"}}
    assert [(error["type"], error["path"]) for error in body["errors"]] == [("NOT_FOUND", ["a"])]
    missing = place.graphql('{ repository(owner: "cann", name: "runtime") { pullRequest(number: 9) { number } } }')
    assert missing["data"] == {"repository": {"pullRequest": None}}
    assert missing["errors"][0]["path"] == ["repository", "pullRequest"]


def test_a_missing_permission_forbids_the_field(place):
    place.runtime.private = True
    place.pull()
    token = place.token(permissions={"metadata": "read"})
    query = '{ repository(owner: "cann", name: "runtime") { name pullRequest(number: 1) { number } } }'
    body = place.graphql(query, token=token)
    assert body["data"]["repository"] == {"name": "runtime", "pullRequest": None}
    assert body["errors"][0]["type"] == "FORBIDDEN"


QUEUE = """{ repository(owner: "cann", name: "runtime") { mergeQueue { entries(first: 1) { nodes { pullRequest { number } } } }
  pullRequest(number: 1) { mergeQueueEntry { position } } } }"""


@pytest.mark.parametrize(
    ("granted", "forbidden"),
    [
        ({}, ["mergeQueue", "pullRequest"]),
        ({"contents": "read"}, ["mergeQueue", "pullRequest"]),
        ({"pull_requests": "read"}, ["mergeQueue", "pullRequest.mergeQueueEntry"]),
        ({"pull_requests": "write"}, ["mergeQueue", "pullRequest.mergeQueueEntry"]),
        ({"merge_queues": "read"}, ["mergeQueue.entries.nodes.0.pullRequest", "pullRequest"]),
        ({"merge_queues": "read", "pull_requests": "read"}, []),
    ],
)
def test_a_merge_queue_has_a_permission_of_its_own(place, granted, forbidden):
    place.runtime.private = True
    queued_merges.enqueue(place.world, place.pull()[0], place.ada)
    body = place.graphql(QUEUE, token=place.token(permissions={"metadata": "read", **granted}))
    found = [".".join(map(str, error["path"][1:])) for error in body.get("errors", ())]
    assert (found, {error["type"] for error in body.get("errors", ())} <= {"FORBIDDEN"}) == (forbidden, True)


def test_all_see_the_merge_queue_of_a_public_repository(place):
    queued_merges.enqueue(place.world, place.pull()[0], place.ada)
    assert "errors" not in place.graphql(QUEUE, token=place.token(permissions={"metadata": "read"}))


@pytest.mark.parametrize(
    "query",
    [
        "{ viewer { login } }",
        '{ repository(owner: "cann", name: "runtime") { stars } }',
        '{ repository(owner: "cann", name: "runtime") }',
        '{ repository(owner: "cann", name: "runtime") { name { x } } }',
        '{ repository(owner: "cann", name: "runtime") { ...Missing } }',
        '{ repository(owner: "cann", name: "runtime") { ... on Nothing { name } } }',
        "query($a: Int!) { repository(owner: $a, name: $a) { name } }",
        "mutation { x }",
        "not graphql",
    ],
)
def test_an_unknown_field_is_refused_and_remembered(place, gate, query):
    body = place.graphql(query)
    assert "data" not in body
    assert body["errors"][0]["message"]
    assert len(place.world.refused) == 1
    place.world.refused.clear()
    gate.findings.clear()  # some of these are wrong at GitHub, too


def test_a_query_without_a_token_is_401(place):
    answer = place.call("POST", place.server.url + "/api/graphql", {"query": "{ __typename }"})
    assert answer.status_code == 401
