"""The page on which every visitor can verify a receipt: the file is read in memory, and neither kept nor logged."""

from flask import render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext

from agreements import moments, signed_receipt
from agreements.signed_receipt import SIGN_OFF_FORMAT, ReceiptForged, ReceiptUnreadable
from agreements.store.ledger import stored_ledger
from bot.pdf import receipt_reader
from bot.pdf.receipt_reader import MAX_PDF_BYTES, PdfReceipt, PdfUnreadable
from bot.portal.forms.form_action import FormRefused, form_action
from bot.portal.portal_services import portal_services, reading
from bot.portal.text.languages import language
from bot.records import agreement_view

MAX_RECEIPT_FORM_BYTES = MAX_PDF_BYTES + 64 * 1024
"""Bytes of the form that may carry a receipt as PDF."""

_PDF_PROBLEMS = {
    "encrypted": lazy_gettext("This PDF is encrypted. Choose a copy without a password."),
    "none": lazy_gettext("This PDF has no attachment. Choose the PDF that the receipt page saves."),
    "several": lazy_gettext("This PDF has more than one attachment. Choose the PDF that the receipt page saves."),
    "unreadable": lazy_gettext("This PDF cannot be read. Choose the PDF that the receipt page saves."),
    "large": lazy_gettext("This PDF is larger than any receipt."),
    "costly": lazy_gettext("This PDF takes more memory or time than any receipt."),
    "busy": lazy_gettext("The server is too busy to read a PDF right now. Try again in a minute."),
}


def receipt_check_page() -> str:
    """The form that takes the file of a receipt."""
    return render_template("public/receipt_check.html", genuine=None)


@form_action(receipt_check_page)
def check_receipt() -> ResponseReturnValue:
    """The answer whether this server signed that file; of a genuine agreement's nothing about the person is shown."""
    sent = request.files.get("file")
    data = sent.read(MAX_PDF_BYTES + 1) if sent else b""
    if not data:
        raise FormRefused({"file": _("Choose the file of a receipt.")})
    found = _pdf(data) if receipt_reader.is_pdf(data) else None
    try:
        receipt = signed_receipt.parse(found.receipt if found else data)
    except ReceiptUnreadable:
        raise FormRefused({"file": _("This is not a signed receipt. Choose the JSON file or the PDF that the receipt page saves.")}) from None  # fmt: skip
    with reading() as (records, vault, _at):
        key = stored_ledger.public_key(records, vault)
    try:
        # Without a log no receipt was ever signed here.
        signed_receipt.verify(receipt, key or b"")
        pages = found.pages(receipt) if found else None
    except ReceiptForged:
        return render_template("public/receipt_check.html", genuine=False)
    agreement = receipt["agreement"]
    return render_template(
        "public/receipt_check.html",
        genuine=True,
        pages=pages,
        title=agreement_view.title(portal_services().catalog, agreement["name"], agreement["version"], language()),
        version=agreement["version"],
        sha256=receipt["source_sha256"],
        organization=receipt.get("organization"),
        sign_off=receipt if receipt["format"] == SIGN_OFF_FORMAT else None,
        signed_at=moments.moment(receipt["signed_at"]),
        withdrawn_at=moments.moment(receipt["withdrawn_at"] or ""),
    )


def _pdf(data: bytes) -> PdfReceipt:
    try:
        return receipt_reader.read(data)
    except PdfUnreadable as error:
        status = 503 if error.problem == "busy" else 400
        raise FormRefused({"file": str(_PDF_PROBLEMS[error.problem])}, status) from None
