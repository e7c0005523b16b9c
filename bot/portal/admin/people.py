"""One account as those who administer see it: what it signed, proved and looks after; and ending one of its signatures."""

from dataclasses import replace

from flask import abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.store import admin_search
from agreements.store.people import documents, people, revocations, signatures
from agreements.store.people.revocations import SignatureDetails
from agreements.store.record_context import RecordContext
from bot.portal import organizations
from bot.portal.admin.page_context import render
from bot.portal.contributor.withdraw import ended_email
from bot.portal.forms import agreement_fields
from bot.portal.forms.typed_values import MAX_REASON_CHARACTERS, reason_text
from bot.portal.portal_services import PortalServices, portal_services
from bot.portal.session.redirects import ours
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import language
from bot.records import declarations
from bot.store import outbox, portal_sessions
from bot.store.pulls import pull_state, rejudge

_MAX_PULLS = 50


def person_page(account_id: int) -> ResponseReturnValue:
    """What is kept of the account; of one that only signed in or acted, its sessions and what the log says."""
    services = portal_services()
    if not 0 < account_id < 2**63:
        abort(404)
    with services.sessions() as records:
        found = admin_search.person_details(records, services.vault, account_id)
        seen = portal_sessions.count(records, services.vault, account_id, services.clock())
        if found is None:
            return render("admin/people_unknown.html", account_id=account_id, sessions=seen)
        files = documents.of_person(records, services.vault, found.person.id)
        return render(
            "admin/people_one.html",
            person=found.person,
            login=people.shown_login(found.person),
            kept=found,
            signed=signatures.mine(records, account_id),
            files_kept=files,
            named=[one.recorded_by for one in files],
            pulls=pull_state.open_pulls(records, account_id, most=_MAX_PULLS),
            sessions=seen,
        )


def signature_page(receipt: str) -> ResponseReturnValue:
    """One signature, with its files and how it ended; of somebody restricted without what is sealed."""
    return _page(_known(receipt))


def open_signature(receipt: str) -> ResponseReturnValue:
    """The signature of somebody restricted, opened once: the log says who did."""
    found = _known(receipt)
    with portal_services().change(signed_in().account.id) as context:
        details = {"agreement": found.row.agreement, "version": found.row.version}
        context.log("signature.opened", found.row.account_id, details=details)
    return _page(found, opened=True)


def revoke_signature(receipt: str) -> ResponseReturnValue:
    """End somebody's signature with a reason: row, mail, rechecks and log entry in one transaction."""
    found = _known(receipt)
    reason = reason_text()
    if not reason or len(reason) > MAX_REASON_CHARACTERS:
        return _page(found, {"reason": _("Enter a reason of at most 2000 characters. The person can read it.")}), 400
    if found.name is None:
        return _page(found, {"reason": _("The data of this signature was erased, so it cannot be revoked.")}), 409
    with portal_services().change(signed_in().account.id) as context:
        if not _revoked(context, portal_services(), found, reason):
            return _page(_known(receipt), {"reason": _("This signature has ended already.")}), 409
    return redirect(f"/admin/signatures/{receipt}")


def _known(receipt: str) -> SignatureDetails:
    """The signature; no such page for anything else."""
    if ours(f"/receipts/{receipt}") is None:
        abort(404)
    services = portal_services()
    with services.sessions() as records:
        found = revocations.find(records, services.vault, receipt)
        if found is None:
            abort(404)
    return found


def _page(found: SignatureDetails, errors: dict[str, str] | None = None, *, opened: bool = False) -> str:
    services = portal_services()
    with services.sessions() as records:
        person = people.find(records, found.row.account_id)
        sealed = person is not None and person.restricted_at is not None and not opened
        files = () if sealed else documents.of_signature(records, services.vault, found.row.id)
    row = found.row
    text = services.catalog.get(row.agreement, row.version, row.language)
    return render(
        "admin/people_signature.html",
        found=found,
        party=organizations.party_name(found.party),
        details=agreement_fields.shown(text.fields if text else (), found.fields, language(), own=False),
        sealed=sealed,
        kept=files,
        named=(found.ended.by_account_id if found.ended else None, *(one.recorded_by for one in files)),
        errors=errors or {},
        reason=request.form.get("reason", ""),
        declared=declarations.declared(services.catalog, found),
    )


def _revoked(context: RecordContext, services: PortalServices, found: SignatureDetails, reason: str) -> bool:
    """Whether it was: False when it has ended meanwhile."""
    records, by, at = context.session, context.actor, context.at
    row = revocations.revoke(records, services.vault, found.row.receipt, by_account_id=by, reason=reason, at=at)
    if row is None:
        return False
    rejudge.people(records, services.engine, [found.row.account_id])
    view = signatures.receipt(records, services.vault, found.row.receipt, found.row.account_id)
    if view is not None and view.draft.email:
        email = ended_email(services, view, at)
        values = {**email.values, "reason": reason}
        email = replace(email, kind="revoked", values=values, once=f"revoked:{found.row.id}")
        outbox.add(records, services.vault, email, at=at, new_id=services.new_id())
    details = {"agreement": found.row.agreement, "version": found.row.version, "reason": reason}
    context.log("signature.revoked", found.row.account_id, rows=[row], details=details)
    return True
