"""The pages on which somebody enrols at their company, by a code mailed to the work address, and leaves it again."""

from flask import abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types

from agreements.domains.domains import canonical_address, domains_over
from agreements.store.companies import enrolments
from agreements.store.people import email_codes
from agreements.store.people.email_codes import OpenCode, TooManyCodes
from bot.portal.company import enrolment
from bot.portal.company.enrolment import NoEmployer, Tried
from bot.portal.languages import language
from bot.portal.page_access import Route, Who
from bot.portal.portal_services import portal_services
from bot.portal.visitor import Visitor, visitor

_LONGEST_CODE = 64


def routes() -> tuple[Route, ...]:
    """Everything here is open to whoever signed in: a page of a company that is not theirs says nothing about it."""
    return (
        Route("/enrol", enrol_page, Who.SIGNED_IN),
        Route("/enrol", enrol, Who.SIGNED_IN, "POST", limit="10 per minute"),
        Route("/enrol/<code_id>", code_page, Who.SIGNED_IN),
        Route("/enrol/<code_id>", try_code, Who.SIGNED_IN, "POST", limit="20 per minute"),
        Route("/company/<company_id>/enrol", company_enrol_page, Who.SIGNED_IN),
        Route("/company/<company_id>/enrol", company_enrol, Who.SIGNED_IN, "POST", limit="10 per minute"),
        Route("/me/enrolments", my_enrolments, Who.SIGNED_IN),
        Route("/me/enrolments/<enrolment_id>/end", leave, Who.SIGNED_IN, "POST", limit="20 per minute"),
    )


def enrol_page() -> ResponseReturnValue:
    """Which of their verified addresses is the one at work?"""
    return _ask_page()


def company_enrol_page(company_id: str) -> ResponseReturnValue:  # noqa: ARG001 - the page is the same for every id
    """The same, by the link that a company hands out; it looks the same whether there is such a company or not."""
    return _ask_page()


def enrol() -> ResponseReturnValue:
    """Mail a code to that address, if a company covers it."""
    return _send(None)


def company_enrol(company_id: str) -> ResponseReturnValue:
    """Mail a code to that address, if that company covers it."""
    return _send(company_id)


def code_page(code_id: str) -> ResponseReturnValue:
    """Where the code is typed in; a code that is over, or another's, has no form."""
    return _code_page(code_id)


def try_code(code_id: str) -> ResponseReturnValue:
    """The right code enrols; every other answer says what to do."""
    who = _who()
    if not request.form.get("works"):
        return _code_page(code_id, works=_("Tick the box if this is so.")), 400
    typed = request.form.get("code", "")[:_LONGEST_CODE]
    if not typed.strip():
        return _code_page(code_id, code=_("Type the eight digits of the code.")), 400
    tried = enrolment.answer(portal_services(), who.account, code_id, typed)
    if tried.outcome == "right":
        flash(_("You are enrolled. Your open pull requests are being checked again."))
        return redirect("/me/enrolments")
    return _code_page(code_id, code=_said(tried)), 400


def my_enrolments() -> ResponseReturnValue:
    """Where this person is enrolled, until when, and how to end it."""
    with portal_services().sessions() as records:
        held = enrolments.of_account(records, _who().account.id, at=portal_services().clock())
    return render_template("company/enrol.html", step="mine", held=held)


def leave(enrolment_id: str) -> ResponseReturnValue:
    """End one's own enrolment; what is over stays over."""
    who = _who()
    with portal_services().sessions() as records:
        found = enrolments.find(records, enrolment_id)
    if found is None or found[1] != who.account.id:
        abort(404)
    if enrolment.end(portal_services(), enrolment_id, by=who.account.id):
        flash(_("The enrolment has ended."))
    return redirect("/me/enrolments")


def _who() -> Visitor:
    found = visitor()
    if found is None:
        abort(403)
    return found


def _ask_page(error: str = "", chosen: str = "") -> str:
    """Only addresses that GitHub verified are offered, so nobody can try out which companies there are."""
    addresses = [one for one in _who().emails if domains_over(one)]
    return render_template("company/enrol.html", step="ask", addresses=addresses, error=error, chosen=chosen)


def _send(company_id: str | None) -> ResponseReturnValue:
    who, address = _who(), request.form.get("email", "")
    if address not in who.emails or canonical_address(address) is None:
        return _ask_page(_("Choose one of your addresses.")), 400
    try:
        code_id = enrolment.ask(portal_services(), who.account, address, language(), company_id)
    except NoEmployer:
        return _ask_page(_("No company here covers that address."), address), 400
    except TooManyCodes as many:
        again = f"{many.again_at:%H:%M} UTC"
        return _ask_page(_("Too many codes were asked for. Try again at %(time)s.", time=again), address), 429
    return redirect(f"/enrol/{code_id}")


def _code_page(code_id: str, **errors: str) -> str:
    """`errors` by field, `code` and `works`; the company's name is known to whoever got a code."""
    who = _who()
    with portal_services().sessions() as records:
        mine = email_codes.waiting(records, portal_services().vault, who.account.id, portal_services().clock())
    waiting = next((one for one in mine if one.id == code_id and one.company_id), None)
    employer = _employer(who, waiting) if waiting else None
    works = bool(request.form.get("works"))
    return render_template(
        "company/enrol.html", step="code", waiting=waiting, employer=employer, errors=errors, works=works
    )


def _employer(who: Visitor, waiting: OpenCode) -> str | None:
    found = enrolment.employer(portal_services(), who.account, waiting.address, waiting.company_id)
    return found.name if found else None


def _said(tried: Tried) -> str:
    match tried.outcome:
        case "wrong":
            return str(_("That is not the code. Tries left: %(count)s.", count=tried.tries_left))
        case "used-up":
            return str(_("This code has been used up. Ask for a new one."))
        case "gone":
            return str(_("No company here covers that address."))
        case _:
            return str(_("This code is over. Ask for a new one."))
