"""Every page that every visitor may read, by the blueprint that its endpoint is named after in logs."""

from bot.portal.public import badge, explain, pages, public_lists, receipt_check
from bot.portal.session.page_access import Audience, Route, post

BLUEPRINTS = {
    "public": (
        Route("/", pages.home, Audience.PUBLIC),
        Route("/brand.css", pages.style_sheet, Audience.PUBLIC),
        Route("/brand/<version>", pages.logo, Audience.PUBLIC),
        Route("/faq", pages.faq, Audience.PUBLIC),
        Route("/guide", pages.guide, Audience.PUBLIC),
        Route("/dco", pages.certificate, Audience.PUBLIC),
        Route("/dco.txt", pages.certificate_text, Audience.PUBLIC),
        Route("/signers", public_lists.people_page, Audience.PUBLIC, limit="60 per minute"),
        Route("/whitelist.json", public_lists.listing, Audience.PUBLIC, limit="60 per minute"),
        Route("/CLA-whitelist.json", public_lists.logins, Audience.PUBLIC, limit="60 per minute"),
        Route("/badge/<owner>/<name>.svg", badge.badge, Audience.PUBLIC, limit=badge.RATE_LIMIT),
        Route("/checkpoint", pages.checkpoint, Audience.PUBLIC),
        Route("/checkpoint/key", pages.log_key, Audience.PUBLIC),
        Route("/receipts/verify", receipt_check.receipt_check_page, Audience.PUBLIC),
        post("/receipts/verify", receipt_check.check_receipt, Audience.PUBLIC, "20 per minute"),
    ),
    "explain": (
        Route("/pr/<owner>/<name>/<number>", explain.pull_page, Audience.PUBLIC),
        post("/pr/<owner>/<name>/<number>/for", explain.choose_cover, Audience.SIGNED_IN, "20 per minute"),
    ),
}
