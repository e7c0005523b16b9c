"""Enrolling at one's company by a code mailed to the work address, and leaving it again; each step one transaction."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from flask import abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext
from sqlmodel import Session

from agreements.domains.domains import canonical_address, domains_over
from agreements.facts import Account
from agreements.store.companies import employee_invitations, enrolments
from agreements.store.companies.enrolments import Employer, EnrolmentRows
from agreements.store.people import email_codes, people
from agreements.store.people.email_codes import CodeResult, TooManyCodes
from agreements.store.record_context import RecordContext
from bot.mail import manager_emails
from bot.mail.manager_emails import ManagerNotice
from bot.portal import organizations
from bot.portal.contributor.emails import mail_code
from bot.portal.portal_services import PortalServices, portal_services
from bot.portal.session.visitor import signed_in, wanted_pull
from bot.portal.text.languages import Language, language
from bot.store.pulls import rejudge

_MAX_CODE_CHARACTERS = 64

_TRIED = {
    "wrong": lazy_gettext("That code is incorrect. Attempts left: %(count)s."),
    "expired": lazy_gettext("This code has expired. Request a new one."),
    "used-up": lazy_gettext("This code can no longer be used. Request a new one."),
    "gone": lazy_gettext("No company on this site covers that address."),
}
"""What is said of a code that did not enrol."""


@dataclass(frozen=True, slots=True)
class TriedCode:
    """What became of a code; `gone` means that it was right, but the company does not take this account any more."""

    outcome: Literal["right", "wrong", "expired", "used-up", "gone"]
    tries_left: int = 0


@dataclass(frozen=True, slots=True)
class _WantedParties:
    """With whom the employer's agreement had best be made (None: whoever), and whether no other will do."""

    parties: Collection[str] | None
    only: bool


_ANY = _WantedParties(None, only=False)


def company_enrol_page(company_id: str) -> ResponseReturnValue:  # noqa: ARG001 - the page is the same for every id
    """The same, by the link that a company hands out; it looks the same whether there is such a company or not."""
    return enrol_page()


def company_enrol(company_id: str) -> ResponseReturnValue:
    """Mail a code to that address, if that company covers it."""
    return enrol(company_id)


def try_code(code_id: str) -> ResponseReturnValue:
    """The right code enrols; every other answer says what to do."""
    who = signed_in()
    if not request.form.get("works"):
        return code_page(code_id, works=_("Tick the box to confirm.")), 400
    typed = request.form.get("code", "")[:_MAX_CODE_CHARACTERS]
    if not typed.strip():
        return code_page(code_id, code=_("Enter the eight-digit code.")), 400
    tried = answer_code(portal_services(), who.account, code_id, typed)
    if tried.outcome == "right":
        flash(_("You are enrolled. We are checking your open pull requests again."))
        pull = wanted_pull()
        return redirect(f"/pr/{pull.name}?after=1" if pull else "/me/enrolments")
    return code_page(code_id, code=str(_TRIED[tried.outcome]) % {"count": tried.tries_left}), 400


def my_enrolments() -> ResponseReturnValue:
    """Where this person is enrolled, until when, and how to end it."""
    services = portal_services()
    accepted, at = services.catalog.accepted(), services.clock()
    with services.sessions() as records:
        held = enrolments.of_account(records, signed_in().account.id, accepted=accepted, at=at)
    return render_template("company/enrol.html", step="mine", enrolments=held)


def leave(enrolment_id: str) -> ResponseReturnValue:
    """End one's own enrolment; what is over stays over."""
    who = signed_in()
    with portal_services().sessions() as records:
        found = enrolments.find(records, enrolment_id)
    if found is None or found[1] != who.account.id:
        abort(404)
    if end_enrolment(portal_services(), enrolment_id, by=who.account.id):
        flash(_("The enrolment has ended."))
    return redirect("/me/enrolments")


def enrol_page(error: str = "", chosen: str = "") -> str:
    """Which address is the one at work? Only addresses that GitHub verified are offered, so nobody can try out which companies there are."""
    server = portal_services().server
    addresses = [one for one in signed_in().emails if domains_over(one, server)]
    return render_template(
        "company/enrol.html", step="ask", addresses=addresses, error=error, chosen=chosen, pull=wanted_pull()
    )


def enrol(company_id: str | None = None) -> ResponseReturnValue:
    """Mail a code to that address, if a company covers it."""
    who, address = signed_in(), request.form.get("email", "")
    if address not in who.emails or canonical_address(address) is None:
        return enrol_page(_("Choose one of your addresses.")), 400
    try:
        # For a pull request only a company whose agreement counts there helps.
        wanted = _WantedParties(organizations.parties().counting, only=wanted_pull() is not None)
        code_id = ask_for_code(portal_services(), who.account, address, language(), company_id, wanted=wanted)
    except TooManyCodes as many:
        again = f"{many.again_at:%H:%M} UTC"
        return enrol_page(_("You have requested too many codes. Try again at %(time)s.", time=again), address), 429
    if code_id is None:
        return enrol_page(_("No company on this site covers that address."), address), 400
    return redirect(_remembering(f"/enrol/{code_id}"))


def code_page(code_id: str, **errors: str) -> str:
    """Where the code is typed in; a code that is over, or another's, has no form. `errors` by field.

    The company's name is known to whoever got a code.
    """
    services, account_id = portal_services(), signed_in().account.id
    at = services.clock()
    with services.sessions() as records:
        mine = email_codes.waiting(records, services.vault, account_id, at)
        waiting = next((one for one in mine if one.id == code_id and one.company_id), None)
        found = waiting and _employer(services, records, account_id, waiting.address, waiting.company_id, at)
    works = bool(request.form.get("works"))
    return render_template(
        "company/enrol.html", step="code", waiting=waiting, employer=found and found.name, errors=errors, works=works, again=_remembering("/enrol"),
    )  # fmt: skip


def _remembering(page: str) -> str:
    """A page on the way to an enrolment, each of which takes along for which pull request the visitor came."""
    pull = wanted_pull()
    return f"{page}?pr={pull.name}" if pull else page


def ask_for_code(
    services: PortalServices,
    account: Account,
    address: str,
    language: Language,
    company_id: str | None = None,
    *,
    wanted: _WantedParties = _ANY,
) -> str | None:
    """Mail a code to the work address; the code's id. Raises TooManyCodes when enough were mailed.

    None when no company covers that address, or none at which this account may enrol; which of them is not said.
    """
    at = services.clock()
    with services.sessions() as session:
        found = _employer(services, session, account.id, address, company_id, at, wanted=wanted)
        if found is None:
            return None
        return mail_code(session, services, account, address, language, company_id=found.company_id)


def answer_code(services: PortalServices, account: Account, code_id: str, typed: str) -> TriedCode:
    """Try the code; the right one enrols for a year, or for one more. The try is spent whatever comes of it."""
    with services.change(account.id) as context:
        session, at = context.session, context.at
        tried = email_codes.answer(session, services.vault, account_id=account.id, code_id=code_id, code=typed, at=at)
        if tried.outcome != "right":
            return TriedCode(tried.outcome, tried.tries_left)
        company_id = tried.company_id
        found = _employer(services, session, account.id, tried.address, company_id, at) if company_id else None
        if found is None:
            return TriedCode("gone")
        _enrol(services, context, account, tried, found)
    return TriedCode("right")


def end_enrolment(services: PortalServices, enrolment_id: str, *, by: int) -> bool:
    """End an enrolment now; False when there is none that runs. Whoever calls has checked that `by` may."""
    with services.change(by) as context:
        written = enrolments.end(context.session, enrolment_id, at=context.at)
        if written is None:
            return False
        rejudge.people(context.session, services.engine, [written.enrolment.account_id])
        _log(context, "enrolment.ended", written)
    return True


def _employer(  # noqa: PLR0913 - the services and the session come first everywhere, the rest is one question
    services: PortalServices,
    session: Session,
    account_id: int,
    address: str,
    company_id: str | None,
    at: datetime,
    *,
    wanted: _WantedParties = _ANY,
) -> Employer | None:
    """The company at which that account may enrol with that address; only the named one if one is named.

    An employer may have agreed with several parties: those that are wanted come first.
    """
    accepted = services.catalog.accepted()

    def employers(parties: Collection[str] | None) -> tuple[Employer, ...]:
        return enrolments.employers(
            session,
            services.vault,
            account_id,
            address,
            server=services.server,
            accepted=accepted,
            parties=parties,
            at=at,
        )

    if company_id is not None:
        return next((one for one in employers(None) if one.company_id == company_id), None)
    preferred = employers(wanted.parties) if wanted.parties is not None else ()
    return next(iter(preferred or (() if wanted.only else employers(None))), None)


def _enrol(
    services: PortalServices, context: RecordContext, account: Account, tried: CodeResult, found: Employer
) -> None:
    session, vault, at = context.session, context.vault, context.at
    person = people.ensure(session, vault, account=account, at=at, new_id=context.new_id())
    written = enrolments.add(context, person, found, tried.address)
    employee_invitations.enrolled(session, vault, found.company_id, tried.address, at=at)
    if written.new:
        values = {"login": account.login, "company": found.name, "domain": found.domain}
        values["url"] = f"{services.settings.url}/company/{found.company_id}/roster"
        occasion = ManagerNotice(kind="enrolled", values=values, about=account.id)
        manager_emails.write(context, found.company_id, occasion, server=services.server)
    rejudge.people(session, services.engine, [account.id])
    _log(context, "enrolment.added" if written.new else "enrolment.renewed", written)


def _log(context: RecordContext, kind: str, written: EnrolmentRows) -> None:
    row = written.enrolment
    rows = [one for one in (written.proof, row) if one is not None]
    details = {"company": row.company_id, "domain": row.domain, "until": row.until}
    context.log(kind, row.account_id, rows=rows, details=details)
