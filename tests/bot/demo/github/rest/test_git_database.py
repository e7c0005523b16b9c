"""git's objects over REST; that each answer has GitHub's form is checked on the way."""

import base64

import pytest

from bot.demo.github.git import bare_repository

HERE = "/repos/cann/runtime/git"


@pytest.fixture(name="token")
def _token(place):
    place.app.permissions["contents"] = "write"
    return place.token()


def test_a_tree_is_cut_short_only_with_its_folders(place, token):
    place.world.write(place.runtime, {"a/b": "x", "a/c": "y", "d": "z"})
    place.world.tree_limit = 2
    deep = place.api("GET", f"{HERE}/trees/main?recursive=1", token=token)
    flat = place.api("GET", f"{HERE}/trees/main", token=token)
    assert (deep["truncated"], len(deep["tree"])) == (True, 2)
    assert (flat["truncated"], [entry["path"] for entry in flat["tree"]]) == (False, ["README.md", "a", "d"])
    assert [entry.get("size") for entry in flat["tree"]] == [10, None, 1]


def test_a_blob_of_any_bytes_goes_in_and_out(place, token):
    fields = {"content": base64.b64encode(b"\xff\0").decode(), "encoding": "base64"}
    sha = place.api("POST", f"{HERE}/blobs", fields, token=token)["sha"]
    assert base64.b64decode(place.api("GET", f"{HERE}/blobs/{sha}", token=token)["content"]) == b"\xff\0"


def test_a_commit_of_an_app_is_signed_by_github_and_a_persons_is_not(place, token):
    tip = bare_repository.resolve(place.runtime.git, "main")
    root = place.api("GET", f"{HERE}/commits/{tip}", token=token)["tree"]["sha"]
    fields = {"message": "Ours", "tree": root, "parents": [tip]}
    ours = place.api("POST", f"{HERE}/commits", fields, token=token)
    hers = place.api("POST", f"{HERE}/commits", fields, token=place.ada.token)
    assert (ours["author"]["email"], ours["verification"]["verified"]) == (place.app.bot.noreply, True)
    assert (hers["author"]["name"], hers["verification"]["verified"]) == ("Ada Admin", False)
    for wrong in ({"tree": "0" * 40}, {"parents": ["0" * 40]}):
        place.api("POST", f"{HERE}/commits", {**fields, **wrong}, token=token, status=422)


def test_a_branch_moves_forward_and_its_pull_request_with_it(place, token):
    first = bare_repository.resolve(place.runtime.git, "main")
    place.call("POST", f"{HERE}/refs", {"ref": "refs/heads/ours", "sha": first}, token=token)
    shas = [place.world.write(place.runtime, {"x": str(n)}, branch="side") for n in range(2)]
    place.call("PATCH", f"{HERE}/refs/heads/ours", {"sha": shas[0]}, token=token)
    pull = place.world.open_pull(place.runtime, place.ada, "ours")
    place.call("PATCH", f"{HERE}/refs/heads/ours", {"sha": shas[1]}, token=token)
    assert pull.head_sha == shas[1]
    assert ("push", None) in place.events()
    place.api("PATCH", f"{HERE}/refs/heads/ours", {"sha": first}, token=token, status=422)


@pytest.mark.parametrize("fields", [
    {"ref": "refs/heads/main", "sha": "main"}, {"ref": "refs/tags/x", "sha": "main"}, {"ref": "refs/heads/x", "sha": "0" * 40},
    {"ref": "refs/heads/a..b", "sha": "main"},
])  # fmt: skip
def test_an_existing_or_impossible_branch_is_422(place, token, fields):
    if fields["sha"] == "main":
        fields = {**fields, "sha": bare_repository.resolve(place.runtime.git, "main")}
    place.api("POST", f"{HERE}/refs", fields, token=token, status=422)


@pytest.mark.parametrize("path", ["trees/nothing", f"blobs/{'0' * 40}", f"commits/{'0' * 40}", "ref/heads/nothing"])
def test_a_missing_object_is_404_and_an_empty_repository_409(place, token, path):
    place.world.repository(place.cann, "bare", files={})
    place.api("GET", f"{HERE}/{path}", token=token, status=404)
    place.api("GET", f"/repos/cann/bare/git/{path}", token=token, status=409)


@pytest.mark.parametrize("base", ["main", "0" * 40])
@pytest.mark.parametrize("tree", [[], [{"path": "x", "mode": "100644", "type": "blob", "sha": "0" * 40}]])
def test_a_tree_of_nothing_or_of_missing_objects_is_422(place, token, base, tree):
    place.api("POST", f"{HERE}/trees", {"base_tree": base, "tree": tree}, token=token, status=422)


def test_a_comparison_knows_both_sides(place, token):
    start = bare_repository.resolve(place.runtime.git, "main")
    for number in range(3):
        place.world.write(place.runtime, {"x": str(number)}, branch="side")
    place.world.write(place.runtime, {"y": "1"})
    found = place.api("GET", "/repos/cann/runtime/compare/main...side?per_page=1", token=token)
    assert (found["merge_base_commit"]["sha"], found["status"]) == (start, "diverged")
    assert (found["ahead_by"], found["behind_by"], len(found["commits"])) == (3, 1, 1)
    assert [file["filename"] for file in found["files"]] == ["x"]


def test_git_objects_are_not_written_without_the_permission(place):
    fields = {"content": "eA==", "encoding": "base64"}
    place.api("POST", f"{HERE}/blobs", fields, status=403)
    place.api("POST", f"{HERE}/blobs", fields, token=place.mia.token, status=403)
    place.api("POST", f"{HERE}/blobs", fields, token=place.ada.token, status=201)


def test_deleting_a_branch_closes_its_pull_request(place, token):
    tip = bare_repository.resolve(place.runtime.git, "main")
    for name in ("ours-1", "ours-2", "other"):
        place.call("POST", f"{HERE}/refs", {"ref": f"refs/heads/{name}", "sha": tip}, token=token)
    place.world.write(place.runtime, {"x": "y"}, branch="ours-1")
    pull = place.world.open_pull(place.runtime, place.ada, "ours-1")

    place.call("DELETE", f"{HERE}/refs/heads/ours-1", token=place.ada.token)

    assert pull.state == "closed"
    named = [ref["ref"] for ref in place.api("GET", f"{HERE}/matching-refs/heads/ours-", token=token)]
    assert named == ["refs/heads/ours-2"]
    assert place.api("GET", f"{HERE}/matching-refs/heads/none", token=token) == []
    for gone in ("ours-1", "main"):
        place.api("DELETE", f"{HERE}/refs/heads/{gone}", token=token, status=422)
    place.api("DELETE", f"{HERE}/refs/heads/ours-2", token=place.mia.token, status=403)
