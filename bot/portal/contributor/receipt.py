"""The receipt of a signature, for its signer only: a page, JSON for machines, a PDF where that is installed."""

from datetime import timedelta

from flask import abort, redirect, render_template
from flask.typing import ResponseReturnValue

from agreements.store.people import signatures
from agreements.store.people.signatures import ReceiptView
from bot.portal import pull_request_status, receipt_files
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.redirects import ours
from bot.portal.session.visitor import signed_in, wanted_pull
from bot.records.agreement_view import AUTHORITY_ID

_THANKS_PERIOD = timedelta(minutes=5)
"""The time for which the receipt thanks."""


def receipt_page(receipt: str) -> ResponseReturnValue:
    """The receipt of a signature, for its signer; for other visitors there is no such page."""
    view = own_receipt(receipt)
    return render_template(
        "contributor/receipt.html",
        **receipt_files.page_values(view),
        pull=wanted_pull(),
        fresh=portal_services().clock() - view.signed_at < _THANKS_PERIOD,
        for_company=view.draft.statement_id == AUTHORITY_ID,
    )


def as_json(receipt: str) -> ResponseReturnValue:
    """The receipt as JSON, with all that the signature holds."""
    return receipt_files.json_file(own_receipt(receipt))


def as_pdf(receipt: str) -> ResponseReturnValue:
    """The receipt and the text as a PDF with that JSON in it."""
    return receipt_files.pdf_file(own_receipt(receipt))


def signed_pull_request(receipt: str) -> ResponseReturnValue:
    """The state of the pull request in the address since that receipt; without one, the receipt."""
    view, pull = own_receipt(receipt), wanted_pull()
    if pull is None:
        return redirect(f"/receipts/{view.receipt}")
    return pull_request_status.page(pull, view.signed_at, receipt=view.receipt)


def own_receipt(receipt: str) -> ReceiptView:
    """The receipt of the visitor's own; for everything else there is no such page."""
    if ours(f"/receipts/{receipt}") is None:  # No receipt number at all.
        abort(404)
    with reading() as (records, vault, _at):
        return signatures.receipt(records, vault, receipt, signed_in().account.id) or abort(404)
