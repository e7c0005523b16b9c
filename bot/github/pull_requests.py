"""Reading pull requests: GraphQL first, REST where it does not answer, and the present name when the repository moved."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import structlog

from agreements.facts import Account
from bot import clock
from bot.clock import Clock
from bot.github import by_graphql, by_rest, ports, withheld
from bot.github.absence import AbsenceCache
from bot.github.client.graphql_errors import Unavailable, Withheld, WithheldField
from bot.github.client.transport import Transport
from bot.github.client.transport_pool import TransportPool
from bot.github.reading import RULEBOOK, Garbled, assemble_history, rest_commit, rule_files, understanding
from bot.github.renames import RepositoryClient, current, root, same_name

log = structlog.get_logger()

# GitHub's words for what happened to a file, those that leave new content at its path.
_NEW = frozenset({"added", "copied"})
_TOUCHED = _NEW | {"modified", "renamed"}


def _withheld(error: ports.HubError) -> Sequence[WithheldField]:
    if not isinstance(error, Withheld):
        return ()
    # Nothing else shows what GraphQL withheld, where REST has it.
    log.info("pulls.asked-by-rest", why=str(error))
    return error.fields


class GitHubPulls(RepositoryClient):
    """Reading pull requests."""

    def __init__(self, pool: TransportPool, now: Clock = clock.now) -> None:
        super().__init__(pool)
        self._absences = AbsenceCache(now)

    def fetch_snapshot(
        self, place: ports.RepositoryPlace, number: int, labels: tuple[str, ...], *, organization: bool = True
    ) -> ports.PullRequestSnapshot:
        """One read: the pull request, rule files, mailmap, first commits; `labels` are the names to look up.

        A renamed repository is found by its id, and the snapshot's place says what it is called now. Without `organization`
        it is left open whether a `.github` that GitHub does not find is certainly absent.
        """
        found = self._found(place, number, labels)
        if not organization:
            return found
        try:
            files = self._settled(found.rule_files, place.installation, found.owner_id)
        except ports.HubError as error:  # The pull request was found: its check says what is not known
            log.warning("look.rulebook-unknown", repository=place.full_name, number=number, why=str(error))
            files = replace(found.rule_files, unread="no-answer")
        return replace(found, rule_files=files)

    def _found(self, place: ports.RepositoryPlace, number: int, labels: tuple[str, ...]) -> ports.PullRequestSnapshot:
        transport = self._transport(place)
        try:
            found = self._fetch_snapshot(transport, place, number, labels)
        except (ports.Missing, ports.Moved) as error:
            there = current(transport, place)
            if isinstance(error, ports.Missing) and same_name(there, place):  # The repository is there: REST knows, too
                return by_rest.fetch_snapshot(transport, there, number, labels, self._pool.server)
        else:
            same = found.place.repository_id == place.repository_id
            if same and same_name(found.place, place):
                return found
            # The rule files came from where the old name points.
            there = found.place if same else current(transport, place)
        found = self._fetch_snapshot(transport, there, number, labels)
        # Names change hands, also between two reads.
        if found.place.repository_id != place.repository_id:
            raise ports.Missing("another repository has this name now")
        return found

    def _fetch_snapshot(
        self, transport: Transport, place: ports.RepositoryPlace, number: int, labels: tuple[str, ...]
    ) -> ports.PullRequestSnapshot:
        try:
            return by_graphql.fetch_snapshot(transport, place, number, labels)
        except (Unavailable, Garbled) as error:
            with withheld.asked_of_rest(_withheld(error)):
                return by_rest.fetch_snapshot(transport, place, number, labels, self._pool.server)

    def fetch_head(self, place: ports.RepositoryPlace, number: int) -> ports.PullRequestSnapshot:
        """The pull request alone, by one call of REST: no commits, no rule files. For when a snapshot cannot be had."""
        return self._following(place, lambda transport, there: by_rest.fetch_head(transport, there, number))

    def history(self, snapshot: ports.PullRequestSnapshot, *, coauthors: bool = True) -> ports.History:
        """The commits of that snapshot, the missing pages read, or why they are not complete; free when the first page was all.

        `coauthors`: whether it is worth asking for those that a page of commits does not bring.
        """
        if snapshot.holds_history:
            count = snapshot.commit_count
            return assemble_history(
                snapshot, commits=snapshot.commits, head_sha=snapshot.head_sha, count=count, doubt=snapshot.doubt
            )
        transport = self._transport(snapshot.place)
        lost: Sequence[WithheldField] = ()
        if not (snapshot.cursor or "").startswith(by_rest.PREFIX):
            try:
                return by_graphql.history(transport, snapshot, coauthors=coauthors)
            except (Unavailable, Garbled) as error:  # REST reads all pages anew below
                lost = _withheld(error)
        with withheld.asked_of_rest(lost):
            return by_rest.history(transport, snapshot, self._pool.server)

    def linked_bots(self, snapshot: ports.PullRequestSnapshot, addresses: Collection[str]) -> Mapping[str, Account]:
        """The authors' addresses that GitHub links to a bot, which no snapshot and no history tells."""

        def ask(transport: Transport, there: ports.RepositoryPlace) -> Mapping[str, Account]:
            found, left = dict[str, Account](), set(addresses)
            # By REST, which lists 250 commits at most: GraphQL's `GitActor.user` is never a bot.
            for item in transport.pages(f"{root(there)}/pulls/{snapshot.number}/commits"):
                with understanding():
                    commit = rest_commit(item)
                author, linked = commit.author, commit.author_account
                if author is not None and author.email in left:
                    left.remove(author.email)
                    if linked is not None and linked.type == "Bot":
                        found[author.email] = linked
                if not left:
                    break
            return found

        return self._following(snapshot.place, ask)

    def rule_files(self, place: ports.RepositoryPlace) -> ports.RuleFiles:
        """The rule files of the default branches, as a snapshot has them, where there is no pull request to look at."""

        def ask(transport: Transport, there: ports.RepositoryPlace) -> ports.RuleFiles:
            repository = transport.read(root(there))
            with understanding():
                owner_id = int(repository["owner"]["id"])
            return self._settled(by_rest.rule_files(transport, there, owner_id), there.installation, owner_id)

        return self._following(place, ask)

    def organization_file(self, installation: int, owner: Account) -> ports.RuleFile | ports.Unread:
        """The organisation's file, by the same rule, where there is no repository to look at; or why it is not known."""
        transport = self._pool.installation(installation)
        found = by_rest.organization_file(transport, owner.login, owner.id)
        return self._absence(installation, owner.id) if found == "not-found" else found

    def _settled(self, files: ports.RuleFiles, installation: int, owner_id: int) -> ports.RuleFiles:
        """The same; where GitHub finds no `.github`, with what the installation's list says to that."""
        if files.unread != "not-found":
            return files
        return rule_files(self._absence(installation, owner_id), files.repository, files.dco)

    def _absence(self, installation: int, owner_id: int) -> ports.RuleFile | ports.Unread:
        transport = self._pool.installation(installation)
        return self._absences.why_unread((transport, self._pool.app()), installation, owner_id) or ports.RuleFile(
            RULEBOOK, None
        )

    def files(self, snapshot: ports.PullRequestSnapshot) -> ports.Files:
        """The files that the pull request of that snapshot adds or changes, all pages.

        What is removed, was renamed to another name or has only another mode now is not touched.
        """
        items = self._pages(snapshot.place, f"/pulls/{snapshot.number}/files")
        with understanding():
            paths = [str(item["filename"]) for item in items if item["status"] in _TOUCHED]
            added = [str(item["filename"]) for item in items if item["status"] in _NEW]
            gone = [str(item["filename"]) for item in items if item["status"] == "removed"]
            moved = [item for item in items if item["status"] == "renamed"]
            gone += [str(item["previous_filename"]) for item in moved if "previous_filename" in item]
        complete = len(items) >= snapshot.changed_files  # GitHub lists 3,000 files at most.
        once = [tuple(dict.fromkeys(some)) for some in (paths, gone, added)]
        return ports.Files(once[0], complete=complete, gone=once[1], added=once[2])

    def open_numbers(self, place: ports.RepositoryPlace) -> tuple[int, ...]:
        """Numbers of the open pull requests, all pages, lowest first."""
        items = self._pages(place, "/pulls", {"state": "open"})
        with understanding():
            return tuple(sorted({int(item["number"]) for item in items}))  # A list that grows repeats some.
