"""Commits pushed to a branch that requires our check are compared with what was judged; what no verdict stands for is a finding."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import Final

import structlog
from structlog.contextvars import bound_contextvars

from agreements.dco.trailers import signoffs
from agreements.facts import Commit
from bot.flows import gather
from bot.flows.flow_services import Services
from bot.flows.publishing import published_items
from bot.flows.publishing.review_publisher import NAME as REQUIRED_NAME
from bot.github.ports import CheckRun, Missing, Moved, Refused, RepositoryPlace
from bot.github.protected_branches import past
from bot.github.pushed_commits import BringingPull
from bot.job_queue import Job
from bot.report import commit_check
from bot.store import inbox
from bot.store.pulls import commit_findings, repository_heads
from bot.store.pulls.commit_findings import CommitFinding, FindingItem, HeadVerdict, PushedBranch, UnjudgedCommit
from bot.telemetry import metrics
from bot.webhook import events, external_ids

NAME: Final = "Countersign / Pushed commits"
LINK_DELAY: Final = timedelta(minutes=1)
"""GitHub ties a pull request to the commits of its merge a moment after the push."""
MAX_LOOKUPS: Final = 100
"""Commits of one push that GitHub is asked about one by one; those of a judged head need no question."""
MAX_BRANCHES: Final = 20
"""Branches that a new branch is compared with, besides the default one; three calls each."""
MAX_RUNS: Final = 20
"""Check runs on the commits of one push, on the newest ones; the page for administrators lists all."""

log = structlog.get_logger()


def queue(event: events.BranchPushed, guid: str, services: Services) -> None:
    """Have the commits of the push compared soon, if the branch requires our check. Raises HubError."""
    if event.repository.owner_id not in services.served:
        return
    try:
        is_watched = _is_watched(gather.place_of(event), event.branch, services)
    except (Missing, Refused) as error:
        # Not tried again, for the push may be about rules, too. Its head does not count as seen: it is compared with the next one.
        log.warning("pushed-commits.not-compared", why=str(error))
        return
    with services.sessions() as session:
        if is_watched:
            services.engine.enqueue(session, Job("pushed-commits", (guid,), "later", LINK_DELAY))
        elif event.branch in repository_heads.find(session, event.repository.id).heads:
            repository_heads.saw(session, event.repository.id, event.branch, event.after)


def _is_watched(place: RepositoryPlace, branch: str, services: Services) -> bool:
    checks = services.hub.required_checks(place, branch)
    # Also a check of our name that any App may set: such a branch is meant to be judged, and is the easier to get past.
    ours = {None, services.hub.identity().id}
    return any(check.name == REQUIRED_NAME and check.app_id in ours for check in checks)


def check_pushed(guid: str, services: Services) -> None:
    """Compare the commits of a stored push, and say what was found; safe to run twice. Raises HubError."""
    with services.sessions() as session:
        stored = inbox.ids(session, guid, also_done=True)
    event = events.from_ids(stored) if stored is not None else None
    if not isinstance(event, events.BranchPushed):
        return
    place = gather.place_of(event)
    with bound_contextvars(delivery=guid, repository=place.full_name, head=event.after):
        bases = _bases(event, place, services)
        if bases:  # Else it is the first push to an empty repository, which nothing could have judged.
            push = PushedBranch(place=place, branch=event.branch, base_shas=bases)
            _say(push, _compared(push, event.after, services), services)
        with services.sessions() as session:
            repository_heads.saw(session, place.repository_id, event.branch, event.after)


def _bases(event: events.BranchPushed, place: RepositoryPlace, services: Services) -> tuple[str, ...]:
    if not event.before:
        return _heads_before(event, place, services)
    with services.sessions() as session:
        seen = repository_heads.find(session, place.repository_id).heads.get(event.branch)
    # The webhook of a push before this one may be lost: what came since the head that was compared is new.
    # A second run of this job finds its own head there.
    return (event.before if seen in {None, event.after} else seen,)


def _heads_before(event: events.BranchPushed, place: RepositoryPlace, services: Services) -> tuple[str, ...]:
    """The heads of the default branch and of others that require our check, which the new branch may come from; the nearest first."""
    with services.sessions() as session:
        # Only what was compared by now: of two new branches with the same commits one finds them.
        known = dict(repository_heads.find(session, place.repository_id).heads)
    known.pop(event.branch, None)
    default = known.pop(event.default_branch, None)
    if default is None and event.branch != event.default_branch:
        default = services.hub.branch_head(place, event.default_branch)
    others = []
    for branch, sha in islice(sorted(known.items()), MAX_BRANCHES):
        with suppress(Missing, Refused):  # Then more of the new branch is compared than need be.
            others += [sha] if _is_watched(place, branch, services) else []
    heads = [sha for sha in (default, *others) if sha is not None]
    near = [(ahead, sha) for sha in heads if (ahead := services.hub.ahead(place, sha, event.after)) is not None]
    return tuple(sha for _, sha in sorted(near)) or tuple(heads[:1])


def check_again(event: events.CheckRerequested, services: Services) -> None:
    """Compare a commit again whose finding a person wants to see anew; no finding, nothing to do. Raises HubError."""
    with services.sessions() as session:
        row = commit_findings.find(session, event.repository.id, event.head_sha)
    if row is not None and event.repository.owner_id in services.served:
        _compare_again(row, gather.place_of(event), services)


def check_finding(repository_id: int, sha: str, services: Services) -> None:
    """Compare the commit of a finding again: not each one has a check run to re-run. Raises HubError."""
    with services.sessions() as session:
        row = commit_findings.find(session, repository_id, sha)
    if row is None:
        return
    try:
        place, owner = services.hub.repository_by_name(row.owner, row.name)
    except (Missing, Moved, Refused) as error:
        log.warning("pushed-commits.not-compared", why=str(error))
        return
    # Names change hands: it may be another repository by now.
    if place.repository_id == repository_id and owner.id in services.served:
        _compare_again(row, place, services)


def _compare_again(row: CommitFinding, place: RepositoryPlace, services: Services) -> None:
    push = PushedBranch(place=place, branch=row.branch, base_shas=tuple(row.base_sha.split()))
    found = _compared(push, row.sha, services)
    item = FindingItem(place.repository_id, row.sha)
    with services.sessions() as session:
        item.unsettle(session)  # It is written also where it says the same.
    _say(push, found, services)
    if all(commit.sha != row.sha for commit in found):
        if published_items.known(item, services) is not None:  # In quiet mode there is no run.
            _show(item, place, None, services)
        with services.sessions() as session:
            commit_findings.settle(session, place.repository_id, row.sha)


def _compared(push: PushedBranch, head: str, services: Services) -> list[UnjudgedCommit]:
    try:
        nearest, *others = push.base_shas
        found = services.hub.pushed_commits(push.place, nearest, head)
        held = {
            sha for other in others for sha in past(found.commits, services.hub.merge_base(push.place, other, head))
        }
        comparison = _Comparison(push.place, push.branch, found.commits, services, judged=held)
        findings = [*comparison.findings()]
    except (Missing, Refused) as error:  # A forced push may have left nothing of what was there before.
        log.warning("pushed-commits.not-compared", why=str(error))
        return [UnjudgedCommit(head, "not-compared")]
    unread = found.total - len(found.commits)
    if unread:
        # What GitHub lists last is the newest: if not all was read, the head is not among it.
        return [UnjudgedCommit(head, "not-compared", count=unread + len(comparison.left)), *findings]
    return [*comparison.unasked(), *findings]


@dataclass(slots=True)
class _Comparison:
    """The `commits` of one push, a parent before its children; `judged` are those that a verdict stands for, a branch, or a finding.

    `place` is their repository, `branch` what they were pushed to. `left` are those that were not looked at, `_read` the
    commits of pull requests that were. `services` as for every flow.
    """

    place: RepositoryPlace
    branch: str
    commits: Sequence[Commit]
    services: Services
    judged: set[str] = field(default_factory=set)
    left: list[str] = field(default_factory=list)
    _read: dict[int, Sequence[Commit]] = field(default_factory=dict)

    def findings(self) -> Iterator[UnjudgedCommit]:
        """The findings, of the newest commits first. Raises HubError."""
        asked = 0
        # The newest first: it is what merging wrote, and tells of the pull request that brought all the others.
        for commit in reversed(self.commits):
            if commit.sha in self.judged:
                continue
            if asked == MAX_LOOKUPS:
                self.left.append(commit.sha)
                continue
            asked += 1
            if (found := self._finding(commit)) is not None:
                yield found

    def unasked(self) -> Iterator[UnjudgedCommit]:
        """The findings for those left, on the newest of each line of them: comparing these again reaches all."""
        waiting = {*self.left}
        for sha in self.left:
            if sha in waiting:
                mine = waiting.intersection(past(self.commits, sha))
                waiting -= mine
                yield UnjudgedCommit(sha, "not-compared", count=len(mine))

    def _finding(self, commit: Commit) -> UnjudgedCommit | None:
        worst, unjudged = UnjudgedCommit(commit.sha, "no-pull-request"), set[str]()
        for pull in self.services.hub.bringing_pulls(self.place, commit.sha):
            own = self._own(pull.number)
            shas = self._shas(pull, own)
            # GitHub says of a merged one that it brought the commit, and of an open one that it may.
            if not pull.merged and commit.sha not in shas:
                continue
            rebased = self._rebased(commit, own)
            brought = shas | {commit.sha} | rebased
            verdict = self._verdict(pull)
            if verdict is not None and verdict.passes:
                # Only these: another one that did not pass may have more commits.
                self.judged |= brought
                is_squash = commit.sha not in shas and len(commit.parents) == 1 and not rebased
                lost = len(_signers(*own) - _signers(commit)) if is_squash and verdict.asks_for_signoffs else 0
                return UnjudgedCommit(commit.sha, "lost-signoff", pull.number, lost) if lost else None
            unjudged |= brought
            worst = UnjudgedCommit(commit.sha, "not-passed" if verdict else "not-judged", pull.number)
        self.judged |= unjudged  # One finding for all of them.
        return worst

    def _own(self, number: int) -> Sequence[Commit]:
        """The pull request's own commits: many commits of a push may name the same one."""
        if number not in self._read:
            self._read[number] = self.services.hub.pull_commits(self.place, number)
        return self._read[number]

    def _shas(self, pull: BringingPull, own: Sequence[Commit]) -> set[str]:
        """The SHAs of the pull request's own commits up to the head whose verdict counts."""
        # Without commits that came after it: the two answers are of two moments.
        shas = {*past(own, pull.head_sha)}
        if not shas and pull.merged and pull.base == self.branch:
            # GitHub lists 250: of a longer one the push itself says what came with the head.
            shas = {*past(self.commits, pull.head_sha)}
        return shas

    def _verdict(self, pull: BringingPull) -> HeadVerdict | None:
        with self.services.sessions() as session:
            return commit_findings.verdict_on(session, self.place.repository_id, pull.number, pull.head_sha)

    def _rebased(self, newest: Commit, own: Sequence[Commit]) -> set[str]:
        """SHAs of the commits up to that one, if a pull request's own stand there one by one, each with its message; else none."""
        by_sha, found = {commit.sha: commit for commit in self.commits}, set[str]()
        here: Commit | None = newest
        for commit in reversed([each for each in own if len(each.parents) == 1]):
            # A person may give a merge any message.
            if here is None or len(here.parents) != 1 or here.message.strip() != commit.message.strip():
                return set()
            found.add(here.sha)
            here = by_sha.get(here.parents[0])
        return found


def _signers(*commits: Commit) -> set[str]:
    """The addresses that signed these off; a merge needs no sign-off that could be lost."""
    plain = [commit for commit in commits if len(commit.parents) == 1]
    return {who.email.casefold() for commit in plain for who in signoffs(commit.message, folded=True)}


def _say(push: PushedBranch, found: Sequence[UnjudgedCommit], services: Services) -> None:
    with services.sessions() as session:
        new = commit_findings.record(session, push, found, at=services.clock())
    for kind, count in sorted(new.items()):
        metrics.COMMIT_FINDINGS.labels(kind).inc(count)
        log.warning("pushed-commits.found", kind=kind, count=count)
    if not found or gather.is_quiet_at(push.place, services):
        return
    for commit in found[:MAX_RUNS]:
        _show(FindingItem(push.place.repository_id, commit.sha), push.place, commit, services, branch=push.branch)


def _show(
    item: FindingItem, place: RepositoryPlace, found: UnjudgedCommit | None, services: Services, *, branch: str = ""
) -> None:
    text = commit_check.finding_text(found, branch) if found is not None else commit_check.settled_text()
    run = CheckRun(
        name=NAME,
        head_sha=item.sha,
        external_id=external_ids.of_commit(item.repository_id),
        details_url="",
        title=text.title,
        summary=text.summary,
        # A squash is judged, and each repository that is set so loses sign-offs: that turns no branch red.
        conclusion="success" if found is None else "neutral" if found.kind == "lost-signoff" else "failure",
    )
    writer = published_items.check_writer(place, run, services.hub)
    try:
        published_items.put(item, writer, services, hold=lambda: None)
    except (Missing, Refused) as error:  # The page for administrators says it all the same.
        log.warning("pushed-commits.not-shown", why=str(error))
