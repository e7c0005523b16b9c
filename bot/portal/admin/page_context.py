"""The parts that pages of the administration share: who may change anything, a page of a long list, decisions about many rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from flask import redirect, render_template, request, session
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.store import log_listing
from agreements.store.people import signatures
from bot.portal.forms import form_action
from bot.portal.forms.typed_values import MAX_REASON_CHARACTERS, page_number, reason_text
from bot.portal.portal_services import reading
from bot.portal.session.page_access import is_administrator
from bot.portal.session.session_store import ended
from bot.portal.session.visitor import signed_in

PAGE_ROWS = 50
"""Rows of a list on one page, and as many as one action decides."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class ListPage(Generic[Row]):
    """The `rows` of one page of a list, its `number` from 1 on, and whether `more` follow."""

    rows: tuple[Row, ...]
    number: int
    more: bool


def render(template: str, *, named: Iterable[int | None] = (), **values: object) -> str:
    """The page, with forms only if `changes`, with the `logins` of those `named`, unless restricted or erased.

    People without a GitHub account have the name with which they signed in place of a login.
    """
    logins: Mapping[int, str] = {}
    if wanted := {account_id for account_id in named if account_id}:
        with reading() as (records, vault, _at):
            logins = with_reader(log_listing.names(records, (), wanted).logins)
            logins = {**logins, **signatures.signatory_names(records, vault, wanted)}
    return render_template(template, changes=is_administrator(), logins=logins, **values)


def with_reader(logins: Mapping[int, str]) -> Mapping[int, str]:
    """These logins and the reader's own: who administers need not be among the people of the records."""
    me = signed_in().account
    return {me.id: me.login, **logins}


def is_confirmed() -> bool:
    """Whether the form came from the page that asks once more."""
    return request.form.get("confirmed") == "yes"


def redirect_after_form(address: str) -> ResponseReturnValue:
    """Redirect there after a form was handled, or to the front page if the form ended the session that sent it."""
    with reading() as (records, vault, at):
        gone = ended(records, vault, session, at)
    # Without a session a page redirects to GitHub's sign-in, where our `form-action` lets no form lead.
    return redirect("/" if gone else address)


def list_page(rows: Callable[[int, int], Sequence[Row]]) -> ListPage[Row]:
    """The part of a list that the address asks for with `?page=`; `rows` is given how many to skip and to take."""
    number = page_number()
    found = rows((number - 1) * PAGE_ROWS, PAGE_ROWS + 1)  # One more tells whether a page follows.
    return ListPage(tuple(found[:PAGE_ROWS]), number, len(found) > PAGE_ROWS)


def reason_errors(reason: str) -> dict[str, str]:
    """The mistakes in the reason of a decision, which needs one."""
    if 0 < len(reason) <= MAX_REASON_CHARACTERS:
        return {}
    return {"reason": _("Enter a reason of at most %(number)s characters.", number=MAX_REASON_CHARACTERS)}


def chosen_rows() -> tuple[str, ...]:
    """The ids of the rows that are ticked, each once."""
    ticked = (row_id for row_id in request.form.getlist("chosen") if row_id.isalnum() and len(row_id) <= 64)
    return tuple(dict.fromkeys(ticked))[:PAGE_ROWS]  # No page shows more.


@dataclass(frozen=True, slots=True)
class BulkDecision:
    """A decision about all ticked rows of the page `back`, with one reason; its confirmation has this `heading` and `button`."""

    back: str
    heading: str
    button: str

    def ask(self, shown: Sequence[str]) -> ResponseReturnValue | None:
        """The page that shows the rows and asks for the reason; None once it is given."""
        if not shown:
            return form_action.done(self.back, _("Select at least one entry that is still undecided."))
        is_confirmed = bool(request.form.get("confirmed"))
        errors = reason_errors(reason_text()) if is_confirmed else {}
        if is_confirmed and not errors:
            return None
        page = render(
            "admin/confirm_several.html",
            shown=shown,
            decision=self,
            chosen=chosen_rows(),
            error=errors.get("reason", ""),
            reason=request.form.get("reason", ""),
        )
        return (page, 400) if errors else page

    def done(self, count: int, left: Sequence[str]) -> ResponseReturnValue:
        """Back to the list, which tells how many were decided and what was left out."""
        told = [_("Left out: %(what)s", what=text) for text in left]
        return form_action.done(self.back, _("Decided: %(count)s.", count=count), *told)
