"""What everybody may read: the first page, questions and answers, the contributor guide, the DCO, checkpoint."""

from dataclasses import replace

from flask import Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from agreements.catalog import AgreementText
from agreements.rulebook.rules import AgreementRef, RepositoryRule, Rules
from agreements.store.companies import managers
from agreements.store.ledger import ledger
from bot.portal import organizations
from bot.portal.portal_services import portal_services
from bot.portal.session.page_access import is_known_reader
from bot.portal.session.visitor import visitor
from bot.portal.text import finding_text
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.records.agreement_view import AgreementView
from bot.report.words.git_commands import CommandContext, commands

_SITUATIONS = {
    "last": CommandContext(amend=True),
    "several": CommandContext(amend=False),
    "mixed": CommandContext(amend=False, others=True),
    "author": CommandContext(amend=True, reset=True),
    "authors": CommandContext(amend=False, reset=True),
}


def home() -> ResponseReturnValue:
    """What this is, and where to sign; for a signed-in person what else they may do."""
    rules = organizations.rules()
    who = visitor()
    looked_after: tuple[tuple[str, str], ...] = ()
    if who is not None:
        services = portal_services()
        with services.sessions() as records:
            looked_after = managers.looked_after(records, services.vault, who.account.id, at=services.clock())
    return render_template(
        "public/home.html",
        individual=_paper(rules, rules.individual),
        corporate=_paper(rules, rules.corporate),
        organization=rules.organization,
        companies=looked_after,
        administers=is_known_reader(),
    )


def faq() -> ResponseReturnValue:
    """The questions that contributors ask."""
    rules = organizations.rules()
    years = portal_services().settings.retention_years
    return render_template("public/faq.html", individual=rules.individual, people=rules.people, years=years)


def guide() -> ResponseReturnValue:
    """From choosing a repository to the merge; commands just as the check prints them."""
    rules = organizations.rules()
    fixes = {name: finding_text.block(commands(situation, language())) for name, situation in _SITUATIONS.items()}
    return render_template(
        "public/guide.html",
        rules=rules,
        people=rules.people,
        asked=_asked(rules),
        fixes=fixes,
        noreply_domain=portal_services().server.noreply_domain,
    )


def certificate() -> ResponseReturnValue:
    """The Developer Certificate of Origin: what a sign-off certifies, word for word."""
    return render_template("public/dco.html", text=_certificate())


def certificate_text() -> ResponseReturnValue:
    """The same as the plain text that it is."""
    return _published(_certificate().source.encode(), "text/plain")


def checkpoint() -> ResponseReturnValue:
    """The newest signed root of the log as a C2SP note; 404 as long as nothing was recorded."""
    with portal_services().sessions() as records:
        note = ledger.newest(records)
    if note is None:
        abort(404)
    return _published(note.encode(), "text/plain")


def _certificate() -> AgreementText:
    catalog = portal_services().catalog
    text = catalog.get("dco", catalog.versions("dco")[-1], "en")
    return text or abort(404)


def _asked(rules: Rules) -> list[RepositoryRule]:
    """The rulebook's lines for repositories; what is not enforced asks for nothing.

    The last one, which matches nothing, is for all that no line before names.
    """
    found: list[RepositoryRule] = []
    for rule in rules.repositories:
        asked = replace(rule, require="none") if rule.mode == "shadow" else rule
        if "*" in rule.match:
            return [*found, replace(asked, match=())]
        found.append(asked)
    return [*found, RepositoryRule(())]


def _published(body: bytes, media_type: str) -> ResponseReturnValue:
    """Made to be read by other sites' pages and tools; unchanged content answers 304 to its ETag."""
    response = Response(body, mimetype=media_type)
    response.add_etag()
    response.headers["Cache-Control"] = "public, max-age=60"
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response.make_conditional(request)


def _paper(rules: Rules, wanted: AgreementRef) -> AgreementView | None:
    owner = portal_services().owner(organizations.owner_id())
    return agreement_view.show(portal_services().catalog, rules, owner, wanted.text, language())
