"""The effect of a removal, worked out before it is done: people, and open pull requests judged again in memory."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlmodel import Session

from agreements.cla.coverage import AgreementIndex
from agreements.facts import Company, Entry, Facts
from agreements.identity.subjects import accounts_of, linked_addresses, participant_ids, written_addresses
from agreements.judge import judge
from agreements.rulebook.rules import Rules, for_repository
from agreements.store.companies import company_agreements, rosters
from agreements.store.companies.rosters import CompanyCover, CoveredPerson, Roster, RosterEntry
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import MAILED_CODE
from agreements.vault import DecryptionFailed
from bot.portal import organizations
from bot.portal.portal_services import PortalServices
from bot.rulebook.facts_replay import known_facts
from bot.rulebook.recorded_facts import CannotReplay, unpack
from bot.store.pulls import review_mailbox, stored_facts
from bot.store.pulls.stored_facts import PullWithFacts

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Removal:
    """A removal from `at` on: the entry `entry_id` says nothing, or the accounts and addresses in `exclude` are taken out.

    Or (`enrolled`) an address at a domain counts only for a person who enrolled with it.
    """

    at: datetime
    entry_id: str = ""
    exclude: tuple[Entry, ...] = field(default=(), repr=False)
    enrolled: bool = False

    def done(self, roster: Roster) -> Roster:
        """The roster after the removal."""
        if self.enrolled:
            return replace(roster, company=replace(roster.company, domains="enrolled"))
        if self.exclude:
            out = [
                RosterEntry(id="", excluded=True, login="", entry=replace(entry, since=self.at), added_at=self.at)
                for entry in self.exclude
            ]
            return roster.with_entries((*roster.named, *out))
        return roster.with_entries(
            tuple(
                replace(roster_entry, entry=replace(roster_entry.entry, until=self.at))
                if roster_entry.id == self.entry_id
                else roster_entry
                for roster_entry in roster.named
            )
        )


@dataclass(frozen=True, slots=True)
class RemovalEffect:
    """The people who would be `lost`, and those `kept` by other entries of the company.

    People covered `otherwise` stay covered; the company is not told by whom. `red` names public
    pull requests and `unknown` those that could not be judged; `red_private` and `unknown_private` count others.
    """

    lost: tuple[CoveredPerson, ...]
    otherwise: tuple[CoveredPerson, ...]
    kept: tuple[CoveredPerson, ...]
    red: tuple[str, ...]
    red_private: int
    unknown: tuple[str, ...]
    unknown_private: int


def effect(services: PortalServices, session: Session, roster: Roster, removal: Removal, rules: Rules) -> RemovalEffect:
    """The effect at the moment of the removal, from the records and the stored facts. Nothing is written."""
    after = removal.done(roster)
    trial = _RemovalSimulation(services, session, roster, after, removal.at)
    for pull in stored_facts.of_open(session):
        trial.look_at(pull)
    found = sorted(trial.people(rules), key=lambda pair: (pair[0].login.lower(), pair[0].account_id))
    return RemovalEffect(
        lost=tuple(person for person, otherwise in found if not person.by and not otherwise),
        otherwise=tuple(person for person, otherwise in found if not person.by and otherwise),
        kept=tuple(person for person, _otherwise in found if person.by),
        red=tuple(name for name in trial.red if name),
        red_private=trial.red.count(""),
        unknown=tuple(name for name in trial.unknown if name),
        unknown_private=trial.unknown.count(""),
    )


class _RemovalSimulation:
    """Goes through the open pull requests once, and remembers which addresses GitHub links to whom."""

    def __init__(self, services: PortalServices, session: Session, before: Roster, after: Roster, at: datetime) -> None:
        self._services, self._session, self._at = services, session, at
        self._before, self._after = before, after
        self._accepted = services.catalog.accepted()
        self._linked: dict[int, frozenset[str]] = {}
        self._labels = {
            roster_entry.entry.account_id: roster_entry.login
            for roster_entry in before.named
            if roster_entry.entry.account_id is not None
        }
        self.red: list[str] = []
        self.unknown: list[str] = []

    def look_at(self, pull: PullWithFacts) -> None:
        """Judge the pull request before and after the removal."""
        try:
            facts = self._facts(pull)
        except (DecryptionFailed, CannotReplay):  # Listed as unknown: it must not seem to stay green.
            self.unknown.append(self._name(pull))
            return
        if facts is None:
            return
        self._labels.update(
            (account.id, account.login)
            for account in accounts_of(facts.pull_request.opener, facts.senders, facts.commits)
        )
        for account_id, addresses in linked_addresses(facts.commits).items():
            self._linked[account_id] = self._linked.get(account_id, _NONE) | addresses
        # In shadow mode no check fails.
        if for_repository(facts.rules, facts.repository).mode == "shadow" or not self._turns_red(facts):
            return
        self.red.append(self._name(pull))

    def _name(self, pull: PullWithFacts) -> str:
        # A private one is only counted: the company may not be able to read it.
        row = review_mailbox.get(self._session, pull.pull_id)
        return "" if row is None or row.private else f"{pull.owner}/{pull.name}#{pull.number}"

    def people(self, rules: Rules) -> Iterator[tuple[CoveredPerson, bool]]:
        """The people whose cover changes, with the cover that stays, and whether other agreements cover them."""
        vault, server, at = self._services.vault, self._services.server, self._at
        covered = rosters.covered(self._session, vault, self._before, rules, server=server, at=at)
        listed = {person.account_id for person in covered}
        ids = listed | set(self._linked)
        proven = emails.proven(self._session, vault, ids, at, how=(MAILED_CODE,))
        before, after = (CompanyCover(roster, rules, server, at) for roster in (self._before, self._after))
        for account_id in ids:
            own, linked = frozenset(proven.get(account_id, ())), self._linked.get(account_id, _NONE)
            was, stays = before.by(account_id, own, linked), after.by(account_id, own, linked)
            if was != stays:
                otherwise = not stays and self._otherwise(account_id, own, linked, rules)
                yield CoveredPerson(account_id, self._login(account_id), stays), otherwise

    def _facts(self, pull: PullWithFacts) -> Facts | None:
        """The facts as they would be read then; None where the verdict did not rest on the company."""
        # The facts of an older head say nothing of this one.
        if pull.stored is None or pull.stored.head_sha != pull.head_sha:
            raise CannotReplay("its facts are not stored")
        packed = stored_facts.decrypt(self._services.vault, pull.stored)
        recorded = unpack(packed, self._services.server, owner_id=pull.owner_id)
        # It names its companies: a verdict is given anew whenever one of them changes.
        named = recorded.facts.get("companies")
        if not isinstance(named, list) or self._before.company.name not in {str(company["name"]) for company in named}:
            return None
        facts = known_facts(recorded)
        return None if facts is None else self._at_that_time(facts)

    def _at_that_time(self, facts: Facts) -> Facts:
        session, vault = self._session, self._services.vault
        ids, written = _people(facts), frozenset(written_addresses(facts.commits))
        proven = emails.proven(session, vault, ids, self._at, how=(MAILED_CODE,))
        return replace(
            facts,
            now=self._at,
            signatures=signatures.of(session, ids, accepted=self._accepted),
            emails=proven,
            companies=self._with(self._before, ids, written.union(*proven.values())),
        )

    def _turns_red(self, facts: Facts) -> bool:
        if not judge(facts).conclusion.passes:
            return False
        addresses = frozenset(written_addresses(facts.commits)).union(*facts.emails.values())
        changed = replace(facts, companies=self._with(self._after, _people(facts), addresses))
        return not judge(changed).conclusion.passes

    def _with(self, roster: Roster, ids: frozenset[int], addresses: frozenset[str]) -> tuple[Company, ...]:
        """The companies that may cover these people, ours as on that roster."""
        found = company_agreements.relevant(
            self._session, self._services.vault, ids, addresses, accepted=self._accepted
        )
        return tuple(roster.company if company.record == roster.company_id else company for company in found)

    def _otherwise(self, account_id: int, proven: frozenset[str], linked: frozenset[str], rules: Rules) -> bool:
        signed = signatures.of(self._session, [account_id], accepted=self._accepted)
        employers = self._with(self._after, frozenset({account_id}), proven | linked)
        owner = self._services.owner_id(organizations.owner_of_party(self._before.company.party, self._services))
        return (
            AgreementIndex(rules, self._at, signed, employers, owner_id=owner, server=self._services.server)
            .coverage_of(account_id, linked=linked, proven=proven)
            .covered
        )

    def _login(self, account_id: int) -> str:
        person = person_rows.find(self._session, account_id)
        return person.login if person else self._labels.get(account_id, "")


def _people(facts: Facts) -> frozenset[int]:
    return participant_ids(facts.pull_request.opener, facts.senders, facts.commits, facts.server)
