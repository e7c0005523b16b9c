"""Agreements signed on paper or by another service: recording one with its file, and giving the file to who may read it."""

from collections.abc import Mapping

from flask import Response, abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types

from agreements.catalog import Text
from agreements.facts import Account
from agreements.store.companies import paper_agreements
from agreements.store.companies.paper_agreements import Paper, PaperRefused
from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import Change
from agreements.store.people import documents, subjects
from agreements.store.people.documents import DocumentContent
from agreements.vault import receipt_number
from bot.github.ports import HubError, Missing
from bot.portal.admin import paper_form
from bot.portal.admin.page_context import render
from bot.portal.admin.paper_form import PaperForm, Whom
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import language
from bot.records.declarations import RECORDED
from bot.store.pulls import rejudge

LARGEST = documents.LARGEST + 64 * 1024
"""Bytes of the one form that may carry a file: the file and what stands around it."""

_NEWEST = 20
_SANDBOX = "sandbox; default-src 'none'"


def record_paper() -> ResponseReturnValue:
    """Record a person's or a company's agreement; with `id` keep one more file with that company."""
    if request.form.get("id"):
        return _attach(request.form["id"])
    whom: Whom = "company" if request.form.get("whom") == "company" else "person"
    filled = paper_form.read(whom, _offered(whom), portal_services().clock())
    accounts = {} if filled.errors else _accounts(filled, ("login",) if whom == "person" else ("first", "second"))
    if filled.errors:
        return papers_page(whom, filled), 400
    try:
        return redirect(_company(filled, accounts) if whom == "company" else _person(filled, accounts["login"]))
    except PaperRefused as error:
        where, why = _refusal(error.reason)
        filled.errors[where] = why
        return papers_page(whom, filled), 409


def download(document_id: str) -> ResponseReturnValue:
    """The file itself; of somebody restricted a page with the button that opens it, as a link would open it by mistake."""
    services = portal_services()
    with services.sessions() as records:
        restricted = documents.restricted_owner(records, document_id) is not None
        found = documents.opened(records, services.vault, document_id)
    if found is None:
        abort(404)
    return render("admin/papers_restricted.html", id=document_id) if restricted else _file(found)


def open_document(document_id: str) -> ResponseReturnValue:
    """The file of somebody restricted, opened once: the log says who did."""
    services = portal_services()
    with services.sessions() as records:
        found = documents.opened(records, services.vault, document_id)
        if found is None:
            abort(404)
        whose = documents.restricted_owner(records, document_id)
        if whose is not None:  # who asked to be erased was promised that it is opened only in a dispute
            subject = subjects.of_account(records, services.vault, whose)
            change = Change(
                kind="document.opened", actor_id=signed_in().account.id, subject=subject, told={"document": document_id}
            )
            ledger.append(records, services.vault, change, at=services.clock(), new_id=services.new_id())
    return _file(found)


def _file(found: DocumentContent) -> Response:
    """Never shown in the browser: whoever made it could have put a page into it."""
    answer = Response(found.content, mimetype=found.media_type)
    answer.headers.set("Content-Disposition", "attachment", filename=found.name)
    answer.headers["Content-Security-Policy"] = _SANDBOX
    return answer


def papers_page(whom: Whom | None = None, filled: PaperForm | None = None) -> str:
    """The files recorded last, and for administrators the forms."""
    services = portal_services()
    with services.sessions() as records:
        newest = documents.newest(records, services.vault, most=_NEWEST)
    return render(
        "admin/papers.html",
        newest=newest,
        whom=whom,
        filled=filled or PaperForm({}),
        offered={"person": _offered("person"), "company": _offered("company")},
        statements=sorted(RECORDED.items(), key=lambda one: one[0] != language()),
        services=paper_form.SERVICES,
    )


def _offered(whom: Whom) -> Mapping[str, Text]:
    """The released texts that a person, or a company, may have signed, newest version first."""
    corporate = portal_services().rules(None).corporate.text
    texts = [
        one
        for one in portal_services().catalog.texts()
        if one.signable and (one.name == corporate) == (whom == "company")
    ]
    texts.sort(key=lambda one: (one.name, [-int(part) for part in one.version.split(".")], one.language))
    return {f"{one.name}/{one.version}/{one.language}": one for one in texts}


def _accounts(filled: PaperForm, names: tuple[str, ...]) -> dict[str, Account]:
    """The accounts behind the logins, asked of GitHub before anything is stored."""
    found = {}
    for name in names:
        try:
            account = portal_services().hub.account_by_login(filled.values[name])
        except Missing:
            filled.errors[name] = _("Nobody at GitHub has this login.")
        except HubError:
            filled.errors[name] = _("GitHub does not answer at the moment. Try again in a few minutes.")
        else:
            if account.type != "User" or account.login.endswith("[bot]"):
                filled.errors[name] = _("This is no person's account.")
            found[name] = account
    return found


def _paper(filled: PaperForm) -> Paper:
    if filled.signed_at is None or filled.document is None:
        raise ValueError("the form has errors")
    return Paper(
        draft=filled.draft(), signed_at=filled.signed_at, document=filled.document, recorder=signed_in().account
    )


def _person(filled: PaperForm, account: Account) -> str:
    """Record a person's own agreement; where it is shown."""
    services, receipt = portal_services(), receipt_number()
    with services.sessions() as records:
        rejudge.people(records, services.engine, [account.id])
        paper_agreements.record(
            records,
            services.vault,
            account,
            _paper(filled),
            at=services.clock(),
            new_id=services.new_id,
            receipt=receipt,
        )
    return f"/admin/signatures/{receipt}"


def _company(filled: PaperForm, accounts: Mapping[str, Account]) -> str:
    """Record a company's agreement, which then waits for its countersignature; where it is shown."""
    services, at = portal_services(), portal_services().clock()
    with services.sessions() as records:
        company_id = paper_agreements.record_company(
            records,
            services.vault,
            filled.values["company"],
            (accounts["first"], accounts["second"]),
            _paper(filled),
            at=at,
            new_id=services.new_id,
            receipt=receipt_number(),
        )
    return f"/admin/companies/{company_id}"


def _attach(company_id: str) -> ResponseReturnValue:
    services = portal_services()
    filled = PaperForm({"service": request.form.get("service", "")})
    paper_form.service_and_file(filled)
    if filled.document is None:
        return papers_page(None, filled), 400
    with services.sessions() as records:
        try:
            paper_agreements.attach(
                records,
                services.vault,
                company_id,
                filled.document,
                by=signed_in().account.id,
                at=services.clock(),
                new_id=services.new_id,
            )
        except LookupError:
            abort(404)
    return redirect(f"/admin/companies/{company_id}")


def _refusal(reason: str) -> tuple[str, str]:
    """The field and the sentence for what the records did not take."""
    match reason:
        case "signed":
            return "login", _("This account has signed this very text already, and that signature is in force.")
        case "own":
            return "login", _("You cannot record your own agreement. Another administrator can.")
        case "already":
            return "second", _("A company is looked after by two different people.")
        case _:
            return "first", _("This account cannot look after a company.")
