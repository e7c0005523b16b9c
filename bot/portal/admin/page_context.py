"""What every page of the administration needs: whether who reads it may change anything, where to go on, which part of a long list."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from flask import redirect, render_template, request, session
from flask.typing import ResponseReturnValue

from agreements.store import log_entries
from bot.portal.forms.typed_values import page_number
from bot.portal.portal_services import portal_services
from bot.portal.session.page_access import is_administrator
from bot.portal.session.session_store import ended
from bot.portal.session.visitor import signed_in

PAGE_ROWS = 50
"""Rows of a list on one page."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class ListPage(Generic[Row]):
    """The rows of one page of a list, its number from 1 on, and whether another follows."""

    rows: tuple[Row, ...]
    number: int
    more: bool


def render(template: str, *, named: Iterable[int | None] = (), **values: object) -> str:
    """The page; its template shows forms only when `changes` says that the reader may change something.

    `named` are accounts in it, for whom it gets their `logins`, but of those who are restricted or erased.
    """
    logins: Mapping[int, str] = {}
    if wanted := {one for one in named if one}:
        with portal_services().sessions() as records:
            logins = with_reader(log_entries.names(records, (), wanted).logins)
    return render_template(template, changes=is_administrator(), logins=logins, **values)


def with_reader(logins: Mapping[int, str]) -> Mapping[int, str]:
    """These logins and the reader's own: who administers need not be among the people of the records."""
    me = signed_in().account
    return {me.id: me.login, **logins}


def is_confirmed() -> bool:
    """Whether the form came from the page that asks once more."""
    return request.form.get("confirmed") == "yes"


def redirect_after_form(address: str) -> ResponseReturnValue:
    """Redirect there after a form was handled, or to the front page if the form ended the session that sent it.

    Any page of the administration would then redirect to GitHub's sign-in, where our `form-action` lets no form lead.
    """
    services = portal_services()
    with services.sessions() as records:
        gone = ended(records, services.vault, session, services.clock())
    return redirect("/" if gone else address)


def list_page(rows: Callable[[int, int], Sequence[Row]]) -> ListPage[Row]:
    """The part of a list that the address asks for with `?page=`; `rows` is given how many to skip and to take."""
    number = page_number()
    found = rows((number - 1) * PAGE_ROWS, PAGE_ROWS + 1)
    return ListPage(tuple(found[:PAGE_ROWS]), number, len(found) > PAGE_ROWS)
