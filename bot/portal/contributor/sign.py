"""The page on which a contributor reads an agreement and signs it: evidence, address, rechecks and log in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256

from flask import abort, redirect, render_template, session
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.domains.domains import canonical_address
from agreements.facts import Account
from agreements.store.people import emails, people, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.store.people.external_signatures import EXTERNAL_TEXT
from agreements.store.people.signatures import OwnSignature, SignatureDraft
from agreements.vault import receipt_number
from bot.portal import organizations
from bot.portal.contributor import coverage_status, new_version_notice
from bot.portal.contributor.receipt import email_values
from bot.portal.forms import agreement_fields
from bot.portal.forms.agreement_fields import countries
from bot.portal.forms.sign_form import SignForm, sign_form
from bot.portal.portal_services import PortalServices, portal_services
from bot.portal.session.redirects import login_path
from bot.portal.session.visitor import VisiblePull, Visitor, signed_in, visitor, wanted_pull
from bot.portal.text.languages import Language, language
from bot.records.agreement_view import STATEMENT_ID, AgreementView
from bot.store import outbox
from bot.store.outbox import Email
from bot.store.pulls import rejudge

IDENTITY_PROOF = "github-oauth"
"""How we know who signed: GitHub's own sign-in, with state and PKCE."""

EMAIL_PROOF = "github-verified"
"""How we know the address: GitHub said that it is verified on this account."""

GITHUB_PROOF_LIFETIME = timedelta(days=365)
"""How long what GitHub verified counts without being looked at again."""

_SHOWN = "shown"


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


def read(agreement: str) -> ResponseReturnValue:
    """The agreement, readable by everybody; for a signed-in person with the form or, once signed, the receipt."""
    paper = _paper(agreement)
    who = visitor()
    if who is None or _is_corporate(paper):
        return _page(paper, None)
    return _page(paper, sign_form(paper, who.emails))


def sign(agreement: str) -> ResponseReturnValue:
    """Sign exactly what was shown; anything else shows the form again and says why."""
    paper = _paper(agreement)
    who = signed_in()
    if _is_corporate(paper):
        abort(403)
    pull = wanted_pull()
    query = f"?pr={pull.name}" if pull else ""
    signed = _signature_of(_mine(who), paper)
    if signed is not None:
        return redirect(f"/receipts/{signed.receipt}{query}")
    form = sign_form(paper, who.emails)
    valid = form.validate_on_submit()
    if not form.seen.data or form.seen.data != paper.seen or session.get(_SHOWN, {}).get(agreement) != paper.seen:
        form.agree.data = False
        form.seen.process_data(paper.seen)
        return _page(paper, form, changed=True), 409
    if not valid:
        return _page(paper, form), 400
    fields = agreement_fields.answers(form, paper.text.fields)
    filled = SignatureForm(paper=paper, name=form.name.data, email=form.email.data, fields=fields, language=language())
    after = f"/pull-request{query}" if pull else ""
    return redirect(f"/receipts/{record_signature(portal_services(), who.account, filled)}{after}")


def _paper(agreement: str) -> AgreementView:
    return organizations.agreement_to_sign(organizations.owner_id(), agreement) or abort(404)


def _is_corporate(paper: AgreementView) -> bool:
    """A company's agreement is never signed here by one person for themselves."""
    return paper.text.name != organizations.rules().individual.text


def _page(paper: AgreementView, form: SignForm | None, *, changed: bool = False) -> str:
    """The page with the agreement. What it shows is noted in the session: only that can be signed."""
    who, pull = visitor(), wanted_pull()
    mine = _mine(who) if who else ()
    signed = _signature_of(mine, paper)
    if form is not None and signed is None:
        session[_SHOWN] = {**session.get(_SHOWN, {}), paper.text.name: paper.seen}
    before = _before(mine, paper)
    if who is not None and form is not None and before is not None and not form.is_submitted():
        _fill(form, paper, before, who)
    return render_template(
        "contributor/sign.html",
        paper=paper,
        form=None if signed else form,
        signed=signed,
        corporate=_is_corporate(paper),
        pull=pull,
        countries=countries(language()) if any(one.kind == "country" for one in paper.text.fields) else (),
        before=before,
        **(_before_signing(who, pull) if who and not _is_corporate(paper) else {}),
        login=login_path(f"/sign/{paper.text.name}{organizations.remembered()}"),
        errors=_errors(form, changed=changed),
    )


def _errors(form: SignForm | None, *, changed: bool) -> dict[str, str]:
    """One line a field, in the order of the form; when the text changed that line comes alone."""
    if form is None or not form.is_submitted():
        return {}
    if changed:
        return {
            "text": _(
                "The text has changed since you opened this page, or you opened the page in another session. Read it again, then sign."
            )
        }
    shown = ("name", "email", *(name for name in form.errors if name.startswith(agreement_fields.PREFIX)), "agree")
    return {name: str(form.errors[name][0]) for name in shown if form.errors.get(name)}


def _before_signing(who: Visitor, pull: VisiblePull | None) -> dict[str, object]:
    """What the page says before signing: who covers the visitor already, and what the pull request waits for."""
    rules = organizations.rules()
    with portal_services().sessions() as records:
        coverage = coverage_status.of(records, portal_services(), who, rules, owner=organizations.owner_id())
        taken = pull if pull and pull.mine else None
        missing = coverage_status.missing(records, taken, who.account.id, rules, language()) if taken else None
    return {
        "coverage": coverage,
        "missing": missing,
        "newer": new_version_notice.waiting(who.account.id, rules, organizations.parties()),
    }


def _mine(who: Visitor) -> tuple[OwnSignature, ...]:
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


def _signature_of(mine: tuple[OwnSignature, ...], paper: AgreementView) -> OwnSignature | None:
    """The signature of this version with this page's party, in any language; what was signed with another party is none of it.

    One with an earlier name of the party, which the rulebook lists, is one: it still counts.
    """
    return next((one for one in _with_party(mine) if one.text[:2] == (paper.text.name, paper.text.version)), None)


def _before(mine: tuple[OwnSignature, ...], paper: AgreementView) -> OwnSignature | None:
    """The newest signature of another version of the same agreement with this page's party."""
    own = (one for one in _with_party(mine) if one.agreement == paper.text.name)
    return next((one for one in own if one.version != paper.text.version), None)


def _with_party(mine: tuple[OwnSignature, ...]) -> tuple[OwnSignature, ...]:
    """Those that count for the party of the page."""
    parties = organizations.parties()
    return tuple(one for one in mine if one.party is not None and parties.admit(one.party))


def _fill(form: SignForm, paper: AgreementView, before: OwnSignature, who: Visitor) -> None:
    """What they stated when they signed another version need not be typed again; an address only while GitHub verifies it."""
    services = portal_services()
    with services.sessions() as records:
        signed = signatures.receipt(records, services.vault, before.receipt, who.account.id)
    if signed is None or signed.erased:
        return
    form.name.data = signed.draft.name
    if signed.draft.email in who.emails:
        form.email.data = signed.draft.email
    for one in paper.text.fields:
        form[agreement_fields.PREFIX + one.name].data = signed.draft.fields.get(one.name, "")


def record_signature(services: PortalServices, account: Account, form: SignatureForm) -> str:
    """Store the signature and queue the rechecks; the receipt's number. Signed before and in force: that receipt."""
    with services.change(account.id) as context:
        session, at = context.session, context.at
        person = people.ensure(session, services.vault, account=account, at=at, new_id=services.new_id())
        signed = signatures.add(
            session,
            services.vault,
            person,
            signature_draft(form, STATEMENT_ID, form.paper.statement),
            at=at,
            new_id=services.new_id(),
            receipt=receipt_number(),
        )
        address, proof = canonical_address(form.email), None
        if address:
            proven = ProvenAddress(address=address, how=EMAIL_PROOF, at=at, until=at + GITHUB_PROOF_LIFETIME)
            proof = emails.prove(session, services.vault, person, proven, new_id=services.new_id())
        rejudge.people(session, services.engine, [account.id])
        if signed.new:
            email = receipt_email(services, account, form, signed.row.receipt, at)
            outbox.add(session, services.vault, email, at=at, new_id=services.new_id())
            rows = [signed.row] if proof is None else [signed.row, proof]
            details = {name: getattr(signed.row, name) for name in ("agreement", "version", "language")}
            context.log("signature.added", account.id, rows=rows, details=details)
        elif proof is not None:
            context.log("address.proven", account.id, rows=[proof], details={"how": EMAIL_PROOF})
    return signed.row.receipt


def receipt_email(services: PortalServices, account: Account, form: SignatureForm, receipt: str, at: datetime) -> Email:
    """What is mailed to who has just signed."""
    values = email_values(
        services,
        title=form.paper.title,
        version=form.paper.text.version,
        party=form.paper.party.name if form.paper.party else "",
        login=account.login,
        receipt=receipt,
        at=at,
    )
    return Email(
        kind="receipt",
        to=form.email,
        language=form.language,
        values=values,
        account_id=account.id,
        once=f"receipt {receipt}",
    )


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
