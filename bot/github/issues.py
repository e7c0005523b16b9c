"""One issue for each marker: opened once, then edited, closed and opened again."""

from typing import Any

from bot.github import authorship
from bot.github.client.transport import Transport
from bot.github.ports import RepositoryPlace
from bot.github.reading import understanding
from bot.github.renames import RepositoryClient, root


class GitHubIssues(RepositoryClient):
    """Fulfils the issue of Proposals."""

    def issue(self, place: RepositoryPlace, *, marker: str, title: str, body: str, wanted: bool) -> int | None:
        """The first of our App's with that marker is it; a person's, or one that quotes the marker, never is."""

        def keep(transport: Transport, there: RepositoryPlace) -> int | None:
            found = self._find(transport, there, marker)
            if found is None:
                return _opened(transport, there, title, body) if wanted else None
            with understanding():
                number, state = int(found["number"]), "open" if wanted else "closed"
                shown = {"title": found["title"], "body": found["body"], "state": found["state"]}
            should = {"title": title, "body": body, "state": state}
            if shown != should:
                changed = {name: value for name, value in should.items() if shown[name] != value}
                transport.write("PATCH", f"{root(there)}/issues/{number}", changed)
            return number

        return self._following(place, keep)

    def _find(self, transport: Transport, place: RepositoryPlace, marker: str) -> Any:
        """The issue, open or closed; GitHub lists pull requests among issues."""
        asked = {"creator": authorship.login(self._pool), "state": "all"}
        items = list(transport.pages(f"{root(place)}/issues", asked))
        with understanding():
            ours = [one for one in items if "pull_request" not in one and authorship.has_mark(self._pool, one, marker)]
            return min(ours, key=lambda one: int(one["number"]), default=None)


def _opened(transport: Transport, place: RepositoryPlace, title: str, body: str) -> int:
    made = transport.write("POST", f"{root(place)}/issues", {"title": title, "body": body})
    with understanding():
        return int(made["number"])
