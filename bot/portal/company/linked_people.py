"""People whom a company covers because GitHub links an address to them: known from open pull requests alone."""

from sqlmodel import Session

from agreements.facts import Facts
from agreements.identity.people import linked_addresses
from agreements.rulebook.rules import Rules
from agreements.store.companies.rosters import Cover, Covered, Roll
from agreements.store.people import emails
from agreements.store.people.emails import MAILED_CODE
from agreements.vault import DecryptionFailed
from bot.portal.company.removal import accounts_of
from bot.portal.portal_services import PortalServices
from bot.rulebook.recorded_facts import CannotReplay, unpack
from bot.rulebook.replay import known_facts
from bot.store.pulls import stored_facts

_NONE: frozenset[str] = frozenset()


def find(
    services: PortalServices, session: Session, roll: Roll, rules: Rules, known: frozenset[int]
) -> tuple[Covered, ...]:
    """Everybody in an open pull request whom the company covers by an address that GitHub links to them, without `known`, by login.

    What cannot be opened says nothing: the page shows who is known.
    """
    if not roll.countersigned or "enrolled" in (rules.people.domains, roll.company.domains):
        return ()
    at, linked, logins = services.clock(), dict[int, frozenset[str]](), dict[int, str]()
    for pull in stored_facts.of_open(session):
        facts = _facts(services, pull)
        if facts is None:
            continue
        logins.update((one.id, one.login) for one in accounts_of(facts))
        for account_id, addresses in linked_addresses(facts).items():
            if account_id not in known:
                linked[account_id] = linked.get(account_id, _NONE) | addresses
    proven = emails.proven(session, services.vault, linked, at, how=(MAILED_CODE,))
    cover = Cover(roll, rules, at)
    found = [
        Covered(one, logins.get(one, ""), by)
        for one, addresses in linked.items()
        if (by := cover.by(one, frozenset(proven.get(one, ())), addresses))
    ]
    return tuple(sorted(found, key=lambda one: (one.login.lower(), one.account_id)))


def _facts(services: PortalServices, pull: stored_facts.OpenPull) -> Facts | None:
    if pull.stored is None:
        return None
    try:
        return known_facts(unpack(stored_facts.unseal(services.vault, pull.stored)))
    except (DecryptionFailed, CannotReplay):
        return None
