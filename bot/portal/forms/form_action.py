"""The answers to a page's form: what is refused stands beside its field on that page, else the person is sent on."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any

from flask import abort, flash, g, redirect, session
from flask.typing import ResponseReturnValue

from agreements.store.companies.companies import DomainRefused
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.erasures import ErasureRefused
from agreements.store.people.campaigns import CampaignRefused
from agreements.store.record_context import RecordContext
from bot.portal.forms.refusals import refusal_text
from bot.portal.portal_services import known_records, portal_services
from bot.portal.session.visitor import signed_in

View = Callable[..., ResponseReturnValue]
Sentences = Mapping[str, str | Callable[[], str]]
"""Words for a refusal, by its reason; words that have to be looked up are functions, called only when needed."""
_NONE: Mapping[str, str] = {}


class FormRefused(Exception):
    """The form is refused and nothing is changed: a sentence for each field, the status of the answer, and further values of the page."""

    def __init__(self, errors: Mapping[str, str], status: int = 400, **shown: Any) -> None:
        self.errors = errors
        self.status = status
        self.shown = shown
        super().__init__("the form was refused")


def form_action(page: Callable[..., str]) -> Callable[[View], View]:
    """A view that answers a form of this page: where it raises FormRefused, the page is shown with `errors`."""
    asked = signature(page).parameters

    def decorate(act: View) -> View:
        @wraps(act)
        def answer(**place: Any) -> ResponseReturnValue:
            try:
                return act(**place)
            except FormRefused as refused:
                g.errors = refused.errors  # Every template has them.
                # A page may need fewer values of the address than the view of its form.
                here = {name: value for name, value in place.items() if name in asked}
                return page(**here, **refused.shown), refused.status

        return answer

    return decorate


@contextmanager
def refused_beside(field: str, places: Mapping[str, str] = _NONE, sentences: Sentences = _NONE) -> Iterator[None]:
    """Show a refusal of the records beside that field. By reason, `places` has fields, `sentences` other words."""
    try:
        yield
    except (CampaignRefused, CompanyRefused, DomainRefused, ErasureRefused) as error:
        if error.reason == "unknown":  # An id that the records do not know has no page.
            abort(404)
        said = sentences.get(error.reason)
        sentence = str((said() if callable(said) else said) or refusal_text(error))
        # 409: the records are no longer as the form supposed.
        raise FormRefused({places.get(error.reason, field): sentence}, 409) from None


@contextmanager
def change(
    field: str = "", *, places: Mapping[str, str] = _NONE, sentences: Sentences = _NONE
) -> Iterator[RecordContext]:
    """A transaction in which the person changes the records; what these refuse is said as `refused_beside` says it."""
    by = signed_in().account.id
    # The transaction is the innermost: it is rolled back before the refusal is said.
    with refused_beside(field, places, sentences), known_records(), portal_services().change(by) as context:
        yield context


def done(address: str, *messages: str) -> ResponseReturnValue:
    """Redirect the person, with these messages on the next page; none stands there twice after a double click."""
    waiting = [message for _category, message in session.get("_flashes", [])]
    for message in messages:
        if message not in waiting:
            flash(message)
    return redirect(address)
