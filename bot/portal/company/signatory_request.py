"""A company agreement that another person signs, who needs no GitHub account: sent by mail, followed, sent again, taken back."""

from dataclasses import dataclass, field
from hashlib import sha256

from flask import abort, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements import form_fields
from agreements.domains.canonical_form import canonical_address
from agreements.facts import Account
from agreements.store.companies import signatory_requests
from agreements.store.companies.signatory_requests import LINK_LIFETIME, MAX_SENDINGS, SentRequest, SignatoryDraft
from agreements.store.people import person_rows
from agreements.store.record_context import RecordContext
from bot.portal import organizations
from bot.portal.company.request import company_paper
from bot.portal.forms import agreement_fields
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.typed_values import account
from bot.portal.forms.typed_values import field as typed
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in
from bot.portal.signing import LEGAL_NAME
from bot.portal.text.languages import Language, language
from bot.records.agreement_view import AgreementView
from bot.store import outbox
from bot.store.outbox import Email

PATH = "/company/request/signatory"
KIND = "signatory-request"


@dataclass(frozen=True, slots=True)
class _Form:
    """The typed `company`, `address` of the signer, login of the `second` manager and `language`; `id` is made with the form."""

    company: str = field(default="", repr=False)
    address: str = field(default="", repr=False)
    second: str = ""
    language: Language = "en"
    id: str = ""


def signatory_form() -> str:
    """The form, empty or with what was typed."""
    company_paper()  # 404 where there is none to sign.
    form = _read() if request.form else _Form(language=language(), id=portal_services().new_id())
    return render_template("company/signatory_form.html", form=form, days=LINK_LIFETIME.days)


@form_action(signatory_form)
def send_to_signatory() -> ResponseReturnValue:
    """Store the request and mail its link; the same form sent twice is one request."""
    paper, who, form = company_paper(), signed_in().account, _read()
    if errors := _errors(form):
        raise FormRefused(errors)
    draft = SignatoryDraft(
        company=form.company,
        address=form.address,
        second=account(form.second, "second"),
        language=form.language,
        owner_id=organizations.owner_id(),
    )
    # The same for a form that is sent twice, another one for another address.
    request_id = sha256(f"{who.id}|{form.id}|{form.address}".encode()).hexdigest()[:32]
    many = {"too-many": _("Too many requests are open already. Wait until one is answered, or withdraw one.")}
    with change("second", places={"too-many": "address"}, sentences=many) as context:
        person = person_rows.ensure(context, who)
        sent, token = signatory_requests.send(context, person, draft, request_id)
        if token is not None:  # None: it was sent before.
            _mail(context, who, paper, sent, token)
    return redirect(f"{PATH}/{request_id}")


def signatory_state(request_id: str) -> str:
    """The state of the request, for its sender alone."""
    sent = _own(request_id)
    return render_template("company/signatory_state.html", sent=sent, left=MAX_SENDINGS - sent.sent)


@form_action(signatory_state)
def send_to_signatory_again(request_id: str) -> ResponseReturnValue:
    """Send the agreement again with a new link; the one before no longer works."""
    paper = company_paper(_own(request_id).draft.owner_id)
    many = _("It was already sent %(count)s times. Withdraw the request and start again.", count=MAX_SENDINGS)
    with change("request", sentences={"too-many": many}) as context:
        sent, token = signatory_requests.send_again(context, request_id)
        _mail(context, signed_in().account, paper, sent, token)
    return done(f"{PATH}/{request_id}", _("The agreement was sent again. The earlier link no longer works."))


@form_action(signatory_state)
def revoke_signatory(request_id: str) -> ResponseReturnValue:
    """Withdraw the request; its link ends at once."""
    _own(request_id)
    with change("request") as context:
        signatory_requests.revoke(context, request_id)
    return done(f"{PATH}/{request_id}", _("The request was withdrawn. Its link no longer works."))


def mine() -> tuple[SentRequest, ...]:
    """The requests of the visitor that no company has come of yet."""
    return tuple(sent_request for sent_request in _sent() if sent_request.state != "signed")


def _own(request_id: str) -> SentRequest:
    # Another person's does not exist here.
    return next((sent_request for sent_request in _sent() if sent_request.id == request_id), None) or abort(404)


def _sent() -> tuple[SentRequest, ...]:
    with reading() as (records, vault, at):
        return signatory_requests.of_account(records, vault, signed_in().account.id, at=at)


def _read() -> _Form:
    chosen: Language = "zh" if typed("language") == "zh" else "en"
    address = canonical_address(typed("address")) or typed("address")
    return _Form(form_fields.normalized(typed("company")), address, typed("second"), chosen, typed("id")[:64])


def _errors(form: _Form) -> dict[str, str]:
    errors, wrong = {}, form_fields.validation_error(LEGAL_NAME, form.company)
    if wrong == "missing":
        errors["company"] = _("Enter the legal name of the company.")
    elif wrong == "too-long":
        errors["company"] = _("Use at most %(most)s characters.", most=LEGAL_NAME.longest)
    elif wrong is not None:
        errors["company"] = str(agreement_fields.FIELD_ERRORS[wrong])
    if canonical_address(form.address) is None:
        errors["address"] = _("Enter a valid e-mail address, such as name@example.org.")
    if not form.second:
        errors["second"] = _("Enter the GitHub login of a second manager.")
    return errors


def _mail(context: RecordContext, who: Account, paper: AgreementView, sent: SentRequest, token: str) -> None:
    url = portal_services().url
    values = {
        "login": who.login,
        "company": sent.draft.company,
        "organization": paper.party.name if paper.party else url,
        "title": paper.title,
        "day": f"{sent.expires_at:%Y-%m-%d}",
        "url": f"{url}/signatory/{token}",
    }
    once = f"{KIND}:{sent.id}:{sent.sent}"  # Each sending is an e-mail of its own.
    draft = sent.draft
    email = Email(kind=KIND, to=draft.address, language=draft.language, values=values, account_id=who.id, once=once)
    outbox.add(context, email)
