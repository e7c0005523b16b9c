"""Publish: one check run, one label of the pair, one comment; each created once, then updated, and only when it changes."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import cast

import structlog
from sqlmodel import Session

from agreements.dco.trailers import signoffs
from agreements.facts import WORST_FIRST, Conclusion, Facts, Verdict
from agreements.rulebook.rules import Rules, for_repository
from bot.flows.flow_services import Services
from bot.flows.journey import ClaimHolder, TryAgain
from bot.flows.publishing import labels, published_items
from bot.flows.publishing.labels import LabelChange, LabelPublisher
from bot.flows.publishing.published_items import Intent, Writer
from bot.github.ports import (
    CheckButton,
    CheckRun,
    HubError,
    Missing,
    PullRequestSnapshot,
    Refused,
    RepositoryPlace,
    Unreachable,
)
from bot.report import check_run, comment, dco_situation
from bot.report.check_run import CheckText, Language, ReportContext
from bot.report.words import CommandContext, PullBranch
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.store.pulls import heads, paused_items, published_item_rows, pull_state, review_mailbox, why_questions
from bot.store.pulls.heads import CheckRunOwner, Sibling
from bot.store.pulls.named_pulls import FoundPull
from bot.store.pulls.published_item_rows import PullRequestItem
from bot.store.pulls.review_case import ReviewCase
from bot.store.pulls.review_mailbox import ReviewClaim
from bot.webhook import external_ids
from bot.webhook.commands import ANSWER_FOR_AGENTS, CHECK_AGAIN

log = structlog.get_logger()

NAME = "Countersign"
IDLE_AFTER = timedelta(days=30)  # A pull request untouched for so long gets no new comment: no person is waiting there.
# CJK ideographs with extension A and the compatibility ones; no kana, no hangul.
HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
KANA = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
"""Letters of Japanese and Korean, whose texts may hold ideographs, too."""
_NAMES = re.compile(r"^[^\n]*<[^<>\s]+@[^<>\s]*>[^\n]*$|^[A-Za-z-]+-by:[^\n]*$", re.MULTILINE)
"""Lines that name people, such as sign-offs: a name tells nothing about the language that the person reads."""


@dataclass(slots=True)
class Publication:
    """The things about to be shown of a `verdict` in its `context`: `check`, `label`, `comment`; None of what stays.

    `siblings` are the pull requests whose conclusions the check run tells, too.
    """

    verdict: Verdict
    context: ReportContext
    siblings: tuple[Sibling, ...] = ()
    check: "ItemChange | None" = None
    label: LabelChange | None = None
    comment: "ItemChange | None" = None


@dataclass(slots=True)
class ItemChange:
    """A change of an `item` by its `writer`; `intent` None: it shows that. `remote_id` is GitHub's id once written."""

    item: PullRequestItem
    writer: Writer
    intent: Intent | None = None
    remote_id: int | None = None


@dataclass(frozen=True, slots=True)
class ReviewPublisher:
    """Shows one review of one head; nothing while `quiet`.

    For the `claim`, kept by `hold`: the `case` as stored, the `snapshot` as GitHub showed it, the `rulebook` in force;
    `keeper` is the pull request that the check run of the head belongs to; `services` as for every flow.
    """

    claim: ReviewClaim
    case: ReviewCase
    snapshot: PullRequestSnapshot
    rulebook: Rulebook | RulebookProblem
    services: Services
    keeper: CheckRunOwner
    hold: ClaimHolder
    quiet: bool

    @property
    def place(self) -> RepositoryPlace:
        """The repository as GitHub named it just now."""
        return self.snapshot.place

    @property
    def rules(self) -> Rules:
        """The rules in force; the defaults while the rulebook is broken."""
        return self.rulebook.rules if isinstance(self.rulebook, Rulebook) else Rules()

    def context(self, verdict: Verdict | None = None, facts: Facts | None = None) -> ReportContext:
        """The context of the report; about all commits once there are facts, else about the first ones."""
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
            squash=self.case.squash,
            signoffs=_signoffs(verdict, facts),
            by_bot=snapshot.opener is not None and snapshot.opener.type == "Bot",
        )

    @property
    def _explain_url(self) -> str:
        return f"{self.services.url}/pr/{self.place.full_name}/{self.snapshot.number}"

    @property
    def _branch(self) -> PullBranch:
        snapshot, at = self.snapshot, self.services.github_url
        # By addresses that work in any clone: names of remotes differ.
        return PullBranch.at(at, self.place.full_name, (snapshot.head_repository, snapshot.head), snapshot.head_sha)

    def in_progress(self) -> None:
        """Give a head without a run one that is in progress; also one whose run has not heard of this pull request."""
        if self.quiet:
            return
        # Another pull request's green run would speak for this one until its verdict.
        is_new_to_the_head = self.case.is_new_head and self.keeper.pull_id != self.claim.pull_id
        if published_items.known(self._check_item, self.services) is None or is_new_to_the_head:
            writer = self._check_writer(check_run.in_progress(self.context()), None)
            shared = bool(self._siblings())
            published_items.put(
                self._check_item, writer, self.services, hold=self.hold, shared=shared, since=self.snapshot.created_at
            )

    def publication(self, verdict: Verdict, facts: Facts | None, *, since: datetime) -> Publication:
        """The things to be shown of the verdict. May ask GitHub who we are. Raises HubError."""
        shown = Publication(verdict, replace(self.context(verdict, facts), since=since))
        if not self.quiet:
            shown.label = self._labels.change(verdict)
            self._compose_check(shown, self._siblings())
            shown.comment = self._comment(shown)
        return shown

    def intend(self, session: Session, shown: Publication) -> None:
        """Write down that it is about to be shown, with the verdict itself."""
        question = self.case.question  # Answered by the check that is about to be shown.
        if question is not None and question.waiting and not self.quiet:
            why_questions.answer(session, self.claim.pull_id, self.snapshot.head_sha)
        self._intend(session, [change for change in (shown.check, shown.comment) if change is not None])
        intent = None if shown.check is None else shown.check.intent
        if intent is not None and intent.must_find and not intent.is_new:
            # Another pull request with this head may be making the run since its siblings were read.
            pull_id, place = self.claim.pull_id, self.place
            siblings = heads.siblings(session, place.repository_id, self.snapshot.head_sha, pull_id)
            if siblings != shown.siblings:
                self._intend(session, [self._compose_check(shown, siblings)])

    def write(self, shown: Publication) -> None:
        """Show the check run, the label and the comment.

        A label or comment that GitHub refuses (a locked conversation) is left out; one that it could not take now
        raises TryAgain.
        """
        if self.quiet:
            return
        try:
            self._write_check(shown)  # First: branch rules wait for it alone.
            if shown.label is not None and not shown.label.is_done:
                about = paused_items.about_label(self.snapshot.head_sha, shown.label.wanted)
                self._write_other("label", about, partial(self._labels.write, shown.label, hold=self.hold))
            self._write_other("comment", self.snapshot.head_sha, partial(self._write_item, shown.comment))
        except Exception:  # What was written by then is there, and is not written again.
            with self.services.sessions() as session:
                self.confirm(session, shown)
            raise

    def confirm(self, session: Session, shown: Publication) -> None:
        """Write down what is there by now."""
        changes = [change for change in (shown.check, shown.comment) if change is not None]
        done = [
            (change.intent, change.remote_id)
            for change in changes
            if change.intent is not None and change.remote_id is not None
        ]
        published_items.confirm(session, *done)
        if shown.label is not None and shown.label.is_done and shown.label.at is None:
            pull_state.labelled(session, self.claim.pull_id, shown.label.wanted, at=self.snapshot.updated_at)

    def _write_other(self, kind: paused_items.Kind, about: str, write: Callable[[], None]) -> None:
        try:
            write()
        except (Refused, Missing) as error:  # A locked conversation, or labels that the App may not write.
            log.warning("publish.refused", pull=self.claim.pull_id, item=kind, why=str(error))
            with self.services.sessions() as session:
                paused_items.remember_refusal(session, self.claim.pull_id, kind, about, at=self.services.clock())
        except HubError as error:
            raise TryAgain(str(error)) from error

    def _write_check(self, shown: Publication) -> None:
        # Pull requests that share the head may be judged at the same time: written until nothing changed meanwhile.
        for _ in range(3):
            self._write_item(shown.check, shared=bool(shown.siblings))
            siblings = self._siblings()
            if siblings == shown.siblings:
                return self._wake(siblings) if shown.verdict.conclusion.passes else None
            with self.services.sessions() as session:
                self.confirm(session, shown)
                self._intend(session, [self._compose_check(shown, siblings)])
        raise Unreachable("other pull requests with the same head commit keep changing")

    def _wake(self, siblings: tuple[Sibling, ...]) -> None:
        """Queue the pull requests that hold this one up: they may have closed or passed without a webhook."""
        # Only who passes wakes others, and only those who don't: no two can keep each other awake.
        blocking = blocking_numbers(siblings)
        if not blocking:
            return
        with self.services.sessions() as session:
            for number in blocking:
                pull = review_mailbox.find(session, self.place.repository_id, number)
                if pull is not None and pull.id is not None:
                    review_mailbox.enqueue_review(session, self.services.engine, pull.id)

    def _write_item(self, change: ItemChange | None, *, shared: bool = False) -> None:
        if change is not None and change.intent is not None:
            change.remote_id = published_items.write(
                change.intent, change.writer, self.services, hold=self.hold, shared=shared
            )

    def _compose_check(self, shown: Publication, siblings: tuple[Sibling, ...]) -> ItemChange:
        shown.siblings = siblings
        others = tuple(sibling.number for sibling in siblings)
        waiting = replace(shown.context, shares_with=others, waits_for=blocking_numbers(siblings))
        conclusion = shared_conclusion(shown.verdict.conclusion, siblings)
        text = check_run.in_progress(waiting) if conclusion is None else check_run.check_run(shown.verdict, waiting)
        shown.check = ItemChange(self._check_item, self._check_writer(text, conclusion, shown.verdict))
        return shown.check

    def _intend(self, session: Session, changes: Sequence[ItemChange]) -> None:
        now = self.services.clock()
        # Most databases never came from a backup: no question then.
        since = self.snapshot.created_at if self.case.restored_at is not None else None
        new = published_item_rows.intend_all(session, [change.item for change in changes], at=now)
        for change in changes:
            change.intent = published_items.intend(
                session, change.item, change.writer.content, at=now, since=since, is_new=change.item in new
            )

    def _check_writer(self, text: CheckText, conclusion: Conclusion | None, verdict: Verdict | None = None) -> Writer:
        run = CheckRun(
            name=NAME,
            head_sha=self.snapshot.head_sha,
            external_id=external_ids.of_pull(self.place.repository_id, self.keeper.number),
            details_url=self._explain_url,
            title=text.title,
            summary=text.summary,
            text=text.text,
            conclusion=None if conclusion is None else conclusion.value,
            buttons=self._buttons(verdict) if conclusion and not conclusion.passes else (),
        )
        return published_items.check_writer(self.place, run, self.services.hub)

    def _buttons(self, verdict: Verdict | None) -> tuple[CheckButton, ...]:
        chosen = self.context().language
        problems = () if verdict is None else [problem.code for check in verdict.checks for problem in check.problems]
        # A press names the run's pull request, which on a shared head may be another one.
        if "cla/agent-alone" not in problems or self.keeper.pull_id != self.claim.pull_id:
            return (check_again(chosen),)
        return (check_again(chosen), _button(chosen, "answer", ANSWER_FOR_AGENTS))

    def _comment(self, shown: Publication) -> ItemChange | None:
        head_sha, now = self.snapshot.head_sha, self.services.clock()
        why = why_questions.is_asked(self.case.question, head_sha)
        # The first comment is for a person who has to do something; later ones keep what is there true.
        if ("comment", "") not in self.case.items and not why:
            idle = now - pull_state.last_change(self.case.pull, self.snapshot.updated_at) > IDLE_AFTER
            if shown.verdict.conclusion is not Conclusion.FAILURE or idle:
                return None
        body = comment.comment(shown.verdict, shown.context, why=why)
        paused = self.case.paused
        if body is None or paused.is_reversed("comment", "", at=now) or paused.is_refused("comment", head_sha, at=now):
            return None
        writer = published_items.comment_writer(
            self.place, self.snapshot.number, body, shown.context.marker, self.services.hub
        )
        again = partial(labels.may_write_again, self.claim, self.services, "comment", "", paused_items.UNKNOWN)
        item = PullRequestItem(self.claim.pull_id, "comment", "")
        return ItemChange(item, replace(writer, may_make_again=again))

    @property
    def _labels(self) -> LabelPublisher:
        return LabelPublisher(self.claim, self.case, self.snapshot, self.rules.labels, self.services)

    @property
    def _check_item(self) -> PullRequestItem:
        return PullRequestItem(self.keeper.pull_id, "check", self.snapshot.head_sha)

    def _siblings(self) -> tuple[Sibling, ...]:
        with self.services.sessions() as session:
            return heads.siblings(session, self.place.repository_id, self.snapshot.head_sha, self.claim.pull_id)


def _signoffs(verdict: Verdict | None, facts: Facts | None) -> int:
    """The number of addresses that signed off; 0 where no sign-off is asked for."""
    if facts is None or verdict is None or all(check.name != "DCO" for check in verdict.checks):
        return 0
    own = [commit for commit in facts.commits if not commit.is_merge]
    return len({who.email.casefold() for commit in own for who in signoffs(commit.message, folded=True)})


def language(choice: str, snapshot: PullRequestSnapshot) -> Language:
    """The language of check and comment: `auto` is Chinese, with English folded, for a pull request written in it; else English."""
    if choice in ("en", "zh", "both"):
        return cast("Language", choice)
    written = (snapshot.title, *(_NAMES.sub("", commit.message) for commit in snapshot.commits))
    return "both-zh" if any(HAN.search(text) and not KANA.search(text) for text in written) else "en"


def check_again(language: Language) -> CheckButton:
    """The button that asks to look again."""
    return _button(language, "button", CHECK_AGAIN)


def _button(language: Language, name: str, identifier: str) -> CheckButton:
    return CheckButton(check_run.button(language, name), check_run.button(language, f"{name}_says"), identifier)


def place_of(pull: FoundPull) -> RepositoryPlace:
    """The repository of the pull request, as far as we know."""
    return RepositoryPlace(pull.installation_id, pull.owner, pull.name, pull.repository_id)


def shared_conclusion(own: Conclusion, siblings: Sequence[Sibling]) -> Conclusion | None:
    """The conclusion for all of them: the worst; None (in progress) while one that could be worse is not known."""
    # A pass must wait for the others; a failure need not, since nothing makes it better.
    if own.passes and any(sibling.conclusion is None for sibling in siblings):
        return None
    known = [own, *(sibling.conclusion for sibling in siblings if sibling.conclusion is not None)]
    return min(known, key=WORST_FIRST.index)


def blocking_numbers(siblings: Sequence[Sibling]) -> tuple[int, ...]:
    """The numbers of the pull requests that do not pass, or not yet."""
    return tuple(sibling.number for sibling in siblings if sibling.conclusion is None or not sibling.conclusion.passes)
