"""Finds who pushed to a pull request's branch, where no event told us: GitHub's activity log, forced pushes."""

from datetime import datetime

from bot.github.by_rest import optional
from bot.github.client.graphql_errors import Unavailable
from bot.github.client.transport import Transport
from bot.github.documents import FORCE_PUSHES_QUERY
from bot.github.ports import BranchPush, Missing, Moved, PullRequestSnapshot, Refused, RepositoryPlace
from bot.github.reading import Garbled, account, moment, understanding
from bot.github.renames import RepositoryClient, by_name, root

# GitHub's words for the activities after which a branch has a head.
_MOVES = frozenset({"push", "force_push", "branch_creation", "pr_merge", "merge_queue_merge"})


_UNNEEDED = ("repository.pullRequest.timelineItems",)  # A withheld push is one whose pusher is not told.


class GitHubPushes(RepositoryClient):
    """Finds the pushers of heads of which no event has told us."""

    def pushes(self, snapshot: PullRequestSnapshot) -> tuple[BranchPush, ...]:
        """The newest pushes to the branch of that snapshot, oldest first; none where GitHub does not say."""
        transport = self._transport(snapshot.place)
        # The head's repository may be out of reach; the pull request's own timeline tells of forced pushes alone.
        found = {
            (push.before, push.after, push.account.id): push
            for push in (*_activity(transport, snapshot), *_forced(transport, snapshot))
        }
        return tuple(sorted(found.values(), key=lambda push: push.at))

    def is_created_since(self, place: RepositoryPlace, branch: str, since: datetime) -> bool:
        """Whether the branch was created after that moment, as GitHub's activity log has it; False without such a log."""

        def ask(transport: Transport, there: RepositoryPlace) -> bool:
            wanted: dict[str, str | int] = {"ref": f"refs/heads/{branch}", "activity_type": "branch_creation"}
            items = optional(transport, f"{root(there)}/activity", wanted) or []
            with understanding():
                return any(
                    item["activity_type"] == "branch_creation" and moment(item["timestamp"]) > since for item in items
                )

        return self._following(place, ask)


def _activity(transport: Transport, snapshot: PullRequestSnapshot) -> list[BranchPush]:
    if snapshot.head_repository is None:  # The fork was deleted.
        return []
    try:
        items = transport.read(
            f"/repos/{snapshot.head_repository}/activity", {"ref": f"refs/heads/{snapshot.head}", "per_page": 100}
        )
    except (Missing, Refused, Moved):  # A private fork is not for us to see.
        return []
    with understanding():
        return [
            BranchPush(who, str(item["before"]), str(item["after"]), moment(item["timestamp"]))
            for item in reversed(items)
            if item["activity_type"] in _MOVES and (who := account(item["actor"])) is not None
        ]


def _forced(transport: Transport, snapshot: PullRequestSnapshot) -> list[BranchPush]:
    try:
        repository, _ = by_name(
            transport, snapshot.place, FORCE_PUSHES_QUERY, optional=_UNNEEDED, number=snapshot.number
        )
        if repository is None or not repository.get("pullRequest"):
            return []
        with understanding():
            # A push of which one commit is unknown is left out: commits of other people may have stayed.
            return [
                BranchPush(
                    who, str(event["beforeCommit"]["oid"]), str(event["afterCommit"]["oid"]), moment(event["createdAt"])
                )
                for event in repository["pullRequest"]["timelineItems"]["nodes"]
                if event
                and (who := account(event["actor"]))
                and None not in (event["beforeCommit"], event["afterCommit"])
            ]
    except (Unavailable, Garbled, Missing, Refused):
        return []
