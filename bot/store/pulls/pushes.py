"""Who pushed what is still in a pull request: authenticated senders, tied to commits when these are first seen.

A push event names its sender and its new head, not its commits. So at each review the commits never seen before in
the pull request become one batch, and every push since the last review is tied to it. Where reviews and events
overtook each other a push is tied to more batches rather than to fewer: a sender too many is asked, none slips by.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import insert
from sqlmodel import Session

from agreements.facts import Account
from agreements.identity.certifiers import is_bot
from bot.github.ports import BranchPush
from bot.store.records import FirstSeen, PushRecord
from bot.store.statements import change, run, table

_ADD: Final = insert(table(PushRecord))
_FIRST_SEEN: Final = insert(table(FirstSeen))

NO_COMMIT = "0" * 40
"""The hash that git writes where a branch has no head yet."""


@dataclass(frozen=True, slots=True)
class HeadPush:
    """This account pushed, making `after` the head in place of `before`, "" where that is not known."""

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
    """The stored pushes to a pull request, and how far they are tied to commits.

    `pushes` in the order of their sequence, `batches` of commits by the review that saw them first; pushes up to
    `attributed` are tied to them.
    """

    pushes: Sequence[PushRecord] = ()
    batches: Mapping[int, frozenset[str]] = field(default_factory=dict)
    attributed: int = 0


@dataclass(frozen=True, slots=True)
class Attribution:
    """The accounts that may have pushed one of some commits, by id; the login is the latest one seen.

    To be written down: the pushes that are tied now, by their row ids, each to batches; of these the `new_batch`; and up
    to which push all are tied.
    """

    senders: tuple[Account, ...]
    tied: Mapping[int | None, frozenset[int]] = field(default_factory=dict)
    new_batch: tuple[int, list[str]] | None = None
    attributed: int = 0


def attribute(known: PushHistory, covered: int, shas: Sequence[str], *, complete: bool = True) -> Attribution:
    """Tie the pushes up to `covered`, the claim's latest, to the commits `shas` that are in the pull request now.

    Nothing is tied while the list of commits or of pushes is not `complete`: the pushes then wait for the next review,
    and their senders count all the same, a machine only if its head is one of these commits: else it would vouch
    for what only names it.
    """
    waiting = [one for one in known.pushes if known.attributed < one.sequence <= covered]
    batches = dict(known.batches)
    new = _new_batch(batches, covered, shas) if complete else None
    tied = {}
    # An incomplete list could tie a push to the wrong commits, for good.
    if complete:
        fresh = {new[0]} if new else set()
        batches |= {new[0]: frozenset(new[1])} if new else {}
        tied = {push.id: frozenset(fresh | _early(push.after, batches)) for push in waiting}
        waiting = []
    alive = {number for number, batch in batches.items() if batch.intersection(shas)}
    accounts = {push.id: Account(push.sender_id, push.sender_login, push.sender_type) for push in known.pushes}
    found = {
        accounts[push.id].id: accounts[push.id]
        for push in known.pushes
        if alive & tied.get(push.id, frozenset(push.batches))
    }
    since = (accounts[push.id] for push in waiting if push.after in shas or not is_bot(accounts[push.id]))
    found |= {account.id: account for account in since}
    return Attribution(
        senders=tuple(found[account_id] for account_id in sorted(found)),
        tied=tied,
        new_batch=new,
        attributed=max(covered, known.attributed) if complete else known.attributed,
    )


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
    """The pushes to a pull request as a chain of heads.

    `heads` are those that they made; `holes` are heads whose push we did not hear of, `seen` the commits that reviews have
    tied to pushes.
    """

    heads: frozenset[str] = frozenset()
    holes: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()

    def missing(self, head_sha: str) -> frozenset[str]:
        """The heads whose pusher is not known, while this is the present one; none where no push was ever heard of."""
        known = self.heads | self.seen
        return self.holes | (frozenset({head_sha}) - known if known else frozenset())


def chain(known: PushHistory, covered: int, head_sha: str = "") -> PushChain:
    """The pushes up to `covered`; `head_sha` is the present head, as far as it is known.

    A push that took the place of a head which we never heard of shows that one is missing. The chain begins where
    the pull request was opened or reopened, by a person who answers for its commits then: for the present head only if
    pushes lead there from what was opened, as its event may have come late. Without that it begins with what a review
    found before any push was heard of, else with the first push.
    """
    received = [one for one in known.pushes if one.sequence <= covered]
    seen = _commits(known.batches.values())
    if not received:
        return PushChain(seen=seen)
    found = _commits(shas for sequence, shas in known.batches.items() if sequence < received[0].sequence)
    heads = frozenset(push.after for push in received)
    opened = [place for place, push in enumerate(received) if not push.before]
    # Only an opening from which pushes lead to the present head says who answers for it.
    if head_sha in heads:
        before = _leading_to(head_sha, received)
        opened = [place for place in opened if received[place].after in before]
    begins = max(opened, default=None)
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
    """Of the pushes that GitHub recorded, those that made one of the missing heads, and those that led there."""
    wanted: set[str] = set()
    further = set(missing)
    while further:
        wanted |= further
        further = {push.before for push in found if push.after in wanted} - wanted - known - {""}
    return tuple(push for push in found if push.after in wanted)


def _early(after: str, batches: Mapping[int, frozenset[str]]) -> set[int]:
    """Batches in which a push may have been seen before its event arrived.

    If its head is known, the batch in which it was first seen. If not, the push was overwritten before it was seen
    whole, and which of its commits are in which batch cannot be told: all of them.
    """
    seen = {number for number, batch in batches.items() if after in batch}
    return seen or set(batches)


def _leading_to(head: str, received: Sequence[PushRecord]) -> frozenset[str]:
    """That head, and those from which the pushes lead there."""
    replaced: dict[str, list[str]] = {}
    for push in received:
        replaced.setdefault(push.after, []).append(push.before)
    found, further = set[str](), [head]
    while further:
        one = further.pop()
        if one not in found:
            found.add(one)
            further += replaced.get(one, [])
    return frozenset(found)


def _commits(batches: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset(sha for batch in batches for sha in batch)
