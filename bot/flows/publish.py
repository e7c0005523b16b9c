"""Publish: one check run, one label of the pair, one comment; each created once, then updated, and only when it changes."""

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import cast

import structlog

from agreements.facts import Conclusion, Facts, Verdict
from agreements.rulebook.rules import Labels, Rules, for_repository
from bot.flows import published_items
from bot.flows.flow_services import Services
from bot.flows.journey import TryAgain, hold
from bot.flows.shadow import is_quiet
from bot.flows.shared_head import blocking_numbers, shared_conclusion
from bot.github.ports import CheckRun, HubError, Missing, PullRequestSnapshot, Refused, RepositoryPlace, Unreachable
from bot.report import check_run, dco_situation
from bot.report.check_run import CheckText, Language, ReportContext
from bot.report.words import CommandContext, PullBranch
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.store import inbox
from bot.store.pulls import heads, pull_state, questions, review_mailbox, verdicts
from bot.store.pulls.heads import CheckRunOwner, Sibling
from bot.store.pulls.published_item_rows import PullRequestItem
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
        for put in (partial(self._put_labels, verdict), partial(self._put_comment, verdict, context)):
            try:
                put()
            except (Refused, Missing) as error:
                log.warning("publish.refused", pull=self.claim.pull_id, why=str(error))
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
        wanted = wanted_label(verdict, labels)
        with self.services.sessions() as session:
            row = review_mailbox.get(session, self.claim.pull_id)
        ours = row.label if row else ""
        # GitHub tells labels apart by their letters, not by their case.
        present, kept = {name.lower() for name in self.snapshot.labels}, (wanted or "").lower()
        # The rules may name other labels than yesterday: the one that we put goes, too.
        others = {name.lower(): name for name in (labels.signed, labels.required, ours)}
        for name in sorted(others.keys() & present - {kept}):
            self._hold()
            hub.remove_label(place, number, others[name])
        if ours != (wanted or ""):
            with self.services.sessions() as session:
                pull_state.labelled(session, self.claim.pull_id, wanted or "")
        if wanted and kept not in present:
            self._hold()
            if wanted not in self.snapshot.known_labels:
                color, description = LABEL_APPEARANCE["signed" if wanted == labels.signed else "required"]
                hub.create_label(place, wanted, color, description)
            hub.add_label(place, number, wanted)
            log.info("published", item="label", shows=wanted)

    def _put_comment(self, verdict: Verdict, context: ReportContext) -> None:
        item = PullRequestItem(self.claim.pull_id, "comment", "")
        with self.services.sessions() as session:
            why = questions.answered(session, self.claim.pull_id, self.snapshot.head_sha)
        if published_items.known(item, self.services) is None and not why:
            idle = self.services.clock() - self.snapshot.updated_at > IDLE_AFTER
            if verdict.conclusion is not Conclusion.FAILURE or idle:
                return
        body = check_run.comment(verdict, context, why=why)
        if body is not None:
            writer = published_items.comment_writer(
                self.place, self.snapshot.number, body, context.marker, self.services.hub
            )
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
    """Say on the newest head that we know of, if a run of ours is there, that it could not be judged.

    That run may be green for another pull request. A failure to say so changes nothing.
    """
    with services.sessions() as session:
        pull = review_mailbox.get(session, claim.pull_id)
        keeper = heads.kept(session, pull.repository_id, pull.head_sha) if pull else None
        if pull is None or pull.quiet or keeper is None:
            return
        item = PullRequestItem(keeper.pull_id, "check", pull.head_sha)
        known = item.get(session)
        siblings = heads.siblings(session, pull.repository_id, pull.head_sha, claim.pull_id)
        since = inbox.waiting_since(session, claim.pull_id)
    if known is None:
        return
    place = RepositoryPlace(pull.installation_id, pull.owner, pull.name, pull.repository_id)
    text = check_run.could_not_judge(why, since, judged=pull.evaluated_at)
    run = CheckRun(
        name=NAME,
        head_sha=pull.head_sha,
        external_id=external_ids.of_pull(pull.repository_id, keeper.number),
        details_url=f"{services.url}/pr/{place.full_name}/{pull.number}",
        title=text.title,
        summary=text.summary,
        conclusion="action_required",
        again=_button("both"),
    )
    writer = published_items.check_writer(place, run, services.hub)
    if known.remote_id is None:  # what failed may have taken with it that we made one; none is made for a doubt
        writer = replace(writer, create=_make_none)
    with suppress(HubError):
        published_items.put(item, writer, services, hold=lambda: hold(REVIEWS, claim, services), shared=bool(siblings))


def _make_none() -> int:
    raise Missing("the check run was not found")
