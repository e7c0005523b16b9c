"""The changes of a pull request by their lines, with what its files are: by SHA on both sides, so that no push comes between."""

from collections.abc import Mapping
from typing import Final

from agreements.facts import FileDiff
from bot.github.by_rest import segment
from bot.github.client.transport import Transport
from bot.github.ports import PullRequestSnapshot, RepositoryPlace
from bot.github.reading import Json, understanding
from bot.github.renames import RepositoryClient, root

MAX_FOLDERS: Final = 40  # One call each; a file below further ones is not known to be plain text.
MAX_LINE_CHARACTERS: Final = 1000  # More is no line that a person wrote: a program can stand on one line.

# Copies are not among them: GitHub would count what differs from the copied file alone.
_COUNTED = frozenset({"added", "modified", "renamed", "removed"})
_PLAIN = "100644"  # Git's mode of a file that is no link (120000), no submodule (160000) and no program (100755).


class GitHubChangedLines(RepositoryClient):
    """Numbers of changed lines."""

    def changes(self, snapshot: PullRequestSnapshot) -> tuple[FileDiff, ...]:
        """The changes between the base and the head of the snapshot, as far as GitHub lists them: 300 files at most."""
        ends = f"{segment(snapshot.base_sha)}...{segment(snapshot.head_sha)}"

        def ask(transport: Transport, there: RepositoryPlace) -> tuple[FileDiff, ...]:
            # Files are on the first page alone, also where that has one commit.
            found = transport.read(f"{root(there)}/compare/{ends}", {"per_page": 1})
            folders = _CommitFolders(transport, there, snapshot.head_sha)
            with understanding():
                return tuple(_change(file, folders) for file in found.get("files") or ())

        return self._following(snapshot.place, ask)


class _CommitFolders:
    """The folders of one commit, each asked for once."""

    def __init__(self, transport: Transport, place: RepositoryPlace, commit: str) -> None:
        self._transport, self._where, self._commit = transport, f"{root(place)}/git/trees", commit
        self._known: dict[str, Mapping[str, Json]] = {}

    def mode(self, path: str) -> str:
        """The mode of a file; "" where it is not known."""
        folder, _, name = path.rpartition("/")
        return str(self._entries(folder).get(name, {}).get("mode", ""))

    def _entries(self, folder: str) -> Mapping[str, Json]:
        # From the root down, without recursion: an attacker chooses how deep a file lies.
        names = folder.split("/") if folder else []
        found = self._asked("", self._commit)
        for depth, name in enumerate(names, 1):
            entry = found.get(name, {})
            if entry.get("type") != "tree":
                return {}
            found = self._asked("/".join(names[:depth]), str(entry["sha"]))
        return found

    def _asked(self, folder: str, sha: str) -> Mapping[str, Json]:
        if folder not in self._known:
            if len(self._known) >= MAX_FOLDERS:
                return {}
            listed = self._transport.read(f"{self._where}/{segment(sha)}")["tree"]
            self._known[folder] = {str(entry["path"]): entry for entry in listed}
        return self._known[folder]


def _change(item: Json, folders: _CommitFolders) -> FileDiff:
    path, additions, deletions = str(item["filename"]), int(item["additions"]), int(item["deletions"])
    is_counted = item["status"] in _COUNTED and _has_lines(item, additions, deletions)
    return FileDiff(
        path=path,
        previous_path=str(item.get("previous_filename") or ""),
        additions=additions,
        deletions=deletions,
        # A link has a line, too: what it leads to.
        text=is_counted and (item["status"] == "removed" or folders.mode(path) == _PLAIN),
    )


def _has_lines(item: Json, additions: int, deletions: int) -> bool:
    """Whether the patch shows all lines that are counted, none of them too long; there is none of a binary or large file."""
    lines = str(item.get("patch") or "").split("\n")
    added = [line for line in lines if line.startswith("+")]
    removed = sum(line.startswith("-") for line in lines)
    is_whole = additions + deletions > 0 and (len(added), removed) == (additions, deletions)
    return is_whole and max(map(len, added), default=0) <= MAX_LINE_CHARACTERS + 1  # With its plus.
