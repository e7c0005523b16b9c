"""Enrolling at one's company by a code mailed to the work address, and leaving it again; each step one transaction."""

from dataclasses import dataclass, replace
from typing import Literal

from flask import abort, redirect, render_template, request, session
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext

from agreements.domains.canonical_form import approvable, canonical_address
from agreements.facts import Account
from agreements.store.companies import employee_invitations, enrolments
from agreements.store.companies.enrolments import Employer, EmployerSearch, EnrolmentRows
from agreements.store.people import email_codes, person_rows
from agreements.store.people.email_codes import TooManyCodes
from agreements.store.people.emails import CODE_PROOF_LIFETIME
from agreements.store.record_context import RecordContext
from bot.mail import manager_emails
from bot.mail.manager_emails import ManagerNotice
from bot.portal import organizations, pull_request_status
from bot.portal.company import work_addresses
from bot.portal.company.work_addresses import ANY_PARTY, WantedParties
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.refusals import REFUSALS
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import PortalServices, portal_services, reading
from bot.portal.session.visitor import signed_in, wanted_pull
from bot.portal.signing import mail_code, prove_address, too_many_codes
from bot.portal.text.languages import Language, language
from bot.store import outbox
from bot.store.outbox import Email
from bot.store.pulls import rejudge

_MAX_CODE_CHARACTERS = 64  # Codes have eight digits.
_COMPANY_OF_CODE = "company_of_code"

_NOT_HERE = lazy_gettext("You cannot enrol here with this address.")

_TRIED = {
    "wrong": lazy_gettext("That code is incorrect. Attempts left: %(count)s."),
    "expired": lazy_gettext("This code has expired. Request a new one."),
    "used-up": lazy_gettext("This code can no longer be used. Request a new one."),
    "gone": _NOT_HERE,
}
"""Sentences about a code that did not enrol."""


@dataclass(frozen=True, slots=True)
class TriedCode:
    """The `outcome` of a code, the `tries_left`, and the `enrolment` that a right one led to.

    `gone`: it was right, but the company does not take this account any more. `unmatched`: it was right, and verified an
    address at which no company enrols this account.
    """

    outcome: Literal["right", "wrong", "expired", "used-up", "gone", "unmatched"]
    tries_left: int = 0
    enrolment: str = ""


def enrol_page(company_id: str | None = None) -> str:
    """The page that asks for the address at work, and says which of the visitor's own ones will do."""
    known = work_addresses.of_visitor(company_id, _wanted())
    good = [address for address in known if address.employer]
    # A page that knows the company preselects the address at its domain: a domain, as no address stands in a URL.
    at_domain = [
        address.address
        for address in good
        if address.employer and address.employer.domain == request.args.get("domain")
    ]
    sent = [address.address for address in good if address.address == request.form.get("email")]
    return render_template(
        "company/enrol.html",
        step="ask",
        good=good,
        others=[address.address for address in known if not address.employer],
        chosen=next(iter(sent or at_domain or [address.address for address in good]), ""),
        other=field("other"),
        pull=wanted_pull(),
    )


def company_enrol_page(company_id: str) -> ResponseReturnValue:
    """The same page by the link that a company hands out; it does not tell whether there is such a company."""
    return enrol_page(company_id)


@form_action(enrol_page)
def enrol(company_id: str | None = None) -> ResponseReturnValue:
    """Mail a code: to an address of the visitor's if a company covers it, to any other without telling whether one does."""
    place = "other" if "other" in request.form else "email"
    address = _work_address(field("other")) if place == "other" else field("email")
    mine = {canonical_address(address.address): address for address in work_addresses.of_visitor(company_id, _wanted())}
    known = mine.get(canonical_address(address))
    if known is None and place == "email":
        raise FormRefused({"email": _("Choose one of your addresses.")})
    if known is not None and known.employer is None:
        raise FormRefused({place: str(_NOT_HERE)})
    try:
        code_id = _mailed(address) if known is None else ask_for_code(
            portal_services(), signed_in().account, known.address, language(), company_id, wanted=_wanted()
        )  # fmt: skip
    except TooManyCodes as many:
        raise too_many_codes(many, place) from None
    if known is None and company_id is not None:
        # Not stored with the code: its page would look the company up, and so tell whether it covers the address.
        session[_COMPANY_OF_CODE] = [code_id, company_id]
    if code_id is None:  # The company has changed since the page looked.
        raise FormRefused({place: str(_NOT_HERE)})
    return redirect(_remembering(f"/enrol/{code_id}"))


def company_enrol(company_id: str) -> ResponseReturnValue:
    """Mail a code to that address, if that company covers it."""
    return enrol(company_id=company_id)


def _work_address(typed: str) -> str:
    """The canonical form of an address that may be one at work. Raises FormRefused."""
    address, server = canonical_address(typed), portal_services().server
    if address is None:
        raise FormRefused({"other": _("Enter a valid e-mail address, such as name@example.org.")})
    domain = address.rpartition("@")[2]
    reason = "code-host" if server.is_noreply(domain) else approvable(domain)
    if reason is not None:
        raise FormRefused({"other": f"{REFUSALS[reason]} {_('Enter your work address.')}"})
    return address


def _mailed(address: str) -> str:
    # The same whether a company covers it: the page must not tell.
    with change() as context:
        return mail_code(context, signed_in().account, address, language(), portal_services().url)


def _wanted() -> WantedParties:
    # For a pull request only a company whose agreement counts there helps.
    return WantedParties(organizations.parties().counting, only=wanted_pull() is not None)


def code_page(code_id: str) -> str:
    """The page where the code is typed in; a code that is over, or another person's, has no form."""
    services, account_id = portal_services(), signed_in().account.id
    with services.change(account_id) as context:
        mine = email_codes.waiting(context.session, context.vault, account_id, context.at)
        waiting = next((code for code in mine if code.id == code_id), None)
        # A person who got a code for a company may know its name; for another address it is not looked up before.
        of_company = waiting is not None and waiting.company_id is not None
        found = _employer(services, context, waiting.address, waiting.company_id) if waiting and of_company else None
    return render_template(
        "company/enrol.html",
        step="code",
        waiting=waiting if found or not of_company else None,
        employer=found and found.name,
        typed=field("code"),
        works=bool(field("works")),
        again=_remembering("/enrol"),
    )


@form_action(code_page)
def try_code(code_id: str) -> ResponseReturnValue:
    """The right code enrols; every other answer says what to do."""
    typed = field("code")[:_MAX_CODE_CHARACTERS]
    missing = {} if typed else {"code": _("Enter the eight-digit code.")}
    if not field("works"):
        missing["works"] = _("Tick the box to confirm.")
    if missing:
        raise FormRefused(missing)
    of_code, company_id = session.get(_COMPANY_OF_CODE, ("", None))
    wanted = replace(_wanted(), company_id=company_id if of_code == code_id else None)
    tried = answer_code(portal_services(), signed_in().account, code_id, typed, language(), wanted=wanted)
    if tried.outcome == "unmatched":
        verified = _("Your address is verified, but you cannot enrol here with it. Try one of these ways instead.")
        return done(f"/employer{organizations.remembered()}", verified)
    if tried.outcome != "right":
        raise FormRefused({"code": str(_TRIED[tried.outcome]) % {"count": tried.tries_left}})
    if wanted_pull() is not None:
        return redirect(_remembering(f"/me/enrolments/{tried.enrolment}/pull-request"))
    return done("/me/enrolments", _("You are enrolled. We are checking your open pull requests again."))


def enrolled_pull_request(enrolment_id: str) -> ResponseReturnValue:
    """The state of the pull request in the address since that enrolment; without one, the enrolments."""
    pull, accepted = wanted_pull(), portal_services().catalog.accepted()
    with reading() as (records, _vault, at):
        held = enrolments.of_account(records, signed_in().account.id, accepted=accepted, at=at)
    found = next(
        (enrolment for enrolment in held if enrolment.id == enrolment_id and enrolment.running), None
    ) or abort(404)
    if pull is None:
        return redirect("/me/enrolments")
    since = found.until - CODE_PROOF_LIFETIME  # Of a renewal: when it was renewed.
    return pull_request_status.page(pull, since, enrolled_at=found.company)


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
    wanted: WantedParties = ANY_PARTY,
) -> str | None:
    """Mail a code to the work address; the code's id, None when no company takes it. Raises TooManyCodes."""
    with services.change(account.id) as context:
        # It stays unsaid why no company takes it: that would tell which companies there are.
        found = _employer(services, context, address, company_id, wanted=wanted)
        return mail_code(context, account, address, language, services.url, found.company_id) if found else None


def answer_code(
    services: PortalServices,
    account: Account,
    code_id: str,
    typed: str,
    language: Language = "en",
    *,
    wanted: WantedParties = ANY_PARTY,
) -> TriedCode:
    """Try the code; the right one enrols for a year, or for one more. The try is spent in any case."""
    with services.change(account.id) as context:
        tried = email_codes.answer(context, code_id, typed)
        match tried.outcome:
            case "wrong" | "expired" | "used-up" as over:  # The try is spent: the transaction is committed.
                return TriedCode(over, tried.tries_left)
        # Looked up again: the company may have changed since the code was mailed.
        found = _employer(services, context, tried.address, tried.company_id, wanted=wanted)
        if found is not None and tried.outcome == "repeated":
            enrolment = _running(services, context, account, found)
            return TriedCode("right" if enrolment else "used-up", enrolment=enrolment)
        if found is not None:
            return TriedCode("right", enrolment=_enrolled(services, context, account, found, tried.address, language))
        if tried.company_id is None and tried.outcome == "right":
            prove_address(services, context, account, tried.address)
        return TriedCode("unmatched" if tried.company_id is None else "gone")


def _running(services: PortalServices, context: RecordContext, account: Account, employer: Employer) -> str:
    """The id of the enrolment that runs at that company; "" where it has ended."""
    held = enrolments.of_account(context.session, account.id, accepted=services.catalog.accepted(), at=context.at)
    return next(
        (enrolment.id for enrolment in held if enrolment.running and enrolment.company_id == employer.company_id), ""
    )


def _enrolled(
    services: PortalServices,
    context: RecordContext,
    account: Account,
    employer: Employer,
    address: str,
    language: Language,
) -> str:
    """Enrol the account, or prolong its enrolment, and tell those concerned; the id."""
    written = enrolments.add(context, person_rows.ensure(context, account), employer, address)
    employee_invitations.enrolled(context, employer.company_id, address)  # No reminder goes out any more.
    outbox.add(context, _confirmation(services.url, account, employer, address, written, language))
    if written.new:  # Managers are not told of a renewal.
        values = {"login": account.login, "company": employer.name, "domain": employer.domain}
        values["url"] = f"{services.url}/company/{employer.company_id}/roster"
        occasion = ManagerNotice(kind="enrolled", values=values, about=account.id)
        manager_emails.write(context, employer.company_id, occasion, server=services.server)
    rejudge.people(context.session, services.engine, [account.id])
    _log(context, "enrolment.added" if written.new else "enrolment.renewed", written)
    return written.enrolment.id


def _confirmation(
    site: str, account: Account, employer: Employer, address: str, written: EnrolmentRows, language: Language
) -> Email:
    until = written.enrolment.until
    values = {"company": employer.name, "login": account.login, "day": f"{until:%Y-%m-%d}", "site": site}
    return Email(
        kind="enrolment-confirmed",
        to=address,
        language=language,
        values={**values, "url": f"{site}/me/enrolments"},
        account_id=account.id,
        once=f"enrolled:{written.enrolment.id}:{until.isoformat()}",
    )


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
    wanted: WantedParties = ANY_PARTY,
) -> Employer | None:
    """The company at which the account may enrol with that address; only the named one if one is named."""
    search = EmployerSearch(context.session, context.vault, services.server, services.catalog.accepted(), context.at)
    return work_addresses.employer(search.employers(context.actor, address), company_id, wanted)


def _log(context: RecordContext, kind: str, written: EnrolmentRows) -> None:
    row = written.enrolment
    rows = [record for record in (written.proof, row) if record is not None]
    details = {"company": row.company_id, "domain": row.domain, "until": row.until}
    context.log(kind, row.account_id, rows=rows, details=details)
