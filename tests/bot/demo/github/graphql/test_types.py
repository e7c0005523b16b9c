"""Repositories, pull requests and commits as GraphQL tells them."""

import pytest

from bot.github.documents import MORE_COMMITS_QUERY, SNAPSHOT_QUERY, label_variables

PULL = 'query($n: Int!, $f: Int!, $a: String) {{ repository(owner: "cann", name: "runtime") {{ pullRequest(number: $n) {{ {} }} }} }}'


def pull(place, fields, number=1, first=100, after=None):
    query, variables = PULL.format(fields), {"n": number, "f": first, "a": after}
    if "$f" not in fields:
        query, variables = query.replace(", $f: Int!, $a: String", ""), {"n": number}
    answer = place.graphql(query, variables)
    assert "errors" not in answer, answer
    return answer["data"]["repository"]["pullRequest"]


def test_the_hubs_snapshot_query_is_answered_whole(place):
    home = place.world.repository(place.cann, ".github")
    place.world.write(home, {".github/countersign.yml": "version: 1\n"})
    place.world.write(place.runtime, {".mailmap": "Mia <mia@home.example>\n"})
    request, _ = place.pull()
    place.world.add_labels(request, ["cla: no"], place.ada)
    variables = {"owner": "cann", "name": "runtime", "number": 1, **label_variables(("cla: no", "other"))}
    data = place.graphql(SNAPSHOT_QUERY, variables)["data"]
    repository = data["repository"]
    assert data["rules"]["rulebook"]["text"] == "version: 1\n"
    assert (repository["rulebook"], repository["label0"], repository["label1"]) == (None, {"name": "cla: no"}, None)
    found = repository["pullRequest"]
    assert found["baseRef"]["target"]["file"]["object"]["text"].startswith("Mia <mia")
    assert found["author"] == {"__typename": "User", "login": "mia", "databaseId": place.mia.id}
    assert (found["state"], found["headRepository"]) == ("OPEN", {"nameWithOwner": "mia/runtime"})
    assert [node["commit"]["oid"] for node in found["commits"]["nodes"]] == [request.head_sha]
    after = found["commits"]["pageInfo"]["endCursor"]
    more = place.graphql(MORE_COMMITS_QUERY, {"owner": "cann", "name": "runtime", "number": 1, "after": after})["data"]
    assert more["repository"]["pullRequest"]["commits"]["nodes"] == []


def test_authors_are_the_git_author_and_the_coauthors(place):
    _, clone = place.pull(author=("Mia", "mia@huawei.com"))
    clone.commit(
        "Pair\n\nCo-authored-by: Ada <ADA@cann.example>\nco-authored-by: No Body <no@where.example>\nCo-authored-by: Mia <mia@home.example>"
    )
    clone.push()
    fields = (
        "commits(first: 10) { nodes { commit { authors(first: 10) { nodes { name email user { databaseId } } } } } }"
    )
    nodes = pull(place, fields)["commits"]["nodes"]
    first, second = ([(who["email"], who["user"]) for who in node["commit"]["authors"]["nodes"]] for node in nodes)
    assert first == [("mia@huawei.com", None)]
    assert second == [
        ("mia@home.example", {"databaseId": place.mia.id}), ("ADA@cann.example", {"databaseId": place.ada.id}),
        ("no@where.example", None),
    ]  # fmt: skip


@pytest.mark.slow
def test_more_than_250_commits_are_read_page_by_page(place):
    _, clone = place.pull(commits=251)
    seen, after = [], None
    while True:
        fields = (
            "commits(first: $f, after: $a) { totalCount pageInfo { hasNextPage endCursor } nodes { commit { oid } } }"
        )
        page = pull(place, fields, after=after)["commits"]
        assert page["totalCount"] == 251
        seen += [node["commit"]["oid"] for node in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert seen == clone.git("rev-list", "--reverse", "origin/main..HEAD").split()


def test_commits_say_parents_times_and_signatures(place):
    _, clone = place.pull()
    place.world.write(
        place.world.find_repository("mia", "runtime"), {"web.txt": "x"}, branch="work", message="By the web editor"
    )
    clone.git("fetch", "--quiet")
    clone.git("reset", "--quiet", "--hard", "origin/work")
    clone.commit("After")
    clone.push()
    fields = "commits(first: 10) { nodes { commit { message authoredDate parents(first: 3) { nodes { oid } } signature { isValid } } } }"
    first, web, after = (node["commit"] for node in pull(place, fields)["commits"]["nodes"])
    assert (first["signature"], web["signature"], after["signature"]) == (None, {"isValid": True}, None)
    assert (after["message"], after["authoredDate"]) == ("After", "2026-11-21T09:00:00Z")
    assert len(first["parents"]["nodes"]) == 1


@pytest.mark.slow
def test_a_merged_state_and_a_deleted_opener_are_told(place):
    first, _ = place.pull()
    place.world.merge_pull(first, place.ada)
    second, _ = place.pull(branch="two")
    second.opener = None
    place.world.close_pull(second, place.ada)
    assert pull(place, "state author { login }")["state"] == "MERGED"
    assert pull(place, "state author { login }", number=2) == {"state": "CLOSED", "author": None}


def test_a_binary_file_has_no_text(place):
    place.world.write(place.runtime, {"x.bin": "a\0b"})
    query = '{ repository(owner: "cann", name: "runtime") { object(expression: "HEAD:x.bin") { ... on Blob { text isBinary } } } }'
    body = place.graphql(query)
    assert body["data"]["repository"]["object"] == {"text": None, "isBinary": True}


def test_a_former_name_is_followed_unless_told_not_to(place):
    place.world.rename(place.runtime, "engine", place.ada)
    query = '{{ repository(owner: "cann", name: "runtime"{}) {{ name }} }}'
    for extra, expected in (("", {"name": "engine"}), (", followRenames: false", None)):
        assert place.graphql(query.format(extra))["data"]["repository"] == expected
