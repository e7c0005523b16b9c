"""What everybody may read: the first page, questions and answers, the public whitelist."""

from flask import Blueprint, Response, render_template, request
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter

from agreements import whitelist
from agreements.rules import AgreementRef, Rules
from agreements.store import public as listed
from bot.portal import papers
from bot.portal.access import Route, Who, open_routes
from bot.portal.languages import language
from bot.portal.papers import Paper
from bot.portal.parts import parts


def make_public(limiter: Limiter) -> Blueprint:
    """The blueprint with `/`, `/faq` and `/whitelist.json`."""
    public = Blueprint("public", __name__)
    routes = (
        Route("/", home, Who.EVERYBODY),
        Route("/faq", faq, Who.EVERYBODY),
        Route("/whitelist.json", listing, Who.EVERYBODY),
    )
    open_routes(public, limiter, routes)
    return public


def home() -> ResponseReturnValue:
    """What this is, and where to sign."""
    rules = parts().rules(None)
    return render_template(
        "home.html",
        individual=_paper(rules, rules.individual),
        corporate=_paper(rules, rules.corporate),
        organization=rules.organization,
    )


def faq() -> ResponseReturnValue:
    """The questions that contributors ask."""
    return render_template("faq.html", individual=parts().rules(None).individual)


def listing() -> ResponseReturnValue:
    """Logins, ids and domains as JSON; unchanged content answers 304 to its ETag."""
    with parts().sessions() as records:
        found = listed.listing(records, at=parts().clock())
    body = whitelist.render(found.individuals, found.domains, found.updated)
    response = Response(body, mimetype="application/json")
    response.headers["ETag"] = whitelist.etag(body)
    response.headers["Cache-Control"] = "public, max-age=60"
    # Made to be read by other sites' pages and tools.
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response.make_conditional(request)


def _paper(rules: Rules, wanted: AgreementRef) -> Paper | None:
    return papers.show(parts().catalog, rules, wanted.text, language())
