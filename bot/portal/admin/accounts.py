"""Accounts as those who administer see them: searched, one with all that is kept of it, its signatures and sessions, and ending these."""

from dataclasses import replace

from flask import abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.store import admin_search
from agreements.store.ledger.transient_rows import is_authentic
from agreements.store.people import documents, person_rows, signatures, withdrawals
from agreements.store.people.withdrawals import SignatureDetails
from agreements.vault import DecryptionFailed
from bot.portal import organizations
from bot.portal.admin.page_context import list_page, redirect_after_form, render
from bot.portal.forms import agreement_fields
from bot.portal.forms.form_action import FormRefused, change, form_action
from bot.portal.forms.typed_values import MAX_REASON_CHARACTERS, account_number, field, reason_text
from bot.portal.portal_services import PortalServices, portal_services, reading
from bot.portal.session.redirects import ours
from bot.portal.session.session_store import opened
from bot.portal.signing import ended_email
from bot.portal.text import message_formatting
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.store import outbox, portal_sessions
from bot.store.portal_sessions import PortalSession
from bot.store.pulls import pull_state, rejudge

_MAX_PULLS = 50

MAX_QUERY_CHARACTERS = 320  # As long as an e-mail address may be: 64, the sign and 255 (RFC 5321).


def person_page(account_id: int) -> ResponseReturnValue:
    """The page with all that is kept of an account; of one that only signed in or acted, sessions and log entries."""
    if not 0 < account_id < 2**63:  # A BIGINT column takes no more.
        abort(404)
    with reading() as (records, vault, at):
        found = admin_search.person_details(records, vault, account_id)
        seen = portal_sessions.count(records, vault, account_id, at)
        if found is None:
            return render("admin/people_unknown.html", account_id=account_id, sessions=seen)
        files = documents.of_person(records, vault, found.person.id)
        pulls = pull_state.open_pulls(records, account_id, most=_MAX_PULLS + 1)  # One more: it is cut.
        return render(
            "admin/people_one.html",
            person=found.person,
            login=person_rows.shown_login(found.person),
            kept=found,
            signed=signatures.mine(records, account_id),
            files_kept=files,
            named=[account_id, *(file.recorded_by for file in files)],
            pulls=pulls[:_MAX_PULLS],
            more_pulls=len(pulls) > _MAX_PULLS,
            sessions=seen,
        )


def signature_page(receipt: str, *, opened: bool = False) -> str:
    """The page of one signature, with its files and its end; the sealed data of a restricted person only if opened."""
    found, catalog = _known(receipt), portal_services().catalog
    row = found.row
    with reading() as (records, vault, _at):
        person = person_rows.find(records, row.account_id)
        # People who asked for erasure were promised that their evidence is opened only in a dispute.
        sealed = person is not None and person.restricted_at is not None and not opened
        files = () if sealed else documents.of_signature(records, vault, row.id)
    text = catalog.get(row.agreement, row.version, row.language)
    return render(
        "admin/people_signature.html",
        found=found,
        party=organizations.party_name(found.party),
        details=agreement_fields.shown(text.fields if text else (), found.fields, language(), own=False),
        sealed=sealed,
        kept=files,
        named=(found.ended.by_account_id if found.ended else None, *(file.recorded_by for file in files)),
        reason=request.form.get("reason", ""),
        declared=agreement_view.declared(catalog, found),
        ends_with=ends_with_company(found.company[1]) if found.company else "",
    )


def open_signature(receipt: str) -> ResponseReturnValue:
    """The signature of a restricted person, opened once: the log says by whom."""
    row = _known(receipt).row
    # Logged before it is shown: without the entry nothing is opened.
    with change() as context:
        context.log("signature.opened", row.account_id, details={"agreement": row.agreement, "version": row.version})
    return signature_page(receipt, opened=True)


@form_action(signature_page)
def revoke_signature(receipt: str) -> ResponseReturnValue:
    """End a person's signature with a reason: row, mail, rechecks and log entry in one transaction."""
    found, reason = _known(receipt), reason_text()
    if found.company is not None:  # It would go on covering the company's staff.
        raise FormRefused({"company": ends_with_company(found.company[1])}, 409)
    if not reason or len(reason) > MAX_REASON_CHARACTERS:
        raise FormRefused({"reason": _("Enter a reason of at most 2000 characters. The person can read it.")})
    if found.name is None:  # The reason would be sealed with the signer's key, which is gone.
        raise FormRefused({"reason": _("The data of this signature was erased, so it cannot be revoked.")}, 409)
    services, account_id = portal_services(), found.row.account_id
    with change() as context:
        row = withdrawals.revoke(context, receipt, reason=reason)
        if row is None:
            raise FormRefused({"reason": _("This signature has ended already.")}, 409)
        # In the same transaction: no pull request stays green by a signature that has ended.
        rejudge.people(context.session, services.engine, [account_id])
        view = signatures.receipt(context.session, context.vault, receipt, account_id)
        if view is not None and view.draft.email:
            email = replace(ended_email(services, view, context.at, reason=reason), once=f"revoked:{found.row.id}")
            outbox.add(context, email)
        details = {"agreement": found.row.agreement, "version": found.row.version, "reason": reason}
        context.log("signature.revoked", account_id, rows=[row], details=details)
    return redirect(f"/admin/signatures/{receipt}")


def ends_with_company(name: str) -> str:
    """The sentence that says why a signature given for the company of that name is not revoked."""
    return message_formatting.fill(
        _("This signature was given for %(company)s. It ends with the agreement, on the company's page."), company=name
    )


def _known(receipt: str) -> SignatureDetails:
    if ours(f"/receipts/{receipt}") is None:
        abort(404)
    with reading() as (records, vault, _at):
        return withdrawals.find(records, vault, receipt) or abort(404)


def search_form() -> ResponseReturnValue:
    """The empty form."""
    return render("admin/search.html", wanted="", found=None)


def search() -> ResponseReturnValue:
    """The page of search results: people, companies, signatures."""
    # Typed into a form, so that no address and no log names the person who is looked for.
    wanted = request.form.get("wanted", "")[:MAX_QUERY_CHARACTERS]
    with reading() as (records, vault, _at):
        found = admin_search.search(records, vault, wanted)
    return render(
        "admin/search.html",
        wanted=wanted,
        found=found,
        most=admin_search.MAX_RESULTS,
        named=[account_id for account_id, _login in found.people],
    )


def sessions_page() -> ResponseReturnValue:
    """The sessions that have not ended, those seen last come first."""
    services = portal_services()
    with services.sessions() as records:
        found = list_page(
            lambda skip, most: [
                (session, _login(services, session))
                for session in portal_sessions.signed_in(records, services.clock(), skip=skip, most=most)
            ]
        )
    return render("admin/sessions.html", part=found)


def end_sessions() -> ResponseReturnValue:
    """End one session, or with `account` all of that account."""
    # A session is named by its hash, which is not the word that the browser holds.
    id_hash, account = field("session"), account_number(field("account"))
    with change() as context:
        records = context.session
        if account is not None:
            whose, ended = account, portal_sessions.end_of(records, account)
        else:
            found = portal_sessions.of_whom(records, context.vault, id_hash, context.at)
            portal_sessions.end(records, id_hash)
            whose, ended = found or 0, int(found is not None)
        if ended:  # What has ended already is no change.
            context.log("session.ended", whose, details={"account": whose, "visits": ended})
    return redirect_after_form("/admin/sessions")


def _login(services: PortalServices, portal_session: PortalSession) -> str | None:
    if not is_authentic(services.vault, portal_session):  # Inserted or changed in the database: it opens nothing.
        return None
    try:
        contents = opened(services.vault, portal_session.id_hash, portal_session.sealed)
    except DecryptionFailed:
        return None
    return str(contents.get("account", {}).get("login", ""))
