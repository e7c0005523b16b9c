"""People whom a company covers because GitHub links an address to them: known from open pull requests alone."""

from collections.abc import Collection, Iterator

from sqlmodel import Session

from agreements.facts import Account, Commit
from agreements.identity.subjects import linked_addresses
from agreements.rulebook.rules import Rules
from agreements.store.companies.rosters import CompanyCover, CoveredPerson, Roster
from agreements.store.people import emails
from agreements.store.people.emails import MAILED_CODE
from agreements.vault import DecryptionFailed
from bot.portal.portal_services import PortalServices
from bot.rulebook.recorded_facts import CannotReplay, unpack_commits
from bot.store.pulls import pull_state, stored_facts

_NONE: frozenset[str] = frozenset()


def find(
    services: PortalServices, session: Session, roster: Roster, rules: Rules, known: frozenset[int]
) -> tuple[CoveredPerson, ...]:
    """People in an open pull request, but `known`, whom the company covers by an address GitHub links, by login."""
    # Where enrolment is required, GitHub's link to an address covers no person.
    if not roster.counts or "enrolled" in (rules.people.domains, roster.company.domains):
        return ()
    at, linked, logins = services.clock(), dict[int, frozenset[str]](), dict[int, str]()
    for stored in stored_facts.of_pulls(session, pull_state.pulls_with_others(session, known)):
        commits = _commits(services, stored)
        logins.update((author.id, author.login) for author in _authors(commits))
        for account_id, addresses in linked_addresses(commits).items():
            if account_id not in known:
                linked[account_id] = linked.get(account_id, _NONE) | addresses
    proven = emails.proven(session, services.vault, linked, at, how=(MAILED_CODE,))
    cover = CompanyCover(roster, rules, services.server, at)
    found = [
        CoveredPerson(account_id, logins.get(account_id, ""), by)
        for account_id, addresses in linked.items()
        if (by := cover.by(account_id, frozenset(proven.get(account_id, ())), addresses))
    ]
    return tuple(sorted(found, key=lambda person: (person.login.lower(), person.account_id)))


def logins(services: PortalServices, session: Session, account_ids: Collection[int]) -> dict[int, str]:
    """The logins of these accounts in open pull requests; an account that wrote in none is left out."""
    stored = stored_facts.of_pulls(session, pull_state.pulls_of(session, account_ids)) if account_ids else ()
    return {
        who.id: who.login for facts in stored for who in _authors(_commits(services, facts)) if who.id in account_ids
    }


def _commits(services: PortalServices, stored: stored_facts.StoredFacts) -> tuple[Commit, ...]:
    # The commits alone: a judged pull request holds much more, and there may be thousands.
    try:
        return unpack_commits(stored_facts.decrypt(services.vault, stored))
    except (DecryptionFailed, CannotReplay):  # It says nothing: the page shows the people who are known.
        return ()


def _authors(commits: tuple[Commit, ...]) -> Iterator[Account]:
    for commit in commits:
        yield from (
            account for account in (commit.author_account, *(each.account for each in commit.coauthors)) if account
        )
