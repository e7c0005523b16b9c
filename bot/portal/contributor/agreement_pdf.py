"""The text of an agreement as PDF, to be read before anyone signs: a lawyer needs no account for it."""

from functools import lru_cache

import structlog
from flask import abort, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from bot.pdf import typesetter
from bot.pdf.typesetter import NoPDF
from bot.portal import organizations
from bot.portal.downloads import download
from bot.portal.portal_services import portal_services
from bot.records.agreement_view import AUTHORITY

log = structlog.get_logger()


def as_pdf(agreement: str) -> ResponseReturnValue:
    """The text as its page shows it, with the released text attached; 404 where PDFs cannot be made at all."""
    if not typesetter.possible():  # WeasyPrint is an extra.
        abort(404)
    owner, services = organizations.owner_id(), portal_services()
    paper = organizations.agreement_to_sign(owner, agreement) or abort(404)
    is_own = paper.text.name == services.rules(owner).individual.text
    for_company = AUTHORITY[paper.text.language].format(title=paper.title, version=paper.text.version)
    name = f"{paper.text.name}-{paper.text.version}-{paper.text.language}"
    html = render_template(
        "contributor/agreement_pdf.html",
        paper=paper,
        attached=f"{name}.md",
        address=f"{services.url}{f'/sign/{agreement}' if is_own else '/company/request'}{organizations.query_of(owner)}",
        statement=paper.statement if is_own else for_company,
    )
    try:
        made = _made(html, paper.text.source, f"{name}.md")
    except NoPDF as error:
        log.error("text.no-pdf", why=str(error))  # noqa: TRY400 - a trace would say no more
        title = _("The PDF is not available right now")
        advice = _("You can read the agreement on its page. Try the PDF again later.")
        return render_template("error.html", code=503, title=title, advice=advice), 503
    return download(made, "application/pdf", f"{name}.pdf")


# Strangers may ask, and one PDF is made at a time: each text is made once, so those who signed do not wait for theirs.
@lru_cache(maxsize=16)
def _made(html: str, source: str, name: str) -> bytes:
    return typesetter.make(html, source, name)
