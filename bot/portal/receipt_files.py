"""The files of a receipt: JSON that the log's key signs, and where that is installed a PDF with that JSON in it."""

import json
from collections.abc import Collection, Mapping
from typing import Any

import structlog
from flask import abort, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements import moments, signed_receipt
from agreements.store.people import signed_receipts
from agreements.store.people.signatures import ReceiptView, SignatureDraft
from agreements.store.people.signed_receipts import ReceiptNotLogged
from agreements.vault import DecryptionFailed
from bot.pdf import pdf_signature, typesetter
from bot.pdf.pdf_signature import PdfSigner, SignerInvalid
from bot.pdf.typesetter import NoPDF
from bot.portal import organizations
from bot.portal.downloads import download
from bot.portal.forms import agreement_fields
from bot.portal.portal_services import portal_services, reading
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.records.agreement_view import AgreementView

UNSIGNED_FORMAT = "countersign-receipt/1"
"""The format of a receipt that could not be signed, as earlier releases wrote all."""

log = structlog.get_logger()


def json_file(view: ReceiptView, *, leave_out: Collection[str] = ()) -> ResponseReturnValue:
    """The receipt as JSON, with all that the signature holds but these fields and the address if `email` is among them."""
    return download(as_text(_receipt(view, leave_out)), "application/json", f"receipt-{view.receipt}.json")


def pdf_file(view: ReceiptView, *, leave_out: Collection[str] = ()) -> ResponseReturnValue:
    """The receipt and the text as a PDF with that JSON in it, less the same; 404 where PDFs cannot be made at all.

    With a certificate the whole file is signed, and the JSON names the certificate.
    """
    if not typesetter.possible():  # WeasyPrint is an extra.
        abort(404)
    values = page_values(view, leave_out)
    paper: AgreementView | None = values["paper"]
    if paper and paper.shown_sha256 != view.draft.shown_sha256:
        values["paper"] = None  # It can no longer be shown letter for letter as it was signed.
    try:
        signer = _signer()
        receipt = _receipt(view, leave_out, signer)
        is_signed = receipt["format"] == signed_receipt.FORMAT
        html = render_template(
            "contributor/receipt_pdf.html",
            **values,
            is_signed=is_signed,
            signed_pages=is_signed and signer is not None,
            verify_url=f"{portal_services().url}/receipts/verify",
        )
        made = typesetter.make(html, as_text(receipt), "receipt.json")
        # What the log does not confirm gets neither signature: a row may be forged.
        if signer and is_signed:
            made = pdf_signature.sign(made, signer)
    except (NoPDF, SignerInvalid) as error:
        log.error("receipt.no-pdf", why=str(error))  # noqa: TRY400 - a trace would say no more
        title = _("The PDF is not available right now")
        advice = _("Your receipt is safe. You can print the receipt page or save it as JSON. Try the PDF again later.")
        return render_template("error.html", code=503, title=title, advice=advice), 503
    return download(made, "application/pdf", f"receipt-{view.receipt}.pdf")


def page_values(view: ReceiptView, leave_out: Collection[str] = ()) -> dict[str, Any]:
    """The values that the page of a receipt and its PDF show."""
    draft, catalog = view.draft, portal_services().catalog
    with_whom = organizations.party_name(draft.party)
    # The rulebook may spell the name with other white space than the records.
    names = [with_whom, portal_services().rules(organizations.owner_of_party(draft.party)).organization]
    text = catalog.get(draft.agreement, draft.version, draft.language)
    return {
        "view": view,
        "paper": agreement_view.as_signed(text, names, draft.shown_sha256) if text else None,
        "with_whom": with_whom,
        "details": agreement_fields.shown(text.fields if text else (), _fields(draft, leave_out), language()),
        "email": None if "email" in leave_out else draft.email,
        "declared": agreement_view.declared(catalog, draft),
    }


def _signer() -> PdfSigner | None:
    """The configured signer of PDFs, if there is one. Raises SignerInvalid: it may have expired since the start."""
    settings = portal_services().settings
    if not settings.pdf_certificate:
        return None
    return pdf_signature.read_signer(settings.pdf_certificate, settings.pdf_key, at=portal_services().clock())


def as_text(receipt: Mapping[str, Any]) -> str:
    """The text of a receipt's JSON file."""
    return json.dumps(receipt, ensure_ascii=False, indent=2) + "\n"


def _receipt(view: ReceiptView, leave_out: Collection[str], signer: PdfSigner | None = None) -> dict[str, Any]:
    """The receipt, signed if the log confirms it; in a signed PDF it names the certificate that signs the PDF."""
    content = _content(view, leave_out)
    named = {pdf_signature.CERTIFICATE_KEY: signer.sha256} if signer else {}
    try:
        with reading() as (records, vault, _at):
            return signed_receipts.sign(records, vault, view, {**content, **named})
    except (ReceiptNotLogged, DecryptionFailed) as error:
        # The person gets their copy all the same; the log tells the operator that a row is wrong.
        log.error("receipt.not-signed", why=str(error))  # noqa: TRY400 - a trace would say no more
        return {"format": UNSIGNED_FORMAT, **content}


def _content(view: ReceiptView, leave_out: Collection[str]) -> dict[str, object]:
    draft = view.draft
    declared = agreement_view.declared(portal_services().catalog, draft)
    # The same bytes each time, but for a withdrawal or an erasure that came between.
    return {
        "issuer": portal_services().url,
        "receipt": view.receipt,
        "agreement": {"name": draft.agreement, "version": draft.version, "language": draft.language},
        "party": draft.party,
        "organization": organizations.party_name(draft.party),
        "source_sha256": draft.source_sha256,
        "shown_sha256": draft.shown_sha256,
        "statement": {
            "id": draft.statement_id,
            "sha256": draft.statement_sha256,
            "text": declared.words if declared else None,
        },
        "account": {"id": view.account_id, "login": view.login},
        "identity_proof": draft.identity_proof,
        "name": None if view.erased else draft.name,  # Its key is gone.
        "email": None if view.erased or "email" in leave_out else draft.email,
        "fields": None if view.erased else _fields(draft, leave_out),
        "signed_at": moments.text(view.signed_at),
        "withdrawn_at": moments.text(view.withdrawn_at) if view.withdrawn_at else None,
    }


def _fields(draft: SignatureDraft, leave_out: Collection[str]) -> dict[str, str]:
    return {name: value for name, value in draft.fields.items() if name not in leave_out}
