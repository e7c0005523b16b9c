"""The pages that every visitor may read: first page, questions and answers, contributor guide, DCO, checkpoint; and the brand."""

from collections.abc import Mapping

from flask import Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from agreements.catalog import AgreementText
from agreements.dco import portal_signoff
from agreements.ledger import verifier_key
from agreements.rulebook.rules import AgreementRef, Rules, enforced_rules
from agreements.store.companies import managers
from agreements.store.ledger import stored_ledger
from bot.portal import organizations
from bot.portal.portal_services import portal_services, reading
from bot.portal.public.public_lists import PUBLISHED
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
    """The first page: what Countersign is, and where to sign; for a signed-in person also their other pages."""
    rules = organizations.rules()
    who = visitor()
    looked_after: tuple[tuple[str, str], ...] = ()
    if who is not None:
        with reading() as (records, vault, at):
            looked_after = managers.looked_after(records, vault, who.account.id, at=at)
    return render_template(
        "public/home.html",
        individual=_paper(rules, rules.individual),
        corporate=_paper(rules, rules.corporate),
        organization=rules.organization,
        companies=looked_after,
        administers=is_known_reader(),  # Also while GitHub does not answer.
    )


def faq() -> ResponseReturnValue:
    """The questions that contributors ask."""
    rules = organizations.rules()
    years = portal_services().settings.retention_years
    return render_template(
        "public/faq.html",
        individual=rules.individual,
        people=rules.people,
        years=years,
        signs_off_here=portal_signoff.is_counted(rules),
    )


def guide() -> ResponseReturnValue:
    """The guide from choosing a repository to the merge; commands just as the check prints them."""
    rules = organizations.rules()
    fixes = {name: finding_text.block(commands(situation, language())) for name, situation in _SITUATIONS.items()}
    return render_template(
        "public/guide.html",
        rules=rules,
        people=rules.people,
        asked=enforced_rules(rules),
        fixes=fixes,
        signs_off_here=portal_signoff.is_counted(rules),
        noreply_domain=portal_services().server.noreply_domain,
    )


def certificate() -> ResponseReturnValue:
    """The Developer Certificate of Origin: what a sign-off certifies, word for word."""
    return render_template("public/dco.html", text=_certificate())


def certificate_text() -> ResponseReturnValue:
    """The same as the plain text that it is."""
    return published_file(_certificate().source.encode(), "text/plain", PUBLISHED)


def checkpoint() -> ResponseReturnValue:
    """The newest signed root of the log as a C2SP note; 404 as long as nothing was recorded."""
    with reading() as (records, _vault, _at):
        note = stored_ledger.newest(records) or abort(404)
    return published_file(note.encode(), "text/plain", PUBLISHED)


def log_key() -> ResponseReturnValue:
    """The public key that verifies checkpoints and receipts; 404 as long as nothing was recorded."""
    with reading() as (records, vault, _at):
        # Never the stored key alone: it may have been replaced.
        key = stored_ledger.public_key(records, vault) or abort(404)
    return published_file(f"{verifier_key(key)}\n".encode(), "text/plain", PUBLISHED)


def _certificate() -> AgreementText:
    catalog = portal_services().catalog
    text = catalog.get("dco", catalog.versions("dco")[-1], "en")
    return text or abort(404)


def _paper(rules: Rules, wanted: AgreementRef) -> AgreementView | None:
    owner = portal_services().owner(organizations.owner_id())
    return agreement_view.show(portal_services().catalog, rules, owner, wanted.text, language())


def style_sheet() -> ResponseReturnValue:
    """The tokens that differ from the portal's own style sheet; 404 while no colour is set."""
    style = portal_services().brand.style.encode()
    return published_file(style, "text/css", {"Cache-Control": "public, max-age=300"}) if style else abort(404)


def logo(version: str) -> ResponseReturnValue:
    """The logo at the address of its content, which a browser may keep for good."""
    image = portal_services().brand.logo
    if image is None or image.version != version:  # A browser would keep another logo under it for good.
        abort(404)
    return published_file(image.content, image.media_type, {"Cache-Control": "public, max-age=31536000, immutable"})


def published_file(content: bytes, media_type: str, headers: Mapping[str, str]) -> ResponseReturnValue:
    """The answer with that content and an entity tag; 304 where the visitor has it already."""
    response = Response(content, mimetype=media_type, headers=headers)
    response.add_etag()  # Unchanged content is answered by 304.
    return response.make_conditional(request)
