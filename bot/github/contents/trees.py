"""Repositories without a clone: which there are, their newest commits, the files of a commit, where two branches part."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.github.by_rest import segment
from bot.github.client.graphql_errors import judge_graphql, withheld_nodes
from bot.github.client.transport import Transport
from bot.github.documents import HEADS_QUERY
from bot.github.ports import GitTree, InstallationRepository, RepositoryPlace, TreeEntry
from bot.github.reading import Garbled, Json, moment, understanding
from bot.github.reading import place as place_of
from bot.github.renames import RepositoryClient, root

MAX_IDS_PER_QUERY = 100  # GitHub takes no more ids in one query.

MAX_TREE_REQUESTS = 200  # For one tree, once GitHub has cut it short.

_LINK = "120000"  # Git's mode of a symbolic link.


class GitHubTrees(RepositoryClient):
    """Repositories without a clone."""

    def listed(self, installation: int) -> tuple[InstallationRepository, ...]:
        """Repositories that the installation reaches, all pages; 100 for each request."""
        items = list(self._pool.installation(installation).pages("/installation/repositories", under="repositories"))
        with understanding():
            return tuple(_head(item, installation) for item in items)

    def heads(self, installation: int, nodes: Sequence[str]) -> Mapping[str, str | None]:
        """Node → SHA of the default branch's newest commit; None: empty, or gone. One that GitHub withholds is left out.

        By GraphQL, 100 with each query; `Unavailable` while that is of no use: REST would need a request for each.
        """
        transport = self._pool.installation(installation)
        found: dict[str, str | None] = {}
        for start in range(0, len(nodes), MAX_IDS_PER_QUERY):
            asked = list(nodes[start : start + MAX_IDS_PER_QUERY])
            answer = transport.query(HEADS_QUERY, {"nodes": asked})
            lost = withheld_nodes(judge_graphql(answer, optional=("nodes.*",)))
            with understanding():
                newest = enumerate(zip(asked, answer.data["nodes"], strict=True))
                found |= {node: _newest(repository) for at, (node, repository) in newest if at not in lost}
        return found

    def tree(self, place: RepositoryPlace, commit: str) -> GitTree:
        """All files of a commit; none for a repository without commits. `Missing` when the commit is not there."""
        return self._following(place, lambda transport, there: _tree(transport, there, commit))

    def merge_base(self, place: RepositoryPlace, base: str, head: str) -> str:
        """SHA of the commit from which both come. `Missing` when they have none in common."""
        ends = segment(base), segment(head)
        return self._following(place, lambda transport, there: merge_base(transport, root(there), *ends))


def merge_base(transport: Transport, where: str, base: str, head: str) -> str:
    """The commit from which both come."""
    found = transport.read(f"{where}/compare/{base}...{head}", {"per_page": 1})  # The commits are not read.
    with understanding():
        return str(found["merge_base_commit"]["sha"])


def _head(item: Json, installation: int) -> InstallationRepository:
    pushed = item.get("pushed_at")
    return InstallationRepository(
        place=place_of(item, installation),
        node=str(item["node_id"]),
        branch=str(item["default_branch"]),
        pushed_at=moment(pushed) if pushed else None,
        private=bool(item["private"]),
        archived=bool(item["archived"]),
        fork=bool(item["fork"]),
    )


def _newest(node: Json | None) -> str | None:
    """None for a repository that is gone, or has no default branch."""
    branch = (node or {}).get("defaultBranchRef")
    return str(branch["target"]["oid"]) if branch else None


def _tree(transport: Transport, place: RepositoryPlace, commit: str) -> GitTree:
    where = f"{root(place)}/git/trees"
    entries: list[TreeEntry] = []
    waiting = [("", commit)]
    asked, complete = 0, True
    while waiting and asked < MAX_TREE_REQUESTS:
        folder, sha = waiting.pop()
        found, asked = transport.read(f"{where}/{segment(sha)}", {"recursive": "1"}), asked + 1
        with understanding():
            if found["truncated"]:  # Cut short: this folder alone, then each below it.
                found, asked = transport.read(f"{where}/{segment(sha)}"), asked + 1
                complete = complete and not found["truncated"]
                waiting += [(f"{folder}{entry['path']}/", str(entry["sha"])) for entry in _of(found, "tree")]
            entries += [_entry(folder, entry) for entry in _of(found, "blob")]
    return GitTree(commit, tuple(entries), complete and not waiting)


def _of(found: Json, kind: str) -> list[Any]:
    if not isinstance(found["tree"], list):
        raise Garbled("GitHub's list of files is not valid")
    return [entry for entry in found["tree"] if entry["type"] == kind]


def _entry(folder: str, entry: Json) -> TreeEntry:
    return TreeEntry(
        folder + str(entry["path"]), str(entry["sha"]), int(entry.get("size") or 0), link=entry["mode"] == _LINK
    )
