"""Wishes to be erased: what is kept of whom and why, deleting, restricting with a reason, and orders without a wish."""

from flask import Blueprint, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types
from flask_babel import lazy_gettext
from flask_limiter import Limiter

from agreements.store import erasures
from agreements.store.erasures import ErasureRefused
from agreements.store.people import erasure_requests
from bot.portal.admin.page_context import onward
from bot.portal.page_access import Route, Who, is_administrator, open_routes
from bot.portal.portal_services import portal_services
from bot.portal.visitor import visitor
from bot.records.erasure import Erasures

PAGE = 50
"""Wishes on one page."""

LONGEST = 2000
"""Characters of a reason."""

SAYS = {
    "decided": lazy_gettext("This account has a wish that waits already, or it was decided meanwhile."),
    "kept": lazy_gettext("There is evidence that must be kept: restrict it, with a reason."),
    "nothing": lazy_gettext("There is no evidence to keep: delete everything."),
}


def make_erasures(limiter: Limiter) -> Blueprint:
    """The blueprint with `/admin/erasures` and what is below it."""
    blueprint = Blueprint("admin_erasures", __name__)
    routes = (
        Route("/admin/erasures", overview, Who.READER),
        Route("/admin/erasures/page/<int:page>", overview_page, Who.READER),
        Route("/admin/erasures", order, Who.ADMINISTRATOR, "POST", limit="10 per minute"),
        Route("/admin/erasures/<erasure_id>", one, Who.READER),
        Route("/admin/erasures/<erasure_id>/delete", delete, Who.ADMINISTRATOR, "POST", limit="20 per minute"),
        Route("/admin/erasures/<erasure_id>/restrict", restrict, Who.ADMINISTRATOR, "POST", limit="20 per minute"),
    )
    open_routes(blueprint, limiter, routes)
    return blueprint


def overview() -> ResponseReturnValue:
    """The wishes, those first that wait."""
    return _overview()


def overview_page(page: int) -> ResponseReturnValue:
    """Further ones."""
    return _overview(page)


def order() -> ResponseReturnValue:
    """Open an erasure by an account's number, without the person's wish."""
    number, reason = request.form.get("account", "").strip(), _reason()
    errors = {}
    if not (number.isascii() and number.isdecimal() and len(number) < 20 and 0 < int(number) < 2**63):
        errors["account"] = _("Write the number of the GitHub account, such as 583231.")
    if not reason:
        errors["reason"] = _("Write a reason, %(most)s characters at most.", most=LONGEST)
    if errors:
        return _overview(errors=errors), 400
    try:
        made = _erasing().order(int(number), reason, by=_by())
    except ErasureRefused as refused:
        return _overview(errors={"order": str(SAYS[refused.reason])}), 409
    return redirect(f"/admin/erasures/{made}")


def one(erasure_id: str) -> ResponseReturnValue:
    """One wish: what there is, and what may be done."""
    return _one(erasure_id)


def delete(erasure_id: str) -> ResponseReturnValue:
    """Delete everything about somebody of whom nothing must be kept."""
    if request.form.get("sure") != "y":
        return _one(erasure_id, {"sure": _("Tick the box if everything is to be deleted.")}), 400
    try:
        _erasing().delete(erasure_id, by=_by())
    except ErasureRefused as refused:
        return _refused(erasure_id, refused)
    return onward(f"/admin/erasures/{erasure_id}")


def restrict(erasure_id: str) -> ResponseReturnValue:
    """Keep the evidence, restricted, and delete the rest."""
    reason = _reason()
    if not reason:
        return _one(erasure_id, {"reason": _("Write a reason, %(most)s characters at most.", most=LONGEST)}), 400
    try:
        _erasing().restrict(erasure_id, reason, by=_by())
    except ErasureRefused as refused:
        return _refused(erasure_id, refused)
    return onward(f"/admin/erasures/{erasure_id}")


def _refused(erasure_id: str, refused: ErasureRefused) -> ResponseReturnValue:
    if refused.reason == "unknown":
        abort(404)
    return _one(erasure_id, {"decision": str(SAYS[refused.reason])}), 409


def _overview(page: int = 1, errors: dict[str, str] | None = None) -> str:
    if page < 1 or page > 10_000:
        abort(404)
    with portal_services().sessions() as records:
        found = erasures.listed(records, skip=(page - 1) * PAGE, most=PAGE + 1)
    if page > 1 and not found:
        abort(404)
    return render_template(
        "admin/erasures.html",
        wishes=found[:PAGE],
        page=page,
        more=len(found) > PAGE,
        errors=errors or {},
        form=request.form,
        longest=LONGEST,
        may_order=is_administrator(),
    )


def _one(erasure_id: str, errors: dict[str, str] | None = None) -> str:
    with portal_services().sessions() as records:
        row = erasures.find(records, erasure_id)
        if row is None:
            abort(404)
        holds = erasures.holds(records, row.account_id, at=portal_services().clock())
    return render_template(
        "admin/erasures_one.html",
        wish=row,
        reason=erasure_requests.reason_of(portal_services().vault, row),
        holds=holds,
        may_delete=_erasing().may_delete(row.account_id),
        known=row.person_id is not None,
        errors=errors or {},
        form=request.form,
        longest=LONGEST,
        years=portal_services().settings.retention_years,
        may_decide=is_administrator(),
    )


def _erasing() -> Erasures:
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
    """The reason in one line; empty when there is none or it is too long."""
    text = " ".join(request.form.get("reason", "").split())
    return text if len(text) <= LONGEST else ""


def _by() -> int:
    who = visitor()
    if who is None:
        abort(403)
    return who.account.id
