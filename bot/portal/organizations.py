"""The organisation whose rules a page shows that names no pull request, whether people can sign by them; and the company of a page."""

from collections.abc import Iterable
from dataclasses import dataclass

from flask import request

from agreements.catalog import AgreementText
from agreements.cla.party import Parties, account_of, canonical_party
from agreements.rulebook.rules import Rules
from agreements.store.companies import company_agreements, company_mail, company_requests
from agreements.store.companies.company_requests import Overview
from bot.portal.portal_services import PortalServices, once, portal_services, reading
from bot.portal.session.visitor import signed_in, wanted_pull
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.records.agreement_view import AgreementView, NamedParty
from bot.store import owners


class CannotSign(Exception):
    """It is not known which agreement people are asked to sign, or with whom: the rulebook has mistakes, and never had none."""


class RulesUnread(CannotSign):
    """The owner's rulebook was not read yet, or the owner itself is not known yet."""


@dataclass(frozen=True, slots=True)
class ServedOrganization:
    """An account that is served: GitHub's `id`, and its `name` as it was configured."""

    id: int
    name: str


def shown() -> tuple[str, ...]:
    """The owner whose rules the page shows, then the others that it could show; empty where that is no question."""
    # No question: the pull request says it, one organization is served, or all have the same rulebook.
    chosen = _chosen()
    return (chosen.name, *(organization.name for organization in _served() if organization != chosen)) if chosen else ()


def query() -> str:
    """The end of an address of ours that is to show the same rules; empty where all pages show the same."""
    chosen = _chosen()
    return f"?organization={chosen.name}" if chosen else ""


def query_of(owner: int | None) -> str:
    """The end of an address of ours that shows the rules of that owner; empty where one rulebook is for all."""
    name = next((organization.name for organization in _served() if organization.id == owner), None)
    return f"?organization={name}" if name else ""


def remembered() -> str:
    """The end of an address of ours that names the visitor's pull request, else the owner whose rules they read."""
    pull = wanted_pull()
    return f"?pr={pull.name}" if pull else query()


def rules() -> Rules:
    """The rules of the pull request's owner, else of the organization that `shown` names."""
    return portal_services().rules(owner_id())


def parties() -> Parties:
    """The parties with which agreements were made that count under those rules."""
    return Parties(rules(), portal_services().owner_id(owner_id()))


def owner_of_party(party: str | None, services: PortalServices | None = None) -> int | None:
    """The first owner under whose rules agreements with that party count; None: the first account that is served."""
    services = services or portal_services()
    for organization in _served(services):
        if party is not None and Parties(services.rules(organization.id), organization.id).admit(party):
            return organization.id
    return None


def counting() -> frozenset[str]:
    """Every party that counts under the rulebook of any organization that is served."""
    services = portal_services()
    found = [Parties(services.rules(owner), services.owner_id(owner)).counting for owner in _owner_ids()]
    return frozenset().union(*found)


def all_parties() -> tuple[NamedParty, ...]:
    """Every party of a served organization's rulebook, and those that it lists as earlier names, each once."""
    services, found, earlier = portal_services(), dict[str, NamedParty](), list[str]()
    for owner in _owner_ids():
        current = services.party(owner)
        if current is not None:
            found.setdefault(current.id, current)  # Several owners may have one party.
        earlier += [canonical_party(name) for name in services.rules(owner).parties]
    for party, name in party_names(earlier).items():
        found.setdefault(party, NamedParty(party, name))
    return tuple(found.values())


def rules_with(party: str | None) -> Rules:
    """The rules under which agreements with that party count: of the owner whose party it is."""
    return portal_services().rules(owner_of_party(party))


def company_rules(company_id: str) -> Rules:
    """The rules under which a company's agreement counts: of the owner with whom it was made."""
    return rules_with(_with_whom(company_id))


def company_party(company_id: str) -> str:
    """The party with which a company's agreement was made, as people know it; "" while it is not known."""
    return party_name(_with_whom(company_id))


@once
def _with_whom(company_id: str) -> str | None:
    with portal_services().sessions() as records:
        return company_agreements.party(records, company_id)


def party_name(party: str | None) -> str:
    """The party as people know it: its name, or the login of the account that it is; "" while it is not known."""
    return party_names([party])[party] if party is not None else ""


def party_names(parties: Iterable[str | None]) -> dict[str, str]:
    """The names of several known parties, by party; asked together."""
    accounts = {party: account_of(party) for party in parties if party is not None}
    wanted = {account for account in accounts.values() if account is not None}
    logins: dict[int, str] = {}
    if wanted:
        with portal_services().sessions() as records:
            logins = owners.names_of(records, wanted)
    return {party: party if account is None else logins[account] for party, account in accounts.items()}


def party() -> NamedParty | None:
    """The party of agreements under those rules; None while it is not known."""
    return portal_services().party(owner_id())


def owner_id() -> int | None:
    """The owner of the rules; None: the first account that is served."""
    pull, chosen = wanted_pull(), _chosen()
    return pull.owner_id if pull else chosen.id if chosen else None


def agreement_to_sign(owner: int | None, name: str) -> AgreementView | None:
    """The agreement as that owner's rules ask for it; None when they ask for no such one. Raises CannotSign."""
    services = portal_services()
    state = services.rules_state(owner)
    if state == "broken":
        raise CannotSign
    if state == "unread":  # The defaults would name another party: such a signature would cover no one.
        raise RulesUnread
    found = agreement_view.show(services.catalog, services.rules(owner), services.owner(owner), name, language())
    if found is not None and found.party is None:  # The account behind these rules is not known yet.
        raise RulesUnread
    return found


def rulebooks_to_correct() -> int:
    """The number of rulebooks that have mistakes."""
    return sum(portal_services().rules_state(owner) in ("outdated", "broken") for owner in _owner_ids())


def unreviewed_texts() -> list[AgreementText]:
    """The texts that the rulebooks ask people to sign although counsel has not reviewed them; several may ask for one."""
    services = portal_services()
    return [text for owner in _owner_ids() for text in services.catalog.templates(services.rules(owner))]


def _owner_ids() -> list[int | None]:
    """The owners whose rulebooks differ; None alone where one rulebook is for all."""
    return [organization.id for organization in _served()] or [None]


def _chosen() -> ServedOrganization | None:
    """The one that the address names, else the first in the settings: never whichever was busy last."""
    served = () if wanted_pull() else _served()
    if len(served) < 2:
        return None
    services, wanted = portal_services(), request.args.get("organization", "")
    # By the name in our own links, else by any that the account has or had: READMEs may have another than we.
    known = services.known_owners().find(wanted, services.settings.accounts)
    named = [organization for organization in served if organization.name.lower() == wanted.lower()]
    return (named or [organization for organization in served if organization.id == known] or served)[0]


def _served(services: PortalServices | None = None) -> tuple[ServedOrganization, ...]:
    """The settings' owners whose rules are known, in that order; none where one file has all rules and a party."""
    services = services or portal_services()
    settings = services.settings
    if len(settings.accounts) < 2:
        return ()
    if settings.rulebook_path is not None and canonical_party(services.rules(None).organization):
        return ()
    known = services.known_owners()
    if settings.rulebook_path is None:
        return tuple(ServedOrganization(*item) for item in known.served(settings.accounts).items())
    found = known.configured(settings.accounts)
    return tuple(ServedOrganization(*item) for item in found.items()) if len(found) > 1 else ()


def company(company_id: str) -> Overview:
    """The company of the page; 404 when there is none."""
    accepted = portal_services().catalog.accepted()
    with reading() as (records, _vault, at):
        return company_requests.overview(records, company_id, accepted=accepted, at=at)


def unreached(company_id: str) -> bool:
    """Whether no address of who asks fits that company, so that no e-mail about it reaches them."""
    mine, server = signed_in().account.id, portal_services().server
    with reading() as (records, vault, _at):
        return not company_mail.addresses(records, vault, company_id, [mine], server=server)
