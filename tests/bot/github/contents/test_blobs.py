"""Contents by their SHA: the bytes are those of the blob, or an error, even where GitHub changes a text on the way."""

import base64
import subprocess

import pytest

from bot.github.contents.blobs import LARGE_BLOB_BYTES, MAX_BLOB_BYTES_PER_QUERY, blob_sha
from bot.github.documents import BLOB_SLOTS
from bot.github.ports import Missing, RepositoryPlace, Unreachable
from bot.github.reading import Garbled
from bot.github.renames import root

HERE = RepositoryPlace(77, "cann", "ops", 900)
ODD = [b"", b"plain\n", "ü 林\n".encode(), b"\xff\xfe\xfdnot UTF-8\n", b"NUL \0 inside", b"\r\nline ends\r\n",
       "\ufeffa mark\n".encode(), b"x" * (LARGE_BLOB_BYTES + 1), b"\xf0\x9f\x92\xa9" * 90_000]  # fmt: skip


def pushed(scene, contents):
    """Their SHAs and sizes, as git made them."""
    found = {}
    for content in contents:
        made = subprocess.run(["git", "hash-object", "-w", "--stdin"], cwd=scene.ops.git, input=content, check=True,
                              capture_output=True)  # fmt: skip
        found[made.stdout.decode().strip()] = content
    return found


@pytest.mark.parametrize("down", [False, True], ids=["graphql", "rest"])
def test_every_kind_of_content_comes_back_as_it_is(scene, down):
    contents = pushed(scene, ODD)
    scene.down += [1] if down else []
    sizes = {sha: len(content) for sha, content in contents.items()} | {"1" * 40: 3}

    assert scene.hub.blobs(scene.place, sizes) == contents
    asked = [call.template for call in scene.world.calls if "blobs" in call.template]
    assert len(asked) == (len(ODD) if down else 5)  # all but the empty one; those that GraphQL gives otherwise


def test_many_small_blobs_are_asked_for_together(scene):
    small = pushed(scene, [b"%d\n" % number for number in range(30)])
    wide = pushed(scene, [b"%d" % number * 100_000 for number in range(10, 22)])
    before = len(scene.world.calls)

    found = scene.hub.blobs(scene.place, {sha: len(blob) for sha, blob in (small | wide).items()})

    assert found == small | wide
    assert [call.template for call in scene.world.calls[before:]].count("/graphql") == 2
    assert sum(map(len, wide.values())) > MAX_BLOB_BYTES_PER_QUERY
    assert BLOB_SLOTS == 100


def answered(github, sha, **changes):
    """GitHub's answer by REST about a blob."""
    body = {"sha": sha, "encoding": "base64", "content": base64.b64encode(b"a").decode(), "size": 1, **changes}
    github.on("GET", f"{root(HERE)}/git/blobs/{sha}", body)


A = blob_sha(b"a")


@pytest.mark.parametrize("changes", [{"content": "Yg=="}, {"encoding": "rot13"}, {"content": "%"}, {"content": None}])
def test_bytes_other_than_those_of_the_blob_are_an_error(github, hub, changes):
    github.graphql({"repository": {"databaseId": 900, "blob0": None}})
    answered(github, A, **changes)

    with pytest.raises(Garbled):
        hub.blobs(HERE, {A: 1})


@pytest.mark.parametrize("blob", [
    None, {"__typename": "Tree"}, {"__typename": "Blob", "text": "b", "isTruncated": False, "isBinary": False},
    {"__typename": "Blob", "text": "a", "isTruncated": True, "isBinary": False},
    {"__typename": "Blob", "text": None, "isTruncated": False, "isBinary": True},
])  # fmt: skip
def test_blobs_that_graphql_does_not_give_whole_are_asked_of_rest(github, hub, blob):
    if blob and blob["__typename"] == "Tree":
        blob |= {"isTruncated": None, "isBinary": None, "text": None}
    github.graphql({"repository": {"databaseId": 900, "blob0": blob}})
    answered(github, A)

    assert hub.blobs(HERE, {A: 1}) == {A: b"a"}


def test_more_than_graphql_can_bear_is_asked_of_rest(github, hub):
    github.graphql({"repository": None}, errors=[{"type": "RESOURCE_LIMITS_EXCEEDED", "message": "too much"}])
    answered(github, A)

    assert hub.blobs(HERE, {A: 1}) == {A: b"a"}


def test_the_content_of_another_repository_is_never_taken(github, hub):
    file = {"__typename": "Blob", "text": "a", "isTruncated": False, "isBinary": False}
    github.graphql({"repository": {"databaseId": 901, "blob0": file}})
    github.graphql({"repository": {"databaseId": 900, "blob0": file}})
    github.on("GET", "/repositories/900", {"owner": {"login": "cann"}, "name": "kernels", "id": 900})

    assert hub.blobs(HERE, {A: 1}) == {A: b"a"}
    assert [body["variables"]["name"] for body in github.bodies("POST", "/graphql")] == ["ops", "kernels"]


@pytest.mark.parametrize(("errors", "failure"), [
    ([{"type": "NOT_FOUND", "path": ["repository"], "message": "gone"}], Missing),
    ([{"type": "RATE_LIMITED", "message": "slow"}], Unreachable),
])  # fmt: skip
def test_failures_of_the_query_are_told(github, hub, errors, failure):
    github.graphql({"repository": None}, errors=errors)

    with pytest.raises(failure):
        hub.blobs(HERE, {A: 1})


def test_a_text_that_is_no_sha_is_refused(hub):
    """The text would go into an address."""
    with pytest.raises(ValueError, match="SHA"):
        hub.blobs(HERE, {"../../x": 1})


@pytest.mark.parametrize("content", [b"", b"a\n" * 7])
def test_blob_names_are_those_of_git(content):
    made = subprocess.run(["git", "hash-object", "--stdin"], input=content, check=True, capture_output=True)
    assert blob_sha(content) == made.stdout.decode().strip()
    assert len(blob_sha(content, "f" * 64)) == 64
