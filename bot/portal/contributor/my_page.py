"""The page of a signed-in person: their signatures and cover, addresses, companies and data."""

from flask import render_template
from flask.typing import ResponseReturnValue

from agreements.store.companies import managers
from agreements.store.people import emails, erasure_requests, signatures
from bot.portal import organizations
from bot.portal.contributor import coverage_status, new_version_notice
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import language
from bot.records import agreement_view


def me() -> ResponseReturnValue:
    """Everything of the visitor on one page, with the ways to change it."""
    who, services = signed_in(), portal_services()
    account_id, at, rules = who.account.id, services.clock(), organizations.rules()
    with services.sessions() as records:
        mine = signatures.mine(records, account_id)
        shown = emails.of_account(records, services.vault, account_id, at)
        coverage = coverage_status.of(records, services, who, rules, owner=organizations.owner_id())
        looked_after = managers.looked_after(records, services.vault, account_id, at=at)
        asked = erasure_requests.of_account(records, services.vault, account_id)
    return render_template(
        "contributor/my_page.html",
        mine=mine,
        titles={
            one.receipt: agreement_view.title(services.catalog, one.agreement, one.version, language(), one.language)
            for one in mine
        },
        shown=shown,
        coverage=coverage,
        companies=looked_after,
        erasure=asked[0] if asked else None,
        individual=rules.individual,
        newer=new_version_notice.waiting(account_id, rules, organizations.parties()),
        with_whom=organizations.party_names(one.party for one in mine),
    )
