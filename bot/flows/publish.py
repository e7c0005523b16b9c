"""Publish: one check run, one label of the pair, one comment; each created once, then updated, and only when it changes."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from agreements.facts import Conclusion, Verdict
from agreements.rules import Labels, Rules, for_repository
from bot import report
from bot.arrivals import marker
from bot.flows import slots
from bot.flows.parts import Parts
from bot.flows.slots import Slot
from bot.hub.ports import CheckRun, HubError, Look, Place
from bot.report import CheckText, Language, ReportContext
from bot.rulebook import Rulebook, RulebookProblem
from bot.store import publications, questions
from bot.store.publications import Kind
from bot.store.pulls import Claim

NAME = "Countersign"
IDLE = timedelta(days=30)
"""A pull request untouched for so long gets no new comment: nobody is waiting there."""
LOOKS = {
    "signed": ("1a7f37", "Everyone who contributed is covered"),
    "required": ("9a6700", "Somebody who contributed is not covered yet"),
}
"""Colour and description of a label that we have to create."""
HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Showing:
    """What is shown of one review of one head."""

    claim: Claim
    look: Look
    rulebook: Rulebook | RulebookProblem
    parts: Parts

    @property
    def place(self) -> Place:
        """Where to write: as GitHub named the repository just now."""
        return self.look.place

    @property
    def rules(self) -> Rules:
        """The rules in force; the defaults while the rulebook is broken."""
        return self.rulebook.rules if isinstance(self.rulebook, Rulebook) else Rules()

    @property
    def quiet(self) -> bool:
        """True in shadow mode: the verdict is recorded, GitHub is left alone."""
        return for_repository(self.rules, self.place.full_name).mode == "shadow"

    @property
    def context(self) -> ReportContext:
        """What the words need besides the verdict."""
        place, look = self.place, self.look
        return ReportContext(
            repository=place.full_name,
            number=look.number,
            head_sha=look.head_sha,
            base=look.base,
            sign_url=f"{self.parts.url}/sign/{self.rules.individual.text}?pr={place.full_name}/{look.number}",
            explain_url=f"{self.parts.url}/pr/{place.full_name}/{look.number}",
            language=language(self.rules.comment_language, look),
            marker=marker(place.repository_id, look.number),
            subjects={commit.sha: commit.message.partition("\n")[0] for commit in look.commits},
            others=len({commit.author.email for commit in look.commits if commit.author}) > 1,
            either=for_repository(self.rules, place.full_name).require == "either",
        )

    def in_progress(self) -> None:
        """Give a head that has no run yet one that is in progress."""
        if not self.quiet and slots.known(self._slot("check", self.look.head_sha), self.parts) is None:
            self._put_check(report.in_progress(self.context), None)

    def verdict(self, verdict: Verdict) -> None:
        """Show the verdict: check run first, then label, then comment."""
        if self.quiet:
            return
        self._put_check(report.check_run(verdict, self.context), verdict.conclusion)
        self._put_labels(wanted_label(verdict, self.rules.labels))
        self._put_comment(verdict)

    def _put_check(self, text: CheckText, conclusion: Conclusion | None) -> None:
        run = CheckRun(
            name=NAME,
            head_sha=self.look.head_sha,
            external_id=self.context.marker,
            details_url=self.context.explain_url,
            title=text.title,
            summary=text.summary,
            text=text.text,
            conclusion=None if conclusion is None else conclusion.value,
        )
        slots.put(
            self._slot("check", self.look.head_sha), slots.CheckWriter(self.place, run, self.parts.hub), self.parts
        )

    def _put_labels(self, wanted: str | None) -> None:
        hub, place, number, labels = self.parts.hub, self.place, self.look.number, self.rules.labels
        # GitHub tells labels apart by their letters, not by their case.
        present = {name.lower() for name in self.look.labels}
        for name in sorted({labels.signed, labels.required} - {wanted}):
            if name.lower() in present:
                hub.remove_label(place, number, name)
        if wanted and wanted.lower() not in present:
            if wanted not in self.look.known_labels:
                color, description = LOOKS["signed" if wanted == labels.signed else "required"]
                hub.create_label(place, wanted, color, description)
            hub.add_label(place, number, wanted)

    def _put_comment(self, verdict: Verdict) -> None:
        slot = self._slot("comment", "")
        with self.parts.sessions() as session:
            why = questions.answered(session, self.claim.pull_id, self.look.head_sha)
        if slots.known(slot, self.parts) is None and not why:
            idle = self.parts.clock() - self.look.updated_at > IDLE
            if verdict.conclusion is not Conclusion.FAILURE or idle:
                return
        body = report.comment(verdict, self.context, why=why)
        if body is not None:
            writer = slots.CommentWriter(self.place, self.look.number, body, self.context.marker, self.parts.hub)
            slots.put(slot, writer, self.parts)

    def _slot(self, kind: Kind, head_sha: str) -> Slot:
        return Slot(self.claim.pull_id, kind, head_sha)


def wanted_label(verdict: Verdict, labels: Labels) -> str | None:
    """The label that the verdict asks for: none where no CLA is judged, and none while it could not be judged."""
    cla = next((check for check in verdict.checks if check.name == "CLA"), None)
    if cla is None or cla.conclusion is Conclusion.NEUTRAL or verdict.conclusion is Conclusion.ACTION_REQUIRED:
        return None
    return labels.signed if cla.conclusion is Conclusion.SUCCESS else labels.required


def language(choice: str, look: Look) -> Language:
    """The language of check and comment: `auto` is both where the pull request itself is written in Chinese, else English."""
    if choice in ("en", "zh", "both"):
        return cast("Language", choice)
    return "both" if any(HAN.search(commit.message) for commit in look.commits) else "en"


def could_not_judge(claim: Claim, parts: Parts, why: str) -> None:
    """Say on the newest head, if a run of ours is there, that it could not be judged; a failure to say so changes nothing."""
    with parts.sessions() as session:
        published = publications.latest(session, claim.pull_id, "check")
    if published is None or published.remote_id is None:
        return
    place = Place(claim.installation_id, claim.owner, claim.name, claim.repository_id)
    text = report.could_not_judge(why)
    run = CheckRun(
        name=NAME,
        head_sha=published.head_sha,
        external_id=marker(claim.repository_id, claim.number),
        details_url=f"{parts.url}/pr/{place.full_name}/{claim.number}",
        title=text.title,
        summary=text.summary,
        conclusion="action_required",
    )
    slot = Slot(claim.pull_id, "check", published.head_sha)
    with suppress(HubError):
        slots.put(slot, slots.CheckWriter(place, run, parts.hub), parts)
