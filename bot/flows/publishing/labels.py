"""The label of the pair on a pull request: which one the verdict asks for, and whether another account keeps reversing it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from agreements.facts import Account, Conclusion, Verdict
from agreements.rulebook.rules import Labels
from bot.flows.flow_services import Services
from bot.github.ports import PullRequestSnapshot
from bot.store.pulls import delivery_trail, paused_items
from bot.store.pulls.paused_items import MAX_REVERSALS
from bot.store.pulls.review_case import ReviewCase
from bot.store.pulls.review_mailbox import ReviewClaim

APPEARANCE: Final = {
    "signed": ("1a7f37", "The contributor agreement check has passed"),
    "required": ("9a6700", "A contributor agreement is still needed"),
}
"""Colour and description of a label that we have to create."""

log = structlog.get_logger()


@dataclass(slots=True)
class LabelChange:
    """A change to the label `wanted`, "" for none; `remove` are those that are to go, as the rules spell them.

    `kind` is which of the pair is missing, None if it is there. `at` is as of a `LeftLabel`. `is_done`: nothing is left
    to do.
    """

    wanted: str
    remove: tuple[str, ...] = ()
    kind: str | None = None
    at: datetime | None = None
    is_done: bool = False


def wanted_label(verdict: Verdict, labels: Labels) -> str | None:
    """The label that the verdict asks for: none where no CLA is judged, and none while it could not be judged."""
    cla = next((check for check in verdict.checks if check.name == "CLA"), None)
    # Other programs act on labels: where it could not be judged, none is better than a guess.
    if cla is None or cla.conclusion is Conclusion.NEUTRAL or verdict.conclusion is Conclusion.ACTION_REQUIRED:
        return None
    return labels.signed if cla.conclusion is Conclusion.SUCCESS else labels.required


@dataclass(frozen=True, slots=True)
class LabelPublisher:
    """Changes the label of one pull request to that of the pair which the verdict asks for.

    The `claim` is held, the `case` is as stored, the `snapshot` as GitHub showed it; `labels` are the pair of the
    rules; `services` as for every flow.
    """

    claim: ReviewClaim
    case: ReviewCase
    snapshot: PullRequestSnapshot
    labels: Labels
    services: Services

    def change(self, verdict: Verdict) -> LabelChange | None:
        """The change of labels to make or to note; None for none. Raises HubError."""
        wanted = wanted_label(verdict, self.labels) or ""
        left, left_at = self.case.pull.label, self.case.pull.labelled_at
        # GitHub tells labels apart by their letters, not by their case. The rules may name other labels than yesterday:
        # the one that we put goes, too.
        pair = {name.lower(): name for name in (self.labels.signed, self.labels.required, left) if name}
        present = {name.lower() for name in self.snapshot.labels} & pair.keys()
        wrong = sorted(present - {wanted.lower()})
        is_missing = bool(wanted) and wanted.lower() not in present
        if not wrong and not is_missing:  # As wanted at GitHub, though perhaps not noted here yet.
            is_known = left == wanted and (left_at is not None or not wanted)
            return None if is_known else LabelChange(wanted, at=self.snapshot.updated_at, is_done=True)
        if self._is_kept(wanted, present):
            return None
        kind = ("signed" if wanted == self.labels.signed else "required") if is_missing else None
        return LabelChange(wanted, tuple(pair[name] for name in wrong), kind)

    def write(self, change: LabelChange, *, hold: Callable[[], None]) -> None:
        """Change it at GitHub. Raises HubError, and what `hold` raises."""
        hub, place, number = self.services.hub, self.snapshot.place, self.snapshot.number
        for name in change.remove:
            hold()
            hub.remove_label(place, number, name)
        if change.kind is not None:
            hold()
            if change.wanted not in self.snapshot.known_labels:  # GitHub would make one without colour and description.
                hub.create_label(place, change.wanted, *APPEARANCE[change.kind])
            hub.add_label(place, number, change.wanted)
            log.info("published", item="label", shows=change.wanted)
        change.is_done = True

    def _is_kept(self, wanted: str, present: Collection[str]) -> bool:
        """Whether the labels stay as another account put them; `present` are those of the pair that are there."""
        about, now = paused_items.about_label(self.snapshot.head_sha, wanted), self.services.clock()
        paused, left_at = self.case.paused, self.case.pull.labelled_at
        if paused.is_reversed("label", about, at=now) or paused.is_refused("label", about, at=now):
            return True
        ours = {self.case.pull.label.lower()} - {""}
        if left_at is None or self.case.pull.label != wanted or present == ours:  # Only what we put can be reversed.
            return False
        with self.services.sessions() as session:
            sender = delivery_trail.label_sender(session, self.claim.pull_id, {*ours, *present})
        by = _reversed_by(sender, self.services)
        # GitHub's answer may be older than our label, and an event about our own change may come late: neither is a
        # reversal.
        is_new = by not in (paused_items.UNKNOWN, paused_items.OWN_APP)
        return (is_new or self.snapshot.updated_at > left_at) and not may_write_again(
            self.claim, self.services, "label", about, by
        )


def may_write_again(claim: ReviewClaim, services: Services, kind: paused_items.Kind, about: str, by: str) -> bool:
    """Count that another account took back what we wrote; False from `MAX_REVERSALS` on."""
    with services.sessions() as session:
        times = paused_items.count_reversal(session, claim.pull_id, kind, about, reversed_by=by, at=services.clock())
    if times < MAX_REVERSALS:
        return True
    log.warning("publish.reversed", pull=claim.pull_id, item=kind, times=times, by=by or "unknown")
    return False


def _reversed_by(sender: Account | None, services: Services) -> str:
    if sender is None:
        return paused_items.UNKNOWN
    if sender.type != "Bot":  # A person is not named: operators see this, and need to know just the kind.
        return paused_items.PERSON
    is_ours = sender.login.lower() == f"{services.hub.identity().slug}[bot]".lower()
    return paused_items.OWN_APP if is_ours else sender.login
