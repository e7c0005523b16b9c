"""The actions of a rehearsal at GitHub on behalf of the person who runs it: a commit, a branch, a pull request, a comment."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import quote

from agreements.facts import Account
from bot.github.by_rest import optional, segment
from bot.github.client.transport import Transport
from bot.github.ports import Refused
from bot.github.proposals import write_commit
from bot.github.reading import Json, account, moment, understanding

BRANCH_PREFIX: Final = "countersign-rehearsal-"
"""The beginning of the name of every branch of a rehearsal; something random follows."""

_MESSAGE: Final = "Rehearse Countersign\n\nThis commit has no sign-off, on purpose."
_FILE: Final = "A rehearsal of Countersign made this file. Its branch is deleted at the end.\n"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The repository `full_name` with GitHub's `id`: its address for people (`page`), its `default_branch`, and if it `is_archived`."""

    id: int
    full_name: str
    page: str
    default_branch: str
    is_archived: bool
    may_push: bool
    """Whether the person may push. What their token may is known only when it writes."""


@dataclass(frozen=True, slots=True)
class OpenedPull:
    """Pull request `number`, opened by `opener` (None: deleted since) at `opened_at`; `page` is its address, `is_open` its state."""

    number: int
    page: str
    opener: Account | None
    is_open: bool
    opened_at: datetime


class GitHubPerson:
    """One person at one repository. Every failure is a HubError."""

    def __init__(self, transport: Transport, owner: str, name: str) -> None:
        self._transport = transport
        self._owner = owner
        self._root = f"/repos/{segment(owner)}/{segment(name)}"

    def account(self) -> Account:
        """The account of the token. `Refused` for a token that is no person's."""
        data = self._transport.read("/user")
        with understanding():
            found = account(data)
        if found is None or found.type != "User":
            raise Refused("the token is not a person's")
        return found

    def sandbox(self) -> Sandbox:
        """The repository. `Missing` when the token does not reach it."""
        data = self._transport.read(self._root)
        with understanding():
            return Sandbox(
                id=int(data["id"]),
                full_name=str(data["full_name"]),
                page=str(data["html_url"]),
                default_branch=str(data["default_branch"]),
                is_archived=bool(data.get("archived")),
                may_push=bool((data.get("permissions") or {}).get("push")),
            )

    def tip(self, branch: str) -> str | None:
        """The commit that a branch shows; None where there is no such branch."""
        found = optional(self._transport, f"{self._root}/git/ref/heads/{quote(branch)}")
        with understanding():
            return None if found is None else str(found["object"]["sha"])

    def commit(self, tip: str, branch: str) -> tuple[str, datetime]:
        """One commit without sign-off on top of another, on no branch yet: its SHA, and its time."""
        # The tree of the base with one file more: nothing has to be cloned.
        base = self._transport.read(f"{self._root}/git/commits/{tip}")
        with understanding():
            tree = str(base["tree"]["sha"])
        files = {f"{branch}.md": _FILE.encode()}
        made = write_commit(self._transport, self._root, files, message=_MESSAGE, base_tree=tree, parents=[tip])
        with understanding():
            return str(made["sha"]), moment(made["author"]["date"])

    def create_branch(self, branch: str, sha: str) -> None:
        """A new branch that shows that commit."""
        self._transport.write("POST", f"{self._root}/git/refs", {"ref": f"refs/heads/{branch}", "sha": sha})

    def open_pull(self, branch: str, base: str, title: str, body: str) -> OpenedPull:
        """A pull request from that branch."""
        fields = {"title": title, "body": body, "head": branch, "base": base}
        return _opened(self._transport.write("POST", f"{self._root}/pulls", fields))

    def comment(self, number: int, body: str) -> tuple[int, datetime]:
        """Comment on the pull request: the comment's id and time."""
        made = self._transport.write("POST", f"{self._root}/issues/{number}/comments", {"body": body})
        with understanding():
            return int(made["id"]), moment(made["created_at"])

    def close(self, number: int) -> datetime:
        """Close the pull request without merging: when it was closed."""
        made = self._transport.write("PATCH", f"{self._root}/pulls/{number}", {"state": "closed"})
        with understanding():
            return moment(made["closed_at"])

    def delete_branch(self, branch: str) -> None:
        """Delete a branch; fine when it is gone already."""
        try:
            self._transport.write("DELETE", f"{self._root}/git/refs/heads/{quote(branch)}")
        except Refused:  # 422 for one that is not there, and for one that must stay.
            if self.tip(branch) is not None:
                raise

    def rehearsal_branches(self) -> dict[str, str]:
        """The branches that rehearsals made, each with the SHA that it shows."""
        items = self._transport.read(f"{self._root}/git/matching-refs/heads/{BRANCH_PREFIX}")  # A list without pages.
        with understanding():
            return {str(item["ref"]).removeprefix("refs/heads/"): str(item["object"]["sha"]) for item in items}

    def committed_at(self, sha: str) -> datetime:
        """When that commit was made, as it says itself."""
        found = self._transport.read(f"{self._root}/git/commits/{sha}")
        with understanding():
            return moment(found["committer"]["date"])

    def pulls(self, branch: str) -> tuple[OpenedPull, ...]:
        """The pull requests from that branch, also closed ones."""
        asked = {"head": f"{self._owner}:{branch}", "state": "all"}  # A closed one tells whose the branch is, too.
        return tuple(_opened(page) for page in list(self._transport.pages(f"{self._root}/pulls", asked)))


def _opened(data: Json) -> OpenedPull:
    with understanding():
        return OpenedPull(
            number=int(data["number"]),
            page=str(data["html_url"]),
            opener=account(data["user"]),
            is_open=data["state"] == "open",
            opened_at=moment(data["created_at"]),
        )
