"""A rehearsal step by step: something is done at GitHub, and what GitHub shows is held against what our server recorded; and why a webhook did not come."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, repeat
from typing import Final, TypeVar

from bot import clock
from bot.clock import monotonic
from bot.doctor import webhook
from bot.flows.publishing.review_publisher import NAME
from bot.github.delivery_log import DeliveryAttempt
from bot.github.hub import Hub
from bot.github.ports import HubError, Missing, ShownCheck, Unreachable
from bot.rehearsal import observation, preparation
from bot.rehearsal.observation import STEPS, Observation, StepResult
from bot.rehearsal.person import GitHubPerson, OpenedPull
from bot.rehearsal.preparation import RehearsalPlan
from bot.settings import Settings
from bot.store.pulls.recorded_pull import RecordedPull
from bot.webhook import external_ids

_SINCE_TOLERANCE: Final = timedelta(seconds=2)
"""GitHub tells times to the second, and by more than one clock."""
_OTHER_DATABASE: Final = "Run this with the settings of the running server: COUNTERSIGN_DATABASE_URL names another database than the server's."
_LATE: Final = (
    "Look at the App's settings at GitHub (Advanced, Recent deliveries): GitHub may be late. Then run this again."
)


@dataclass(frozen=True, slots=True)
class WebhookFate:
    """The fate of a webhook at GitHub: `at` is when it was sent, `said` a clause, `remedy` a sentence or more."""

    said: str
    remedy: str
    at: datetime | None = None


def attempt(hub: Hub, event: str, repository_id: int, since: datetime) -> DeliveryAttempt | None:
    """GitHub's newest attempt to send an event of that repository since then, or None. Raises HubError."""
    try:
        newest = hub.newest_deliveries()
    except Missing:  # An older GitHub Enterprise Server has no such log.
        return None
    found = (delivery for delivery in newest if delivery.event == event and delivery.repository_id == repository_id)
    return next((delivery for delivery in found if delivery.at >= since - _SINCE_TOLERANCE), None)


def sent(delivery: DeliveryAttempt) -> str:
    """The attempt as a clause, with the status of its answer."""
    return f"{delivery.event} sent, {f'status {delivery.status}' if delivery.status else 'nobody answered'}"


def examine(hub: Hub, settings: Settings, event: str, repository_id: int, since: datetime) -> WebhookFate:
    """The reason why no such webhook of that repository since then is in our database."""
    try:
        found = attempt(hub, event, repository_id, since)
        # A server took it and stored it, but not in this database.
        if found is not None and found.is_accepted:
            return WebhookFate(sent(found), _OTHER_DATABASE, found.at)
        said = "GitHub lists no such delivery" if found is None else sent(found)
        at = None if found is None else found.at
        if found is None and event not in hub.registration().events:
            return WebhookFate(said, f"Subscribe the App to the event {event} in its settings (Permissions & events).")
    except HubError as error:
        return WebhookFate(f"GitHub did not say ({error})", _LATE)
    wrong = [result for result in webhook.delivered(settings, hub) if result.status == "fail"]
    return WebhookFate(said, f"{wrong[0].message} {wrong[0].remedy}" if wrong else _LATE, at)


_FIRST_PAUSES: Final = (0.5, 1.0, 2.0)
"""Seconds between the first looks."""
_LAST_PAUSE: Final = 3.0
"""Seconds between all others."""
_PAUSE_SLICE: Final = 0.1
"""Seconds after which the end of the rehearsal is noticed."""

_Found = TypeVar("_Found")


class Interrupted(Exception):
    """A person ended the rehearsal."""


class StepDeadline:
    """The end of one step's time, in seconds from now; `is_ended` says whether a person ended the rehearsal."""

    def __init__(self, seconds: float, is_ended: Callable[[], bool]) -> None:
        self._end = monotonic() + seconds
        self._is_ended = is_ended

    def wait(self, look: Callable[[], _Found | None]) -> _Found | None:
        """The result of `look`, None if time is up. Raises Interrupted; Unreachable if GitHub is silent at the end."""
        for pause in chain(_FIRST_PAUSES, repeat(_LAST_PAUSE)):
            if self._is_ended():
                raise Interrupted
            # Before the look, so that the last look comes after the end of the time.
            left = self._end - monotonic()
            try:
                found = look()
            except Unreachable:
                if left <= 0:
                    raise
                found = None
            if found is not None or left <= 0:
                return found
            until = monotonic() + min(pause, left)
            # In slices: no lock is waited for, which a signal's handler could find taken.
            while (left := until - monotonic()) > 0 and not self._is_ended():
                time.sleep(min(left, _PAUSE_SLICE))
        raise AssertionError("the pauses never end")


COMMAND: Final = "/cla-check"
TITLE: Final = "Rehearsal of Countersign"
BODY: Final = (
    "`countersign rehearse` opened this pull request to see that the check works here. "
    "Its commit has no sign-off, on purpose. The command closes it again and deletes the branch: there is nothing to do."
)
_EVENT: Final = "pull_request"
_EYES: Final = "eyes"  # The server's answer to a command that it takes.
_GITHUB_ASKED_AFTER: Final = 5.0
"""Seconds after which GitHub is asked what became of a webhook that our database does not have."""
_DOCTOR: Final = "Run `countersign doctor`, and look at the log of the server."


class Rehearsal:
    """One rehearsal; `run` gives the result of each step when it is there. The caller cleans up after it."""

    def __init__(  # noqa: PLR0913 - keywords for most, given once
        self, plan: RehearsalPlan, hub: Hub, person: GitHubPerson, settings: Settings, *, branch: str, timeout: float,
        read: Callable[[int], RecordedPull | None], is_ended: Callable[[], bool],
    ) -> None:  # fmt: skip
        """`timeout` is seconds a step; `read`: our record of a pull request by its number; `is_ended`: by a person."""
        self._plan, self._hub, self._person, self._settings = plan, hub, person, settings
        self._branch, self._timeout, self._is_ended = branch, timeout, is_ended
        self._of_database = read
        self._deadline = StepDeadline(0, is_ended)
        self._sha = ""
        self._opened: OpenedPull | None = None
        self._comment: tuple[int, datetime] | None = None
        self._settled_before: datetime | None = None

    @property
    def number(self) -> int | None:
        """The pull request's number, once it is opened."""
        return self._opened.number if self._opened else None

    @property
    def _pull(self) -> OpenedPull:
        assert self._opened is not None  # Only steps that need it come here.
        return self._opened

    def run(self) -> Iterator[StepResult]:
        """Every step in its order. A step whose need was not seen is skipped; after an interruption, all are."""
        looks: Mapping[str, Callable[[], Observation]] = {
            "commit": self._make_commit, "branch": self._make_branch, "pull-request": self._open, "webhook": self._webhook,
            "check": self._check, "label": self._label, "comment": self._find_comment, "command": self._say,
            "answer": self._answer, "close": self._close, "delete-branch": self._delete,
        }  # fmt: skip
        results: dict[str, StepResult] = {}
        for step in STEPS:
            begun = clock.monotonic()
            if self._is_ended():  # The rest is listed as skipped.
                seen = Observation("skipped", "interrupted")
            elif step.needs and results[step.needs].seen.status != "seen":
                title = results[step.needs].step.title
                seen = Observation("skipped", f"not tried, since the step “{title}” was not seen")
            else:
                seen = self._observe(looks[step.id])
            results[step.id] = StepResult(step, seen, round(clock.monotonic() - begun, 1))
            yield results[step.id]

    def _observe(self, look: Callable[[], Observation]) -> Observation:
        self._deadline = StepDeadline(self._timeout, self._is_ended)  # Each step has its own time.
        try:
            return look()
        except Interrupted:
            return Observation("missing", "interrupted", remedy="Run this again.")
        except Unreachable as error:
            return Observation("missing", str(error), remedy="Run this again when GitHub answers.")
        except HubError as error:
            remedy = preparation.remedy(error, self._settings, self._plan.place.full_name)
            return Observation("missing", str(error), remedy=remedy)

    def _read(self) -> RecordedPull | None:
        return self._of_database(self._pull.number)

    def _settled(self) -> RecordedPull | None:
        known = self._read()
        return known if known is not None and known.is_settled else None

    def _make_commit(self) -> Observation:
        self._sha, at = self._person.commit(self._plan.tip, self._branch)
        return Observation("seen", f"commit {self._sha[:7]} without sign-off, by {self._plan.me.login}", at)

    def _make_branch(self) -> Observation:
        self._person.create_branch(self._branch, self._sha)
        return Observation("seen", f"branch {self._branch} shows the commit")

    def _open(self) -> Observation:
        pull = self._opened = self._person.open_pull(self._branch, self._plan.sandbox.default_branch, TITLE, BODY)
        return Observation("seen", f"#{pull.number} opened: {pull.page}", pull.opened_at)

    def _webhook(self) -> Observation:
        asked_from = clock.monotonic() + _GITHUB_ASKED_AFTER

        # Our database is looked at; GitHub is asked for the time, and after a while why there is nothing.
        def look() -> Observation | None:
            known = self._read()
            came = known.delivery(_EVENT, "opened") if known else None
            if came is not None:
                delivery = self._attempt()
                said, at = (sent(delivery), delivery.at) if delivery else (f"{_EVENT} sent", None)
                return Observation("seen", said, at, "webhook stored", came.received_at)
            return self._lost(_EVENT) if clock.monotonic() >= asked_from and self._attempt() else None

        return self._deadline.wait(look) or self._lost(_EVENT)

    def _attempt(self) -> DeliveryAttempt | None:
        return attempt(self._hub, _EVENT, self._plan.place.repository_id, self._pull.opened_at)

    def _lost(self, event: str) -> Observation:
        since = self._comment[1] if self._comment else self._pull.opened_at
        fate = examine(self._hub, self._settings, event, self._plan.place.repository_id, since)
        return Observation("missing", fate.said, fate.at, f"no webhook {event} in our database", None, fate.remedy)

    def _check(self) -> Observation:
        def look() -> Observation | None:
            # A doubt may still be settled, so it is waited for another verdict.
            known, shown = self._read(), None
            if known is not None and known.conclusion not in (None, "action_required"):
                # By our App: another one may have a check run of that name.
                shown = next((run for run in self._runs() if run.app_id == self._plan.app.id), None)
            if known is None or shown is None or shown.conclusion != known.conclusion:
                return None
            wrong = observation.surprise(self._plan.rule, shown.conclusion or "", known.codes, self._sha)
            said = f"{NAME}: {shown.conclusion} (“{shown.title}”) by {_app(shown)}"
            seen = Observation("seen", said, shown.at, _verdict(known), known.judged_at)
            return replace(seen, status="missing", remedy=f"{wrong} {_DOCTOR}") if wrong else seen

        return self._deadline.wait(look) or self._check_not_seen()

    def _check_not_seen(self) -> Observation:
        runs, known = self._runs(), self._read()
        shown = ", ".join(f"{run.conclusion or 'in progress'} by {_app(run)}" for run in runs)
        said = f"{NAME}: {shown}" if runs else f"no check run {NAME} on {self._sha[:7]}"
        at = known.judged_at if known else None
        if known is None or known.conclusion is None:
            why = f" The last try failed: {known.error}." if known and known.error else " Is a worker running?"
            remedy = f"The server has not judged it.{why} {_DOCTOR}"
        elif known.is_quiet:
            remedy = "The server takes the repository for one in shadow mode: look at `countersign rulebook show`."
        elif known.conclusion == "action_required":
            remedy = f"{observation.surprise(self._plan.rule, known.conclusion, known.codes, self._sha)} {_DOCTOR}"
        else:
            remedy = f"GitHub does not show what the server decided. {_DOCTOR}"
        return Observation("missing", said, runs[0].at if runs else None, _verdict(known), at, remedy)

    def _runs(self) -> tuple[ShownCheck, ...]:
        return self._hub.shown_checks(self._plan.place, self._sha, NAME)

    def _label(self) -> Observation:
        known = self._deadline.wait(self._settled)
        if known is None:
            return self._not_settled()
        label, at = known.label, known.settled_at
        if not label:
            why = (
                "no CLA is required here" if self._plan.rule.require in ("dco", "none") else "the verdict asks for none"
            )
            return Observation("not-expected", recorded=f"no label: {why}", recorded_at=at)

        def is_on() -> bool | None:
            return label.casefold() in {name.casefold() for name in self._labels()} or None  # None: looked at again.

        if self._deadline.wait(is_on):
            return Observation("seen", f"label {label}", None, f"label {label} decided", at)
        shown = ", ".join(sorted(self._labels()))
        now = self._read()
        # It was decided and does not stay: another program may take it off.
        removed = now.delivery("pull_request", "unlabeled") if now else None
        if removed is None:
            return Observation("missing", f"labels: {shown or 'none'}", None, f"label {label} decided", at, _DOCTOR)
        said = "Somebody else takes our label off: a person, another App, or a second deployment for this organisation."
        return Observation(
            "missing",
            f"labels: {shown or 'none'}",
            None,
            f"label {label} was taken off again",
            removed.received_at,
            said,
        )

    def _not_settled(self) -> Observation:
        known = self._read()
        why = f": {known.error}" if known and known.error else ""
        return Observation("missing", recorded=f"the review has not ended{why}", remedy=_DOCTOR)

    def _labels(self) -> frozenset[str]:
        return self._hub.labels(self._plan.place, self._pull.number)

    def _find_comment(self) -> Observation:
        place, number = self._plan.place, self._pull.number
        known = self._deadline.wait(self._settled)
        if known is None:
            return self._not_settled()
        at = known.settled_at
        if not known.has_comment and known.conclusion != "failure":
            said = "no comment: there is nothing to do for the contributor"
            return Observation("not-expected", recorded=said, recorded_at=at)
        marker = external_ids.of_pull(place.repository_id, number)  # Other Apps comment, too.
        found = self._deadline.wait(lambda: self._hub.find_comment(place, number, marker))
        if found is None:
            return Observation("missing", "no comment by our App", None, _verdict(known), at, _DOCTOR)
        comment = self._hub.comment(place, found)
        return Observation("seen", f"comment by {self._plan.app.slug}[bot]", comment.created_at, "review done", at)

    def _say(self) -> Observation:
        known = self._read()
        self._settled_before = known.settled_at if known else None  # The answer has to be a later one.
        self._comment = self._person.comment(self._pull.number, COMMAND)
        return Observation("seen", f"comment {COMMAND} by {self._plan.me.login}", self._comment[1])

    def _answer(self) -> Observation:
        assert self._comment is not None  # The step before has made it.
        comment_id, _ = self._comment

        def look() -> Observation | None:
            known = self._settled()
            # The review that the comment asked for must have ended, and the check show what it decided.
            if known is None or known.delivery("issue_comment") is None or known.settled_at == self._settled_before:
                return None
            given = self._hub.our_reaction(self._plan.place, comment_id)
            shown = next((run for run in self._runs() if run.app_id == self._plan.app.id), None)
            if given is None or shown is None or shown.conclusion != known.conclusion:
                return None
            said = f"reaction {given[0]}; {NAME}: {shown.conclusion}"
            seen = Observation("seen", said, given[1], "judged again", known.settled_at)
            return seen if given[0] == _EYES else replace(seen, status="missing", remedy=_DOCTOR)

        return self._deadline.wait(look) or self._answer_not_seen(comment_id)

    def _answer_not_seen(self, comment_id: int) -> Observation:
        known, given = self._read(), self._hub.our_reaction(self._plan.place, comment_id)
        came = known.delivery("issue_comment") if known else None
        if came is None:
            return self._lost("issue_comment")
        said, at = (f"reaction {given[0]}", given[1]) if given else ("no reaction by our App", None)
        return Observation("missing", said, at, "webhook stored", came.received_at, _DOCTOR)

    def _close(self) -> Observation:
        at = self._person.close(self._pull.number)
        said = f"#{self._pull.number} closed by {self._plan.me.login}"
        if self._read() is None:  # Our server never heard of it.
            return Observation("seen", said, at)
        known = self._deadline.wait(self._known_closed)
        if known is None:
            return Observation("missing", said, at, "the server takes it for open", None, _DOCTOR)
        came = known.delivery("pull_request", "closed")
        return Observation("seen", said, at, "known to be closed", came.received_at if came else None)

    def _known_closed(self) -> RecordedPull | None:
        known = self._read()
        return known if known is not None and not known.is_open else None

    def _delete(self) -> Observation:
        self._person.delete_branch(self._branch)
        if self._deadline.wait(lambda: self._person.tip(self._branch) is None or None):  # None: looked at again.
            return Observation("seen", f"branch {self._branch} is gone")
        return Observation("missing", f"branch {self._branch} is still there", remedy="Delete it at GitHub.")


def _app(run: ShownCheck) -> str:
    return f"App {run.app_id}" if run.app_id is not None else "an App that GitHub does not name"


def _verdict(known: RecordedPull | None) -> str:
    if known is None or known.conclusion is None:
        return "no verdict yet"
    codes = sorted({str(code["code"]) for code in known.codes})
    return f"verdict {known.conclusion}" + (f" ({', '.join(codes)})" if codes else "")
