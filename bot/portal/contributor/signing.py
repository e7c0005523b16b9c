"""One signature: person, evidence, address, the recheck of every open pull request, the log: all in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from sqlmodel import SQLModel

from agreements.domains.domains import canonical_address
from agreements.facts import Account
from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import Change, Subject
from agreements.store.people import emails, people, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.store.people.signatures import SignatureDraft, SignedReceipt
from agreements.vault import receipt_number
from bot.portal.languages import Language
from bot.portal.portal_services import PortalServices
from bot.records.agreement_view import STATEMENT_ID, AgreementView
from bot.store import outbox
from bot.store.outbox import Email
from bot.store.pulls import rejudge

IDENTITY_PROOF = "github-oauth"
"""How we know who signed: GitHub's own sign-in, with state and PKCE."""

EMAIL_PROOF = "github-verified"
"""How we know the address: GitHub said that it is verified on this account."""

_PROOF_LASTS = timedelta(days=365)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureForm:
    """What the person read and filled in; `fields` are what the agreement asks for besides, by name.

    The receipt is mailed to `email` in `language`.
    """

    paper: AgreementView
    name: str = field(repr=False)
    email: str = field(repr=False)
    fields: Mapping[str, str] = field(default_factory=dict, repr=False)
    language: Language = "en"


def sign(services: PortalServices, account: Account, form: SignatureForm) -> str:
    """Store the signature and queue the rechecks; the receipt's number. Signed before and in force: that receipt."""
    at = services.clock()
    with services.sessions() as session:
        person = people.ensure(session, services.vault, account=account, at=at, new_id=services.new_id())
        signed = signatures.add(
            session, services.vault, person, _draft(form), at=at, new_id=services.new_id(), receipt=receipt_number()
        )
        address, proof = canonical_address(form.email), None
        if address:
            proven = ProvenAddress(address=address, how=EMAIL_PROOF, at=at, until=at + _PROOF_LASTS)
            proof = emails.prove(session, services.vault, person, proven, new_id=services.new_id())
        rejudge.people(session, services.engine, [account.id])
        if signed.new:
            outbox.add(
                session, services.vault, _letter(services, account, form, signed), at=at, new_id=services.new_id()
            )
        subject = Subject("person", person.id, people.data_key(services.vault, person))
        change = _change(account, subject, signed, proof)
        if change.rows:
            ledger.append(session, services.vault, change, at=at, new_id=services.new_id())
    return signed.receipt


def _change(account: Account, subject: Subject, signed: SignedReceipt, proof: SQLModel | None) -> Change:
    """What the log is told; without rows when nothing changed."""
    proofs = [proof] if proof is not None else []
    if not signed.new:
        return Change(
            kind="address.proven", actor_id=account.id, subject=subject, rows=proofs, told={"how": EMAIL_PROOF}
        )
    told = {"agreement": signed.agreement, "version": signed.version, "language": signed.language}
    return Change(kind="signature.added", actor_id=account.id, subject=subject, rows=[signed.row, *proofs], told=told)


def _letter(services: PortalServices, account: Account, form: SignatureForm, signed: SignedReceipt) -> Email:
    values = {
        "title": form.paper.title,
        "version": signed.version,
        "time": f"{signed.signed_at:%Y-%m-%d %H:%M:%S} UTC",
        "login": account.login,
        "receipt": signed.receipt,
        "url": f"{services.settings.url}/receipts/{signed.receipt}",
        "site": services.settings.url,
    }
    return Email(
        kind="receipt",
        to=form.email,
        language=form.language,
        values=values,
        account_id=account.id,
        once=f"receipt {signed.receipt}",
    )


def _draft(form: SignatureForm) -> SignatureDraft:
    paper = form.paper
    return SignatureDraft(
        agreement=paper.text.name,
        version=paper.text.version,
        language=paper.text.language,
        source_sha256=paper.text.sha256,
        shown_sha256=paper.shown_sha256,
        statement_id=STATEMENT_ID,
        statement_sha256=paper.statement_sha256,
        identity_proof=IDENTITY_PROOF,
        name=form.name,
        email=form.email,
        fields=form.fields,
    )
