"""Everything of a signed-in person: on one page, with the time zone of their pages, as one file, and the request that it be erased."""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta

from flask import redirect, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements import moments
from agreements.cla.coverage import validity
from agreements.rulebook.rules import Rules
from agreements.store import erasures, personal_data
from agreements.store.companies import enrolments, managers
from agreements.store.people import emails, erasure_requests, signatures
from agreements.store.people.signatures import OwnSignature
from bot import time_zones
from bot.portal import organizations
from bot.portal.contributor import coverage_status, new_version_notice
from bot.portal.downloads import download, log_export
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.redirects import login_path
from bot.portal.session.visitor import remember_time_zone, signed_in, signed_in_within, time_zone
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.store import activity_data as met
from bot.store import activity_erasure, portal_sessions
from bot.store.pulls import signed_pulls

SIGN_IN_MAX_AGE = timedelta(minutes=10)
"""The time after signing in within which the file may be downloaded: not at a computer that was left alone."""

FORMAT = "countersign/personal/1"
"""Names the shape of the file; another shape gets another number."""


def export_page() -> str:
    """The page that says what the file holds, with its button; or first the way to sign in again."""
    recent = signed_in_within(SIGN_IN_MAX_AGE)
    return render_template("contributor/export.html", recent=recent, again=login_path("/me/export"))


def take_along() -> ResponseReturnValue:
    """The file; too long after signing in it is the page again."""
    if not signed_in_within(SIGN_IN_MAX_AGE):
        return export_page(), 403  # With a link: a form must not lead away from here.
    account = signed_in().account
    with reading() as (records, vault, at):
        document = {
            "format": FORMAT,
            "exported_at": moments.text(at),
            "site": portal_services().url,
            "account": {"id": account.id, "login": account.login},
            **personal_data.everything(records, vault, account.id),
            **met.everything(records, vault, account.id),
            "complete": True,  # Last: a file that was cut off lacks it.
        }
    log_export("personal", account.id)  # Before it is handed out.
    body = json.dumps(document, ensure_ascii=False, indent=1)
    return download(body, "application/json", "countersign-my-data.json")


def erasure_page(*, late: bool = False) -> str:
    """The page on which erasure is asked for: its effects, the form unless a request waits, and earlier requests."""
    account_id = signed_in().account.id
    with reading() as (records, vault, at):
        mine = erasure_requests.of_account(records, vault, account_id)
        holds = erasures.holds(records, account_id, at=at)
        decided = activity_erasure.evidence(records, account_id) > 0
    return render_template(
        "contributor/erasure.html",
        erasures=mine,
        waits=any(erasure.state == erasure_requests.ASKED for erasure in mine),
        kept=holds.evidence or decided,
        signed_off=holds.signoffs > 0,
        decided=decided,
        years=portal_services().settings.retention_years,
        late=late,
    )


@form_action(erasure_page)
def ask_erasure() -> ResponseReturnValue:
    """Record the request, once; without the tick the page is shown again."""
    if field("sure") != "y":
        raise FormRefused({"sure": _("Tick the box to request erasure.")})
    with change() as context:
        erasure_requests.ask(context)
    return redirect("/me/erasure")


@form_action(erasure_page)
def take_back() -> ResponseReturnValue:
    """Withdraw the request while it is undecided; afterwards the page says what became of it."""
    with change() as context:
        taken = erasure_requests.take_back(context)
        newest = next(iter(erasure_requests.of_account(context.session, context.vault, context.actor)), None)
    # The second of two clicks finds it taken back already, as the page says.
    if not taken and (newest is None or newest.state != erasure_requests.WITHDRAWN):
        raise FormRefused({}, 409, late=True)
    return redirect("/me/erasure")


def me() -> str:
    """The page with all data of the visitor, and the ways to change it."""
    who, services = signed_in(), portal_services()
    account_id, rules = who.account.id, organizations.rules()
    with reading() as (records, vault, at):
        mine = signatures.mine(records, account_id)
        shown = emails.of_account(records, vault, account_id, at)
        coverage = coverage_status.of(records, services, who, rules, owner=organizations.owner_id())
        looked_after = managers.looked_after(records, vault, account_id, at=at)
        asked = erasure_requests.of_account(records, vault, account_id)
        signed_off = signed_pulls.of_account(records, account_id)
        held = enrolments.of_account(records, account_id, accepted=services.catalog.accepted(), at=at)
    return render_template(
        "contributor/my_page.html",
        mine=mine,
        titles={
            signature.receipt: agreement_view.title(
                services.catalog, signature.agreement, signature.version, language(), signature.language
            )
            for signature in mine
        },
        signed_off=signed_off,
        shown=shown,
        coverage=coverage,
        by_company=[employer for employer in coverage.employers if employer.how != "possible"],
        own=_counting(mine, rules, at),
        enrolled={enrolment.company_id: enrolment.id for enrolment in held if enrolment.running},
        managers_action=f"/employer/managers{organizations.remembered()}",
        companies=looked_after,
        erasure=asked[0] if asked else None,
        individual=rules.individual,
        newer=new_version_notice.waiting(mine, rules, organizations.parties()),
        with_whom=organizations.party_names(signature.party for signature in mine),
        zone=time_zone(),
        zones=[
            ("", _("Default (%(zone)s)", zone=services.settings.time_zone.key)),
            *((name, name) for name in time_zones.names()),
        ],
    )


@form_action(me)
def choose_time_zone() -> ResponseReturnValue:
    """Show the person's times in the zone of that name from now on; without a name in that of the settings."""
    name = field("zone")
    if name and name not in time_zones.names():
        raise FormRefused({"zone": _("Choose a time zone from the list.")})
    with portal_services().sessions() as records:
        portal_sessions.choose_time_zone(records, signed_in().account.id, name)
    remember_time_zone(name)
    return done("/me", _("Saved."))


def _counting(mine: Iterable[OwnSignature], rules: Rules, at: datetime) -> list[OwnSignature]:
    """The person's own signatures that cover them under those rules, each to be withdrawn by itself."""
    parties = organizations.parties()
    return [
        signature
        for signature in mine
        if signature.agreement == rules.individual.text
        and not (signature.for_company or signature.erased or signature.withdrawn_at)
        and signature.party is not None
        and parties.admit(signature.party)
        and validity(signature.version, rules.individual, rules, at)[0]
    ]
