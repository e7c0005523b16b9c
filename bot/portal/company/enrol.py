"""Enrolling at one's company by a code mailed to the work address, and leaving it again; each step one transaction."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from flask import abort, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext

from agreements.domains.domains import canonical_address, domains_over
from agreements.facts import Account
from agreements.store.companies import employee_invitations, enrolments
from agreements.store.companies.enrolments import Employer, EmployerSearch, EnrolmentRows
from agreements.store.people import email_codes, person_rows
from agreements.store.people.email_codes import TooManyCodes
from agreements.store.record_context import RecordContext
from bot.mail import manager_emails
from bot.mail.manager_emails import ManagerNotice
from bot.portal import organizations
from bot.portal.forms.form_action import FormRefused, done, form_action
from bot.portal.portal_services import PortalServices, portal_services, reading
from bot.portal.session.visitor import signed_in, wanted_pull
from bot.portal.signing import mail_code, too_many_codes
from bot.portal.text.languages import Language, language
from bot.store.pulls import rejudge

_MAX_CODE_CHARACTERS = 64  # Codes have eight digits.

_TRIED = {
    "wrong": lazy_gettext("That code is incorrect. Attempts left: %(count)s."),
    "expired": lazy_gettext("This code has expired. Request a new one."),
    "used-up": lazy_gettext("This code can no longer be used. Request a new one."),
    "gone": lazy_gettext("No company on this site covers that address."),
}
"""Sentences about a code that did not enrol."""


@dataclass(frozen=True, slots=True)
class TriedCode:
    """The `outcome` of a code and the `tries_left`; `gone`: it was right, but the company does not take this account any more."""

    outcome: Literal["right", "wrong", "expired", "used-up", "gone"]
    tries_left: int = 0


@dataclass(frozen=True, slots=True)
class _WantedParties:
    """The `parties` with which the employer's agreement should be made (None: any), and whether `only` those will do."""

    parties: Collection[str] | None
    only: bool


_ANY = _WantedParties(None, only=False)


def enrol_page() -> str:
    """The page that asks for the address at work."""
    server = portal_services().server
    # Only addresses that GitHub verified, so that a visitor cannot try out which companies there are.
    addresses = [email for email in signed_in().emails if domains_over(email, server)]
    # A page that knows the company preselects the address at its domain: a domain, as no address stands in a URL.
    at_domain = (one for one in addresses if request.args.get("domain") in domains_over(one, server))
    chosen = request.form.get("email") or next(at_domain, "")
    return render_template("company/enrol.html", step="ask", addresses=addresses, chosen=chosen, pull=wanted_pull())


def company_enrol_page(company_id: str) -> ResponseReturnValue:  # noqa: ARG001 - the page is the same for every id
    """The same page by the link that a company hands out; it does not tell whether there is such a company."""
    return enrol_page()


@form_action(enrol_page)
def enrol(company_id: str | None = None) -> ResponseReturnValue:
    """Mail a code to that address, if a company covers it."""
    who, address = signed_in(), request.form.get("email", "")
    # Any other address would let a visitor try out which companies there are.
    if address not in who.emails or canonical_address(address) is None:
        raise FormRefused({"email": _("Choose one of your addresses.")})
    try:
        # For a pull request only a company whose agreement counts there helps.
        wanted = _WantedParties(organizations.parties().counting, only=wanted_pull() is not None)
        code_id = ask_for_code(portal_services(), who.account, address, language(), company_id, wanted=wanted)
    except TooManyCodes as many:
        raise too_many_codes(many, "email") from None
    if code_id is None:
        raise FormRefused({"email": _("No company on this site covers that address.")})
    return redirect(_remembering(f"/enrol/{code_id}"))


def company_enrol(company_id: str) -> ResponseReturnValue:
    """Mail a code to that address, if that company covers it."""
    return enrol(company_id=company_id)


def code_page(code_id: str) -> str:
    """The page where the code is typed in; a code that is over, or another person's, has no form."""
    services, account_id = portal_services(), signed_in().account.id
    with services.change(account_id) as context:
        mine = email_codes.waiting(context.session, context.vault, account_id, context.at)
        waiting = next((one for one in mine if one.id == code_id and one.company_id), None)
        # A person who got a code may know the company's name.
        found = waiting and _employer(services, context, waiting.address, waiting.company_id)
    return render_template(
        "company/enrol.html",
        step="code",
        waiting=waiting,
        employer=found and found.name,
        works=bool(request.form.get("works")),
        again=_remembering("/enrol"),
    )


@form_action(code_page)
def try_code(code_id: str) -> ResponseReturnValue:
    """The right code enrols; every other answer says what to do."""
    if not request.form.get("works"):
        raise FormRefused({"works": _("Tick the box to confirm.")})
    typed = request.form.get("code", "")[:_MAX_CODE_CHARACTERS]
    if not typed.strip():
        raise FormRefused({"code": _("Enter the eight-digit code.")})
    tried = answer_code(portal_services(), signed_in().account, code_id, typed)
    if tried.outcome != "right":
        raise FormRefused({"code": str(_TRIED[tried.outcome]) % {"count": tried.tries_left}})
    pull = wanted_pull()
    return done(
        f"/pr/{pull.name}?after=1" if pull else "/me/enrolments",
        _("You are enrolled. We are checking your open pull requests again."),
    )


def my_enrolments() -> ResponseReturnValue:
    """The page of this person's enrolments: until when each one runs, and how to end it."""
    accepted = portal_services().catalog.accepted()
    with reading() as (records, _vault, at):
        held = enrolments.of_account(records, signed_in().account.id, accepted=accepted, at=at)
    return render_template("company/enrol.html", step="mine", enrolments=held)


def leave(enrolment_id: str) -> ResponseReturnValue:
    """End one's own enrolment; what is over stays over."""
    account_id = signed_in().account.id
    with reading() as (records, _vault, _at):
        found = enrolments.find(records, enrolment_id)
    if found is None or found[1] != account_id:  # Another person's does not exist here.
        abort(404)
    ended = end_enrolment(portal_services(), enrolment_id, by=account_id)
    return done("/me/enrolments", *([_("The enrolment has ended.")] if ended else []))


def _remembering(page: str) -> str:
    pull = wanted_pull()
    return f"{page}?pr={pull.name}" if pull else page  # Each step takes the pull request along.


def ask_for_code(
    services: PortalServices,
    account: Account,
    address: str,
    language: Language,
    company_id: str | None = None,
    *,
    wanted: _WantedParties = _ANY,
) -> str | None:
    """Mail a code to the work address; the code's id, None when no company takes it. Raises TooManyCodes."""
    with services.change(account.id) as context:
        # It stays unsaid why no company takes it: that would tell which companies there are.
        found = _employer(services, context, address, company_id, wanted=wanted)
        return mail_code(context, account, address, language, services.url, found.company_id) if found else None


def answer_code(services: PortalServices, account: Account, code_id: str, typed: str) -> TriedCode:
    """Try the code; the right one enrols for a year, or for one more. The try is spent in any case."""
    with services.change(account.id) as context:
        tried = email_codes.answer(context, code_id, typed)
        if tried.outcome != "right":
            return TriedCode(tried.outcome, tried.tries_left)  # The try is spent: the transaction is committed.
        # Looked up again: the company may have changed since the code was mailed.
        found = _employer(services, context, tried.address, tried.company_id) if tried.company_id else None
        if found is None:
            return TriedCode("gone")
        person = person_rows.ensure(context, account)
        written = enrolments.add(context, person, found, tried.address)
        employee_invitations.enrolled(context, found.company_id, tried.address)  # No reminder goes out any more.
        if written.new:  # Managers are not told of a renewal.
            values = {"login": account.login, "company": found.name, "domain": found.domain}
            values["url"] = f"{services.url}/company/{found.company_id}/roster"
            occasion = ManagerNotice(kind="enrolled", values=values, about=account.id)
            manager_emails.write(context, found.company_id, occasion, server=services.server)
        rejudge.people(context.session, services.engine, [account.id])
        _log(context, "enrolment.added" if written.new else "enrolment.renewed", written)
    return TriedCode("right")


def end_enrolment(services: PortalServices, enrolment_id: str, *, by: int) -> bool:
    """End an enrolment now; False when there is none that runs. The caller has checked that `by` may."""
    with services.change(by) as context:
        written = enrolments.end(context.session, enrolment_id, at=context.at)
        if written is None:
            return False
        rejudge.people(context.session, services.engine, [written.enrolment.account_id])
        _log(context, "enrolment.ended", written)
    return True


def _employer(
    services: PortalServices,
    context: RecordContext,
    address: str,
    company_id: str | None,
    *,
    wanted: _WantedParties = _ANY,
) -> Employer | None:
    """The company at which the account may enrol with that address; only the named one if one is named."""
    search = EmployerSearch(context.session, context.vault, services.server, services.catalog.accepted(), context.at)
    found = search.employers(context.actor, address)
    if company_id is not None:
        return next((one for one in found if one.company_id == company_id), None)
    # An employer may have agreed with several parties: those that are wanted come first.
    preferred = [one for one in found if wanted.parties is not None and one.party in wanted.parties]
    return next(iter(preferred or (() if wanted.only else found)), None)


def _log(context: RecordContext, kind: str, written: EnrolmentRows) -> None:
    row = written.enrolment
    rows = [one for one in (written.proof, row) if one is not None]
    details = {"company": row.company_id, "domain": row.domain, "until": row.until}
    context.log(kind, row.account_id, rows=rows, details=details)
