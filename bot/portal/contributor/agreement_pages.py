"""The contributor's path: read the agreement, sign it, keep the receipt, go back to the pull request."""

from datetime import timedelta

from flask import Blueprint, abort, redirect, render_template, session
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types
from flask_limiter import Limiter

from agreements.store.people import signatures
from agreements.store.people.external_signatures import EXTERNAL_TEXT
from agreements.store.people.signatures import Mine
from bot.portal import agreement_fields, organizations
from bot.portal.agreement_fields import countries
from bot.portal.contributor import coverage_status, new_version_notice, signing
from bot.portal.contributor.sign_form import SignForm, sign_form
from bot.portal.languages import language
from bot.portal.page_access import Route, Who, open_routes
from bot.portal.portal_services import portal_services
from bot.portal.redirects import login_path, ours, sign_path
from bot.portal.visitor import KnownPull, Visitor, visitor, wanted_pull
from bot.records import agreement_view, declarations
from bot.records.agreement_view import AgreementView
from bot.records.declarations import AUTHORITY_ID

_SHOWN = "shown"
_FRESH = timedelta(minutes=5)  # as long as this the receipt thanks, and open pull requests may still be looked at again


def make_contributor(limiter: Limiter) -> Blueprint:
    """The blueprint with `/sign/<agreement>` and `/receipts/<receipt>`."""
    contributor = Blueprint("contributor", __name__)
    routes = (
        Route("/sign/<agreement>", read, Who.EVERYBODY),
        Route("/sign/<agreement>", sign, Who.SIGNED_IN, "POST", limit="20 per minute"),
        Route("/receipts/<receipt>", receipt_page, Who.SIGNED_IN),
    )
    open_routes(contributor, limiter, routes)
    return contributor


def read(agreement: str) -> ResponseReturnValue:
    """The agreement, readable by everybody; for a signed-in person with the form or, once signed, the receipt."""
    paper = _paper(agreement)
    who = visitor()
    if who is None or _is_corporate(paper):
        return _page(paper, None)
    return _page(paper, sign_form(paper, list(who.emails)))


def sign(agreement: str) -> ResponseReturnValue:
    """Sign exactly what was shown; anything else shows the form again and says why."""
    paper = _paper(agreement)
    who = visitor()
    if who is None or _is_corporate(paper):
        abort(403)
    pull = wanted_pull()
    query = f"?pr={pull.name}" if pull else ""
    signed = _standing(_mine(who), paper)
    if signed is not None:
        return redirect(f"/receipts/{signed.receipt}{query}")
    form = sign_form(paper, list(who.emails))
    valid = form.validate_on_submit()
    if not form.seen.data or form.seen.data != paper.seen or session.get(_SHOWN, {}).get(agreement) != paper.seen:
        form.agree.data = False
        form.seen.process_data(paper.seen)
        return _page(paper, form, changed=True), 409
    if not valid:
        return _page(paper, form), 400
    fields = agreement_fields.answers(form, paper.text.fields)
    given = signing.SignatureForm(
        paper=paper, name=form.name.data, email=form.email.data, fields=fields, language=language()
    )
    return redirect(f"/receipts/{signing.sign(portal_services(), who.account, given)}{query}")


def receipt_page(receipt: str) -> ResponseReturnValue:
    """What was signed, for the one who signed it; for everybody else there is no such page."""
    own = ours(f"/receipts/{receipt}")
    if own is None:
        abort(404)
    who = visitor()
    if who is None:
        return redirect(login_path(own))
    with portal_services().sessions() as records:
        view = signatures.receipt(records, portal_services().vault, receipt, who.account.id)
    if view is None:
        abort(404)
    text = portal_services().catalog.get(view.draft.agreement, view.draft.version, view.draft.language)
    pull = wanted_pull()
    paper = agreement_view.of(text, organizations.rules().organization) if text else None
    fresh = portal_services().clock() - view.signed_at < _FRESH
    told = agreement_fields.shown(text.fields if text else (), view.draft.fields, language())
    return render_template(
        "contributor/receipt.html",
        view=view,
        paper=paper,
        pull=pull,
        fresh=fresh,
        told=told,
        declared=declarations.declared(portal_services().catalog, view.draft),
        for_company=view.draft.statement_id == AUTHORITY_ID,
    )


def _paper(agreement: str) -> AgreementView:
    paper = agreement_view.show(portal_services().catalog, organizations.rules(), agreement, language())
    if paper is None:
        abort(404)
    return paper


def _is_corporate(paper: AgreementView) -> bool:
    """A company's agreement is never signed here by one person for themselves."""
    return paper.text.name != organizations.rules().individual.text


def _page(paper: AgreementView, form: SignForm | None, *, changed: bool = False) -> str:
    """The page with the agreement. What it shows is noted in the visit: only that can be signed."""
    who, whose = visitor(), organizations.shown()
    pull = wanted_pull()
    mine = _mine(who) if who else ()
    signed = _standing(mine, paper)
    if form is not None and signed is None:
        session[_SHOWN] = {**session.get(_SHOWN, {}), paper.text.name: paper.seen}
    return render_template(
        "contributor/sign.html",
        paper=paper,
        form=None if signed else form,
        signed=signed,
        corporate=_is_corporate(paper),
        pull=pull,
        changed=changed,
        countries=countries(language()) if any(one.kind == "country" for one in paper.text.fields) else (),
        before=_before(mine, paper),
        **(_before_signing(who, pull) if who and not _is_corporate(paper) else {}),
        login=login_path(sign_path(paper.text.name, pull.name if pull else None, whose.name if whose else "")),
        errors=_errors(form, changed=changed),
    )


def _errors(form: SignForm | None, *, changed: bool) -> dict[str, str]:
    """One line a field, in the order of the form; when the text changed that line comes alone."""
    if form is None or not form.is_submitted():
        return {}
    if changed:
        return {
            "text": _(
                "The text has changed since you opened this page, or it was opened in another visit. Read it again, then sign."
            )
        }
    shown = ("name", "email", *(name for name in form.errors if name.startswith(agreement_fields.PREFIX)), "agree")
    return {name: str(form.errors[name][0]) for name in shown if form.errors.get(name)}


def _before_signing(who: Visitor, pull: KnownPull | None) -> dict[str, object]:
    """What the page says before signing: who covers the visitor already, and what the pull request waits for."""
    rules = organizations.rules()
    with portal_services().sessions() as records:
        stands = coverage_status.of(records, portal_services(), who, rules)
        taken = pull if pull and pull.mine else None
        need = coverage_status.need(records, taken, who.account.id, rules, language()) if taken else None
    return {"stands": stands, "need": need, "newer": new_version_notice.waiting(who.account.id, rules)}


def _mine(who: Visitor) -> tuple[Mine, ...]:
    """What the visitor signed for themselves and is in force, unless it can't be opened any more."""
    with portal_services().sessions() as records:
        mine = signatures.mine(records, who.account.id)
    accepted = portal_services().catalog.accepted()
    return tuple(
        one
        for one in mine
        if one.withdrawn_at is None
        and not (one.for_company or one.erased)
        and (one.text in accepted or one.source_sha256 == EXTERNAL_TEXT)
    )


def _standing(mine: tuple[Mine, ...], paper: AgreementView) -> Mine | None:
    """The signature of this version, in any language."""
    return next((one for one in mine if one.text[:2] == (paper.text.name, paper.text.version)), None)


def _before(mine: tuple[Mine, ...], paper: AgreementView) -> Mine | None:
    """The newest signature of another version of the same agreement."""
    return next((one for one in mine if one.agreement == paper.text.name and one.version != paper.text.version), None)
