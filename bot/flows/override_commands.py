"""Commands that are recorded: an override or a word for agents' work, also by a button, and for whom a person contributes.

GitHub is asked who may. A reaction answers a command, the check a button. Doubt is a no.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlmodel import Session

from agreements.facts import Account
from agreements.identity.certifiers import agent_list
from agreements.identity.matching import address_key, noreply_owner
from agreements.identity.subjects import GHOST
from agreements.store.people import emails
from bot.flows import command_reply, cover_choice, gather
from bot.flows.flow_services import Services
from bot.github.ports import Comment, HubError, Missing, PullRequestSnapshot, Refused, Role
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.store.pulls import overrides, pull_state, review_mailbox, verdicts
from bot.store.pulls.overrides import OverrideDraft, OverrideKind
from bot.webhook import commands
from bot.webhook.events import CommandGiven, VouchPressed

# Between GitHub's clock, which dates the comment, and ours, which dates the verdict.
MAX_COMMENT_CLOCK_SKEW = timedelta(seconds=60)

_ENOUGH: dict[str, frozenset[Role]] = {  # The rulebook's `override` → the roles that it means, as GitHub names them.
    "nobody": frozenset(),
    "admins": frozenset({"admin"}),
    "maintainers": frozenset({"admin", "maintain"}),
}

# These may vouch for the work of AI agents, independent of what the rulebook says of overrides.
_MAY_WRITE: frozenset[Role] = frozenset({"admin", "maintain", "write"})

_NOT_OPEN = "the pull request is not open"
_NOT_ALLOWED = "the rulebook does not allow it"
_TOO_OLD = "the comment was made before the newest commit was checked"
# Kept as the reason of a vouch without a comment.
_BY_BUTTON = 'Pressed the button "I answer for this" on the check.'

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _OverrideRequest:
    """An override that a person asks for: what is `wanted` of `head_sha`, `by` whom.

    It stands in the comment `comment_id`, written at `said_at`; both None: a button was pressed.
    """

    wanted: commands.OverrideCommand
    head_sha: str
    by: Account
    comment_id: int | None = None
    said_at: datetime | None = None


def override(event: CommandGiven, services: Services) -> None:
    """Record the override behind a command, or say that it is not allowed. Raises HubError: try again later."""
    if event.repository.owner_id not in services.served:
        return
    place = gather.place_of(event)
    try:
        comment = services.hub.comment(place, event.comment_id)
        if not _is_the_senders(comment, event):
            return
        # The head of this moment: a push that overtakes the command is not let pass unseen.
        snapshot = gather.fetch_snapshot(place, event.number, services)
        if snapshot.owner_id not in services.served:
            return
        rulebook = gather.rulebook(snapshot, services)
        refusal = _decide_comment(event, comment, snapshot, rulebook, services)
    except (Missing, Refused) as error:  # Deleted meanwhile, or not for us to know: a no.
        log.info("override.not-read", why=str(error))
        return
    log.info("override.refused" if refusal else "override.recorded", command=event.command, why=refusal)
    if gather.is_quiet(snapshot.place, snapshot.rule_files, rulebook, services):
        return
    try:
        services.hub.react(snapshot.place, event.comment_id, "confused" if refusal else "rocket")
        if refusal == cover_choice.MISSHAPEN:
            command_reply.explain(event, snapshot.place, services)
    except HubError as error:  # A courtesy: what was decided stands without it.
        log.warning("override.not-answered", why=str(error))


def vouch_by_button(event: VouchPressed, services: Services) -> None:
    """Record that the person who pressed answers for agents' work, as their command would. Raises HubError: try again."""
    if event.repository.owner_id not in services.served:
        return
    try:
        snapshot = gather.fetch_snapshot(gather.place_of(event), event.number, services)
        # Another repository may have taken the name since.
        is_ours = snapshot.place.repository_id == event.repository.id and snapshot.owner_id in services.served
        if not is_ours or "Bot" in event.sender.type:
            return
        rulebook = gather.rulebook(snapshot, services)
        refusal = _decide_press(event, snapshot, rulebook, services)
    except (Missing, Refused) as error:  # Deleted meanwhile, or not for us to know: a no.
        log.info("override.not-read", why=str(error))
        return
    log.info("override.refused" if refusal else "override.recorded", command="vouch", why=refusal)
    if not refusal or gather.is_quiet(snapshot.place, snapshot.rule_files, rulebook, services):
        return
    try:
        command_reply.refuse_press(snapshot, rulebook, services, is_too_old=refusal == _TOO_OLD)
    except HubError as error:  # A courtesy, as above.
        log.warning("override.not-answered", why=str(error))


def _decide_press(
    event: VouchPressed, snapshot: PullRequestSnapshot, rulebook: Rulebook | RulebookProblem, services: Services
) -> str:
    if event.head_sha != snapshot.head_sha:  # The run of a commit that was replaced.
        return _TOO_OLD
    wanted = commands.OverrideCommand("vouch", _BY_BUTTON)
    return _decide(_OverrideRequest(wanted, event.head_sha, event.sender), snapshot, rulebook, services)


def _is_the_senders(comment: Comment, event: CommandGiven) -> bool:
    author = comment.author
    return (
        author is not None
        and author.id == event.sender.id
        and "Bot" not in (author.type, event.sender.type)  # A person answers for an override.
        and comment.number == event.number
    )


def _decide_comment(
    event: CommandGiven,
    comment: Comment,
    snapshot: PullRequestSnapshot,
    rulebook: Rulebook | RulebookProblem,
    services: Services,
) -> str:
    # The cheap questions come first.
    wanted = commands.override_command(comment.body)
    if event.command != "for" and (wanted is None or wanted.command != event.command):
        return cover_choice.MISSHAPEN
    if comment.edited:  # People with write access can edit the words of others.
        return "the comment was edited"
    if wanted is None:
        is_open = snapshot.state == "open"
        return cover_choice.decide(comment, event.comment_id, snapshot, rulebook, services) if is_open else _NOT_OPEN
    assert comment.author is not None
    asked = _OverrideRequest(wanted, event.head_sha, comment.author, event.comment_id, comment.created_at)
    return _decide(asked, snapshot, rulebook, services)


def _decide(
    asked: _OverrideRequest, snapshot: PullRequestSnapshot, rulebook: Rulebook | RulebookProblem, services: Services
) -> str:
    """Record it, or give the reason against it, for the log; "" once it is recorded."""
    if snapshot.state != "open":
        return _NOT_OPEN
    command, by = asked.wanted.command, asked.by
    role = services.hub.role(snapshot.place, by)
    if role not in _enough(command, rulebook) or (command == "vouch" and not _may_vouch(by, rulebook, services)):
        return _NOT_ALLOWED
    return _record(asked, role, snapshot, services)


def _enough(command: str, rulebook: Rulebook | RulebookProblem) -> frozenset[Role]:
    if not isinstance(rulebook, Rulebook):
        return _ENOUGH["nobody"]  # Without rules in force none allow it.
    if command == "vouch":
        return _MAY_WRITE
    rules = rulebook.rules
    return _ENOUGH[rules.dco.override if command == "override" else rules.people.override]


def _may_vouch(by: Account, rulebook: Rulebook | RulebookProblem, services: Services) -> bool:
    if not isinstance(rulebook, Rulebook):
        return False
    agents = rulebook.rules.people.agents
    is_agent = agent_list(agents, services.server, known=agents.known).is_account(by)
    return agents.policy != "block" and not is_agent  # An agent's word for agents is no person's.


def _record(asked: _OverrideRequest, role: Role, snapshot: PullRequestSnapshot, services: Services) -> str:
    wanted, target = asked.wanted, None
    if wanted.login is not None:
        try:
            # `ghost` is GitHub's name for a pusher whom it did not name.
            is_ghost = wanted.login.lower() == GHOST.login
            target = GHOST.id if is_ghost else services.hub.account_by_login(wanted.login).id
        except Missing:
            return "no GitHub account has this login"
    if wanted.email is not None and (refusal := _refused_address(asked, wanted.email, snapshot, services)):
        return refusal
    # Override, log entry and review in one transaction: an override without its entry lets no person pass.
    with services.change(asked.by.id) as context:
        session = context.session
        pull = review_mailbox.find(session, snapshot.place.repository_id, snapshot.number)
        if pull is None or pull.id is None:
            return "never judged"
        if refusal := _refusal(session, asked, pull.id, target, snapshot.head_sha):
            return refusal
        kind: OverrideKind = "vouch" if wanted.command == "vouch" else "dco"
        if wanted.command == "exempt":
            kind = "address" if wanted.login is None else "cla"
        draft = OverrideDraft(
            pull_id=pull.id,
            kind=kind,
            account_id=target,
            email=wanted.email,
            head_sha=snapshot.head_sha,
            by=asked.by,
            by_role=role,
            comment_id=asked.comment_id,
            reason=wanted.reason,
        )
        row = overrides.add(context, draft)
        review_mailbox.enqueue_review(session, services.engine, pull.id, queue="now")
        if row is not None:
            context.log("override.granted", rows=[row], details={"role": role})
    return ""


def _refused_address(asked: _OverrideRequest, address: str, snapshot: PullRequestSnapshot, services: Services) -> str:
    """The reason why this address is not exempted; "" when a commit here names it and no account has it."""
    history = services.hub.history(snapshot, coauthors=True)
    named = [(commit.author.email, commit.author_account) for commit in history.commits if commit.author is not None]
    named += [(other.email, other.account) for commit in history.commits for other in commit.coauthors]
    here = [account for email, account in named if address_key(email) == address]
    if not here:
        return "no commit here has this address"
    if any(account is not None for account in here):
        return "this address belongs to an account: exempt the account"
    with services.sessions() as session:
        own = emails.proven(session, services.vault, [asked.by.id], services.clock(), how=gather.PROVEN_BY)
    owner = noreply_owner(address, services.server)
    # Also by a no-reply address, which names its owner.
    is_own = address in map(address_key, own.get(asked.by.id, ())) or (owner is not None and owner.id == asked.by.id)
    return "for oneself" if is_own else ""


def _refusal(session: Session, asked: _OverrideRequest, pull_id: int, target: int | None, head_sha: str) -> str:
    """The reason in the records against it; "" for none. `target` is the account that it is for, if any."""
    # The person must have seen the result on this very head: a later push must not profit from an earlier comment.
    judged = verdicts.first(session, pull_id, head_sha)
    if asked.head_sha != head_sha or judged is None:
        return _TOO_OLD
    if asked.said_at is not None and judged > asked.said_at + MAX_COMMENT_CLOCK_SKEW:
        return _TOO_OLD
    known = pull_state.participants(session, pull_id)
    if asked.by.id == target or (asked.wanted.command == "override" and asked.by.id in known):
        return "for oneself"
    takes_part = _lacks_a_pusher(session, pull_id) if target == GHOST.id else target is None or target in known
    return "" if takes_part else "this account is not among those checked"


def _lacks_a_pusher(session: Session, pull_id: int) -> bool:
    # `ghost` may be exempted only where the verdict given last says that a pusher is not known.
    last = verdicts.latest(session, pull_id)
    return last is not None and any(
        entry["code"] == "facts/incomplete" and (entry.get("values") or {}).get("of") == "pushes"
        for entry in last.codes
    )
