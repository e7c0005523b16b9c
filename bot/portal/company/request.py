"""The page on which somebody asks for a company's agreement: request, signature, managers, receipt and log in one transaction."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from flask import abort, redirect, render_template, session
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext
from wtforms import StringField  # type: ignore[import-untyped]  # it ships no types
from wtforms.validators import DataRequired, Length  # type: ignore[import-untyped]  # it ships no types

from agreements.domains.domains import canonical_address
from agreements.facts import Account
from agreements.form_fields import AgreementField
from agreements.store.companies import company_requests
from agreements.store.companies.company_requests import Request
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.people import people
from agreements.store.people.emails import ProvenAddress
from agreements.vault import receipt_number
from bot.portal import organizations
from bot.portal.company.company_access import Unresolved, account, refusal_text
from bot.portal.contributor.sign import (
    EMAIL_PROOF,
    GITHUB_PROOF_LIFETIME,
    IDENTITY_PROOF,
    SignatureForm,
    receipt_email,
    signature_draft,
)
from bot.portal.forms import agreement_fields
from bot.portal.forms.agreement_fields import countries
from bot.portal.forms.sign_form import SignForm, sign_form
from bot.portal.portal_services import PortalServices, portal_services
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import language
from bot.records.agreement_view import AgreementView
from bot.records.declarations import AUTHORITY, AUTHORITY_ID
from bot.store import outbox

LEGAL_NAME = AgreementField("legal-name", {"en": "Legal name of the company", "zh": "公司法定名称"})
"""Asked for also where the agreement itself declares no such field: a company has a name."""

_SHOWN = "company-request"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyRequestForm(SignatureForm):
    """What the representative read and filled in; `company_id` is the same when the form is sent twice."""

    second: Account
    company_id: str


class RequestForm(SignForm):
    """What is asked to sign for oneself, and who is to be the second manager."""

    second = StringField(
        validators=[
            DataRequired(lazy_gettext("Enter the GitHub login of a second manager.")),
            Length(max=60, message=lazy_gettext("Enter a GitHub login, such as octocat.")),
        ]
    )


def request_page() -> ResponseReturnValue:
    """The steps, the agreement and the form."""
    paper = company_paper()
    return _page(paper, _form(paper), {})


def send_request() -> ResponseReturnValue:
    """Sign exactly what was shown; anything else shows the form again and says why."""
    paper, who = company_paper(), signed_in()
    form = _form(paper)
    valid = form.validate_on_submit()
    shown = session.get(_SHOWN, {})
    if not form.seen.data or form.seen.data != shown_digest(paper) or shown.get("seen") != form.seen.data:
        form.agree.data = False
        changed = _("The text has changed since you opened this page, or you opened the page in another session. Read it again, then sign.")  # fmt: skip
        return _page(paper, form, {"text": changed}), 409
    if not valid:
        return _page(paper, form, {name: str(lines[0]) for name, lines in form.errors.items() if lines}), 400
    try:
        fields, second = agreement_fields.answers(form, asked_fields(paper)), account(form.second.data)
        filled = CompanyRequestForm(
            paper=paper,
            name=form.name.data,
            email=form.email.data,
            fields=fields,
            second=second,
            company_id=_company_id(shown["id"], form.name.data, form.email.data, second.id, dict(fields)),
            language=language(),
        )
        company_id = request_agreement(portal_services(), who.account, filled)
    except Unresolved as error:
        return _page(paper, form, {"second": error.sentence}), error.code
    except CompanyRefused as error:
        field = "text" if error.reason == "too-many" else "second"
        return _page(paper, form, {field: refusal_text(error)}), 409
    return redirect(f"/company/{company_id}")


def company_paper(owner: int | None = None) -> AgreementView:
    """The agreement that companies sign by that owner's rules, else by those of the page; 404 where there is none."""
    owner = organizations.owner_id() if owner is None else owner
    return organizations.agreement_to_sign(owner, portal_services().rules(owner).corporate.text) or abort(404)


def _form(paper: AgreementView) -> SignForm:
    return sign_form(paper, signed_in().emails, RequestForm, asked_fields(paper))


def _page(paper: AgreementView, form: SignForm, errors: dict[str, str]) -> str:
    """What it shows is noted in the session, with the id from which the company's is made."""
    kept = session.get(_SHOWN, {})
    fresh = not form.is_submitted() or not kept
    session[_SHOWN] = {"seen": shown_digest(paper), "id": portal_services().new_id() if fresh else kept["id"]}
    return form_page("company/request.html", paper, form, errors)


def _company_id(shown: str, *answers: object) -> str:
    """The same for a form that is sent twice, another for other answers: several tabs of a session share what is noted.

    Nobody else knows `shown`, so the id tells nothing of the answers.
    """
    return sha256(json.dumps((shown, answers), sort_keys=True).encode()).hexdigest()[:32]


def form_page(template: str, paper: AgreementView, form: SignForm, errors: Mapping[str, str], **values: object) -> str:
    """The agreement with its form; mistakes are listed in the order of the fields, to which their lines link."""
    asked = asked_fields(paper)
    declared = (agreement_fields.PREFIX + one.name for one in asked)
    order = ("text", *declared, "name", "email", "second", "agree")
    return render_template(
        template,
        paper=paper,
        form=form,
        asked=asked,
        statement=statement(paper),
        seen=shown_digest(paper),
        countries=countries(language()),
        errors={name: errors[name] for name in order if name in errors},
        **values,
    )


def statement(paper: AgreementView) -> str:
    """The sentence beside the tick."""
    return AUTHORITY[paper.text.language].format(title=paper.title, version=paper.text.version)


def shown_digest(paper: AgreementView) -> str:
    """One word for all that was shown: if any of it changes before the button is pressed, this does too."""
    return sha256(f"{paper.seen}\0{statement(paper)}".encode()).hexdigest()


def asked_fields(paper: AgreementView) -> tuple[AgreementField, ...]:
    """What the company is asked for: the agreement's fields, the legal name in any case."""
    declared = paper.text.fields
    return declared if any(one.name == LEGAL_NAME.name for one in declared) else (LEGAL_NAME, *declared)


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
    proven = (
        ProvenAddress(address=address, how=EMAIL_PROOF, at=at, until=at + GITHUB_PROOF_LIFETIME) if address else None
    )
    request = signed_request(form, proven)
    with services.change(account.id) as context:
        session, vault = context.session, context.vault
        person = people.ensure(session, vault, account=account, at=at, new_id=context.new_id())
        email = receipt_email(services, account, form, receipt, at)
        values = {**email.values, "company": f"{services.settings.url}/company/{form.company_id}"}
        once = f"company-requested:{form.company_id}"
        email = replace(email, kind="company-receipt", values=values, once=once)
        outbox.add(session, vault, email, at=at, new_id=context.new_id())
        return company_requests.ask(context, person, request, company_id=form.company_id, receipt=receipt)
