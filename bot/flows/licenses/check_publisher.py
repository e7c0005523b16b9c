"""The run `Countersign / Licenses` of a head: made once, then brought up to date, found again after a crash."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.flows.flow_services import Services
from bot.flows.journey import hold
from bot.flows.publishing import published_items
from bot.flows.publishing.published_items import Shown
from bot.github.ports import CheckRun, HubError, PullRequestSnapshot, RepositoryPlace
from bot.job_queue import QueueName
from bot.report import license_check
from bot.report.check_run import CheckText, Language
from bot.store import license_checks
from bot.store.license_checks import LICENSE_CHECKS, Head, LicenseClaim
from bot.store.pulls import heads, published_item_rows, review_mailbox
from bot.store.pulls.heads import CheckRunOwner
from bot.store.pulls.published_item_rows import PullRequestItem
from bot.webhook import external_ids

NAME: Final = "Countersign / Licenses"


def publisher_of(claim: LicenseClaim, snapshot: PullRequestSnapshot, services: Services) -> "LicensePublisher":
    """The publisher of that head; the pull request of the snapshot keeps its runs unless another came first."""
    with services.sessions() as session:
        pull = review_mailbox.find(session, claim.head.repository_id, snapshot.number)
        assert pull is not None  # It led to the snapshot, and rows of pull requests stay.
        assert pull.id is not None
        keeper = heads.keep(session, claim.head.repository_id, claim.head.sha, pull.id, pull.number)
    return LicensePublisher(claim, snapshot.place, keeper, services, since=snapshot.created_at)


@dataclass(frozen=True, slots=True)
class LicensePublisher:
    """One run, that of the `claim`, and what it shows in the repository `place`; its row is the `keeper`'s.

    `since` is when the pull request came to be; None where a run is known to be there. `services` as for every flow.
    """

    claim: LicenseClaim
    place: RepositoryPlace
    keeper: CheckRunOwner
    services: Services
    since: datetime | None = None

    @property
    def is_there(self) -> bool:
        """True if a run of ours is on the head, as far as we remember; also one that was begun, and perhaps made."""
        with self.services.sessions() as session:
            return self._item.get(session) is not None

    def in_progress(self, language: Language) -> None:
        """Give a head without a run one that is in progress."""
        if published_items.known(self._item, self.services) is None:  # A run that is there keeps its last answer.
            self.put(license_check.in_progress(language), None)

    def put(self, text: CheckText, conclusion: Shown | None) -> None:
        """Show just this. Raises LostClaim when another run has taken the head over."""
        writer = published_items.check_writer(self.place, self._run(text, conclusion), self.services.hub)
        published_items.put(
            self._item,
            writer,
            self.services,
            hold=lambda: hold(LICENSE_CHECKS, self.claim, self.services),
            since=self.since,
        )

    def _run(self, text: CheckText, conclusion: Shown | None) -> CheckRun:
        return CheckRun(
            name=NAME,
            head_sha=self.claim.head.sha,
            external_id=external_ids.of_licenses(self.claim.head.repository_id, self.keeper.number),
            details_url="",
            title=text.title,
            summary=text.summary,
            text=text.text,
            conclusion=conclusion,
        )

    @property
    def _item(self) -> PullRequestItem:
        return PullRequestItem(self.keeper.pull_id, "licenses", self.claim.head.sha)


def could_not_judge(claim: LicenseClaim, services: Services, why: str) -> None:
    """Say on the head, if a run of ours is there, that it could not be judged. A failure to say so changes nothing."""
    with services.sessions() as session:
        keeper = heads.kept(session, claim.head.repository_id, claim.head.sha)
        asking = license_checks.open_pulls(session, claim.head)
        known = PullRequestItem(keeper.pull_id, "licenses", claim.head.sha).get(session) if keeper else None
    # The run appears only where a change may matter: a failure is no reason to begin one.
    if keeper is None or known is None or known.remote_id is None or not asking or asking[0].quiet:
        return
    pull = asking[0]
    place = RepositoryPlace(pull.installation_id, pull.owner, pull.name, pull.repository_id)
    with suppress(HubError):
        LicensePublisher(claim, place, keeper, services).put(license_check.could_not_judge(why), "action_required")


def write_anew(head: Head, services: Services, queue: QueueName = "later") -> None:
    """Have the head judged again, and the run written then, also when it shows the same."""
    with services.sessions() as session:
        keeper = heads.kept(session, head.repository_id, head.sha)
        if keeper is not None:
            # Without a digest the run is written also where it shows the same.
            published_item_rows.forget_digests(session, keeper.pull_id)
    with services.sessions() as session:
        LICENSE_CHECKS.enqueue(session, services.engine, head, queue=queue)
