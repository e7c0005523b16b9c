"""The page on which a contributor reads an agreement and signs it: evidence, address, rechecks and log in one transaction."""

from flask import abort, redirect, render_template, session
from flask.typing import ResponseReturnValue

from agreements.domains.canonical_form import canonical_address
from agreements.facts import Account
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.signatures import EXTERNAL_TEXT, OwnSignature
from agreements.vault import receipt_number
from bot.portal import organizations
from bot.portal.contributor import coverage_status, new_version_notice
from bot.portal.forms import agreement_fields
from bot.portal.forms.agreement_fields import countries
from bot.portal.forms.form_action import form_action
from bot.portal.forms.sign_form import SignForm, check_signed, sign_form
from bot.portal.portal_services import PortalServices, portal_services, reading
from bot.portal.session.redirects import login_path
from bot.portal.session.visitor import VisiblePull, Visitor, signed_in, visitor, wanted_pull
from bot.portal.signing import EMAIL_PROOF, SignatureForm, github_proof, receipt_email, signature_draft
from bot.portal.text.languages import language
from bot.records.agreement_view import STATEMENT_ID, AgreementView
from bot.store import outbox
from bot.store.pulls import rejudge

_SHOWN = "shown"


def read(agreement: str, form: SignForm | None = None) -> str:
    """The agreement, readable without signing in; for a signed-in person with the form or, once signed, the receipt."""
    paper, who, pull = _paper(agreement), visitor(), wanted_pull()
    corporate, mine = _is_corporate(paper), _mine(who) if who else ()
    signed = _signature_of(mine, paper)
    before = next(
        (signature for signature in _with_party(mine, paper) if signature.version != paper.text.version), None
    )
    if who is not None and not corporate:
        form = form or sign_form(paper, who.emails)
        form.seen.process_data(paper.seen)
        if signed is None:
            # What the page shows is noted in the session: only that can be signed.
            session[_SHOWN] = {**session.get(_SHOWN, {}), paper.text.name: paper.seen}
        if before is not None and not form.is_submitted():
            _fill(form, paper, before, who)
    return render_template(
        "contributor/sign.html",
        paper=paper,
        form=None if signed else form,
        signed=signed,
        corporate=corporate,
        pull=pull,
        countries=countries(language()) if any(field.kind == "country" for field in paper.text.fields) else (),
        before=before,
        **(_before_signing(who, pull) if who and not corporate else {}),
        login=login_path(f"/sign/{paper.text.name}{organizations.remembered()}"),
    )


@form_action(read)
def sign(agreement: str) -> ResponseReturnValue:
    """Sign exactly what was shown; anything else shows the form again and says why."""
    paper, who, pull = _paper(agreement), signed_in(), wanted_pull()
    if _is_corporate(paper):
        abort(403)
    query = f"?pr={pull.name}" if pull else ""
    signed = _signature_of(_mine(who), paper)
    if signed is not None:  # A form that is sent twice leads to the one receipt.
        return redirect(f"/receipts/{signed.receipt}{query}")
    form = sign_form(paper, who.emails)
    asked = (agreement_fields.PREFIX + field.name for field in paper.text.fields)
    check_signed(form, paper.seen, session.get(_SHOWN, {}).get(agreement), ("name", "email", *asked, "agree"))
    fields = agreement_fields.answers(form, paper.text.fields)
    filled = SignatureForm(paper=paper, name=form.name.data, email=form.email.data, fields=fields, language=language())
    after = f"/pull-request{query}" if pull else ""
    return redirect(f"/receipts/{record_signature(portal_services(), who.account, filled)}{after}")


def _paper(agreement: str) -> AgreementView:
    return organizations.agreement_to_sign(organizations.owner_id(), agreement) or abort(404)


def _is_corporate(paper: AgreementView) -> bool:
    # A company's agreement is never signed here by one person for themselves.
    return paper.text.name != organizations.rules().individual.text


def _before_signing(who: Visitor, pull: VisiblePull | None) -> dict[str, object]:
    rules = organizations.rules()
    with reading() as (records, _vault, _at):
        mine = signatures.mine(records, who.account.id)
        coverage = coverage_status.of(records, portal_services(), who, rules, owner=organizations.owner_id())
        taken = pull if pull and pull.mine else None
        missing = coverage_status.missing(records, taken, who.account.id, rules, language()) if taken else None
    return {
        "coverage": coverage,
        "missing": missing,
        "newer": new_version_notice.waiting(mine, rules, organizations.parties()),
    }


def _mine(who: Visitor) -> tuple[OwnSignature, ...]:
    """The signatures of the visitor for themselves that are in force and can be opened."""
    with reading() as (records, _vault, _at):
        mine = signatures.mine(records, who.account.id)
    accepted = portal_services().catalog.accepted()
    return tuple(
        signature
        for signature in mine
        if signature.withdrawn_at is None
        and not (signature.for_company or signature.erased)
        # External: the catalog has no text.
        and (signature.text in accepted or signature.source_sha256 == EXTERNAL_TEXT)
    )


def _signature_of(mine: tuple[OwnSignature, ...], paper: AgreementView) -> OwnSignature | None:
    # Signed under an earlier name of the party it counts; signed with another party it is another agreement.
    return next((signature for signature in _with_party(mine, paper) if signature.version == paper.text.version), None)


def _with_party(mine: tuple[OwnSignature, ...], paper: AgreementView) -> tuple[OwnSignature, ...]:
    """The signatures of any version of the agreement that count for the page's party, the newest first."""
    parties = organizations.parties()
    return tuple(
        signature
        for signature in mine
        if signature.agreement == paper.text.name and signature.party is not None and parties.admit(signature.party)
    )


def _fill(form: SignForm, paper: AgreementView, before: OwnSignature, who: Visitor) -> None:
    with reading() as (records, vault, _at):
        signed = signatures.receipt(records, vault, before.receipt, who.account.id)
    if signed is None or signed.erased:
        return
    form.name.data = signed.draft.name
    if signed.draft.email in who.emails:  # Only while GitHub calls it verified.
        form.email.data = signed.draft.email
    for field in paper.text.fields:
        form[agreement_fields.PREFIX + field.name].data = signed.draft.fields.get(field.name, "")


def record_signature(services: PortalServices, account: Account, form: SignatureForm) -> str:
    """Store the signature and queue the rechecks; the receipt's number. Signed before and in force: that receipt."""
    with services.change(account.id) as context:
        person = person_rows.ensure(context, account)
        draft = signature_draft(form, STATEMENT_ID, form.paper.statement)
        signed = signatures.add(context, person, draft, receipt=receipt_number())
        # GitHub has verified it, so it counts as proven from now on.
        address, proof = canonical_address(form.email), None
        if address:
            proof = emails.prove(context, person, github_proof(address, context.at))
        rejudge.people(context.session, services.engine, [account.id])
        if signed.new:  # A form that is sent twice has one receipt, one e-mail and one entry.
            outbox.add(context, receipt_email(services, account, form, signed.row.receipt, context.at))
            rows = [signed.row] if proof is None else [signed.row, proof]
            details = {name: getattr(signed.row, name) for name in ("agreement", "version", "language")}
            context.log("signature.added", account.id, rows=rows, details=details)
        elif proof is not None:
            context.log("address.proven", account.id, rows=[proof], details={"how": EMAIL_PROOF})
    return signed.row.receipt
