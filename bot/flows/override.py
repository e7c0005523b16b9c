"""An override by a maintainer's comment: permissions are asked of GitHub, it is recorded for one head, a reaction answers.

Doubt is a no. The head is the one that GitHub names at the moment when the command is acted on, and only if it is also
the head that we had judged last when the command arrived, and had judged before the comment was written: a push that
overtakes the command is not let pass unseen. An edited comment counts for nothing, since whoever may write to the
repository may have edited it.
"""

from dataclasses import dataclass
from datetime import timedelta

import structlog
from sqlmodel import Session

from agreements.facts import Account
from agreements.identity.people import GHOST
from agreements.store.record_context import RecordContext
from bot.flows import gather
from bot.flows.flow_services import Services
from bot.flows.shadow import is_quiet
from bot.github.ports import Comment, HubError, Missing, PullRequestSnapshot, Refused, Role
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.store.pulls import overrides, participants, review_mailbox, verdicts
from bot.store.pulls.overrides import OverrideDraft
from bot.webhook import commands
from bot.webhook.events import CommandGiven

MAX_COMMENT_CLOCK_SKEW = timedelta(seconds=60)
"""How far GitHub's clock, which dates the comment, may be behind ours, which dates the verdict."""

_ENOUGH: dict[str, frozenset[Role]] = {
    "nobody": frozenset(),
    "admins": frozenset({"admin"}),
    "maintainers": frozenset({"admin", "maintain"}),
}
"""The rulebook's `override` → the roles that it means, as GitHub names them."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _OverrideRequest:
    """An override that is whole, by whom GitHub says it is."""

    event: CommandGiven
    wanted: commands.OverrideCommand
    by: Account
    role: Role
    comment: Comment


def override(event: CommandGiven, services: Services) -> None:
    """Record the override behind a command, or say that it is not allowed. Raises HubError: try again later."""
    if event.repository.owner_id not in services.served:
        return
    place = gather.place_of(event)
    try:
        comment = services.hub.comment(place, event.comment_id)
        if not _is_the_senders(comment, event):
            return
        snapshot = gather.fetch_snapshot(place, event.number, services)
        if snapshot.owner_id not in services.served:
            return
        rulebook = gather.rulebook(snapshot, services)
        refusal = _decide(event, comment, snapshot, rulebook, services)
    except (Missing, Refused) as error:  # deleted meanwhile, or not for us to know: a no, and nothing to try again
        log.info("override.not-read", why=str(error))
        return
    log.info("override.refused" if refusal else "override.recorded", command=event.command, why=refusal)
    if is_quiet(snapshot, rulebook, services):
        return
    try:
        services.hub.react(snapshot.place, event.comment_id, "confused" if refusal else "rocket")
    except HubError as error:  # a courtesy: what was decided stands without it
        log.warning("override.not-answered", why=str(error))


def _is_the_senders(comment: Comment, event: CommandGiven) -> bool:
    """GitHub's word on the comment must be about the authenticated sender, a person, and this pull request."""
    author = comment.author
    return (
        author is not None
        and author.id == event.sender.id
        and "Bot" not in (author.type, event.sender.type)
        and comment.number == event.number
    )


def _decide(
    event: CommandGiven,
    comment: Comment,
    snapshot: PullRequestSnapshot,
    rulebook: Rulebook | RulebookProblem,
    services: Services,
) -> str:
    """Why it is not allowed, for the log; "" once it is recorded. The cheap questions come first."""
    wanted = commands.override_command(comment.body)
    if wanted is None or (wanted.login is None) != (event.command == "override"):
        return "misshapen"
    if comment.edited:
        return "the comment was edited"
    if snapshot.state != "open":
        return "the pull request is not open"
    assert comment.author is not None
    by = comment.author
    role = services.hub.role(snapshot.place, by)
    if role not in _enough(event, rulebook):
        return "the rulebook does not allow it"
    return _record(_OverrideRequest(event, wanted, by, role, comment), snapshot, services)


def _enough(event: CommandGiven, rulebook: Rulebook | RulebookProblem) -> frozenset[Role]:
    """The roles that the rules in force allow; none while there are no rules."""
    if not isinstance(rulebook, Rulebook):
        return _ENOUGH["nobody"]
    rules = rulebook.rules
    return _ENOUGH[rules.dco.override if event.command == "override" else rules.people.override]


def _account_id(login: str, services: Services) -> int:
    """Whom GitHub knows by that login now; `ghost`, its own name for nobody, means a pusher whom it did not name."""
    return GHOST.id if login.lower() == GHOST.login else services.hub.account_by_login(login).id


def _record(asked: _OverrideRequest, snapshot: PullRequestSnapshot, services: Services) -> str:
    """Write it down and have the pull request judged again, in one transaction; or why not."""
    target = None
    if asked.wanted.login is not None:
        try:
            target = _account_id(asked.wanted.login, services)
        except Missing:
            return "no GitHub account has this login"
    with services.sessions() as session:
        pull = review_mailbox.find(session, snapshot.place.repository_id, snapshot.number)
        if pull is None or pull.id is None:
            return "never judged"
        if refusal := _refusal(session, asked, pull.id, target, snapshot.head_sha):
            return refusal
        draft = OverrideDraft(
            pull_id=pull.id,
            account_id=target,
            head_sha=snapshot.head_sha,
            by=asked.by,
            by_role=asked.role,
            comment_id=asked.event.comment_id,
            reason=asked.wanted.reason,
        )
        at = services.clock()
        row = overrides.add(session, services.vault, draft, at=at, new_id=services.new_id())
        review_mailbox.enqueue_review(session, services.engine, pull.id, queue="now")
        if row is not None:
            context = RecordContext(session, services.vault, asked.by.id, at, services.new_id)
            context.log("override.granted", rows=[row], details={"role": asked.role})
    return ""


def _refusal(session: Session, asked: _OverrideRequest, pull_id: int, target: int | None, head_sha: str) -> str:
    """Why the records speak against it; "" when they do not. `target` is whom it is for, None for the DCO."""
    judged = verdicts.first(session, pull_id, head_sha)
    if asked.event.head_sha != head_sha or judged is None or judged > asked.comment.created_at + MAX_COMMENT_CLOCK_SKEW:
        return "the comment was made before the newest commit was checked"
    known = participants.of(session, pull_id)
    if asked.by.id == target or (target is None and asked.by.id in known):
        return "for oneself"
    takes_part = _lacks_a_pusher(session, pull_id) if target == GHOST.id else target is None or target in known
    return "" if takes_part else "this account is not among those checked"


def _lacks_a_pusher(session: Session, pull_id: int) -> bool:
    """Whether the verdict given last says that nobody can tell who pushed."""
    last = verdicts.latest(session, pull_id)
    return last is not None and any(
        entry["code"] == "facts/incomplete" and (entry.get("values") or {}).get("of") == "pushes"
        for entry in last.codes
    )
