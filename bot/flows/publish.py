"""Publish: one check run, one label of the pair, one comment; each created once, then updated, and only when it changes."""

import re
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import cast

import structlog

from agreements.facts import Account, Conclusion, Facts, Verdict
from agreements.rulebook.rules import Labels, Rules, for_repository
from bot.flows import published_items
from bot.flows.flow_services import Services
from bot.flows.journey import TryAgain, hold
from bot.flows.shadow import is_quiet, is_quiet_at
from bot.flows.shared_head import blocking_numbers, shared_conclusion
from bot.github.ports import CheckRun, HubError, Missing, PullRequestSnapshot, Refused, RepositoryPlace, Unreachable
from bot.report import check_run, dco_situation
from bot.report.check_run import CheckText, Language, ReportContext
from bot.report.words import CommandContext, PullBranch
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.store import inbox
from bot.store.pulls import delivery_trail, heads, paused_items, pull_state, questions, review_mailbox, verdicts
from bot.store.pulls.heads import CheckRunOwner, Sibling
from bot.store.pulls.named_pulls import FoundPull
from bot.store.pulls.paused_items import MAX_REVERSALS
from bot.store.pulls.published_item_rows import PullRequestItem
from bot.store.pulls.pull_state import LeftLabel
from bot.store.pulls.review_mailbox import REVIEWS, ReviewClaim
from bot.webhook import external_ids
from bot.webhook.commands import CHECK_AGAIN

log = structlog.get_logger()

NAME = "Countersign"
IDLE_AFTER = timedelta(days=30)
"""A pull request untouched for so long gets no new comment: nobody is waiting there."""
LABEL_APPEARANCE = {
    "signed": ("1a7f37", "The contributor agreement check has passed"),
    "required": ("9a6700", "A contributor agreement is still needed"),
}
"""Colour and description of a label that we have to create."""
HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


def publisher(
    claim: ReviewClaim, snapshot: PullRequestSnapshot, rulebook: Rulebook | RulebookProblem, services: Services
) -> "ReviewPublisher":
    """What will be shown of this review; finds out who keeps the head's check run."""
    quiet = is_quiet(snapshot, rulebook, services)
    with services.sessions() as session:
        keeper = heads.keep(session, snapshot.place.repository_id, snapshot.head_sha, claim.pull_id, claim.row.number)
        show = ReviewPublisher(claim, snapshot, rulebook, services, keeper, quiet=quiet)
        pull_state.remember_rule_effects(
            session, claim.pull_id, quiet=show.quiet, by_labels=show.rules.changelog.require
        )
    return show


@dataclass(frozen=True, slots=True)
class ReviewPublisher:
    """What is shown of one review of one head; nothing while `quiet`."""

    claim: ReviewClaim
    snapshot: PullRequestSnapshot
    rulebook: Rulebook | RulebookProblem
    services: Services
    keeper: CheckRunOwner
    quiet: bool

    @property
    def place(self) -> RepositoryPlace:
        """Where to write: as GitHub named the repository just now."""
        return self.snapshot.place

    @property
    def rules(self) -> Rules:
        """The rules in force; the defaults while the rulebook is broken."""
        return self.rulebook.rules if isinstance(self.rulebook, Rulebook) else Rules()

    def context(self, verdict: Verdict | None = None, facts: Facts | None = None) -> ReportContext:
        """What the words need besides the verdict; of all commits once there are facts, else of the first ones."""
        place, snapshot = self.place, self.snapshot
        commits = snapshot.commits if facts is None else facts.commits
        return ReportContext(
            repository=place.full_name,
            number=snapshot.number,
            head_sha=snapshot.head_sha,
            sign_url=f"{self.services.url}/sign/{self.rules.individual.text}?pr={place.full_name}/{snapshot.number}",
            employer_url=f"{self.services.url}/employer?pr={place.full_name}/{snapshot.number}",
            emails_url=f"{self.services.url}/me/emails",
            explain_url=self._explain_url,
            language=language(self.rules.comment_language, snapshot),
            marker=external_ids.of_pull(place.repository_id, snapshot.number),
            faq_url=f"{self.services.url}/faq",
            dco_url=f"{self.services.url}/dco",
            subjects={commit.sha: commit.message.partition("\n")[0] for commit in commits},
            situation=dco_situation.of_verdict(facts, verdict, self._branch) if verdict else CommandContext(),
            either=for_repository(self.rules, place.full_name).require == "either",
        )

    @property
    def _explain_url(self) -> str:
        return f"{self.services.url}/pr/{self.place.full_name}/{self.snapshot.number}"

    @property
    def _branch(self) -> PullBranch:
        """Where the pull request is, by addresses that work in any clone."""
        snapshot, at = self.snapshot, self.services.github_url
        return PullBranch.at(at, self.place.full_name, (snapshot.head_repository, snapshot.head), snapshot.head_sha)

    def in_progress(self) -> None:
        """Give a head that has no run yet one that is in progress; also one whose run has not heard of this pull request."""
        if self.quiet:
            return
        if published_items.known(self._check_item, self.services) is None or self._is_new_to_the_head():
            self._put_check(check_run.in_progress(self.context()), None, self._siblings())

    def verdict(self, verdict: Verdict, facts: Facts | None = None, *, since: datetime | None = None) -> None:
        """Show the verdict on these facts, as it is `since` then: check run first, then label, then comment.

        A label or comment that GitHub refuses (a locked conversation) is left out; one that it could not take now
        raises TryAgain.
        """
        if self.quiet:
            return
        context = replace(self.context(verdict, facts), since=since)
        self._put_verdict(verdict, context)
        head = self.snapshot.head_sha
        label = paused_items.about_label(head, wanted_label(verdict, self.rules.labels) or "")
        puts: tuple[tuple[paused_items.Kind, str, Callable[[], None]], ...] = (
            ("label", label, partial(self._put_labels, verdict)),
            ("comment", head, partial(self._put_comment, verdict, context)),
        )
        for kind, about, put in puts:
            try:
                put()
            except (Refused, Missing) as error:
                log.warning("publish.refused", pull=self.claim.pull_id, item=kind, why=str(error))
                self._remember_refusal(kind, about)
            except HubError as error:
                raise TryAgain(str(error)) from error

    def _put_verdict(self, verdict: Verdict, context: ReportContext) -> None:
        """Whoever shares the head may be judged at the same time: written until nothing changed meanwhile."""
        siblings = self._siblings()
        for _ in range(3):
            others = tuple(sibling.number for sibling in siblings)
            waiting = replace(context, shares_with=others, waits_for=blocking_numbers(siblings))
            conclusion = shared_conclusion(verdict.conclusion, siblings)
            text = check_run.in_progress(waiting) if conclusion is None else check_run.check_run(verdict, waiting)
            self._put_check(text, conclusion, siblings)
            before, siblings = siblings, self._siblings()
            if before == siblings:
                return self._wake(siblings) if verdict.conclusion.passes else None
        raise Unreachable("other pull requests with the same head commit keep changing")

    def _wake(self, siblings: tuple[Sibling, ...]) -> None:
        """Whoever holds us up may have closed or passed without our hearing of it: have them looked at.

        Only who passes wakes others, and only those who don't: no two can keep each other awake.
        """
        with self.services.sessions() as session:
            for number in blocking_numbers(siblings):
                pull = review_mailbox.find(session, self.place.repository_id, number)
                if pull is not None and pull.id is not None:
                    review_mailbox.enqueue_review(session, self.services.engine, pull.id)

    def _put_check(self, text: CheckText, conclusion: Conclusion | None, siblings: tuple[Sibling, ...]) -> None:
        run = CheckRun(
            name=NAME,
            head_sha=self.snapshot.head_sha,
            external_id=external_ids.of_pull(self.place.repository_id, self.keeper.number),
            details_url=self._explain_url,
            title=text.title,
            summary=text.summary,
            text=text.text,
            conclusion=None if conclusion is None else conclusion.value,
            again=_button(self.context().language) if conclusion and not conclusion.passes else None,
        )
        writer = published_items.check_writer(self.place, run, self.services.hub)
        since = self.snapshot.created_at
        published_items.put(
            self._check_item, writer, self.services, hold=self._hold, shared=bool(siblings), since=since
        )

    def _put_labels(self, verdict: Verdict) -> None:
        hub, place, number, labels = self.services.hub, self.place, self.snapshot.number, self.rules.labels
        wanted = wanted_label(verdict, labels) or ""
        with self.services.sessions() as session:
            left = pull_state.left_label(session, self.claim.pull_id)
        # GitHub tells labels apart by their letters, not by their case. The rules may name other labels than yesterday:
        # the one that we put goes, too.
        pair = {name.lower(): name for name in (labels.signed, labels.required, left.label) if name}
        present = {name.lower() for name in self.snapshot.labels} & pair.keys()
        wrong = sorted(present - {wanted.lower()})
        is_missing = bool(wanted) and wanted.lower() not in present
        if not wrong and not is_missing:
            if left.label != wanted or (wanted and left.at is None):
                self._labelled(wanted, at=self.snapshot.updated_at)
            return
        if self._is_label_kept(left, wanted, present):
            return
        self._labelled(wanted, at=None)
        for name in wrong:
            self._hold()
            hub.remove_label(place, number, pair[name])
        if is_missing:
            self._hold()
            if wanted not in self.snapshot.known_labels:
                color, description = LABEL_APPEARANCE["signed" if wanted == labels.signed else "required"]
                hub.create_label(place, wanted, color, description)
            hub.add_label(place, number, wanted)
            log.info("published", item="label", shows=wanted)
        self._labelled(wanted, at=self.snapshot.updated_at)

    def _labelled(self, label: str, *, at: datetime | None) -> None:
        with self.services.sessions() as session:
            pull_state.labelled(session, self.claim.pull_id, label, at=at)

    def _is_label_kept(self, left: LeftLabel, wanted: str, present: Collection[str]) -> bool:
        """Whether the labels stay as somebody else put them; `present` are those of the pair that are there."""
        about = paused_items.about_label(self.snapshot.head_sha, wanted)
        if self._is_paused("label", about, refused=about):
            return True
        ours = {left.label.lower()} - {""}
        if left.at is None or left.label != wanted or present == ours:
            return False
        with self.services.sessions() as session:
            sender = delivery_trail.label_sender(session, self.claim.pull_id, {*ours, *present})
        by = self._reversed_by(sender)
        # GitHub's answer may be older than our label, and an event about our own change may come late: neither is a reversal.
        is_new = by not in (paused_items.UNKNOWN, paused_items.OWN_APP)
        return (is_new or self.snapshot.updated_at > left.at) and not self._may_write_again("label", about, by)

    def _reversed_by(self, sender: Account | None) -> str:
        """Who reversed a label: an App by its login, which is nobody's name."""
        if sender is None:
            return paused_items.UNKNOWN
        if sender.type != "Bot":
            return paused_items.PERSON
        is_ours = sender.login.lower() == f"{self.services.hub.identity().slug}[bot]".lower()
        return paused_items.OWN_APP if is_ours else sender.login

    def _may_write_again(self, kind: paused_items.Kind, about: str, by: str) -> bool:
        """Count that somebody else took back what we wrote; False from `MAX_REVERSALS` on."""
        with self.services.sessions() as session:
            times = paused_items.count_reversal(
                session, self.claim.pull_id, kind, about, reversed_by=by, at=self.services.clock()
            )
        if times < MAX_REVERSALS:
            return True
        log.warning("publish.reversed", pull=self.claim.pull_id, item=kind, times=times, by=by or "unknown")
        return False

    def _is_paused(self, kind: paused_items.Kind, about: str, *, refused: str) -> bool:
        """Whether somebody keeps reversing what is about the one, or GitHub refused what is about the other."""
        pull_id, now = self.claim.pull_id, self.services.clock()
        with self.services.sessions() as session:
            return paused_items.is_reversed(session, pull_id, kind, about, at=now) or paused_items.is_refused(
                session, pull_id, kind, refused, at=now
            )

    def _remember_refusal(self, kind: paused_items.Kind, about: str) -> None:
        with self.services.sessions() as session:
            paused_items.remember_refusal(session, self.claim.pull_id, kind, about, at=self.services.clock())

    def _put_comment(self, verdict: Verdict, context: ReportContext) -> None:
        item = PullRequestItem(self.claim.pull_id, "comment", "")
        with self.services.sessions() as session:
            why = questions.answered(session, self.claim.pull_id, self.snapshot.head_sha)
        if published_items.known(item, self.services) is None and not why:
            idle = self.services.clock() - self.snapshot.updated_at > IDLE_AFTER
            if verdict.conclusion is not Conclusion.FAILURE or idle:
                return
        body = check_run.comment(verdict, context, why=why)
        if body is not None and not self._is_paused("comment", "", refused=self.snapshot.head_sha):
            writer = published_items.comment_writer(
                self.place, self.snapshot.number, body, context.marker, self.services.hub
            )
            writer = replace(writer, may_make_again=lambda: self._may_write_again("comment", "", paused_items.UNKNOWN))
            since = self.snapshot.created_at
            published_items.put(item, writer, self.services, hold=self._hold, since=since)

    @property
    def _check_item(self) -> PullRequestItem:
        return PullRequestItem(self.keeper.pull_id, "check", self.snapshot.head_sha)

    def _siblings(self) -> tuple[Sibling, ...]:
        with self.services.sessions() as session:
            return heads.siblings(session, self.place.repository_id, self.snapshot.head_sha, self.claim.pull_id)

    def _is_new_to_the_head(self) -> bool:
        with self.services.sessions() as session:
            judged = verdicts.first(session, self.claim.pull_id, self.snapshot.head_sha)
        return judged is None and self.keeper.pull_id != self.claim.pull_id

    def _hold(self) -> None:
        hold(REVIEWS, self.claim, self.services)


def wanted_label(verdict: Verdict, labels: Labels) -> str | None:
    """The label that the verdict asks for: none where no CLA is judged, and none while it could not be judged."""
    cla = next((check for check in verdict.checks if check.name == "CLA"), None)
    if cla is None or cla.conclusion is Conclusion.NEUTRAL or verdict.conclusion is Conclusion.ACTION_REQUIRED:
        return None
    return labels.signed if cla.conclusion is Conclusion.SUCCESS else labels.required


def language(choice: str, snapshot: PullRequestSnapshot) -> Language:
    """The language of check and comment: `auto` is both where the pull request itself is written in Chinese, else English."""
    if choice in ("en", "zh", "both"):
        return cast("Language", choice)
    return "both" if any(HAN.search(commit.message) for commit in snapshot.commits) else "en"


def _button(language: Language) -> tuple[str, str]:
    return check_run.button(language), CHECK_AGAIN


def could_not_judge(claim: ReviewClaim, services: Services, why: str) -> None:
    """Say on the newest head that it could not be judged: also on one that has no run yet, whose run is in progress at first.

    A run that is there may be green for another pull request. A failure to say so changes nothing.
    """
    with suppress(HubError):
        with services.sessions() as session:
            pull = review_mailbox.get(session, claim.pull_id)
        if pull is None or pull.owner_id not in services.served:
            return
        if not pull.head_sha:
            pull = _seen(pull, services)
        if pull is None or not pull.head_sha or _is_kept_quiet(pull, services):
            return
        is_first = _show_doubt(claim, pull, services, why)
        if is_first and pull.updated_at is None:
            _seen(pull, services)


def _show_doubt(claim: ReviewClaim, pull: FoundPull, services: Services, why: str) -> bool:
    """Whether there was no run of ours before. Raises HubError."""
    with services.sessions() as session:
        keeper = heads.keep(session, pull.repository_id, pull.head_sha, claim.pull_id, pull.number)
        item = PullRequestItem(keeper.pull_id, "check", pull.head_sha)
        is_first = item.get(session) is None
        siblings = heads.siblings(session, pull.repository_id, pull.head_sha, claim.pull_id)
        since = inbox.waiting_since(session, claim.pull_id)
    if is_first and not pull.open:
        return False
    text = check_run.could_not_judge(why, since, judged=pull.evaluated_at, is_first=is_first)
    run = CheckRun(
        name=NAME,
        head_sha=pull.head_sha,
        external_id=external_ids.of_pull(pull.repository_id, keeper.number),
        details_url=f"{services.url}/pr/{pull.owner}/{pull.name}/{pull.number}",
        title=text.title,
        summary=text.summary,
        conclusion=None if is_first else "action_required",
        again=None if is_first else _button("both"),
    )
    writer = published_items.check_writer(place_of(pull), run, services.hub)
    held = partial(hold, REVIEWS, claim, services)
    published_items.put(item, writer, services, hold=held, shared=bool(siblings), since=services.clock())
    return is_first


def place_of(pull: FoundPull) -> RepositoryPlace:
    """Where the pull request is, as far as we know."""
    return RepositoryPlace(pull.installation_id, pull.owner, pull.name, pull.repository_id)


def _seen(pull: FoundPull, services: Services) -> FoundPull | None:
    """The row of one that was never seen, with what GitHub says of it: its head, and for its page whether it is private. Raises HubError."""
    found = services.hub.fetch_head(place_of(pull), pull.number)
    if pull.id is None or found.place.repository_id != pull.repository_id:
        return None
    with services.sessions() as session:
        pull_state.seen(session, services.engine, pull.id, found)
        return review_mailbox.get(session, pull.id)


def _is_kept_quiet(pull: FoundPull, services: Services) -> bool:
    """As the rules said when it was judged; before that, as they say of the repository, as far as they can be had."""
    if pull.evaluated_at is not None or pull.quiet:
        return pull.quiet
    try:
        return is_quiet_at(place_of(pull), services)
    except HubError:
        return False
