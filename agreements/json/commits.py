"""Reads the commits of JSON facts; co-authors that are not given come from the message."""

from collections.abc import Iterable, Mapping

from agreements.dco.trailers import coauthors
from agreements.facts import Coauthor, Commit, Identity
from agreements.json.values import account, filled, flag, items, moment, section, text, texts

_Object = Mapping[str, object]


def read(found: Iterable[tuple[object, str]]) -> tuple[Commit, ...]:
    """The commits at their key paths, each once. Raises FactsInvalid with the first mistake."""
    commits = tuple([_commit(section(commit, path), path) for commit, path in found])
    # A page that was read twice: a commit has one status, however often it is listed.
    is_repeated = len({commit.sha for commit in commits}) < len(commits)
    return tuple(dict.fromkeys(commits)) if is_repeated else commits


def _commit(data: _Object, path: str) -> Commit:
    message = text(data, "message", path, default="")
    return Commit(
        sha=filled(data, "sha", path),
        message=message,
        parents=texts(data, "parents", path),
        verified=flag(data, "verified", path, default=None),
        merge_changes=flag(data, "merge_changes", path, default=None),
        merged=flag(data, "merged", path, default=None),
        reverts=flag(data, "reverts", path, default=None),
        authored_at=moment(data, "authored_at", path),
        author=_identity(data.get("author"), f"{path}.author"),
        committer=_identity(data.get("committer"), f"{path}.committer"),
        author_account=account(data.get("author_account"), f"{path}.author_account"),
        committer_account=account(data.get("committer_account"), f"{path}.committer_account"),
        coauthors=_coauthors(data, path) if data.get("coauthors") is not None else coauthors(message),
    )


def _identity(value: object, path: str) -> Identity | None:
    if value is None or value == {}:  # GitHub sends null as well as {} for none.
        return None
    data = section(value, path)
    return Identity(text(data, "name", path, default=""), text(data, "email", path, default=""))


def _coauthors(data: _Object, path: str) -> tuple[Coauthor, ...]:
    # An empty list says that there are none: the message is not asked.
    if not data["coauthors"] and isinstance(data["coauthors"], list):
        return ()
    found = []
    for coauthor, at in items(data, "coauthors", path):
        who = section(coauthor, at)
        name, email = text(who, "name", at, default=""), text(who, "email", at, default="")
        found.append(Coauthor(name, email, account(who.get("account"), f"{at}.account")))
    return tuple(found)
