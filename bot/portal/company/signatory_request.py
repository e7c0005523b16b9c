"""A company agreement that somebody else signs, who needs no GitHub account: sent by mail, followed, sent again, taken back."""

from dataclasses import dataclass, field
from hashlib import sha256

from flask import abort, flash, redirect, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements import form_fields
from agreements.domains.domains import canonical_address
from agreements.facts import Account
from agreements.store.companies import signatory_requests
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.companies.signatory_requests import LINK_LIFETIME, MAX_SENDINGS, SentRequest, SignatoryDraft
from agreements.store.people import people
from agreements.store.record_context import RecordContext
from bot.portal import organizations
from bot.portal.company.company_access import Unresolved, account, refusal_text
from bot.portal.company.request import LEGAL_NAME, company_paper
from bot.portal.forms import agreement_fields
from bot.portal.forms.typed_values import field as typed
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import Language, language
from bot.records.agreement_view import AgreementView
from bot.store import outbox
from bot.store.outbox import Email

PATH = "/company/request/signatory"
KIND = "signatory-request"


@dataclass(frozen=True, slots=True)
class _Form:
    """What was typed, and what is wrong with it by field."""

    company: str = field(default="", repr=False)
    address: str = field(default="", repr=False)
    second: str = ""
    language: Language = "en"
    id: str = ""
    errors: dict[str, str] = field(default_factory=dict)


def signatory_form() -> str:
    """The empty form."""
    company_paper()
    return _form_page(_Form(language=language(), id=portal_services().new_id()))


def send_to_signatory() -> ResponseReturnValue:
    """Store the request and mail its link; the same form sent twice is one request."""
    paper, who = company_paper(), signed_in().account
    form = _read()
    if form.errors:
        return _form_page(form), 400
    try:
        second = account(form.second)
    except Unresolved as error:
        form.errors["second"] = error.sentence
        return _form_page(form), error.code
    draft = SignatoryDraft(
        company=form.company,
        address=form.address,
        second=second,
        language=form.language,
        owner_id=organizations.owner_id(),
    )
    request_id = sha256(f"{who.id}|{form.id}|{form.address}".encode()).hexdigest()[:32]
    try:
        with portal_services().change(who.id) as context:
            person = people.ensure(context.session, context.vault, account=who, at=context.at, new_id=context.new_id())
            sent, token = signatory_requests.send(context, person, draft, request_id)
            if token is not None:
                _mail(context, who, paper, sent, token)
    except CompanyRefused as error:
        if error.reason == "too-many":
            form.errors["address"] = _(
                "Too many requests are open already. Wait until one is answered, or withdraw one."
            )
        else:
            form.errors["second"] = refusal_text(error)
        return _form_page(form), 409
    return redirect(f"{PATH}/{request_id}")


def signatory_state(request_id: str) -> str:
    """What became of the request, for who sent it alone."""
    return _state_page(_own(request_id))


def send_to_signatory_again(request_id: str) -> ResponseReturnValue:
    """A new link; the one before no longer works."""
    who, draft = signed_in().account, _own(request_id).draft
    paper = company_paper(draft.owner_id)
    try:
        with portal_services().change(who.id) as context:
            sent, token = signatory_requests.send_again(context, request_id)
            _mail(context, who, paper, sent, token)
    except CompanyRefused as error:
        return _state_page(_own(request_id), _refused(error)), 409
    flash(_("The agreement was sent again. The earlier link no longer works."))
    return redirect(f"{PATH}/{request_id}")


def revoke_signatory(request_id: str) -> ResponseReturnValue:
    """The link ends at once."""
    _own(request_id)
    try:
        with portal_services().change(signed_in().account.id) as context:
            signatory_requests.revoke(context, request_id)
    except CompanyRefused as error:
        return _state_page(_own(request_id), _refused(error)), 409
    flash(_("The request was withdrawn. Its link no longer works."))
    return redirect(f"{PATH}/{request_id}")


def mine() -> tuple[SentRequest, ...]:
    """The requests of the visitor that no company has come of yet."""
    return tuple(one for one in _sent() if one.state != "signed")


def _own(request_id: str) -> SentRequest:
    """The visitor's request; for everybody else there is no such page."""
    return next((one for one in _sent() if one.id == request_id), None) or abort(404)


def _sent() -> tuple[SentRequest, ...]:
    services = portal_services()
    with services.sessions() as records:
        return signatory_requests.of_account(records, services.vault, signed_in().account.id, at=services.clock())


def _read() -> _Form:
    chosen: Language = "zh" if typed("language") == "zh" else "en"
    company, address = form_fields.normalized(typed("company")), canonical_address(typed("address"))
    form = _Form(company, address or typed("address"), typed("second"), chosen, typed("id")[:64])
    wrong = form_fields.validation_error(LEGAL_NAME, company)
    if wrong == "too-long":
        form.errors["company"] = _("Use at most %(most)s characters.", most=LEGAL_NAME.longest)
    elif wrong is not None:
        form.errors["company"] = str(agreement_fields.FIELD_ERRORS[wrong])
    if address is None:
        form.errors["address"] = _("Enter a valid e-mail address, such as name@example.org.")
    if not form.second:
        form.errors["second"] = _("Enter the GitHub login of a second manager.")
    return form


def _refused(error: CompanyRefused) -> str:
    if error.reason == "too-many":
        return str(_("It was already sent %(count)s times. Withdraw the request and start again.", count=MAX_SENDINGS))
    return refusal_text(error)


def _mail(context: RecordContext, who: Account, paper: AgreementView, sent: SentRequest, token: str) -> None:
    url = portal_services().settings.url
    values = {
        "login": who.login,
        "company": sent.draft.company,
        "organization": paper.party.name if paper.party else url,
        "title": paper.title,
        "day": f"{sent.expires_at:%Y-%m-%d}",
        "url": f"{url}/signatory/{token}",
    }
    once = f"{KIND}:{sent.id}:{sent.sent}"
    draft = sent.draft
    email = Email(kind=KIND, to=draft.address, language=draft.language, values=values, account_id=who.id, once=once)
    outbox.add(context.session, context.vault, email, at=context.at, new_id=context.new_id())


def _form_page(form: _Form) -> str:
    order = ("company", "address", "second")
    errors = {name: form.errors[name] for name in order if name in form.errors}
    return render_template("company/signatory_form.html", form=form, errors=errors, days=LINK_LIFETIME.days)


def _state_page(sent: SentRequest, error: str = "") -> str:
    return render_template("company/signatory_state.html", sent=sent, error=error, left=MAX_SENDINGS - sent.sent)
