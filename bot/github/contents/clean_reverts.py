"""Clean reverts, proven by the trees of four commits: what two of them changed, and two changed back."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Final

from agreements.dco import reverts
from agreements.dco.reverts import StoredObject
from bot.github.by_rest import segment
from bot.github.client.transport import Transport
from bot.github.contents.trees import merge_base
from bot.github.ports import Missing, Refused, RepositoryPlace, RevertClaim
from bot.github.protected_branches import held
from bot.github.reading import understanding
from bot.github.renames import RepositoryClient, root
from bot.github.required_checks import RequiredCheck

MAX_REVERTS: Final = 10  # In one pull request; further ones count as not proven.
MAX_FOLDERS: Final = 200  # That are read for them, one call each.


class GitHubCleanReverts(RepositoryClient):
    """Clean reverts."""

    def reverts(self, place: RepositoryPlace, claims: Sequence[RevertClaim], check: str) -> frozenset[str]:
        """The SHAs of those that undo exactly what a commit changed that a protected branch holds which requires this App's `check`."""
        ours = RequiredCheck(check, self._pool.app_id)

        def ask(transport: Transport, there: RepositoryPlace) -> frozenset[str]:
            def held_by(newest: str, left: Collection[str]) -> frozenset[str]:
                return frozenset(sha for sha in left if _is_ancestor(transport, there, sha, newest))

            folders = _Folders(transport, root(there))
            clean = [claim for claim in claims[:MAX_REVERTS] if folders.undoes(claim)]
            judged = (
                held(transport, there, {claim.reverted for claim in clean}, ours, held_by) if clean else frozenset()
            )
            return frozenset(claim.sha for claim in clean if claim.reverted in judged)

        return self._following(place, ask)


def _is_ancestor(transport: Transport, place: RepositoryPlace, sha: str, newest: str) -> bool:
    with suppress(Missing):  # They have no common past.
        return merge_base(transport, root(place), newest, sha) == sha
    return False


class _NotProven(Exception):
    """GitHub does not show enough to prove a revert."""


class _Folders:
    """The folders of a repository as its commits have them, each read once."""

    def __init__(self, transport: Transport, where: str) -> None:
        self._transport = transport
        self._where = where
        self._read: dict[str, Mapping[str, StoredObject]] = {}

    def undoes(self, claim: RevertClaim) -> bool:
        """Whether the one commit undoes exactly what the other changed against its first parent."""
        try:
            before = self._first_parent(claim.reverted)
            changed = frozenset(reverts.changes(before, claim.reverted, self._folder))
            return reverts.undoes(frozenset(reverts.changes(claim.parent, claim.sha, self._folder)), changed)
        except (Missing, Refused, _NotProven):  # Such as a commit that is not there.
            return False

    def _first_parent(self, sha: str) -> str:
        found = self._transport.read(f"{self._where}/git/commits/{segment(sha)}")
        with understanding():
            parents = [str(parent["sha"]) for parent in found["parents"]]
        if not parents:
            raise _NotProven
        return parents[0]

    def _folder(self, sha: str) -> Mapping[str, StoredObject]:
        if sha not in self._read:
            if len(self._read) >= MAX_FOLDERS:
                raise _NotProven
            found = self._transport.read(f"{self._where}/git/trees/{segment(sha)}")
            with understanding():
                entries = {str(entry["path"]): (str(entry["mode"]), str(entry["sha"])) for entry in found["tree"]}
                # Names that are not UTF-8 reach us with the same replacement character: two files could be taken for one.
                unclear = len(entries) < len(found["tree"]) or any("\ufffd" in name for name in entries)
                if found["truncated"] or unclear:
                    raise _NotProven
            self._read[sha] = entries
        return self._read[sha]
