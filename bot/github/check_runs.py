"""Our check runs: created once, then brought to each new state, found again by their external id."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from bot.github.by_rest import segment
from bot.github.ports import CheckRun, RepositoryPlace, ShownCheck
from bot.github.reading import moment, understanding
from bot.github.renames import RepositoryClient, root

MAX_TEXT_CHARACTERS = 65_535  # In a summary or a text, by GitHub's OpenAPI description.

_CUT = "\n\n…"


class GitHubChecks(RepositoryClient):
    """Our check runs."""

    def create_check(self, place: RepositoryPlace, run: CheckRun) -> int:
        """Create and return its id."""
        body = {"head_sha": run.head_sha, **_body(run)}
        made = self._transport(place).write("POST", f"{root(place)}/check-runs", body)
        with understanding():
            return int(made["id"])

    def update_check(self, place: RepositoryPlace, check_id: int, run: CheckRun) -> None:
        """Bring an existing run of ours to this state. `Missing` when it is gone."""
        transport = self._transport(place)
        body = _body(run)
        # Also an empty text is sent: what the run said before would stay beside another summary.
        body["output"].setdefault("text", "")
        body.setdefault("actions", [])
        transport.write("PATCH", f"{root(place)}/check-runs/{check_id}", body)

    def find_check(self, place: RepositoryPlace, head_sha: str, is_wanted: Callable[[str], bool]) -> int | None:
        """The id of our App's newest run on that head whose external id is wanted, of all pages and all attempts, if any."""
        ours, path = self._pool.app_id, f"/commits/{segment(head_sha)}/check-runs"
        # By default GitHub lists the latest runs alone.
        runs = self._pages(place, path, {"app_id": ours, "filter": "all"}, under="check_runs")
        with understanding():
            # Another App may use our external id: its run must not count.
            found = (run for run in runs if (run.get("app") or {}).get("id") == ours)
            return max((int(run["id"]) for run in found if is_wanted(run.get("external_id") or "")), default=None)

    def shown_checks(self, place: RepositoryPlace, head_sha: str, name: str) -> tuple[ShownCheck, ...]:
        """The latest check run of that name on that head of each App, the newest first: another App's is seen, too."""
        path = f"/commits/{segment(head_sha)}/check-runs"
        runs = self._pages(place, path, {"check_name": name, "filter": "latest"}, under="check_runs")
        with understanding():
            shown = [_shown(run) for run in runs if run["name"] == name]
        return tuple(sorted(shown, key=lambda run: run.id, reverse=True))


def _shown(run: Any) -> ShownCheck:
    at = run.get("completed_at") or run.get("started_at")
    return ShownCheck(
        id=int(run["id"]),
        app_id=(run.get("app") or {}).get("id"),
        title=str((run.get("output") or {}).get("title") or ""),
        conclusion=run["conclusion"],
        at=moment(at) if at else None,
    )


def _body(run: CheckRun) -> dict[str, Any]:
    output = {"title": run.title, "summary": fitting(run.summary)}
    if run.text:
        output["text"] = fitting(run.text)
    body: dict[str, Any] = {"name": run.name, "external_id": run.external_id, "output": output}
    if run.details_url:
        body["details_url"] = run.details_url
    if run.buttons:
        body["actions"] = [asdict(button) for button in run.buttons]
    if run.conclusion is None:
        return {**body, "status": "in_progress"}
    return {**body, "status": "completed", "conclusion": run.conclusion}


def fitting(text: str) -> str:
    """The text, cut with a sign where GitHub would refuse it for its length."""
    return text if len(text) <= MAX_TEXT_CHARACTERS else text[: MAX_TEXT_CHARACTERS - len(_CUT)] + _CUT
