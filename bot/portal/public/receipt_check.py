"""The page on which every visitor can verify a receipt: the file is read in memory, and neither kept nor logged."""

from flask import render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements import moments, signed_receipt
from agreements.signed_receipt import MAX_RECEIPT_BYTES, ReceiptForged, ReceiptUnreadable
from agreements.store.ledger import stored_ledger
from bot.portal.forms.form_action import FormRefused, form_action
from bot.portal.portal_services import portal_services, reading
from bot.portal.text.languages import language
from bot.records import agreement_view


def receipt_check_page() -> str:
    """The form that takes the file of a receipt."""
    return render_template("public/receipt_check.html", genuine=None)


@form_action(receipt_check_page)
def check_receipt() -> ResponseReturnValue:
    """The answer whether this server signed that file; of a genuine one nothing about the person is shown."""
    sent = request.files.get("file")
    data = sent.read(MAX_RECEIPT_BYTES + 1) if sent else b""
    if not data:
        raise FormRefused({"file": _("Choose the file of a receipt.")})
    try:
        receipt = signed_receipt.parse(data)
    except ReceiptUnreadable:
        raise FormRefused({"file": _("This is not a signed receipt. Choose the JSON file that the receipt page saves, or the attachment receipt.json of the PDF.")}) from None  # fmt: skip
    with reading() as (records, vault, _at):
        key = stored_ledger.public_key(records, vault)
    try:
        # Without a log no receipt was ever signed here.
        signed_receipt.verify(receipt, key or b"")
    except ReceiptForged:
        return render_template("public/receipt_check.html", genuine=False)
    agreement = receipt["agreement"]
    return render_template(
        "public/receipt_check.html",
        genuine=True,
        title=agreement_view.title(portal_services().catalog, agreement["name"], agreement["version"], language()),
        version=agreement["version"],
        sha256=receipt["source_sha256"],
        organization=receipt["organization"],
        signed_at=moments.moment(receipt["signed_at"]),
    )
