"""The pushes that are still in a pull request, by authenticated senders, tied to commits when these are first seen."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import insert
from sqlmodel import Session

from agreements.facts import Account, Commit
from agreements.identity.certifiers import is_bot
from bot.github.ports import BranchPush
from bot.store.records import FirstSeen, PushRecord
from bot.store.statements import change, run, table

# A push event names its sender and its new head, not its commits. So at each review the commits never seen before
# become one batch, and every push since the last review is tied to it.
_ADD: Final = insert(table(PushRecord))
_FIRST_SEEN: Final = insert(table(FirstSeen))

NO_COMMIT = "0" * 40  # Git writes it where a branch has no head yet.


@dataclass(frozen=True, slots=True)
class HeadPush:
    """A push by `sender` to `pull_id`: head `after` in place of `before` ("": unknown); `sequence` is its delivery."""

    pull_id: int
    sender: Account
    after: str
    before: str
    sequence: int


def record(session: Session, pull_id: int, sender: Account, *, after: str, before: str, sequence: int) -> None:
    """Remember a push; its commits are tied to it at the next review."""
    record_all(session, [HeadPush(pull_id, sender, after, before, sequence)])


def record_all(session: Session, pushed: Sequence[HeadPush]) -> None:
    """Remember these pushes."""
    rows = [
        {
            "pull_id": push.pull_id,
            "sequence": push.sequence,
            "sender_id": push.sender.id,
            "sender_type": push.sender.type,
            "sender_login": push.sender.login,
            "after": push.after,
            "before": push.before,
            "batches": [],
        }
        for push in pushed
    ]
    if rows:
        run(session, _ADD, rows)


@dataclass(frozen=True, slots=True)
class PushHistory:
    """The `pushes` by sequence, and `batches` of commits by the review that saw them first; tied up to `attributed`."""

    pushes: Sequence[PushRecord] = ()
    batches: Mapping[int, frozenset[str]] = field(default_factory=dict)
    attributed: int = 0


@dataclass(frozen=True, slots=True)
class Attribution:
    """The `senders` who may have pushed the commits; to be stored: pushes `tied` now, a `new_batch`, `attributed`."""

    senders: tuple[Account, ...]
    tied: Mapping[int | None, frozenset[int]] = field(default_factory=dict)  # Batches by the row ids of pushes.
    new_batch: tuple[int, list[str]] | None = None
    attributed: int = 0  # All pushes up to this one are tied.


def attribute(known: PushHistory, covered: int, shas: Sequence[str], *, complete: bool = True) -> Attribution:
    """Tie the pushes up to `covered`, the claim's latest, to the commits `shas` that are in the pull request now."""
    waiting = [push for push in known.pushes if known.attributed < push.sequence <= covered]
    batches = dict(known.batches)
    new = _new_batch(batches, covered, shas) if complete else None
    tied = {}
    # An incomplete list of commits or pushes could tie a push to the wrong commits, for good: all wait.
    if complete:
        fresh = {new[0]} if new else set()
        batches |= {new[0]: frozenset(new[1])} if new else {}
        # Rather too many batches than too few: then one sender too many is asked, and none is missed.
        tied = {push.id: frozenset(fresh | _early(push.after, batches)) for push in waiting}
        waiting = []
    # A sender of whose batches nothing is left, after a force push, is not asked.
    alive = {number for number, batch in batches.items() if batch.intersection(shas)}
    accounts = {push.id: Account(push.sender_id, push.sender_login, push.sender_type) for push in known.pushes}
    found = {
        accounts[push.id].id: accounts[push.id]
        for push in known.pushes
        if alive & tied.get(push.id, frozenset(push.batches))
    }
    # A machine counts only if its head is among the commits: else it would vouch for what only names it.
    since = (accounts[push.id] for push in waiting if push.after in shas or not is_bot(accounts[push.id]))
    found |= {account.id: account for account in since}
    return Attribution(
        senders=tuple(found[account_id] for account_id in sorted(found)),
        tied=tied,
        new_batch=new,
        # A run that was overtaken covers less than the one after it.
        attributed=max(covered, known.attributed) if complete else known.attributed,
    )


def brought(known: PushHistory, commits: Sequence[Commit], account_id: int) -> frozenset[str]:
    """The SHAs among these commits that pushes of this account brought: those between the head before and the head after."""
    parents = {commit.sha: commit.parents for commit in commits}
    found = set[str]()
    for push in known.pushes:
        # An account that opens or reopens a pull request names no head before: it has pushed nothing by that.
        if push.sender_id != account_id or not push.before:
            continue
        older = _history(push.before, parents) if push.before in parents else _seen_before(push, known)
        found |= _history(push.after, parents) - older
    return frozenset(found)


def _seen_before(push: PushRecord, known: PushHistory) -> frozenset[str]:
    """The commits that reviews saw before a forced push, whose head before is gone: these are not new."""
    earlier = [other for other in known.pushes if other.sequence < push.sequence]
    # A review may see a push before its event comes. But a push may also lead back to a head that was there before.
    is_back = any(push.after in (other.before, other.after) for other in earlier)
    is_early = not is_back and any(push.before == other.after for other in earlier)
    return _commits(
        shas
        for number, shas in known.batches.items()
        if number < push.sequence and not (is_early and push.after in shas)
    )


def _history(head: str, parents: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The commits of the pull request that lead to this head."""
    found, further = set[str](), [head]
    while further:
        sha = further.pop()
        if sha in parents and sha not in found:
            found.add(sha)
            further += parents[sha]
    return frozenset(found)


def write_attribution(session: Session, pull_id: int, found: Attribution) -> None:
    """Write down what was tied; `attributed` is a column of the pull request."""
    if found.new_batch is not None:
        sequence, shas = found.new_batch
        run(session, _FIRST_SEEN, {"pull_id": pull_id, "sequence": sequence, "shas": shas})
    for push_id, batches in found.tied.items():
        change(session, PushRecord, {"id": push_id}, batches=sorted(batches))


def _new_batch(
    batches: Mapping[int, frozenset[str]], covered: int, shas: Sequence[str]
) -> tuple[int, list[str]] | None:
    """The commits that no earlier review saw, as a new batch with its number; None where there are none."""
    known = {sha for batch in batches.values() for sha in batch}
    new = [sha for sha in dict.fromkeys(shas) if sha not in known]
    # A review repeated after a crash may see more.
    return (max(covered, max(batches, default=0) + 1), new) if new else None


@dataclass(frozen=True, slots=True)
class PushChain:
    """The pushes as a chain: `heads` that they made, `holes` (heads without a push), commits `seen` by reviews."""

    heads: frozenset[str] = frozenset()
    holes: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()

    def missing(self, head_sha: str) -> frozenset[str]:
        """The heads whose pusher is not known, while this is the present one; none where no push was ever heard of."""
        known = self.heads | self.seen  # Empty for a pull request that was found by listing: no push was ever heard of.
        return self.holes | (frozenset({head_sha}) - known if known else frozenset())


def chain(known: PushHistory, covered: int, head_sha: str = "", *, opener_id: int | None = None) -> PushChain:
    """The pushes up to `covered` as a chain of heads.

    `head_sha` is the present head, as far as it is known, `opener_id` the account that opened the pull request.
    """
    # A bot that reopens a pull request answers for no push that was not heard of.
    received = [
        push
        for place, push in enumerate(push for push in known.pushes if push.sequence <= covered)
        if place == 0 or push.before or push.sender_type != "Bot" or push.sender_id == opener_id
    ]
    seen = _commits(known.batches.values())
    if not received:
        return PushChain(seen=seen)
    found = _commits(shas for sequence, shas in known.batches.items() if sequence < received[0].sequence)
    heads = frozenset(push.after for push in received)
    # Only `opened` and `reopened` name no head before.
    opened = [place for place, push in enumerate(received) if not push.before]
    # An opening's event may come late: it answers for the present head only if pushes lead there from what was opened.
    if head_sha in heads:
        before = _leading_to(head_sha, received)
        opened = [place for place in opened if received[place].after in before]
    begins = max(opened, default=None)  # Who opened or reopened it answers for its commits then.
    if begins is None:
        # A head that a review found before the first push needs no push before it. Without such a review, the first push begins the chain.
        begins = 0 if found and received[0].after not in found else 1
    holes = frozenset(push.before for push in received[begins:] if push.before) - heads - seen - {NO_COMMIT}
    return PushChain(heads, holes, seen)


def last(known: PushHistory, covered: int) -> PushRecord | None:
    """The newest push up to `covered`."""
    return next((push for push in reversed(known.pushes) if push.sequence <= covered), None)


def pushes_to_missing_heads(
    missing: frozenset[str], found: Sequence[BranchPush], known: frozenset[str]
) -> tuple[BranchPush, ...]:
    """The recorded pushes that made one of the missing heads, and those that led there."""
    wanted: set[str] = set()
    further = set(missing)
    while further:
        wanted |= further
        # Each head is followed once: forced pushes may go back and forth between two.
        further = {push.before for push in found if push.after in wanted} - wanted - known - {""}
    return tuple(push for push in found if push.after in wanted)


def _early(after: str, batches: Mapping[int, frozenset[str]]) -> set[int]:
    # A push may have been seen before its event came.
    seen = {number for number, batch in batches.items() if after in batch}
    # Overwritten before it was seen whole, so which of its commits are in which batch cannot be told.
    return seen or set(batches)


def _leading_to(head: str, received: Sequence[PushRecord]) -> frozenset[str]:
    """The head, and all heads from which the pushes lead there."""
    replaced: dict[str, list[str]] = {}
    for push in received:
        replaced.setdefault(push.after, []).append(push.before)
    found, further = set[str](), [head]
    while further:
        sha = further.pop()
        if sha not in found:  # Pushes may form a circle.
            found.add(sha)
            further += replaced.get(sha, [])
    return frozenset(found)


def _commits(batches: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset(sha for batch in batches for sha in batch)
