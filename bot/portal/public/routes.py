"""Every page that every visitor may read, by the blueprint that its endpoint is named after in logs."""

from bot.portal.public import badge, explain, pages, public_lists, receipt_check
from bot.portal.session.page_access import Audience, Route, post

BLUEPRINTS = {
    "public": (
        Route("/", pages.home, Audience.EVERYBODY),
        Route("/brand.css", pages.style_sheet, Audience.EVERYBODY),
        Route("/brand/<version>", pages.logo, Audience.EVERYBODY),
        Route("/faq", pages.faq, Audience.EVERYBODY),
        Route("/guide", pages.guide, Audience.EVERYBODY),
        Route("/dco", pages.certificate, Audience.EVERYBODY),
        Route("/dco.txt", pages.certificate_text, Audience.EVERYBODY),
        Route("/signers", public_lists.people_page, Audience.EVERYBODY, limit="60 per minute"),
        Route("/whitelist.json", public_lists.listing, Audience.EVERYBODY, limit="60 per minute"),
        Route("/CLA-whitelist.json", public_lists.logins, Audience.EVERYBODY, limit="60 per minute"),
        Route("/badge/<owner>/<name>.svg", badge.badge, Audience.EVERYBODY, limit=badge.RATE_LIMIT),
        Route("/checkpoint", pages.checkpoint, Audience.EVERYBODY),
        Route("/checkpoint/key", pages.log_key, Audience.EVERYBODY),
        Route("/receipts/verify", receipt_check.receipt_check_page, Audience.EVERYBODY),
        post("/receipts/verify", receipt_check.check_receipt, Audience.EVERYBODY, "20 per minute"),
    ),
    "explain": (
        Route("/pr/<owner>/<name>/<number>", explain.pull_page, Audience.EVERYBODY),
        post("/pr/<owner>/<name>/<number>/for", explain.choose_cover, Audience.SIGNED_IN, "20 per minute"),
    ),
}
