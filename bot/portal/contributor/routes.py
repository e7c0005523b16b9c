"""Every page of who contributes with who may use it, by the blueprint that its endpoint is named after in logs."""

from bot.portal.contributor import (
    emails,
    employer,
    erasure,
    export,
    my_page,
    pull_request_status,
    receipt,
    sign,
    withdraw,
)
from bot.portal.session.page_access import Route, Who, post

BLUEPRINTS = {
    "contributor": (
        Route("/sign/<agreement>", sign.read, Who.EVERYBODY),
        post("/sign/<agreement>", sign.sign, Who.SIGNED_IN, "20 per minute"),
        Route("/employer", employer.employer_page, Who.EVERYBODY),
        post("/employer", employer.invite_company, Who.SIGNED_IN, "10 per minute"),
        Route("/receipts/<receipt>", receipt.receipt_page, Who.SIGNED_IN),
        Route("/receipts/<receipt>/pull-request", pull_request_status.pull_request_status, Who.SIGNED_IN),
    ),
    "receipts": (
        Route("/receipts/<receipt>.json", receipt.as_json, Who.SIGNED_IN),
        Route("/receipts/<receipt>.pdf", receipt.as_pdf, Who.SIGNED_IN, limit="6 per minute"),
    ),
    "me": (
        Route("/me", my_page.me, Who.SIGNED_IN),
        Route("/me/emails", emails.emails_page, Who.SIGNED_IN),
        post("/me/emails", emails.ask_for_code, Who.SIGNED_IN, "10 per minute"),
        post("/me/emails/code", emails.try_code, Who.SIGNED_IN, "20 per minute"),
        post("/me/emails/letters", emails.choose_for_company_emails, Who.SIGNED_IN, "20 per minute"),
        post("/me/emails/remove", emails.remove_address, Who.SIGNED_IN, "20 per minute"),
        Route("/receipts/<receipt>/withdraw", withdraw.withdraw_page, Who.SIGNED_IN),
        post("/receipts/<receipt>/withdraw", withdraw.withdraw, Who.SIGNED_IN, "20 per minute"),
        Route("/me/export", export.export_page, Who.SIGNED_IN),
        post("/me/export.json", export.take_along, Who.SIGNED_IN, "6 per minute"),
        Route("/me/erasure", erasure.erasure_page, Who.SIGNED_IN),
        post("/me/erasure", erasure.ask_erasure, Who.SIGNED_IN, "10 per minute"),
        post("/me/erasure/withdraw", erasure.take_back, Who.SIGNED_IN, "10 per minute"),
    ),
}
