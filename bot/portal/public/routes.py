"""Every page that everybody may read, by the blueprint that its endpoint is named after in logs."""

from bot.portal.public import brand_files, explain, pages
from bot.portal.session.page_access import Route, Who

BLUEPRINTS = {
    "public": (
        Route("/", pages.home, Who.EVERYBODY),
        Route("/brand.css", brand_files.style_sheet, Who.EVERYBODY),
        Route("/brand/<version>", brand_files.logo, Who.EVERYBODY),
        Route("/faq", pages.faq, Who.EVERYBODY),
        Route("/guide", pages.guide, Who.EVERYBODY),
        Route("/dco", pages.certificate, Who.EVERYBODY),
        Route("/dco.txt", pages.certificate_text, Who.EVERYBODY),
        Route("/whitelist.json", pages.listing, Who.EVERYBODY, limit="60 per minute"),
        Route("/CLA-whitelist.json", pages.logins, Who.EVERYBODY, limit="60 per minute"),
        Route("/checkpoint", pages.checkpoint, Who.EVERYBODY),
    ),
    "explain": (Route("/pr/<owner>/<name>/<number>", explain.pull_page, Who.EVERYBODY),),
}
