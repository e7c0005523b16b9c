"""Agreements whose party is not known: they cover no person until an administrator says with whom they were made."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from flask import request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import ngettext

from agreements.store import parties
from agreements.store.companies import managers
from agreements.store.parties import SignatureGroup, UndecidedSignatures
from bot.portal import organizations
from bot.portal.admin.page_context import render
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in
from bot.records import party_derivation
from bot.records.agreement_view import NamedParty
from bot.store.pulls import rejudge

_PATH = "/admin/parties"
_SHOWN_SIGNATURES = 50


@dataclass(frozen=True, slots=True)
class _Line:
    """One group of the page: `found` by the `key` that its form sends, `some` of its signatures: receipt, account, time."""

    key: str
    found: UndecidedSignatures
    some: Sequence[tuple[str, int, datetime]]


def parties_page() -> str:
    """The page of signatures without a party, in groups that were made in the same way."""
    with reading() as (records, _vault, _at):
        some = parties.first_of_each(records, most=_SHOWN_SIGNATURES)
        lines = [_Line(_key(group.group), group, some.get(group.group, ())) for group in parties.groups(records)]
        undecided = parties.companies(records)
        known = parties.known(records)
        unlisted = party_derivation.unlisted(records, organizations.counting())
    names = organizations.party_names(unlisted)
    return render(
        "admin/parties.html",
        lines=lines,
        companies=undecided,
        choices=_choices(known),
        unlisted=[(names[party], number, party_derivation.line_for(party)) for party, number in unlisted.items()],
        named=[account_id for line in lines for _receipt, account_id, _at in line.some],
        me=signed_in().account.id,
    )


@form_action(parties_page)
def decide_party() -> ResponseReturnValue:
    """Decide with whom the signatures of a group, those of them that are ticked, or a company's agreement were made."""
    key, party = field("about"), field("party")
    with reading() as (records, _vault, _at):
        known = parties.known(records)
        groups = {_key(group.group): group.group for group in parties.groups(records)}
    if party not in {choice.id for choice in _choices(known)}:  # A browser may send any text.
        raise FormRefused({f"party-{key}": _("Choose with whom it was signed.")})
    if key not in groups:
        count = _decide_company(key, party)
    # None: what is left are the administrator's own, which `parties.decide` leaves out.
    elif not (count := _decide_signatures(groups[key], party, request.form.getlist("receipt"))):
        own = _("You cannot decide this about your own signature. Another administrator can.")
        raise FormRefused({f"party-{key}": own}, 409)
    return done(_PATH, ngettext("%(num)s agreement was decided.", "%(num)s agreements were decided.", count))


def _choices(known: Sequence[str]) -> tuple[NamedParty, ...]:
    """The parties of the rulebooks, and every other that agreements were made with here."""
    found = {party.id: party for party in organizations.all_parties()}
    for party, name in organizations.party_names(known).items():
        found.setdefault(party, NamedParty(party, name))
    return tuple(found.values())


def _decide_signatures(group: SignatureGroup, party: str, receipts: Sequence[str]) -> int:
    count = 0
    while True:  # A lot a transaction: others wait for the log meanwhile.
        with change() as context:
            accounts = parties.decide(context, group, party, receipts=receipts)
            if accounts:
                rejudge.people(context.session, portal_services().engine, sorted(set(accounts)), queue="later")
        count += len(accounts)
        if not accounts:
            return count


def _decide_company(company_id: str, party: str) -> int:
    """The number of agreements decided. Raises FormRefused where the person manages the company, or did."""
    if not company_id.isalnum():
        return 0
    with change() as context:
        if managers.ever_managed(context.session, context.actor, company_id):
            own = _("You cannot decide this about a company that you manage. Another administrator can.")
            raise FormRefused({f"party-{company_id}": own}, 409)
        decided = parties.decide_company(context, company_id, party)
        if decided:
            rejudge.company(context.session, portal_services().engine, company_id, now=context.at)
    return int(decided)


def _key(group: SignatureGroup) -> str:
    # A group has no id of its own.
    return sha256("\0".join((*group.text, group.shown_sha256, group.format)).encode()).hexdigest()[:32]
