"""The pages on which a person signs for a company without a GitHub account: a link, a code to that address, the text, one answer."""

from dataclasses import replace
from typing import NoReturn

from flask import abort, make_response, redirect, render_template, request, session
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.domains.masking import masked
from agreements.store.companies import company_mail, company_requests, signatory_requests
from agreements.store.companies.company_requests import CompanyStatement
from agreements.store.companies.signatory_requests import SentRequest
from agreements.store.people import person_rows
from agreements.store.people.email_codes import TooManyCodes
from agreements.store.people.emails import CODE_PROOF_LIFETIME, MAILED_CODE, ProvenAddress
from agreements.store.people.signatures import ReceiptView
from agreements.store.record_context import RecordContext
from agreements.vault import DecryptionFailed, receipt_number
from bot.mail import manager_emails
from bot.portal import organizations, receipt_files
from bot.portal.company.request import (
    CompanyRequestForm,
    asked_fields,
    company_paper,
    field_order,
    form_page,
    shown_digest,
    signed_request,
)
from bot.portal.forms import agreement_fields
from bot.portal.forms.form_action import FormRefused, form_action
from bot.portal.forms.sign_form import SignForm, check_signed, sign_form
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import PortalServices, portal_services, reading
from bot.portal.session import kept_form
from bot.portal.signing import LEGAL_NAME, too_many_codes
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.records.agreement_view import AgreementView
from bot.store import outbox
from bot.store.outbox import Email

PATH = "/signatory"
_SESSION_KEY = "signatory"
_MAX_TOKEN_CHARACTERS = 64


def link_page(token: str) -> str:
    """The page behind the link, with the button that mails a code."""
    sent = _by_token(token)
    paper, address = company_paper(sent.draft.owner_id), masked(sent.draft.address)
    # Mail scanners open links, so opening one changes nothing.
    return render_template("company/signatory_link.html", token=token, sent=sent, paper=paper, address=address)


@form_action(link_page)
def mail_signatory_code(token: str) -> ResponseReturnValue:
    """Mail a code to the address that the link went to."""
    services, sent = portal_services(), _by_token(token)
    try:
        with services.change() as context:
            code = signatory_requests.issue_code(context, sent.id)
            if code is not None:  # None: it is not open any more.
                email = Email(
                    kind="signatory-code",
                    to=sent.draft.address,
                    language=sent.draft.language,
                    values={"code": code, "company": sent.draft.company, "site": services.url},
                    account_id=sent.account_id,
                )
                outbox.add(context, email)
    except TooManyCodes as many:
        raise too_many_codes(many, "code") from None
    # From here on no address of a page holds the token: browsers and proxies keep addresses.
    session[_SESSION_KEY] = {"id": sent.id, "proven": False, "seen": ""}
    return redirect(PATH)


def signatory_page() -> str:
    """The next step of this session: the code, the agreement with its form, or the receipt."""
    sent = _present()
    # The session that signed may see its receipt, although the request is no longer open.
    if sent is not None and _proven() and sent.state == "signed":
        return _receipt_page(sent)
    _open(sent)
    return _sign_page() if _proven() else _code_page()


def _code_page() -> str:
    return render_template("company/signatory_code.html", address=masked(_open(_present()).draft.address))


@form_action(_code_page)
def answer_signatory_code() -> ResponseReturnValue:
    """The right code opens the agreement in this session; every other answer says what to do."""
    sent, typed = _open(_present()), field("code")
    if not typed:
        raise FormRefused({"code": _("Enter the eight-digit code.")})
    with portal_services().change() as context:
        tried = signatory_requests.answer_code(context, sent.id, typed)
    if tried.outcome != "right":
        wrong = _("That code is incorrect. Attempts left: %(count)s.", count=tried.tries_left)
        over = _("This code no longer works. Open the link in the e-mail again to get a new one.")
        raise FormRefused({"code": wrong if tried.outcome == "wrong" else over})
    session[_SESSION_KEY] = {"id": sent.id, "proven": True, "seen": ""}
    session.renewed = True  # type: ignore[attr-defined]  # bot.portal.session.session_store.ServerSession: a cookie from before opens nothing
    return redirect(PATH)


def _sign_page(form: SignForm | None = None) -> str:
    """The page to sign; the session notes what it shows, and only that can be signed."""
    sent = _open(_present())
    paper = company_paper(sent.draft.owner_id)
    form = form or _form(paper, sent)
    if not form.is_submitted():
        form[agreement_fields.PREFIX + LEGAL_NAME.name].data = sent.draft.company
        kept = kept_form.find()
        fields = dict(kept.fields) if kept is not None and kept.path == PATH else {}
        for name, value in fields.items() if fields.get("email") == sent.draft.address else ():  # Else another's form.
            if name in form and name != "email":  # The page has it already.
                form[name].data = value
    session[_SESSION_KEY] = {**session[_SESSION_KEY], "seen": shown_digest(paper)}
    text_query = organizations.query_of(sent.draft.owner_id)
    return form_page("company/signatory_sign.html", paper, form, sent=sent, text_query=text_query)


@form_action(_sign_page)
def sign_as_signatory() -> ResponseReturnValue:
    """Sign exactly what was shown; anything else shows the form again and says why."""
    sent = _present()
    # A form that is sent twice leads to the receipt.
    if sent is not None and _proven() and sent.state == "signed":
        return redirect(PATH)
    if sent is None or not _proven():
        _over(sent)
    paper = company_paper(_open(sent).draft.owner_id)
    form = _form(paper, sent)
    changed = _("The text has changed since you opened this page. Read it again, then sign.")
    check_signed(form, shown_digest(paper), session[_SESSION_KEY]["seen"], field_order(paper), changed)
    if record_signature(portal_services(), sent.id, paper, form) is None:
        _over(_present())
    return redirect(PATH)


def decline_as_signatory() -> ResponseReturnValue:
    """Decline: the sender is told, and the address is deleted."""
    services, sent = portal_services(), _present()
    if sent is None or not _proven():
        _over(sent)
    with services.change(sent.account_id) as context:  # By the sender: the signer has no account.
        declined = signatory_requests.decline(context, sent.id)
        if declined is not None:
            url = f"{services.url}/company/request/signatory/{sent.id}"
            _tell_sender(context, declined, "signatory-declined", url)
    session.pop(_SESSION_KEY, None)
    kept_form.forget()
    return render_template("company/signatory_over.html", state="declined")


def record_signature(services: PortalServices, request_id: str, paper: AgreementView, form: SignForm) -> str | None:
    """Store signature, company, managers and e-mails; the company's id. None when the request is not open any more."""
    with services.change() as unnamed:
        claimed = signatory_requests.claim(unnamed, request_id)
        if claimed is None:
            return None
        sent, sender = claimed
        if sent.company_id is not None:  # Of two clicks the second one.
            return sent.company_id
        # In the log the sender is the actor: the signer has no account, and is named in the details.
        context, receipt, at = replace(unnamed, by=sent.account_id), receipt_number(), unnamed.at
        filled = CompanyRequestForm(
            paper=paper,
            name=form.name.data,
            email=sent.draft.address,
            fields=agreement_fields.answers(form, asked_fields(paper)),
            second=sent.draft.second,
            company_id=services.new_id(),
            language=sent.draft.language,
        )
        signer = person_rows.add_without_account(context)
        outbox.add(context, _receipt_email(services, filled, receipt, signer.account_id))
        _tell_sender(context, sent, "signatory-signed", f"{services.url}/company/{filled.company_id}")
        signatory_requests.sign(context, sent.id, filled.company_id)
        # The evidence says that a mailed code proved the address: there is no account.
        proven = ProvenAddress(address=filled.email, how=MAILED_CODE, at=at, until=at + CODE_PROOF_LIFETIME)
        request = replace(signed_request(filled, proven, MAILED_CODE), signer=signer)
        return company_requests.ask(context, sender, request, company_id=filled.company_id, receipt=receipt)


def _by_token(token: str) -> SentRequest:
    if len(token) > _MAX_TOKEN_CHARACTERS:  # No token of ours is longer.
        _over(None)
    with reading() as (records, vault, at):
        return _open(signatory_requests.by_token(records, vault, token, at=at))


def _present() -> SentRequest | None:
    kept = session.get(_SESSION_KEY)
    if not kept:
        return None
    try:
        with reading() as (records, vault, at):
            return signatory_requests.find(records, vault, kept["id"], at=at)
    except DecryptionFailed:  # Its sender was erased.
        return None


def _open(sent: SentRequest | None) -> SentRequest:
    """The request, if it can still be signed; else the page says what became of it."""
    return sent if sent is not None and sent.is_open else _over(sent)


def _over(sent: SentRequest | None) -> NoReturn:
    page = render_template("company/signatory_over.html", state=sent.state if sent else "unknown")
    abort(make_response(page, 404))


def _proven() -> bool:
    return bool(session.get(_SESSION_KEY, {}).get("proven"))


def keep_form() -> bool:
    """Keep what was typed when the session ended before the form was sent; whether it is. A new code leads to it."""
    return request.path == PATH and not _proven() and kept_form.keep(of_stranger=True)


def _form(paper: AgreementView, sent: SentRequest) -> SignForm:
    return sign_form(paper, (sent.draft.address,), SignForm, asked_fields(paper))


def signatory_receipt() -> ResponseReturnValue:
    """The receipt as JSON, for the session that signed."""
    return receipt_files.json_file(_own_receipt())


def signatory_receipt_pdf() -> ResponseReturnValue:
    """The receipt and the text as a PDF, for the session that signed."""
    return receipt_files.pdf_file(_own_receipt())


def _own_receipt() -> ReceiptView:
    sent = _present()
    if sent is None or not _proven() or sent.state != "signed":
        _over(sent)
    return _signed(sent).signed or abort(404)


def _signed(sent: SentRequest) -> CompanyStatement:
    with reading() as (records, vault, _at):
        return company_requests.opened(records, vault, sent.company_id or "")


def _receipt_page(sent: SentRequest) -> str:
    stated = _signed(sent)
    signed = stated.signed or abort(404)
    catalog, draft = portal_services().catalog, signed.draft
    with_whom = organizations.party_name(draft.party)
    return render_template(
        "company/signatory_receipt.html",
        signed=signed,
        title=agreement_view.title(catalog, draft.agreement, draft.version, language(), draft.language),
        company=stated.fields,
        with_whom=with_whom,
    )


def _receipt_email(services: PortalServices, form: CompanyRequestForm, receipt: str, account_id: int) -> Email:
    values = {
        "title": form.paper.title,
        "version": form.paper.text.version,
        "time": f"{services.clock():%Y-%m-%d %H:%M:%S} UTC",
        "party": form.paper.party.name if form.paper.party else "",
        "company": form.fields[LEGAL_NAME.name],
        "name": form.name,
        "receipt": receipt,
        "sha256": form.paper.text.sha256,
        "shown": form.paper.shown_sha256,
        "site": services.url,
    }
    return Email(
        kind="signatory-receipt",
        to=form.email,
        language=form.language,
        values=values,
        account_id=account_id,
        once=f"signatory-signed:{form.company_id}",
    )


def _tell_sender(context: RecordContext, sent: SentRequest, kind: str, url: str) -> None:
    records, vault, account_id = context.session, context.vault, sent.account_id
    address = company_mail.addresses(records, vault, "", [account_id], server=portal_services().server).get(account_id)
    if address is None:
        return
    email = Email(
        kind=kind,
        to=address,
        language=manager_emails.language(records, account_id),
        values={"company": sent.draft.company, "url": url},
        account_id=account_id,
        once=f"{kind}:{sent.id}",
    )
    outbox.add(context, email)
