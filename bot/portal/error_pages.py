"""Pages for what went wrong: one plain sentence, what to do now, in both languages; never a traceback."""

import traceback
from dataclasses import dataclass
from http import HTTPStatus
from math import ceil
from pathlib import Path

import structlog
from flask import Flask, Response, current_app, g, make_response, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import lazy_gettext as _
from flask_babel import ngettext
from flask_babel.speaklater import LazyString  # type: ignore[import-untyped]  # it ships no types
from flask_wtf.csrf import CSRFError  # type: ignore[import-untyped]  # it ships no types
from sqlalchemy.exc import DataError, SQLAlchemyError
from werkzeug.exceptions import HTTPException, MethodNotAllowed, TooManyRequests

from agreements.store.ledger.transient_rows import RowRefused
from agreements.vault import KeyDestroyed
from bot import clock
from bot.github.ports import HubError, Refused
from bot.portal.api.problems import is_for_api, problem
from bot.portal.company import signatory
from bot.portal.organizations import CannotSign, RulesUnread
from bot.portal.session import kept_form
from bot.portal.session.page_access import login_here, may_tell
from bot.portal.session.visitor import visitor
from bot.telemetry import security_log
from bot.telemetry.security_log import Event

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """An error in two sentences: the `title` says what happened, the `advice` what to do."""

    title: LazyString
    advice: LazyString | str


ERROR_PAGES = {
    400: ErrorPage(
        _("This request could not be processed"),
        _("Go back, reload the page and try again. Nothing was changed."),
    ),
    403: ErrorPage(
        _("You do not have access"),
        _("Your account does not have permission for this. Nothing was changed."),
    ),
    404: ErrorPage(
        _("Page not found"),
        _("Check the address. Pages that you do not have access to are not shown either."),
    ),
    405: ErrorPage(
        _("This action is not available on this page"),
        _("Go back, reload the page and try again. Nothing was changed."),
    ),
    413: ErrorPage(
        _("The content is too large"),
        _("You sent more than this page accepts. Shorten your text or choose a smaller file, then send it again."),
    ),
    500: ErrorPage(
        _("Something went wrong"),
        _("The error was recorded and nothing was signed. Try again in a few minutes."),
    ),
    503: ErrorPage(
        _("Our records are not available right now"),
        _("Nothing was signed. Try again in a few minutes."),
    ),
}

_WHY = {400: "input", 403: "visit", 413: "size", 429: "rate"}
"""The reason that is logged for a refused request, by the status that answers it; a form without its word is `form`."""

NO_GITHUB = ErrorPage(
    _("GitHub is not responding"),
    _(
        "We ask GitHub who the administrators are, and it is not responding. Nothing was changed. Try again in a few minutes."
    ),
)
GITHUB_REFUSES = ErrorPage(
    _("GitHub refused our request"),
    _(
        "We ask GitHub who the administrators are, and it refused. The App needs the permission Members (read) in the organisation."
    ),
)

FORM_EXPIRED = ErrorPage(
    _("This form has expired"),
    _("Go back, reload the page and send the form again. Nothing was changed."),
)
SIGNED_OUT = ErrorPage(
    _("You are signed out"),
    _(
        "Sessions end after 30 minutes without activity, or after 12 hours. Nothing was sent. Sign in, then send the form again."
    ),
)
FORM_KEPT = ErrorPage(
    _("You are signed out"),
    _(
        "Sessions end after 30 minutes without activity, or after 12 hours. Sign in again to continue. We keep what you typed for 30 minutes."
    ),
)

SIGNATORY_FORM_KEPT = ErrorPage(
    _("This page was closed"),
    _(
        "Pages close after 30 minutes without activity. Open the link in your e-mail again and enter a new code. We keep what you typed for 30 minutes."
    ),
)

CANNOT_SIGN = ErrorPage(
    _("You cannot sign at the moment"),
    _(
        "The organisation's rules have errors, so we do not know which agreement applies. Nothing was signed. You can sign once the rules are corrected."
    ),
)

RULES_UNREAD = ErrorPage(
    _("You cannot sign yet"),
    _(
        "We have not read the organisation's rules yet, so we do not know which agreement applies. Nothing was signed. Try again in a minute. If you still cannot sign then, tell the organisation."
    ),
)

ROW_REFUSED = ErrorPage(
    _("This cannot be used"),
    _(
        "The record of this code, link or token was changed by someone else, or comes from an earlier version of this site. Nothing was changed. Ask for a new one."
    ),
)

NO_KEY = ErrorPage(
    _("This record cannot be decrypted"),
    _(
        "Its key is missing, for example because the data was erased. Nothing was changed. Contact the administrators of this site."
    ),
)


def add_error_pages(app: Flask) -> None:
    """Register the pages with the app."""
    # Flask asks the handler of the nearest class, so the order does not matter.
    app.register_error_handler(CSRFError, _form_expired)
    app.register_error_handler(HTTPException, _refused)
    app.register_error_handler(SQLAlchemyError, _no_records)
    app.register_error_handler(DataError, _no_value)
    app.register_error_handler(HubError, _no_github)
    app.register_error_handler(KeyDestroyed, _no_key)
    app.register_error_handler(RowRefused, _row_refused)
    app.register_error_handler(CannotSign, lambda _error: _page(409, CANNOT_SIGN))
    app.register_error_handler(RulesUnread, lambda _error: _page(409, RULES_UNREAD))
    app.register_error_handler(Exception, _broken)
    app.after_request(_log_refusal)


def _refused(error: HTTPException) -> ResponseReturnValue:
    if error.code is None or error.code < 400:  # A redirect is an HTTPException, too.
        return error
    if isinstance(error, TooManyRequests):
        return _too_many()
    found = None
    # A visitor who is not signed in is asked to sign in first.
    if error.code == HTTPStatus.FORBIDDEN and visitor() is None:
        found = FORM_KEPT if request.method == "POST" and kept_form.keep() else SIGNED_OUT
    page = make_response(_page(error.code, found))
    if isinstance(error, MethodNotAllowed) and error.valid_methods:  # A 405 lists them (RFC 9110).
        page.headers.setdefault("Allow", ", ".join(sorted(error.valid_methods)))
    return page


def _too_many() -> ResponseReturnValue:
    """The page of a visitor who has to wait until the limits that they exceeded count anew."""
    (limiter,) = current_app.extensions["limiter"]
    now = clock.machine().timestamp()
    ends = [limit.window.reset_time for limit in limiter.current_limits if limit.breached]
    seconds = max(1, ceil(max(ends, default=now + 60) - now))
    advice = ngettext(
        "Wait a minute, then try again. Nothing was changed.",
        "Wait %(num)s minutes, then try again. Nothing was changed.",
        ceil(seconds / 60),
    )
    page = make_response(_page(429, ErrorPage(_("Too many attempts"), advice)))
    page.headers["Retry-After"] = str(seconds)
    return page


def _log_refusal(answer: Response) -> Response:
    """Log a refused request. Sign-ins and tokens that lack a scope have lines of their own."""
    why, token = g.get("why") or _WHY.get(answer.status_code), g.get("token")
    is_logged = (request.blueprint == "login" and why == "input") or (token is not None and why == "visit")
    if why and not is_logged:
        who = visitor() if token is None else None
        if may_tell(Event.REQUEST_REFUSED):  # A script must not flood the log.
            security_log.tell(
                Event.REQUEST_REFUSED,
                account=who.account.id if who else None,
                token=token.id if token else None,
                endpoint=request.endpoint,
                status=answer.status_code,
                why=why,
            )
    return answer


def _form_expired(_error: CSRFError) -> ResponseReturnValue:
    g.why = "form"
    return _page(400, SIGNATORY_FORM_KEPT if signatory.keep_form() else FORM_EXPIRED)


def _no_records(error: SQLAlchemyError) -> ResponseReturnValue:
    # The class alone: a message could carry values of a row.
    log.error("page.no-records", why=type(error).__name__)
    return _page(503)


def _no_value(error: DataError) -> ResponseReturnValue:
    # Such as a NUL in a field, which PostgreSQL cannot hold: the visitor's mistake, and no alarm of ours.
    log.info("page.no-value", why=type(error).__name__)
    return _page(400)


def _no_github(error: HubError) -> ResponseReturnValue:
    # A hub's message names no person and no token.
    log.error("page.no-github", why=type(error).__name__, said=str(error))
    return _page(503, GITHUB_REFUSES if isinstance(error, Refused) else NO_GITHUB)


def _no_key(_error: KeyDestroyed) -> ResponseReturnValue:
    # An older copy of the database with an erased person, or a file of erasure keys that is older than the person.
    log.error("page.no-key", endpoint=request.endpoint)
    return _page(410, NO_KEY)


def _row_refused(refused: RowRefused) -> ResponseReturnValue:
    if may_tell(Event.ROW_REFUSED):
        security_log.tell(Event.ROW_REFUSED, table=refused.table, row=refused.row, why=refused.why)
    return _page(409, ROW_REFUSED)


def _broken(error: Exception) -> ResponseReturnValue:
    # Places, not values: a whole trace would carry what a person typed.
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    places = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    log.error("page.broken", why=type(error).__name__, endpoint=request.endpoint, places=places)
    return _page(500)


def _page(code: int, found: ErrorPage | None = None) -> ResponseReturnValue:
    if is_for_api():  # No route of the API was found, so that its own handlers were not asked.
        return problem(code)
    found = found or ERROR_PAGES.get(code) or ERROR_PAGES[500 if code >= 500 else 400]
    title, advice = str(found.title), str(found.advice)
    return render_template("error.html", code=code, title=title, advice=advice, login=login_here()), code
