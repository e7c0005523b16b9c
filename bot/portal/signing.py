"""The parts of taking in a signature that pages of several audiences need: its evidence, the proof of an address, codes, e-mails."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256

from flask_babel import gettext as _

from agreements.facts import Account
from agreements.form_fields import AgreementField
from agreements.store.people import email_codes, emails, person_rows
from agreements.store.people.email_codes import TooManyCodes
from agreements.store.people.emails import CODE_PROOF_LIFETIME, MAILED_CODE, ProvenAddress
from agreements.store.people.signatures import ReceiptView, SignatureDraft
from agreements.store.record_context import RecordContext
from bot.portal import organizations
from bot.portal.forms.form_action import FormRefused
from bot.portal.portal_services import PortalServices
from bot.portal.text import times
from bot.portal.text.languages import Language
from bot.records import agreement_view
from bot.records.agreement_view import AgreementView
from bot.store import outbox
from bot.store.outbox import Email
from bot.store.pulls import rejudge

IDENTITY_PROOF = "github-oauth"
"""The way in which the signer was identified: GitHub's own sign-in, with state and PKCE."""

EMAIL_PROOF = "github-verified"
"""The way in which the address was proven: GitHub said that it is verified on this account."""

GITHUB_PROOF_LIFETIME = timedelta(days=365)
"""The time for which an address that GitHub verified counts without being checked again."""

LEGAL_NAME = AgreementField("legal-name", {"en": "Legal name of the company", "zh": "公司法定名称"})
"""Asked for also where the agreement itself declares no such field: a company has a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureForm:
    """The text that the person read (`paper`), the `name` and other values they filled in; `fields` are the agreement's further ones.

    The receipt is mailed to `email` in `language`.
    """

    paper: AgreementView
    name: str = field(repr=False)
    email: str = field(repr=False)
    fields: Mapping[str, str] = field(default_factory=dict, repr=False)
    language: Language = "en"


def github_proof(address: str, at: datetime) -> ProvenAddress:
    """The proof that GitHub has verified this address."""
    return ProvenAddress(address=address, how=EMAIL_PROOF, at=at, until=at + GITHUB_PROOF_LIFETIME)


def signature_draft(
    form: SignatureForm, statement_id: str, statement: str, identity_proof: str = IDENTITY_PROOF
) -> SignatureDraft:
    """The evidence; `statement` is the sentence beside the tick, and `statement_id` names its wording.

    Raises ValueError for a page that names no party.
    """
    paper = form.paper
    if paper.party is None:
        raise ValueError("an agreement needs a party")
    return SignatureDraft(
        agreement=paper.text.name,
        version=paper.text.version,
        language=paper.text.language,
        source_sha256=paper.text.sha256,
        shown_sha256=paper.shown_sha256,
        statement_id=statement_id,
        statement_sha256=sha256(statement.encode()).hexdigest(),
        identity_proof=identity_proof,
        party=paper.party.id,
        name=form.name,
        email=form.email,
        fields=form.fields,
    )


def receipt_email(
    services: PortalServices, account: Account, form: SignatureForm, receipt: str, at: datetime, **company: str
) -> Email:
    """The e-mail to the person who has just signed, for themselves or for the `company` whose page it names."""
    text, party = form.paper.text, form.paper.party.name if form.paper.party else ""
    values = _about(services, account.login, receipt, at) | {"title": form.paper.title, "version": text.version}
    return Email(
        kind="company-receipt" if company else "receipt",
        to=form.email,
        language=form.language,
        values={**values, "party": party, **company},
        account_id=account.id,
        once=f"receipt {receipt}",
    )


def ended_email(services: PortalServices, view: ReceiptView, at: datetime, **reason: str) -> Email:
    """The e-mail to the signer that they withdrew it, or of the `reason` for which it was revoked."""
    draft, kind = view.draft, "revoked" if reason else "withdrawn"
    # In the language of what was signed, to the address that was given then.
    title = agreement_view.title(services.catalog, draft.agreement, draft.version, draft.language)
    values = _about(services, view.login, view.receipt, at) | {"title": title, "version": draft.version}
    return Email(
        kind=kind,
        to=draft.email,
        language="zh" if draft.language == "zh" else "en",
        values={**values, "party": organizations.party_name(draft.party), **reason},
        account_id=view.account_id,
        once=f"{kind} {view.receipt}",
    )


def _about(services: PortalServices, login: str, receipt: str, at: datetime) -> dict[str, str]:
    site = services.url
    time = f"{at:%Y-%m-%d %H:%M:%S} UTC"
    return {"time": time, "login": login, "receipt": receipt, "url": f"{site}/receipts/{receipt}", "site": site}


def mail_code(
    context: RecordContext, account: Account, address: str, language: Language, url: str, company_id: str | None = None
) -> str:
    """A code and the mail that brings it, in one transaction; the code's id. A second click gets the first one's. Raises TooManyCodes."""
    person = person_rows.ensure(context, account)
    if just_issued := email_codes.just_issued(context, person, address, company_id=company_id):
        return just_issued
    issued = email_codes.issue(context, person, address, company_id=company_id)
    values = {"code": issued.code, "login": account.login, "url": url}
    email = Email(kind="code", to=address, language=language, values=values, account_id=account.id)
    outbox.add(context, email)  # With the code in one transaction.
    return issued.id


def prove_address(services: PortalServices, context: RecordContext, account: Account, address: str) -> None:
    """Store that the account has answered a code mailed to this address."""
    at = context.at
    proven = ProvenAddress(address=address, how=MAILED_CODE, at=at, until=at + CODE_PROOF_LIFETIME)
    row = emails.prove(context, person_rows.ensure(context, account), proven)
    rejudge.people(context.session, services.engine, [account.id])
    context.log("address.proven", account.id, rows=[row], details={"how": MAILED_CODE})


def too_many_codes(many: TooManyCodes, place: str) -> FormRefused:
    """The refusal beside that field: enough codes were mailed for now."""
    again = times.clock_time(many.again_at)
    return FormRefused({place: _("You have requested too many codes. Try again at %(time)s.", time=again)}, 429)
