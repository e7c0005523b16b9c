"""REST for repositories: themselves, files, commits, labels, and who may do what in them."""

import base64
from urllib.parse import quote

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from bot.demo.github.git import bare_repository
from bot.demo.github.json import account_json, git_json, repository_json
from bot.demo.github.refusal import ErrorResponse, existing, invalid_field
from bot.demo.github.rest_request import base64_field, body, me, page, repository_route, text_field, world
from bot.demo.github.state import Label, StoredRepository

routes = Blueprint("repositories", __name__)


@repository_route(routes, "GET", "")
def repository(repo: StoredRepository) -> ResponseReturnValue:
    """One repository."""
    return jsonify(repository_json.full_repository(world(), repo, me().actor))


@repository_route(routes, "GET", "/contents/<path:path>", "read", "contents")
def contents(repo: StoredRepository, path: str) -> ResponseReturnValue:
    """A file at a reference, the default branch when none is named; folders are not served here."""
    reference = request.args.get("ref", repo.default_branch)
    sha, data = existing(bare_repository.blob(repo.git, reference, path))
    place, at = quote(path), quote(reference)
    own = world().api_url(f"/repos/{repo.full_name}/contents/{place}?ref={at}")
    page_url = world().web_url(f"/{repo.full_name}/blob/{at}/{place}")
    blob_url = world().api_url(f"/repos/{repo.full_name}/git/blobs/{sha}")
    return jsonify({
        "type": "file", "name": path.rpartition("/")[2], "path": path, "sha": sha, "size": len(data), "url": own,
        "html_url": page_url, "git_url": blob_url, "download_url": world().web_url(f"/{repo.full_name}/raw/{at}/{place}"),
        # In lines of Base64, as GitHub writes them.
        "encoding": "base64", "content": base64.encodebytes(data).decode(),
        "_links": {"self": own, "git": blob_url, "html": page_url},
    })  # fmt: skip


@repository_route(routes, "PUT", "/contents/<path:path>", "write", "contents")
def put_contents(repo: StoredRepository, path: str) -> ResponseReturnValue:
    """Commit one file to the default branch; 409 when `sha` is not that of the file there, 422 when it is left out."""
    fields = body()
    found = bare_repository.blob(repo.git, repo.default_branch, path)
    if found is not None and fields.get("sha") is None:
        raise ErrorResponse(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
    # `sha` is the file that is replaced: a change made in between must not be lost.
    if (found[0] if found else None) != fields.get("sha"):
        raise ErrorResponse(409, f"{path} does not match {fields.get('sha')}")
    try:
        text = base64_field(fields, "content", resource="Content").decode()
    except UnicodeDecodeError:
        raise ErrorResponse(422, "This small GitHub takes text in UTF-8 only.") from None
    sha = world().write(repo, {path: text}, message=text_field(fields, "message", resource="Content"))
    commit_json = git_json.commit(world(), repo, bare_repository.commit(repo.git, sha))["commit"]
    del commit_json["comment_count"]  # This one answer does not have it.
    blob_sha, _ = bare_repository.blob(repo.git, sha, path) or ("", b"")
    content = {"name": path.rpartition("/")[2], "path": path, "sha": blob_sha, "type": "file"}
    return jsonify({"content": content, "commit": {**commit_json, "sha": sha}}), 200 if found else 201


@repository_route(routes, "GET", "/branches", "read", "contents")
def branches(repo: StoredRepository) -> ResponseReturnValue:
    """All branches by name, or the protected ones, or the others."""
    commits_url = world().api_url(f"/repos/{repo.full_name}/commits")
    found = [
        repository_json.short_branch(repo, ref.removeprefix("refs/heads/"), {"sha": sha, "url": f"{commits_url}/{sha}"})
        for ref, sha in bare_repository.references(repo.git).items()
        if ref.startswith("refs/heads/")
    ]
    wanted = request.args.get("protected")
    return page(
        [short_branch for short_branch in found if wanted in (None, str(short_branch["protected"]).lower())],
        lambda short_branch: short_branch,
    )


@repository_route(routes, "GET", "/branches/<path:branch>", "read", "contents")
def branch(repo: StoredRepository, branch: str) -> ResponseReturnValue:
    """One branch, with its classic protection."""
    sha = existing(bare_repository.resolve(repo.git, f"refs/heads/{branch}"))
    newest = git_json.commit(world(), repo, bare_repository.commit(repo.git, sha))
    return jsonify(repository_json.branch(world(), repo, branch, newest))


@repository_route(routes, "GET", "/rules/branches/<path:branch>", "read", "metadata")
def rules(repo: StoredRepository, branch: str) -> ResponseReturnValue:
    """The rules of rulesets that apply to a branch of that name, whether there is one or not."""
    return page(repository_json.rules(repo, branch), lambda rule: rule)


@repository_route(routes, "GET", "/activity", "read", "contents")
def activity(repo: StoredRepository) -> ResponseReturnValue:
    """Pushes with their actor and branch, the newest first; `ref` names one branch, in short or in full."""
    branch = request.args.get("ref", "").removeprefix("refs/heads/")
    moved = [stored_activity for stored_activity in reversed(repo.activities) if branch in ("", stored_activity.branch)]
    return page(moved, lambda stored_activity: git_json.activity(world(), stored_activity))


@repository_route(routes, "GET", "/labels/<path:name>", "read", "issues", "pull_requests")
def label(repo: StoredRepository, name: str) -> ResponseReturnValue:
    """One label."""
    return jsonify(repository_json.label(world(), repo, existing(world().find_label(repo, name))))


@repository_route(routes, "GET", "/labels", "read", "issues", "pull_requests")
def labels(repo: StoredRepository) -> ResponseReturnValue:
    """The repository's labels."""
    return page(list(repo.labels.values()), lambda stored_label: repository_json.label(world(), repo, stored_label))


@repository_route(routes, "POST", "/labels", "write", "issues", "pull_requests")
def create_label(repo: StoredRepository) -> ResponseReturnValue:
    """A new label; 422 when the name is taken or longer than 50 characters."""
    fields = body()
    name = text_field(fields, "name", resource="Label")
    taken = world().find_label(repo, name) is not None
    description = str(fields.get("description") or "")
    if taken or len(name) > 50 or len(description) > 100:  # GitHub's limits.
        raise invalid_field("Label", "name", "already_exists" if taken else "invalid")
    made = Label(world().next_id("label"), name, str(fields.get("color") or "ededed"), description)  # GitHub's grey.
    repo.labels[name] = made
    return jsonify(repository_json.label(world(), repo, made)), 201


@repository_route(routes, "GET", "/collaborators/<username>/permission", "read", "metadata")
def permission(repo: StoredRepository, username: str) -> ResponseReturnValue:
    """An account's role in the repository."""
    who = world().account(username)
    role = world().permission(who, repo)
    word = {"maintain": "write", "triage": "read"}.get(role, role)  # `permission` has four words alone.
    return jsonify(
        {"permission": word, "role_name": role, "user": {**account_json.account(world(), who), "role_name": role}}
    )
