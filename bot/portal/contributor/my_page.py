"""My page: what I signed and how I stand, my addresses and companies, my data."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter

from agreements.store.companies import managers
from agreements.store.people import emails, erasure_requests, signatures
from bot.portal import organizations
from bot.portal.contributor import coverage_status, data_export, erasure_request, new_version_notice, withdrawal
from bot.portal.contributor import emails as addresses
from bot.portal.languages import language
from bot.portal.page_access import Route, Who, open_routes
from bot.portal.portal_services import portal_services
from bot.portal.visitor import signed_in
from bot.records import agreement_view


def make_me(limiter: Limiter) -> Blueprint:
    """The blueprint with `/me` and what is below it, and withdrawing."""
    blueprint = Blueprint("me", __name__)
    routes = (
        Route("/me", me, Who.SIGNED_IN),
        *addresses.ROUTES,
        *withdrawal.ROUTES,
        *data_export.ROUTES,
        *erasure_request.ROUTES,
    )
    open_routes(blueprint, limiter, routes)
    return blueprint


def me() -> ResponseReturnValue:
    """Everything of the visitor on one page, with the ways to change it."""
    who, given = signed_in(), portal_services()
    account_id, at, rules = who.account.id, given.clock(), organizations.rules()
    with given.sessions() as records:
        mine = signatures.mine(records, account_id)
        shown = emails.of_account(records, given.vault, account_id, at)
        stands = coverage_status.of(records, given, who, rules)
        looked_after = managers.looked_after(records, account_id, at=at)
        asked = erasure_requests.of_account(records, given.vault, account_id)
    return render_template(
        "contributor/my_page.html",
        mine=mine,
        titles={
            one.receipt: agreement_view.title(given.catalog, one.agreement, one.version, language(), one.language)
            for one in mine
        },
        shown=shown,
        stands=stands,
        companies=looked_after,
        wish=asked[0] if asked else None,
        individual=rules.individual,
        newer=new_version_notice.waiting(account_id, rules),
    )
