"""REST for git itself: trees, blobs, commits, references, and what lies between two commits."""

from collections.abc import Callable
from functools import wraps
from itertools import chain, repeat
from typing import Any

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from bot.demo.github.git import bare_repository, changed_files, loose_objects, objects
from bot.demo.github.json import git_json
from bot.demo.github.refusal import ErrorResponse, existing, invalid, not_found
from bot.demo.github.rest_request import (
    View,
    actor,
    base64_field,
    body,
    me,
    objects_field,
    repository_route,
    text_field,
    typed,
    world,
)
from bot.demo.github.state import StoredRepository

routes = Blueprint("git_database", __name__)
_MAX_COMPARED_FILES = 300  # GitHub lists no more files of a comparison.
_MAX_PATCHES = 10  # A process of git each; GitHub, too, leaves out those of large comparisons.


def _route(method: str, path: str, level: str) -> Callable[[View], View]:

    def register(view: View) -> View:
        @wraps(view)
        def of_commits(repo: StoredRepository, **where: Any) -> Any:
            # GitHub answers 409 under /git for a repository without any commit.
            if not bare_repository.references(repo.git):
                raise ErrorResponse(409, "Git Repository is empty.")
            return view(repo, **where)

        return repository_route(routes, method, f"/git{path}", level, "contents")(of_commits)

    return register


@_route("GET", "/trees/<path:tree_sha>", "read")
def tree(repo: StoredRepository, tree_sha: str) -> ResponseReturnValue:
    """A tree by the hash of itself or of a commit, or by a branch; cut short beyond `tree_limit` with its folders."""
    sha = existing(objects.tree_sha(repo.git, tree_sha))
    deep = "recursive" in request.args
    items = objects.tree(repo.git, sha, recursive=deep)
    limit = world().tree_limit if deep else len(items)  # Only with its folders is a tree cut short.
    return jsonify(git_json.tree(world(), repo, sha, items[:limit], truncated=len(items) > limit))


@_route("POST", "/trees", "write")
def create_tree(repo: StoredRepository) -> ResponseReturnValue:
    """A tree on top of another, with blobs that are kept already."""
    fields = body()
    start = objects.tree_sha(repo.git, text_field(fields, "base_tree", resource="Tree"))
    items = [
        (str(entry.get("path")), str(entry.get("mode")), str(entry.get("sha")))
        for entry in objects_field(fields, "tree")
    ]
    if start is None or not items:
        raise ErrorResponse(422, "base_tree is not a valid tree" if items else "Invalid tree info")
    if any(objects.content(repo.git, blob) is None for _, _, blob in items):
        raise ErrorResponse(422, "GitRPC::BadObjectState")  # A blob has to be there before its tree.
    files = {path.encode(): (mode.encode(), blob) for path, mode, blob in items}
    sha = bare_repository.tree_with(repo.git, start, files)
    return jsonify(git_json.tree(world(), repo, sha, objects.tree(repo.git, sha, recursive=False))), 201


@_route("GET", "/blobs/<file_sha>", "read")
def blob(repo: StoredRepository, file_sha: str) -> ResponseReturnValue:
    """A blob of up to 100 MB, always in Base64."""
    return jsonify(git_json.blob(world(), repo, file_sha, existing(objects.content(repo.git, file_sha))))


@_route("POST", "/blobs", "write")
def create_blob(repo: StoredRepository) -> ResponseReturnValue:
    """Keep a blob, sent in Base64."""
    fields = body()
    if fields.get("encoding") != "base64":
        raise invalid("Blob", "encoding", "This small GitHub takes blobs in Base64 only.")
    sha = loose_objects.write(repo.git, "blob", base64_field(fields, "content", resource="Blob"))
    return jsonify({"sha": sha, "url": world().api_url(f"/repos/{repo.full_name}/git/blobs/{sha}")}), 201


@_route("GET", "/commits/<commit_sha>", "read")
def commit(repo: StoredRepository, commit_sha: str) -> ResponseReturnValue:
    """A commit as git has it."""
    if bare_repository.resolve(repo.git, commit_sha) != commit_sha:  # A hash alone, no name.
        raise not_found()
    return jsonify(git_json.git_commit(world(), repo, bare_repository.commit(repo.git, commit_sha)))


@_route("POST", "/commits", "write")
def create_commit(repo: StoredRepository) -> ResponseReturnValue:
    """A commit on no branch."""
    fields = body()
    message, root = (text_field(fields, name, resource="Commit") for name in ("message", "tree"))
    parents = [str(sha) for sha in typed(fields, parents=list).get("parents") or []]
    if objects.tree_sha(repo.git, root) != root or any(
        bare_repository.resolve(repo.git, sha) != sha for sha in parents
    ):
        raise ErrorResponse(422, "Tree SHA or a parent does not exist")
    author = bare_repository.GitIdentity(actor().name, actor().noreply, world().now())
    by_github = me().installation is not None  # GitHub signs the commits of Apps, as committer.
    committer = world().by_web_flow() if by_github else author
    sha = bare_repository.commit_tree(repo.git, message, root, parents, author=author, committer=committer)
    if by_github:
        world().verified_commits.add(sha)
    return jsonify(git_json.git_commit(world(), repo, bare_repository.commit(repo.git, sha))), 201


@_route("GET", "/ref/<path:ref>", "read")
def reference(repo: StoredRepository, ref: str) -> ResponseReturnValue:
    """One reference: `heads/main`."""
    sha = existing(bare_repository.resolve(repo.git, f"refs/{ref}"))
    return jsonify(git_json.reference(world(), repo, f"refs/{ref}", sha))


@_route("POST", "/refs", "write")
def create_reference(repo: StoredRepository) -> ResponseReturnValue:
    """A new branch; 422 when it is there, or its commit is not."""
    fields = body()
    name, sha = (text_field(fields, field, resource="Reference") for field in ("ref", "sha"))
    if not name.startswith("refs/heads/") or bare_repository.resolve(repo.git, sha) != sha:
        raise ErrorResponse(422, "Reference name must start with 'refs/heads/' here, and its object must exist")
    if bare_repository.resolve(repo.git, name) is not None:
        raise ErrorResponse(422, "Reference already exists")
    _point(repo, name, sha, None)
    return jsonify(git_json.reference(world(), repo, name, sha)), 201


@_route("PATCH", "/refs/<path:ref>", "write")
def move_reference(repo: StoredRepository, ref: str) -> ResponseReturnValue:
    """Move a branch; 422 when that loses commits: `force` is not served here."""
    fields = body()
    name, sha = f"refs/{ref}", text_field(fields, "sha", resource="Reference")
    before = bare_repository.resolve(repo.git, name)
    if before is None or bare_repository.resolve(repo.git, sha) != sha:
        raise ErrorResponse(422, "Reference does not exist" if before is None else "Object does not exist")
    if bare_repository.merge_base(repo.git, before, sha) != before:
        raise ErrorResponse(422, "Update is not a fast forward")
    _point(repo, name, sha, before)
    return jsonify(git_json.reference(world(), repo, name, sha))


@_route("DELETE", "/refs/<path:ref>", "write")
def delete_reference(repo: StoredRepository, ref: str) -> ResponseReturnValue:
    """A branch goes, and closes its pull requests; 422 where there is none, or it is the default branch."""
    name = f"refs/{ref}"
    before = bare_repository.resolve(repo.git, name)
    if before is None or name == f"refs/heads/{repo.default_branch}":
        raise ErrorResponse(422, "Reference does not exist" if before is None else "Cannot delete the default branch")
    objects.delete(repo.git, name, before)
    world().landed(repo, actor(), {name: (before, None)})
    return "", 204


@_route("GET", "/matching-refs/<path:ref>", "read")
def matching_references(repo: StoredRepository, ref: str) -> ResponseReturnValue:
    """The references that begin so, by name, all at once."""
    found = [item for item in bare_repository.references(repo.git).items() if item[0].startswith(f"refs/{ref}")]
    return jsonify([git_json.reference(world(), repo, *pair) for pair in found])  # This list has no pages.


def _point(repo: StoredRepository, name: str, sha: str, before: str | None) -> None:
    try:
        objects.point(repo.git, name, sha, before)
    except bare_repository.GitFailed as why:
        raise ErrorResponse(422, "Reference update failed") from why
    world().landed(repo, actor(), {name: (before, sha)})  # For GitHub it is a push, too.


@repository_route(routes, "GET", "/compare/<path:basehead>", "read", "contents")
def comparison(repo: StoredRepository, basehead: str) -> ResponseReturnValue:
    """`base...head`: where they part, and what head has more."""
    base, _, head = basehead.partition("...")
    ends = [existing(bare_repository.resolve(repo.git, name)) for name in (base, head)]
    start = existing(bare_repository.merge_base(repo.git, ends[0], ends[1]))
    ahead, behind = (bare_repository.between(repo.git, start, sha) for sha in (ends[1], ends[0]))
    size = request.args.get("per_page", 250, type=int)  # GitHub's default here.
    skip = size * (max(request.args.get("page", 1, type=int), 1) - 1)
    # The first page alone lists files.
    found = [] if skip else changed_files.between(repo.git, start, ends[1])[:_MAX_COMPARED_FILES]
    lines = (changed_files.patch(repo.git, start, ends[1], file.path, file.previous) for file in found[:_MAX_PATCHES])
    patches = chain(map("\n".join, lines), repeat(""))
    files = [git_json.file(world(), repo, ends[1], file, patch) for file, patch in zip(found, patches, strict=False)]
    first, origin = (bare_repository.commit(repo.git, sha) for sha in (ends[0], start))
    ends_json = git_json.comparison(world(), repo, basehead, (first, origin), (ahead, behind))
    listed = [git_json.commit(world(), repo, git_commit) for git_commit in ahead[skip : skip + size]]
    return jsonify({**ends_json, "commits": listed, "files": files})
