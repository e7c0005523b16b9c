"""The page on which a person asks for a company's agreement: request, signature, managers, receipt and log in one transaction."""

import json
from dataclasses import dataclass, replace
from hashlib import sha256

from flask import abort, redirect, render_template, session
from flask.typing import ResponseReturnValue
from flask_babel import lazy_gettext
from wtforms import StringField  # type: ignore[import-untyped]  # it ships no types
from wtforms.validators import DataRequired, Length  # type: ignore[import-untyped]  # it ships no types

from agreements.domains.canonical_form import canonical_address
from agreements.facts import Account
from agreements.form_fields import AgreementField
from agreements.store.companies import company_requests
from agreements.store.companies.company_requests import Request
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.people import person_rows
from agreements.store.people.emails import ProvenAddress
from agreements.vault import receipt_number
from bot.portal import organizations
from bot.portal.forms import agreement_fields
from bot.portal.forms.agreement_fields import countries
from bot.portal.forms.form_action import FormRefused, form_action
from bot.portal.forms.refusals import refusal_text
from bot.portal.forms.sign_form import SignForm, check_signed, sign_form
from bot.portal.forms.typed_values import account
from bot.portal.portal_services import PortalServices, portal_services
from bot.portal.session.visitor import signed_in
from bot.portal.signing import (
    IDENTITY_PROOF,
    LEGAL_NAME,
    SignatureForm,
    github_proof,
    receipt_email,
    signature_draft,
)
from bot.portal.text.languages import language
from bot.records.agreement_view import AUTHORITY, AUTHORITY_ID, AgreementView
from bot.store import outbox

_SHOWN = "company-request"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyRequestForm(SignatureForm):
    """The text that the representative read, and the answers; `second` is to manage, too, `company_id` stays when it is sent twice."""

    second: Account
    company_id: str


class RequestForm(SignForm):
    """The form to sign for oneself, with the login of the second manager."""

    second = StringField(
        validators=[
            DataRequired(lazy_gettext("Enter the GitHub login of a second manager.")),
            Length(max=60, message=lazy_gettext("Enter a GitHub login, such as octocat.")),
        ]
    )


def request_page(form: SignForm | None = None) -> str:
    """The steps, the agreement and the form; the session notes what it shows, and an id for the company's."""
    paper = company_paper()
    form = form or _form(paper)
    kept = session.get(_SHOWN, {})
    # A form that is shown again keeps its id: sent twice, it asks for one company.
    fresh = not form.is_submitted() or not kept
    session[_SHOWN] = {"seen": shown_digest(paper), "id": portal_services().new_id() if fresh else kept["id"]}
    return form_page("company/request.html", paper, form)


@form_action(request_page)
def send_request() -> ResponseReturnValue:
    """Sign exactly what was shown; anything else shows the form again and says why."""
    paper, shown = company_paper(), session.get(_SHOWN, {})
    form = _form(paper)
    check_signed(form, shown_digest(paper), shown.get("seen"), field_order(paper))
    fields, second = agreement_fields.answers(form, asked_fields(paper)), account(form.second.data, "second")
    answers = (form.name.data, form.email.data, second.id, dict(fields))
    filled = CompanyRequestForm(
        paper=paper,
        name=form.name.data,
        email=form.email.data,
        fields=fields,
        second=second,
        # The same for a form that is sent twice, another for other answers: several tabs of a session share what is
        # noted. No other person knows what is noted, so the id tells nothing of the answers.
        company_id=sha256(json.dumps((shown["id"], answers), sort_keys=True).encode()).hexdigest()[:32],
        language=language(),
    )
    try:
        company_id = request_agreement(portal_services(), signed_in().account, filled)
    except CompanyRefused as error:
        place = "text" if error.reason == "too-many" else "second"
        raise FormRefused({place: refusal_text(error)}, 409) from None
    return redirect(f"/company/{company_id}")


def company_paper(owner: int | None = None) -> AgreementView:
    """The agreement that companies sign by that owner's rules, else by those of the page; 404 where there is none."""
    owner = organizations.owner_id() if owner is None else owner
    return organizations.agreement_to_sign(owner, portal_services().rules(owner).corporate.text) or abort(404)


def _form(paper: AgreementView) -> SignForm:
    return sign_form(paper, signed_in().emails, RequestForm, asked_fields(paper))


def form_page(template: str, paper: AgreementView, form: SignForm, **values: object) -> str:
    """The agreement with its form."""
    return render_template(
        template,
        paper=paper,
        form=form,
        asked=asked_fields(paper),
        statement=statement(paper),
        seen=shown_digest(paper),
        countries=countries(language()),
        **values,
    )


def field_order(paper: AgreementView) -> tuple[str, ...]:
    """The fields of the form as they stand on the page, to which the lines of mistakes link."""
    return (
        *(agreement_fields.PREFIX + field.name for field in asked_fields(paper)),
        "name",
        "email",
        "second",
        "agree",
    )


def statement(paper: AgreementView) -> str:
    """The sentence beside the tick."""
    return AUTHORITY[paper.text.language].format(title=paper.title, version=paper.text.version)


def shown_digest(paper: AgreementView) -> str:
    """A digest of all that was shown: if any of it changes before the button is pressed, this does too."""
    return sha256(f"{paper.seen}\0{statement(paper)}".encode()).hexdigest()


def asked_fields(paper: AgreementView) -> tuple[AgreementField, ...]:
    """The fields that the company fills in: the agreement's, and the legal name in any case."""
    declared = paper.text.fields
    return declared if any(field.name == LEGAL_NAME.name for field in declared) else (LEGAL_NAME, *declared)


def signed_request(
    form: CompanyRequestForm, proven: ProvenAddress | None, identity_proof: str = IDENTITY_PROOF
) -> Request:
    """The request with its evidence; `proven` is the address that is kept as proven."""
    draft = signature_draft(form, AUTHORITY_ID, statement(form.paper), identity_proof)
    return Request(name=form.fields[LEGAL_NAME.name], draft=draft, second=form.second, proven=proven)


def request_agreement(services: PortalServices, account: Account, form: CompanyRequestForm) -> str:
    """Store the request and mail the receipt; the company's id. Raises CompanyRefused."""
    at, receipt = services.clock(), receipt_number()
    address = canonical_address(form.email)
    request = signed_request(form, github_proof(address, at) if address else None)
    with services.change(account.id) as context:
        person = person_rows.ensure(context, account)
        company = f"{services.url}/company/{form.company_id}"
        email = receipt_email(services, account, form, receipt, at, company=company)
        # By company, not by receipt: a form that is sent twice has two receipts and one company.
        email = replace(email, once=f"company-requested:{form.company_id}")
        outbox.add(context, email)
        return company_requests.ask(context, person, request, company_id=form.company_id, receipt=receipt)
