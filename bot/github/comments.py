"""Writes what we say on a pull request: one comment, one label of a pair, a reaction."""

from contextlib import suppress
from datetime import datetime
from typing import Literal

from bot.github.by_rest import optional, segment
from bot.github.client.transport import Transport
from bot.github.ports import Comment, Missing, Refused, RepositoryPlace
from bot.github.reading import account, moment, understanding
from bot.github.renames import RepositoryClient, root


class GitHubComments(RepositoryClient):
    """Our comment, the label pair, reactions."""

    def create_comment(self, place: RepositoryPlace, number: int, body: str) -> int:
        """Create and return its id."""
        made = self._transport(place).write("POST", f"{root(place)}/issues/{number}/comments", {"body": body})
        with understanding():
            return int(made["id"])

    def update_comment(self, place: RepositoryPlace, comment_id: int, body: str) -> None:
        """Replace the body. `Missing` when it was deleted."""
        self._transport(place).write("PATCH", f"{root(place)}/issues/comments/{comment_id}", {"body": body})

    def find_comment(self, place: RepositoryPlace, number: int, marker: str) -> int | None:
        """The id of the comment written by our App that contains the marker, if any; others' quotes never count."""
        items = self._pages(place, f"/issues/{number}/comments")
        with understanding():
            marked = [item for item in items if self._is_ours(item, marker)]
            return min((int(item["id"]) for item in marked), default=None)

    def comment(self, place: RepositoryPlace, comment_id: int) -> Comment:
        """Any comment. `Missing` when it was deleted."""

        def ask(transport: Transport, there: RepositoryPlace) -> Comment:
            data = transport.read(f"{root(there)}/issues/comments/{comment_id}")
            with understanding():
                return Comment(
                    number=int(data["issue_url"].rpartition("/")[2]),
                    author=account(data["user"]),
                    body=str(data.get("body") or ""),
                    created_at=moment(data["created_at"]),
                    edited=moment(data["created_at"]) != moment(data["updated_at"]),  # Writers may edit it.
                )

        return self._following(place, ask)

    def create_label(self, place: RepositoryPlace, name: str, color: str, description: str) -> None:
        """Create a label; `color` as six hexadecimal digits, `#` or not. Fine when it exists already."""
        body = {"name": name, "color": color.removeprefix("#"), "description": description}
        transport = self._transport(place)
        try:
            transport.write("POST", f"{root(place)}/labels", body)
        except Refused:  # GitHub refuses a label that exists, too.
            if optional(transport, f"{root(place)}/labels/{segment(name)}") is None:
                raise

    def add_label(self, place: RepositoryPlace, number: int, name: str) -> None:
        """Put a label on the pull request."""
        self._transport(place).write("POST", f"{root(place)}/issues/{number}/labels", {"labels": [name]})

    def remove_label(self, place: RepositoryPlace, number: int, name: str) -> None:
        """Take a label off; fine when it was not there."""
        with suppress(Missing):
            self._transport(place).write("DELETE", f"{root(place)}/issues/{number}/labels/{segment(name)}")

    def react(
        self, place: RepositoryPlace, comment_id: int, reaction: Literal["+1", "eyes", "confused", "rocket"]
    ) -> None:
        """Answer a comment with a reaction; twice the same is one."""
        self._transport(place).write(
            "POST", f"{root(place)}/issues/comments/{comment_id}/reactions", {"content": reaction}
        )

    def labels(self, place: RepositoryPlace, number: int) -> frozenset[str]:
        """The names of the labels on the pull request."""
        items = self._pages(place, f"/issues/{number}/labels")
        with understanding():
            return frozenset(str(item["name"]) for item in items)

    def our_reaction(self, place: RepositoryPlace, comment_id: int) -> tuple[str, datetime] | None:
        """Our App's first reaction to that comment and its time by GitHub's clock, if any."""
        items = self._pages(place, f"/issues/comments/{comment_id}/reactions")
        ours = self._bot_login()
        with understanding():
            given = [item for item in items if (item["user"] or {}).get("login") == ours]
            return (str(given[0]["content"]), moment(given[0]["created_at"])) if given else None
