"""Every page of who contributes with who may use it, by the blueprint that its endpoint is named after in logs."""

from bot.portal.contributor import (
    agreement_pdf,
    emails,
    employer,
    own_data,
    receipt,
    sign,
    sign_off,
    sign_off_receipt,
    withdraw,
)
from bot.portal.session.page_access import Audience, Route, post

BLUEPRINTS = {
    "contributor": (
        Route("/sign/<agreement>", sign.read, Audience.PUBLIC),
        # One text takes a second, once for all readers.
        Route("/sign/<agreement>/text.pdf", agreement_pdf.as_pdf, Audience.PUBLIC, limit="6 per minute"),
        post("/sign/<agreement>", sign.sign, Audience.SIGNED_IN, "20 per minute"),
        Route("/pr/<owner>/<name>/<number>/sign-off", sign_off.sign_off_page, Audience.SIGNED_IN),
        post("/pr/<owner>/<name>/<number>/sign-off", sign_off.sign_off, Audience.SIGNED_IN, "20 per minute"),
        post(
            "/pr/<owner>/<name>/<number>/sign-off/revoke", sign_off.revoke_sign_off, Audience.SIGNED_IN, "20 per minute"
        ),
        Route("/employer", employer.employer_page, Audience.PUBLIC),
        post("/employer", employer.invite_company, Audience.SIGNED_IN, "10 per minute"),
        post("/employer/managers", employer.ask_managers, Audience.SIGNED_IN, "10 per minute"),
        Route("/receipts/<receipt>", receipt.receipt_page, Audience.SIGNED_IN),
        Route("/receipts/<receipt>/pull-request", receipt.signed_pull_request, Audience.SIGNED_IN),
    ),
    "receipts": (
        Route("/receipts/<receipt>.json", receipt.as_json, Audience.SIGNED_IN),
        # Each PDF is made in a process of its own.
        Route("/receipts/<receipt>.pdf", receipt.as_pdf, Audience.SIGNED_IN, limit="6 per minute"),
    ),
    "me": (
        Route("/me", own_data.me, Audience.SIGNED_IN),
        post("/me/time-zone", own_data.choose_time_zone, Audience.SIGNED_IN, "20 per minute"),
        Route("/me/sign-offs/<signoff>.json", sign_off_receipt.as_json, Audience.SIGNED_IN),
        Route("/me/emails", emails.emails_page, Audience.SIGNED_IN),
        post("/me/emails", emails.ask_for_code, Audience.SIGNED_IN, "10 per minute"),
        post("/me/emails/code", emails.try_code, Audience.SIGNED_IN, "20 per minute"),
        post("/me/emails/letters", emails.choose_for_company_emails, Audience.SIGNED_IN, "20 per minute"),
        post("/me/emails/remove", emails.remove_address, Audience.SIGNED_IN, "20 per minute"),
        Route("/receipts/<receipt>/withdraw", withdraw.withdraw_page, Audience.SIGNED_IN),
        post("/receipts/<receipt>/withdraw", withdraw.withdraw, Audience.SIGNED_IN, "20 per minute"),
        Route("/me/export", own_data.export_page, Audience.SIGNED_IN),
        # A form: a link would be followed by machines.
        post("/me/export.json", own_data.take_along, Audience.SIGNED_IN, "6 per minute"),
        Route("/me/erasure", own_data.erasure_page, Audience.SIGNED_IN),
        post("/me/erasure", own_data.ask_erasure, Audience.SIGNED_IN, "10 per minute"),
        post("/me/erasure/withdraw", own_data.take_back, Audience.SIGNED_IN, "10 per minute"),
    ),
}
