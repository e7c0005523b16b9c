"""Requests to be erased: what is kept of whom and why, deleting, restricting with a reason, and orders of others."""

from flask import abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext

from agreements.store import erasures
from agreements.store.erasures import ErasureRefused
from agreements.store.people import erasure_requests
from bot.portal.admin.page_context import PAGE_ROWS, redirect_after_form, render
from bot.portal.forms.typed_values import MAX_REASON_CHARACTERS, account_number, field, reason_text
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.records.erasure import Erasures

ERASURE_REFUSALS = {
    "decided": lazy_gettext("This account already has an open request, or it was decided in the meantime."),
    "kept": lazy_gettext("Some evidence must be kept. Restrict it, with a reason."),
    "nothing": lazy_gettext("There is no evidence to keep. Delete everything."),
}


def order() -> ResponseReturnValue:
    """Open an erasure by an account's number, without the person's request."""
    number, reason = account_number(field("account")), _reason()
    errors = {}
    if number is None:
        errors["account"] = _("Enter the GitHub account number, such as 583231.")
    if not reason:
        errors["reason"] = _("Enter a reason of at most %(most)s characters.", most=MAX_REASON_CHARACTERS)
    if errors or number is None:
        return overview(errors=errors), 400
    try:
        erasure_id = _erasures().order(number, reason, by=signed_in().account.id)
    except ErasureRefused as refused:
        return overview(errors={"order": str(ERASURE_REFUSALS[refused.reason])}), 409
    return redirect(f"/admin/erasures/{erasure_id}")


def delete(erasure_id: str) -> ResponseReturnValue:
    """Delete everything about somebody of whom nothing must be kept."""
    if field("sure") != "y":
        return one(erasure_id, {"sure": _("Tick the box to confirm that everything is deleted.")}), 400
    try:
        _erasures().delete(erasure_id, by=signed_in().account.id)
    except ErasureRefused as refused:
        return _refused(erasure_id, refused)
    return redirect_after_form(f"/admin/erasures/{erasure_id}")


def restrict(erasure_id: str) -> ResponseReturnValue:
    """Keep the evidence, restricted, and delete the rest."""
    reason = _reason()
    if not reason:
        return one(
            erasure_id, {"reason": _("Enter a reason of at most %(most)s characters.", most=MAX_REASON_CHARACTERS)}
        ), 400
    try:
        _erasures().restrict(erasure_id, reason, by=signed_in().account.id)
    except ErasureRefused as refused:
        return _refused(erasure_id, refused)
    return redirect_after_form(f"/admin/erasures/{erasure_id}")


def _refused(erasure_id: str, refused: ErasureRefused) -> ResponseReturnValue:
    if refused.reason == "unknown":
        abort(404)
    return one(erasure_id, {"decision": str(ERASURE_REFUSALS[refused.reason])}), 409


def overview_page(page: int) -> ResponseReturnValue:
    """Further ones."""
    return overview(page)


def overview(page: int = 1, errors: dict[str, str] | None = None) -> str:
    """The requests, those first that wait."""
    if page < 1 or page > 10_000:
        abort(404)
    with portal_services().sessions() as records:
        found = erasures.listed(records, skip=(page - 1) * PAGE_ROWS, most=PAGE_ROWS + 1)
    if page > 1 and not found:
        abort(404)
    return render(
        "admin/erasures.html",
        erasures=found[:PAGE_ROWS],
        named=[one.account_id for one in found],
        page=page,
        more=len(found) > PAGE_ROWS,
        errors=errors or {},
        form=request.form,
        longest=MAX_REASON_CHARACTERS,
    )


def one(erasure_id: str, errors: dict[str, str] | None = None) -> str:
    """One request: what there is, and what may be done."""
    with portal_services().sessions() as records:
        row = erasures.find(records, erasure_id)
        if row is None:
            abort(404)
        holds = erasures.holds(records, row.account_id, at=portal_services().clock())
    return render(
        "admin/erasures_one.html",
        erasure=row,
        named=(row.account_id, row.decided_by),
        reason=erasure_requests.reason_of(portal_services().vault, row),
        holds=holds,
        may_delete=_erasures().may_delete(row.account_id),
        errors=errors or {},
        form=request.form,
        longest=MAX_REASON_CHARACTERS,
        years=portal_services().settings.retention_years,
    )


def _erasures() -> Erasures:
    services = portal_services()
    return Erasures(
        sessions=services.sessions,
        engine=services.engine,
        vault=services.vault,
        clock=services.clock,
        new_id=services.new_id,
        site=services.settings.url,
        years=services.settings.retention_years,
    )


def _reason() -> str:
    """The reason; empty when there is none or it is too long."""
    found = reason_text()
    return found if len(found) <= MAX_REASON_CHARACTERS else ""
