"""The receipt of a signature, for its signer only: a page, JSON for machines, a PDF where that is installed; and the page that waits for a check."""

import json
from datetime import timedelta
from typing import Any

import structlog
from flask import abort, make_response, redirect, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements import moments
from agreements.store.people import signatures
from agreements.store.people.signatures import ReceiptView
from bot import pdf
from bot.portal import organizations
from bot.portal.downloads import download
from bot.portal.forms import agreement_fields
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.redirects import ours
from bot.portal.session.visitor import signed_in, wanted_pull
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.records.agreement_view import AUTHORITY_ID, AgreementView
from bot.store.pulls import named_pulls

FORMAT = "countersign-receipt/1"

REFRESH_SECONDS = 3
_THANKS_PERIOD = timedelta(minutes=5)
"""The time for which the receipt thanks, and open pull requests may still be looked at again, for which a page waits."""

log = structlog.get_logger()


def receipt_page(receipt: str) -> ResponseReturnValue:
    """The receipt of a signature, for its signer; for other visitors there is no such page."""
    view = own_receipt(receipt)
    return render_template(
        "contributor/receipt.html",
        **_values(view),
        pull=wanted_pull(),
        fresh=portal_services().clock() - view.signed_at < _THANKS_PERIOD,
        for_company=view.draft.statement_id == AUTHORITY_ID,
        pdf_possible=pdf.possible(),
    )


def as_json(receipt: str) -> ResponseReturnValue:
    """The receipt as JSON, with all that the signature holds."""
    view = own_receipt(receipt)
    return download(_evidence(view), "application/json", f"receipt-{view.receipt}.json")


def as_pdf(receipt: str) -> ResponseReturnValue:
    """The receipt and the text as a PDF with that JSON in it; 404 where PDFs cannot be made at all."""
    if not pdf.possible():  # WeasyPrint is an extra.
        abort(404)
    view = own_receipt(receipt)
    values = _values(view)
    paper: AgreementView | None = values["paper"]
    if paper and paper.shown_sha256 != view.draft.shown_sha256:
        values["paper"] = None  # It can no longer be shown letter for letter as it was signed.
    html = render_template("contributor/receipt_pdf.html", **values)
    try:
        made = pdf.make(html, _evidence(view), "receipt.json")
    except pdf.NoPDF as error:
        log.error("receipt.no-pdf", why=str(error))  # noqa: TRY400 - a trace would say no more
        title = _("The PDF is not available right now")
        advice = _("Your receipt is safe. You can print the receipt page or save it as JSON. Try the PDF again later.")
        return render_template("error.html", code=503, title=title, advice=advice), 503
    return download(made, "application/pdf", f"receipt-{view.receipt}.pdf")


def pull_request_status(receipt: str) -> ResponseReturnValue:
    """The state of the pull request in the address since that receipt; without one, the receipt."""
    view, pull = own_receipt(receipt), wanted_pull()
    if pull is None:
        return redirect(f"/receipts/{view.receipt}")
    with reading() as (records, _vault, at):
        is_settled = named_pulls.is_settled(records, pull.id)
        newest = named_pulls.history(records, pull.id, most=1)
    is_followed = not is_settled and at - view.signed_at < _THANKS_PERIOD
    page = render_template(
        "contributor/pull_request_status.html",
        receipt=view.receipt,
        pull=pull,
        is_settled=is_settled,
        is_followed=is_followed,
        conclusion=newest[0].conclusion if newest else "",
    )
    answer = make_response(page)
    if is_followed:
        answer.headers["Refresh"] = str(REFRESH_SECONDS)  # Works without a script, and leaves the address as it is.
    return answer


def own_receipt(receipt: str) -> ReceiptView:
    """The receipt of the visitor's own; for everything else there is no such page."""
    if ours(f"/receipts/{receipt}") is None:  # No receipt number at all.
        abort(404)
    with reading() as (records, vault, _at):
        return signatures.receipt(records, vault, receipt, signed_in().account.id) or abort(404)


def _values(view: ReceiptView) -> dict[str, Any]:
    draft, catalog = view.draft, portal_services().catalog
    with_whom = organizations.party_name(draft.party)
    # The rulebook may spell the name with other white space than the records.
    names = [with_whom, portal_services().rules(organizations.owner_of_party(draft.party)).organization]
    text = catalog.get(draft.agreement, draft.version, draft.language)
    return {
        "view": view,
        "paper": agreement_view.as_signed(text, names, draft.shown_sha256) if text else None,
        "with_whom": with_whom,
        "details": agreement_fields.shown(text.fields if text else (), draft.fields, language()),
        "declared": agreement_view.declared(catalog, draft),
    }


def _evidence(view: ReceiptView) -> str:
    draft = view.draft
    declared = agreement_view.declared(portal_services().catalog, draft)
    # The same bytes each time, but for a withdrawal or an erasure that came between.
    evidence = {
        "format": FORMAT,
        "issuer": portal_services().url,
        "receipt": view.receipt,
        "agreement": {"name": draft.agreement, "version": draft.version, "language": draft.language},
        "party": draft.party,
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
        "email": None if view.erased else draft.email,
        "fields": None if view.erased else dict(draft.fields),
        "signed_at": moments.text(view.signed_at),
        "withdrawn_at": moments.text(view.withdrawn_at) if view.withdrawn_at else None,
    }
    return json.dumps(evidence, ensure_ascii=False, indent=2) + "\n"
