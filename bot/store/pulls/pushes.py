"""Who pushed what is still in a pull request: authenticated senders, tied to commits when these are first seen.

A push event names its sender and its new head, not its commits. So at each review the commits never seen before in
the pull request become one batch, and every push since the last review is tied to it. Where reviews and events
overtook each other a push is tied to more batches rather than to fewer: a sender too many is asked, none slips by.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, cast

from sqlalchemy import bindparam, insert, select, update
from sqlmodel import Session

from agreements.facts import Account
from agreements.identity.certifiers import is_bot
from bot.github.ports import BranchPush
from bot.store.pulls.review_mailbox import ReviewClaim
from bot.store.records import FirstSeen, PullRecord, PushRecord
from bot.store.statements import change, read, run, table

_MAX_SEQUENCE: Final = 2**31 - 1  # no sequence is higher
_push, _first_seen, _pull = table(PushRecord).c, table(FirstSeen).c, table(PullRecord).c
_ADD: Final = insert(table(PushRecord))
_FIRST_SEEN: Final = insert(table(FirstSeen))
_ATTRIBUTED: Final = (
    update(table(PullRecord))
    .where(_pull.id == bindparam("of"), _pull.attributed < bindparam("covered"))
    .values(attributed=bindparam("covered"))
)
_PUSHES: Final = (
    select(table(PushRecord))
    .where(_push.pull_id == bindparam("of"))
    .where(_push.sequence <= bindparam("until"))
    .order_by(_push.sequence)
)
_LAST: Final = _PUSHES.order_by(None).order_by(_push.sequence.desc()).limit(1)
_BATCHES: Final = select(table(FirstSeen)).where(_first_seen.pull_id == bindparam("of"))

NO_COMMIT = "0" * 40
"""What git has in the place of a head where a branch begins."""


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


def senders(session: Session, claim: ReviewClaim, shas: Sequence[str], *, complete: bool = True) -> tuple[Account, ...]:
    """Everyone who may have pushed one of these commits, by account id; the login is the latest one seen.

    The pushes that this claim covers are tied to the commits in the pull request now. Nothing is tied while the list of
    commits or of pushes is not `complete`: the pushes then wait for the next review, and whoever made them counts all
    the same, a machine only if its head is one of these commits: else it would vouch for what only names it.
    """
    pull = read(session, PullRecord, id=claim.pull_id)
    pushed, batches = _pushes(session, claim.pull_id), _batches(session, claim.pull_id)
    waiting = [] if pull is None else [one for one in pushed if pull.attributed < one.sequence <= claim.latest]
    tied = {push.id: frozenset(push.batches) for push in pushed}
    if pull is not None and complete:
        tied |= _tie(session, claim, shas, waiting, batches)
        if pull.attributed < claim.latest:
            run(session, _ATTRIBUTED, {"of": claim.pull_id, "covered": claim.latest})
        waiting = []
    alive = {number for number, batch in batches.items() if batch.intersection(shas)}
    accounts = {push.id: Account(push.sender_id, push.sender_login, push.sender_type) for push in pushed}
    found = {accounts[push.id].id: accounts[push.id] for push in pushed if alive & tied[push.id]}
    since = (accounts[push.id] for push in waiting if push.after in shas or not is_bot(accounts[push.id]))
    found |= {account.id: account for account in since}
    return tuple(found[account_id] for account_id in sorted(found))


def _tie(
    session: Session,
    claim: ReviewClaim,
    shas: Sequence[str],
    waiting: Sequence[PushRecord],
    batches: dict[int, frozenset[str]],
) -> dict[int | None, frozenset[int]]:
    """Tie the pushes that wait to the commits that are new, which become one of `batches`: the batches of each push."""
    known = {sha for batch in batches.values() for sha in batch}
    new = [sha for sha in dict.fromkeys(shas) if sha not in known]
    if new:
        new_batch = max(claim.latest, max(batches, default=0) + 1)  # a review repeated after a crash may see more
        run(session, _FIRST_SEEN, {"pull_id": claim.pull_id, "sequence": new_batch, "shas": new})
        batches[new_batch] = frozenset(new)
    fresh = {max(batches)} if new else set()
    tied = {push.id: frozenset(fresh | _early(push.after, batches)) for push in waiting}
    for push_id, of in tied.items():
        change(session, PushRecord, {"id": push_id}, batches=sorted(of))
    return tied


@dataclass(frozen=True, slots=True)
class PushChain:
    """What is known of the pushes to a pull request.

    `heads` they made; `holes` are heads that somebody made of whom we did not hear, `seen` the commits that reviews have
    tied to pushes.
    """

    heads: frozenset[str] = frozenset()
    holes: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()

    def missing(self, head_sha: str) -> frozenset[str]:
        """The heads whose pusher is not known, while this is the present one; none where no push was ever heard of."""
        known = self.heads | self.seen
        return self.holes | (frozenset({head_sha}) - known if known else frozenset())


def chain(session: Session, claim: ReviewClaim, head_sha: str = "") -> PushChain:
    """The pushes that this claim covers; `head_sha` is the present head, as far as it is known.

    A push that took the place of a head which we never heard of shows that one is missing. The chain begins where
    somebody opened or reopened the pull request, who answers for what was there by then: for the present head only if
    pushes lead there from what was opened, as its event may have come late. Without that it begins with what a review
    found before any push was heard of, else with the first push.
    """
    received = _pushes(session, claim.pull_id, until=claim.latest)
    if not received:
        return PushChain(seen=_commits(_batches(session, claim.pull_id).values()))
    batches = _batches(session, claim.pull_id)
    found = _commits(shas for sequence, shas in batches.items() if sequence < received[0].sequence)
    heads, seen = frozenset(push.after for push in received), _commits(batches.values())
    opened = [place for place, push in enumerate(received) if not push.before]
    if head_sha in heads:
        before = _leading_to(head_sha, received)
        opened = [place for place in opened if received[place].after in before]
    begins = max(opened, default=None)
    if begins is None:
        # What was found already with this very head needs no push before it; and without any such find this is the first.
        begins = 0 if found and received[0].after not in found else 1
    holes = frozenset(push.before for push in received[begins:] if push.before) - heads - seen - {NO_COMMIT}
    return PushChain(heads, holes, seen)


def last(session: Session, claim: ReviewClaim) -> PushRecord | None:
    """The newest push that this claim covers."""
    found = run(session, _LAST, {"of": claim.pull_id, "until": claim.latest}).one_or_none()
    return cast("PushRecord | None", found)


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


def _early(after: str, batches: dict[int, frozenset[str]]) -> set[int]:
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


def _pushes(session: Session, pull_id: int, *, until: int = _MAX_SEQUENCE) -> Sequence[PushRecord]:
    """Those with a sequence until that one, in its order."""
    found = run(session, _PUSHES, {"of": pull_id, "until": until}).all()
    return cast("Sequence[PushRecord]", found)


def _batches(session: Session, pull_id: int) -> dict[int, frozenset[str]]:
    rows = run(session, _BATCHES, {"of": pull_id})
    return {row.sequence: frozenset(row.shas) for row in rows}
