"""Gather: all that a verdict depends on, read from GitHub and from the records before anything is decided."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

import structlog
from sqlmodel import Session

from agreements.domains.canonical_form import canonical_address
from agreements.facts import Account, ChosenCover, Commit, Facts, Override, PortalSignoff, PullRequest, Sender
from agreements.identity.certifiers import is_bot, perhaps_bots, with_bots
from agreements.identity.subjects import participant_ids, written_addresses
from agreements.judge import coauthors_matter, next_change, required
from agreements.rulebook.rules import Labels, Rules
from agreements.store import coverage_records
from agreements.store.coverage_records import Records
from agreements.store.ledger import row_check
from agreements.store.ledger.row_check import RowCheck
from agreements.store.people import emails, person_rows, portal_signoffs
from agreements.store.people.emails import MAILED_CODE
from agreements.store.people.portal_signoffs import StoredSignoff
from agreements.store.tables.declarations import table_of
from bot.flows import redelivery, small_changes
from bot.flows.flow_services import Services
from bot.flows.held_commits import with_held
from bot.flows.journey import TryAgain
from bot.github.ports import Files, History, HubError, PullRequestSnapshot, RepositoryPlace, RuleFile, RuleFiles, Unread
from bot.job_queue import QueueName
from bot.records import row_codes
from bot.rulebook import effective as rulebooks
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.rulebook.recorded_facts import asked
from bot.store import owners
from bot.store.owners import Owner
from bot.store.pulls import cover_choices, overrides, pull_state, pushes, review_mailbox
from bot.store.pulls.cover_choices import CoverChoice
from bot.store.pulls.overrides import OverrideRow
from bot.store.pulls.pushes import Attribution, PushHistory
from bot.store.pulls.review_case import ReviewCase
from bot.store.pulls.review_mailbox import ReviewClaim
from bot.webhook import events

log = structlog.get_logger()
_Row = TypeVar("_Row", OverrideRow, CoverChoice)

# The one proof that a verdict rests on: GitHub's "verified" is historical, people keep an address when they leave.
PROVEN_BY = (MAILED_CODE,)

# Asked for with each snapshot, as the rules are not known yet: whether the repository has them.
DEFAULT_LABELS = (Labels().signed, Labels().required)


def place_of(event: events.RepositoryEvent) -> RepositoryPlace:
    """The repository that the event is about."""
    where = event.repository
    return RepositoryPlace(event.installation, where.owner, where.name, where.id)


def fetch_snapshot(place: RepositoryPlace, number: int, services: Services) -> PullRequestSnapshot:
    """The pull request as it is now. Raises HubError."""
    return services.hub.fetch_snapshot(place, number, DEFAULT_LABELS, organization=services.organization_file is None)


def rulebook(snapshot: PullRequestSnapshot, services: Services) -> Rulebook | RulebookProblem:
    """The rules in force for the repository, or why they cannot be had; the organisation's are kept for the portal."""
    found = read_rulebook(snapshot, services)
    with services.sessions() as session:
        remember_rulebook(session, snapshot, found, services)
    return found


def read_rulebook(snapshot: PullRequestSnapshot, services: Services) -> Rulebook | RulebookProblem:
    """The rules in force for the repository, or the reason why they cannot be had."""
    return rulebooks.read(
        snapshot.rule_files, services.organization_file, snapshot.place.full_name, texts=services.texts
    )


def remember_rulebook(
    session: Session,
    snapshot: PullRequestSnapshot,
    found: Rulebook | RulebookProblem,
    services: Services,
    *,
    known: Owner | None = None,
) -> None:
    """Keep the organisation's rules for the portal, unless they are `known`."""
    of_organization = snapshot.rule_files.organization
    if of_organization is not None:
        # A mistake may be the repository's own.
        valid = isinstance(found, Rulebook) or rulebooks.is_valid(of_organization.text, services.texts)
        if not owners.is_remembered(known, of_organization.text, valid=valid):
            owners.remember_rules(session, snapshot.owner_id, of_organization.text, valid=valid, at=services.clock())


def organization_rulebook(installation: int, owner: Account, services: Services) -> RuleFile | Unread:
    """The organisation's file, kept for the portal, or why it is not known, without a pull request. Raises HubError."""
    if services.organization_file:  # Kept for the portal when the server starts.
        return RuleFile(*services.organization_file)
    file = services.hub.organization_file(installation, owner)
    if isinstance(file, RuleFile):
        valid = rulebooks.is_valid(file.text, services.texts)
        with services.sessions() as session:
            owners.remember_rules(session, owner.id, file.text, valid=valid, at=services.clock())
    return file


def is_quiet(place: RepositoryPlace, files: RuleFiles, found: Rulebook | RulebookProblem, services: Services) -> bool:
    """True in `mode: shadow`: verdicts are recorded, and nothing is written at GitHub."""
    mode = rulebooks.mode(found, files, services.organization_file, place.full_name, services.texts)
    # While the mode is not known it stays as it was: a mistake in a file does not end shadow mode.
    return bool(_was_quiet(place, services)) if mode is None else mode == "shadow"


def is_quiet_at(place: RepositoryPlace, services: Services) -> bool:
    """True if the last review in that repository was quiet; before the first the rules are read. Raises HubError."""
    was_quiet = _was_quiet(place, services)
    if was_quiet is not None:
        return was_quiet
    files = services.hub.rule_files(place)
    found = rulebooks.read(files, services.organization_file, place.full_name, texts=services.texts)
    return is_quiet(place, files, found, services)


def _was_quiet(place: RepositoryPlace, services: Services) -> bool | None:
    with services.sessions() as session:
        return pull_state.was_quiet(session, place.repository_id)


@dataclass(frozen=True, slots=True)
class Gathered:
    """All `facts` for a verdict; `until` when time alone may change it; `pushed` is written down with the verdict."""

    facts: Facts
    until: datetime | None
    pushed: Attribution


def facts(
    claim: ReviewClaim, case: ReviewCase, snapshot: PullRequestSnapshot, rules: Rules, services: Services
) -> Gathered:
    """All facts for the verdict; remembers who takes part, for signatures to come. Raises HubError, TryAgain."""
    is_asked = "CLA" in required(rules, snapshot.place.full_name) and "senders" in rules.people.check
    unknown = _unknown_pushes(claim, case.pushes, snapshot, services, asked=is_asked)
    allowed, signed = _allowed(case, services), _signed_here(case, services)
    history = _history(snapshot, rules, (*allowed, *signed), services)
    pushed = _attributed(claim, case.pushes, history, complete=not unknown)
    senders = _senders(pushed.senders, case.pushes, snapshot, history, rules, services)
    request, members = _request(snapshot, rules, services), _members(snapshot, rules, services)
    people = participant_ids(snapshot.opener, senders, history.commits, services.server) | _answering(allowed, signed)
    commenters, now = _take_part(claim, case, people, history, services), services.clock()
    known = _records(people | {commenter.id for commenter in commenters}, history.commits, services, now)
    found = Facts(
        rules=rules,
        repository=snapshot.place.full_name,
        owner_id=snapshot.owner_id,
        owner_type=snapshot.owner_type,
        server=services.server,
        pull_request=request,
        commit_count=history.count,
        commits=history.commits,
        commits_doubt=history.doubt,
        senders=senders,
        unknown_pushes=unknown,
        members=members,
        signatures=known.signatures,
        companies=known.companies,
        emails=known.emails,
        commenters=commenters,
        mailmap=snapshot.mailmap,
        overrides=allowed,
        signoffs=signed,
        choices=_choices(case, services),
        now=now,
    )
    whole = _with_rest(found, claim, snapshot, history, services)
    return Gathered(whole, next_change(whole, known.proofs_until), pushed)


def _attributed(claim: ReviewClaim, known: PushHistory, history: History, *, complete: bool) -> Attribution:
    shas = [commit.sha for commit in history.commits]
    # With a push unknown, its commits could be tied to another sender.
    return pushes.attribute(known, claim.latest, shas, complete=history.has_all_commits and complete)


def _with_rest(
    facts: Facts, claim: ReviewClaim, snapshot: PullRequestSnapshot, history: History, services: Services
) -> Facts:
    """The facts, with what is asked only where the verdict depends on it; lines last, as those count once they let it pass."""
    held = with_held(facts, snapshot, history, services)
    return small_changes.with_lines(held, claim.pull_id, snapshot, services)


def _allowed(case: ReviewCase, services: Services) -> tuple[Override, ...]:
    # A row that is not in the log was not written by Countersign: it lets no person pass.
    return overrides.read(services.vault, _logged(OverrideRow, case.overrides, services))


def _answering(allowed: Sequence[Override], signed: Sequence[PortalSignoff]) -> frozenset[int]:
    """The account ids of the people who answer for work here by what they recorded."""
    # A person who vouches for agents' work takes responsibility for it, so they need cover, too. The proven addresses
    # of a person who signs off say which commits are theirs.
    return frozenset(
        [
            *(override.by.id for override in allowed if override.kind == "vouch"),
            *(signoff.account_id for signoff in signed),
        ]
    )


def _signed_here(case: ReviewCase, services: Services) -> tuple[PortalSignoff, ...]:
    return portal_signoffs.read(_logged(StoredSignoff, case.signoffs, services))


def _choices(case: ReviewCase, services: Services) -> tuple[ChosenCover, ...]:
    return cover_choices.newest(_logged(CoverChoice, case.choices, services))


def _logged(model: type[_Row], rows: Sequence[_Row], services: Services) -> list[_Row]:
    """Those of the rows that are as the log says."""
    if not rows:
        return []

    def unlogged() -> frozenset[str]:
        with services.sessions() as session:
            return row_check.unlogged(session, services.vault, model, [row.id for row in rows])

    name = table_of(model).name
    refused = row_codes.checked(
        services.sessions, services.vault, unlogged, lambda found: [(name, row_id) for row_id in found]
    )
    return [row for row in rows if row.id not in refused]


def _take_part(
    claim: ReviewClaim, case: ReviewCase, people: frozenset[int], history: History, services: Services
) -> tuple[Account, ...]:
    """Store who takes part; gives the people who joined by a comment and have proven an address of these commits."""
    # Before the signatures are read: a person who signs in between finds this pull request, or is found here.
    others, unlinked = case.participants - people, _unlinked(history.commits)
    # Who joined after this review began may mean commits that it does not see: the next one knows.
    waiting = others if case.pull.latest > claim.latest else frozenset()
    if not others and case.participants == people:
        return ()

    def remember(session: Session) -> tuple[Account, ...]:
        # Of participants only: a proof alone would tell the owner of an address to everyone who names it.
        proven = emails.proven(session, services.vault, others, services.clock(), how=PROVEN_BY) if others else {}
        found = person_rows.find_all(
            session, [account_id for account_id in proven if not unlinked.isdisjoint(proven[account_id])]
        )
        pull_state.replace_participants(
            session, claim.pull_id, people | found.keys() | waiting, known=case.participants
        )
        return tuple(Account(account_id, found[account_id].login) for account_id in sorted(found))

    return services.write(remember)


def _records(people: frozenset[int], commits: Collection[Commit], services: Services, now: datetime) -> Records:
    # The addresses in the commits are claims: they only find the companies that may be asked for.
    addresses = frozenset(filter(None, map(canonical_address, set(written_addresses(commits)))))
    accepted = services.catalog.accepted()

    def ask() -> Records:
        with services.look_ups() as connection:  # Rows and their codes by one query, so that both are of one moment.
            check = RowCheck(connection, services.vault)
            return coverage_records.records(check, people, addresses, accepted=accepted, at=now, now=now)

    return row_codes.checked(services.sessions, services.vault, ask, lambda found: found.unlogged)


def _history(
    snapshot: PullRequestSnapshot, rules: Rules, given: Sequence[Override | PortalSignoff], services: Services
) -> History:
    """The commits; a long list of co-authors is read to its end only where it matters who they are."""
    coauthors = coauthors_matter(rules, given).intersection(required(rules, snapshot.place.full_name))
    history = services.hub.history(snapshot, coauthors=bool(coauthors))
    # Asked only where a bot's commit needs no sign-off from any pusher: GraphQL names accounts of people alone.
    if "bots" in asked(rules, snapshot.place.full_name) and (claimed := perhaps_bots(history.commits, services.server)):
        bots = services.hub.linked_bots(snapshot, claimed)
        history = replace(history, commits=with_bots(history.commits, bots))
    return history


def _unlinked(commits: tuple[Commit, ...]) -> frozenset[str]:
    written = {commit.author.email for commit in commits if commit.author is not None and commit.author_account is None}
    written |= {other.email for commit in commits for other in commit.coauthors if other.account is None}
    return frozenset(filter(None, map(canonical_address, written)))


def _members(snapshot: PullRequestSnapshot, rules: Rules, services: Services) -> frozenset[int]:
    # A user's repository has no members to ask for.
    if snapshot.owner_type == "User" or "members" not in asked(rules, snapshot.place.full_name):
        return frozenset()
    return services.hub.members(snapshot.place)


def _request(snapshot: PullRequestSnapshot, rules: Rules, services: Services) -> PullRequest:
    # A request more, made only where a rule asks for it.
    files = services.hub.files(snapshot) if "files" in asked(rules, snapshot.place.full_name) else Files()
    return PullRequest(
        number=snapshot.number,
        opener=snapshot.opener,
        head_sha=snapshot.head_sha,
        base=snapshot.base,
        created_at=snapshot.created_at,
        labels=snapshot.labels,
        files=files.paths,
        files_complete=files.complete,
        changed_files=snapshot.changed_files,
    )


def is_behind(claim: ReviewClaim, known: PushHistory, head_sha: str) -> bool:
    """True when GitHub shows an older head than the push that it told us of last, or the events came out of order."""
    last = pushes.last(known, claim.latest)
    return last is not None and last.after != head_sha and last.sequence > claim.row.evaluated


def _unknown_pushes(
    claim: ReviewClaim, known: PushHistory, snapshot: PullRequestSnapshot, services: Services, *, asked: bool
) -> tuple[str, ...]:
    """The heads whose pusher is not known: no event told of the push, and GitHub, when asked, does not say.

    `asked`: whether the rules ask for pushers. Raises HubError, and TryAgain when the next review will know.
    """
    opener_id = None if snapshot.opener is None else snapshot.opener.id
    chain = pushes.chain(known, claim.latest, snapshot.head_sha, opener_id=opener_id)
    missing = chain.missing(snapshot.head_sha)
    if not missing:
        return ()
    with services.sessions() as session:
        pull = review_mailbox.get(session, claim.pull_id)
    if pull is not None and pull.latest > claim.latest:  # Perhaps just the push that is missing.
        raise TryAgain("a newer push is waiting")
    try:
        recorded = services.hub.pushes(snapshot)
    except HubError as error:
        if asked:
            raise
        # The rules ask for no pusher: a GitHub that does not answer now holds up no verdict.
        log.warning("pushes.not-looked-up", pull=claim.pull_id, why=str(error))
        return tuple(sorted(missing))
    found = pushes.pushes_to_missing_heads(missing, recorded, chain.heads | chain.seen)
    if found:
        with services.sessions() as session:
            for push in found:
                queue: QueueName = "now" if claim.row.urgent else "later"
                sequence = review_mailbox.enqueue_review(session, services.engine, claim.pull_id, queue=queue)
                before = push.before or pushes.NO_COMMIT  # "" would read as an opening, which answers for all commits.
                pushes.record(session, claim.pull_id, push.account, after=push.after, before=before, sequence=sequence)
        raise TryAgain("GitHub was asked who pushed")
    try:
        redelivery.redeliver_of(snapshot.place, services)
    except HubError as error:  # The verdict is given all the same, and the next review asks again.
        log.warning("pushes.not-redelivered", pull=claim.pull_id, why=str(error))
    return tuple(sorted(missing))


def _senders(
    accounts: Iterable[Account],
    known: PushHistory,
    snapshot: PullRequestSnapshot,
    history: History,
    rules: Rules,
    services: Services,
) -> tuple[Sender, ...]:
    """The accounts that pushed commits that are still in the pull request; of machines also which commits."""
    # GitHub is asked for the role of those alone on whom the verdict may depend.
    judged = _judged_anyway(snapshot, history, rules.people.check)
    exempt = {account.id for account in (*rules.people.exempt, *rules.dco.exempt)}
    return tuple(
        Sender(
            account,
            may_write=account.id not in judged and services.hub.role(snapshot.place, account) != "none",
            # A machine needs no sign-off on its own commits: it must not lend that to those of others.
            shas=pushes.brought(known, history.commits, account.id)
            if is_bot(account) or account.id in exempt
            else None,
        )
        for account in accounts
    )


def _judged_anyway(snapshot: PullRequestSnapshot, history: History, check: Collection[str]) -> frozenset[int]:
    found = [snapshot.opener] if "opener" in check else []  # Asked with or without write access.
    if "authors" in check:
        # A merge of the base makes no author.
        found += [commit.author_account for commit in history.commits if not commit.is_merge]
    return frozenset(account.id for account in found if account is not None)
