"""Requests to be erased: what is kept of whom and why, deleting, restricting with a reason, and orders of others."""

from flask import abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext

from agreements.store import erasures
from agreements.store.people import erasure_requests, person_rows
from bot.portal.admin.page_context import PAGE_ROWS, reason_errors, redirect_after_form, render
from bot.portal.forms.form_action import FormRefused, form_action, refused_beside
from bot.portal.forms.typed_values import MAX_REASON_CHARACTERS, account_number, field, person_with, reason_text
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.page_access import is_administrator
from bot.portal.session.visitor import signed_in
from bot.records.erasure import Erasures, nothing_is_kept

GOING = {
    "company_manager": lazy_gettext("Manager roles"),
    "document": lazy_gettext("Files of signed agreements"),
    "enrolment": lazy_gettext("Enrolments at companies"),
    "imported": lazy_gettext("Imported entries"),
    "one_time_code": lazy_gettext("Codes sent by e-mail"),
    "proof": lazy_gettext("Verified addresses"),
    "signatory_request": lazy_gettext("Agreements sent to a signatory"),
}
"""The name of what an erasure deletes, by table."""


def overview_page(page: int) -> ResponseReturnValue:
    """The further pages of that list."""
    return overview(page)


def overview(page: int = 1) -> str:
    """The requests, those first that wait."""
    if page < 1 or page > 10_000:  # A larger number of rows to skip need not fit a BIGINT.
        abort(404)
    with reading() as (records, _vault, _at):
        # One row more tells whether a page follows.
        found = erasures.listed(records, skip=(page - 1) * PAGE_ROWS, most=PAGE_ROWS + 1)
    if page > 1 and not found:
        abort(404)
    return render(
        "admin/erasures.html",
        erasures=found[:PAGE_ROWS],
        named=[erasure.account_id for erasure in found],
        page=page,
        more=len(found) > PAGE_ROWS,
        form=request.form,
        longest=MAX_REASON_CHARACTERS,
    )


def erasure_page(erasure_id: str) -> str:
    """The page of one request for erasure: its data, and the possible decisions."""
    with reading() as (records, vault, at):
        row = erasures.find(records, erasure_id) or abort(404)
        holds = erasures.holds(records, row.account_id, at=at)
        may_delete = nothing_is_kept(records, row.account_id, holds)
        is_open = row.state == erasure_requests.ASKED and is_administrator()
        going = erasures.going(records, vault, row.account_id, everything=may_delete, at=at) if is_open else {}
    return render(
        "admin/erasures_one.html",
        erasure=row,
        named=(row.account_id, row.decided_by),
        reason=erasure_requests.reason_of(vault, row),
        holds=holds,
        may_delete=may_delete,
        going=[(GOING[table], number) for table, number in sorted(going.items())],
        form=request.form,
        longest=MAX_REASON_CHARACTERS,
        years=portal_services().settings.retention_years,
    )


@form_action(overview)
def order() -> ResponseReturnValue:
    """Open an erasure by an account's number, without the person's request."""
    number, errors = account_number(field("account")), {}
    if number is None:
        errors["account"] = _("Enter the GitHub account number, such as 583231.")
    errors |= reason_errors(reason_text())
    if errors or number is None:
        raise FormRefused(errors)
    with reading() as (records, _vault, _at):
        is_known = person_rows.find(records, number) is not None
    if not is_known:  # Who deleted their account may still have to be erased: they are asked for in the records first.
        person_with(number, "account")
    with refused_beside("order"):
        erasure_id = _erasures().order(number, reason_text(), by=signed_in().account.id)
    return redirect(f"/admin/erasures/{erasure_id}")


@form_action(erasure_page)
def delete(erasure_id: str) -> ResponseReturnValue:
    """Delete everything about a person of whom nothing must be kept."""
    if field("sure") != "y":  # Nothing brings deleted records back.
        raise FormRefused({"sure": _("Tick the box to confirm that everything is deleted.")})
    with refused_beside("decision"):
        _erasures().delete(erasure_id, by=signed_in().account.id)
    return redirect_after_form(f"/admin/erasures/{erasure_id}")  # The erasure may have ended this very session.


@form_action(erasure_page)
def restrict(erasure_id: str) -> ResponseReturnValue:
    """Keep the evidence, restricted, and delete the rest."""
    if errors := reason_errors(reason_text()):
        raise FormRefused(errors)
    with refused_beside("decision"):
        _erasures().restrict(erasure_id, reason_text(), by=signed_in().account.id)
    return redirect_after_form(f"/admin/erasures/{erasure_id}")


def _erasures() -> Erasures:
    services = portal_services()
    return Erasures(
        records=services,
        engine=services.engine,
        years=services.settings.retention_years,
    )
