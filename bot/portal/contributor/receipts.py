"""A receipt to take away: as JSON for machines, and as a PDF where that is installed; for its signer only."""

import json
from datetime import datetime

import structlog
from flask import Blueprint, Response, abort, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types
from flask_limiter import Limiter

from agreements.store.people import signatures
from agreements.store.people.signatures import ReceiptView
from bot import pdf
from bot.portal import agreement_fields
from bot.portal.languages import language
from bot.portal.page_access import Route, Who, open_routes
from bot.portal.portal_services import portal_services
from bot.portal.redirects import ours
from bot.portal.visitor import signed_in
from bot.records import agreement_view, declarations
from bot.records.agreement_view import AgreementView

FORMAT = "countersign-receipt/1"

log = structlog.get_logger()


def make_receipts(limiter: Limiter) -> Blueprint:
    """The blueprint with `/receipts/<receipt>.json` and `.pdf`; templates learn whether there is a PDF (`pdf_possible`)."""
    receipts = Blueprint("receipts", __name__)
    routes = (
        Route("/receipts/<receipt>.json", as_json, Who.SIGNED_IN),
        Route("/receipts/<receipt>.pdf", as_pdf, Who.SIGNED_IN, limit="6 per minute"),
    )
    open_routes(receipts, limiter, routes)
    receipts.app_context_processor(lambda: {"pdf_possible": pdf.possible()})
    return receipts


def as_json(receipt: str) -> ResponseReturnValue:
    """Everything that the signature holds."""
    view = _mine(receipt)
    return _file(_evidence(view).encode(), "application/json", f"receipt-{view.receipt}.json")


def as_pdf(receipt: str) -> ResponseReturnValue:
    """The receipt and the text as a PDF with that JSON in it; 404 where PDFs cannot be made at all."""
    if not pdf.possible():
        abort(404)
    view = _mine(receipt)
    paper = _paper(view)
    text = portal_services().catalog.get(view.draft.agreement, view.draft.version, view.draft.language)
    told = agreement_fields.shown(text.fields if text else (), view.draft.fields, language())
    html = render_template(
        "contributor/receipt_pdf.html",
        view=view,
        paper=paper,
        told=told,
        declared=declarations.declared(portal_services().catalog, view.draft),
    )
    try:
        made = pdf.make(html, _evidence(view), "receipt.json")
    except pdf.NoPDF as error:
        log.error("receipt.no-pdf", why=str(error))  # noqa: TRY400 - a trace would say no more
        title = _("The PDF cannot be made at the moment")
        advice = _("Your receipt is safe. Print the page of the receipt, or save it as JSON, and try again later.")
        return render_template("error.html", code=503, title=title, advice=advice), 503
    return _file(made, "application/pdf", f"receipt-{view.receipt}.pdf")


def _mine(receipt: str) -> ReceiptView:
    """The receipt of the visitor's own; for everything else there is no such page."""
    if ours(f"/receipts/{receipt}") is None:
        abort(404)
    with portal_services().sessions() as records:
        view = signatures.receipt(records, portal_services().vault, receipt, signed_in().account.id)
    if view is None:
        abort(404)
    return view


def _paper(view: ReceiptView) -> AgreementView | None:
    """The text as it was signed, if it can still be shown letter for letter."""
    text = portal_services().catalog.get(view.draft.agreement, view.draft.version, view.draft.language)
    paper = agreement_view.of(text, portal_services().rules(None).organization) if text else None
    return paper if paper and paper.shown_sha256 == view.draft.shown_sha256 else None


def _evidence(view: ReceiptView) -> str:
    """The same bytes each time, but for a withdrawal or an erasure that came between."""
    draft = view.draft
    declared = declarations.declared(portal_services().catalog, draft)
    evidence = {
        "format": FORMAT,
        "issuer": portal_services().settings.url,
        "receipt": view.receipt,
        "agreement": {"name": draft.agreement, "version": draft.version, "language": draft.language},
        "source_sha256": draft.source_sha256,
        "shown_sha256": draft.shown_sha256,
        "statement": {
            "id": draft.statement_id,
            "sha256": draft.statement_sha256,
            "text": declared.words if declared else None,
        },
        "account": {"id": view.account_id, "login": view.login},
        "identity_proof": draft.identity_proof,
        "name": None if view.erased else draft.name,
        "email": None if view.erased else draft.email,
        "fields": None if view.erased else dict(draft.fields),
        "signed_at": _written(view.signed_at),
        "withdrawn_at": _written(view.withdrawn_at) if view.withdrawn_at else None,
    }
    return json.dumps(evidence, ensure_ascii=False, indent=2) + "\n"


def _written(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _file(content: bytes, media_type: str, name: str) -> Response:
    return Response(content, mimetype=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
