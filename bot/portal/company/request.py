"""A company's request: a signature for the company, its first two managers, the receipt, the log: one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256

from agreements.domains.domains import canonical_address
from agreements.facts import Account
from agreements.form_fields import Field
from agreements.store.companies import company_requests
from agreements.store.companies.company_requests import Request
from agreements.store.people import people
from agreements.store.people.emails import ProvenAddress
from agreements.store.people.signatures import SignatureDraft
from agreements.vault import receipt_number
from bot.portal.contributor.signing import EMAIL_PROOF, IDENTITY_PROOF
from bot.portal.languages import Language
from bot.portal.portal_services import PortalServices
from bot.records.agreement_view import AgreementView
from bot.records.declarations import AUTHORITY, AUTHORITY_ID
from bot.store import outbox
from bot.store.outbox import Email

LEGAL_NAME = Field("legal-name", {"en": "Legal name of the company", "zh": "公司法定名称"})
"""Asked for also where the agreement itself declares no such field: a company has a name."""

PROOF_LASTS = timedelta(days=365)
"""How long what GitHub verified counts without being looked at again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyRequestForm:
    """What the representative read and filled in; `company_id` is the same when the form is sent twice."""

    paper: AgreementView
    name: str = field(repr=False)
    email: str = field(repr=False)
    fields: Mapping[str, str] = field(repr=False)
    second: Account
    company_id: str
    language: Language


def statement(paper: AgreementView) -> str:
    """The sentence beside the tick."""
    return AUTHORITY[paper.text.language].format(title=paper.title, version=paper.text.version)


def seen(paper: AgreementView) -> str:
    """One word for all that was shown: if any of it changes before the button is pressed, this does too."""
    return sha256(f"{paper.seen}\0{statement(paper)}".encode()).hexdigest()


def asked(paper: AgreementView) -> tuple[Field, ...]:
    """What the company is asked for: the agreement's fields, the legal name in any case."""
    declared = paper.text.fields
    return declared if any(one.name == LEGAL_NAME.name for one in declared) else (LEGAL_NAME, *declared)


def ask(services: PortalServices, account: Account, form: CompanyRequestForm) -> str:
    """Store the request and mail the receipt; the company's id. Raises CompanyRefused."""
    at, receipt = services.clock(), receipt_number()
    address = canonical_address(form.email)
    proven = ProvenAddress(address=address, how=EMAIL_PROOF, at=at, until=at + PROOF_LASTS) if address else None
    request = Request(name=form.fields[LEGAL_NAME.name], draft=_draft(form), second=form.second, proven=proven)
    with services.sessions() as session:
        person = people.ensure(session, services.vault, account=account, at=at, new_id=services.new_id())
        outbox.add(session, services.vault, _letter(services, account, form, receipt), at=at, new_id=services.new_id())
        return company_requests.ask(
            session,
            services.vault,
            person,
            request,
            at=at,
            new_id=services.new_id,
            company_id=form.company_id,
            receipt=receipt,
        )


def _draft(form: CompanyRequestForm) -> SignatureDraft:
    text = form.paper.text
    return SignatureDraft(
        agreement=text.name,
        version=text.version,
        language=text.language,
        source_sha256=text.sha256,
        shown_sha256=form.paper.shown_sha256,
        statement_id=AUTHORITY_ID,
        statement_sha256=sha256(statement(form.paper).encode()).hexdigest(),
        identity_proof=IDENTITY_PROOF,
        name=form.name,
        email=form.email,
        fields=form.fields,
    )


def _letter(services: PortalServices, account: Account, form: CompanyRequestForm, receipt: str) -> Email:
    values = {
        "title": form.paper.title,
        "version": form.paper.text.version,
        "time": f"{services.clock():%Y-%m-%d %H:%M:%S} UTC",
        "login": account.login,
        "receipt": receipt,
        "url": f"{services.settings.url}/receipts/{receipt}",
        "company": f"{services.settings.url}/company/{form.company_id}",
        "site": services.settings.url,
    }
    return Email(
        kind="company-receipt",
        to=form.email,
        language=form.language,
        values=values,
        account_id=account.id,
        once=f"company-requested:{form.company_id}",
    )
