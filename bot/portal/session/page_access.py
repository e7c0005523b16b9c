"""The right to use a page: every route says who has it where it is added, and a route that says nothing is closed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from flask import Blueprint, abort, current_app, redirect, request
from flask.blueprints import BlueprintSetupState
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

from agreements.store.companies import managers
from agreements.store.people import person_rows
from bot.github.ports import HubError
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.redirects import login_path, without_other_arguments
from bot.portal.session.visitor import Visitor, visitor
from bot.records import row_codes
from bot.telemetry import security_log
from bot.telemetry.security_log import Event, LogRateLimit

_NAME = "countersign.access"
_BOUND = "countersign.log-bound"


class Audience(StrEnum):
    """The people to whom a route is open. Administrators get no company's own pages, and managers do not read `/admin`."""

    PUBLIC = "everybody"
    SIGNED_IN = "signed in"
    MANAGER = "manager of the company in the address"
    READER = "administrator or auditor"
    ADMINISTRATOR = "administrator"
    TOKEN = "API token"  # noqa: S105 - no password; the view itself asks for it, see bot.portal.api


@dataclass(frozen=True, slots=True)
class Route:
    """An address (`path`) and `method` with its `view`, open to `who`.

    `limit` slows one person down, as in `20 per minute`. `name` is the endpoint's where the view's own does not say it.
    """

    path: str
    view: Callable[..., ResponseReturnValue]
    who: Audience
    method: str = "GET"
    limit: str = ""
    name: str = ""

    @property
    def endpoint(self) -> str:
        """The name of the view: one for each path and method."""
        return self.name or self.view.__name__


def post(path: str, view: Callable[..., ResponseReturnValue], who: Audience, limit: str = "") -> Route:
    """The route of a form that is sent."""
    return Route(path, view, who, "POST", limit)


def open_routes(blueprint: Blueprint, limiter: Limiter, routes: Iterable[Route], *, merge_slashes: bool = True) -> None:
    """Add the routes to the blueprint, each with who may use it; `merge_slashes` redirects from `//` to `/`."""
    for route in routes:
        view = limiter.limit(route.limit, key_func=rate_limit_key)(route.view) if route.limit else route.view
        blueprint.add_url_rule(route.path, route.endpoint, view, methods=[route.method], merge_slashes=merge_slashes)
        blueprint.record(partial(_note, f"{blueprint.name}.{route.endpoint}", route.who))


def who_may(endpoint: str | None) -> Audience | None:
    """The audience of that endpoint; None for one without a route."""
    noted: dict[str, Audience] = current_app.extensions.get(_NAME, {})
    return noted.get(endpoint or "")


def admit() -> ResponseReturnValue | None:
    """Let the visitor through (None), send them to sign in, or refuse. Runs before every page.

    A page that belongs to others does not exist for a visitor (404); a change without signing in is refused (403).
    """
    who = who_may(request.endpoint)
    if who is None:  # A route that was added without an audience is closed.
        abort(404)
    if who in (Audience.PUBLIC, Audience.TOKEN):
        return None
    person = visitor()
    if person is None:
        if request.method != "GET":  # To redirect would lose the form.
            abort(403)
        return redirect(login_here())
    # 404 and not 403: a visitor must not learn which companies there are.
    if not _may(who, person):
        if may_tell(Event.ACCESS_REFUSED):
            security_log.tell(
                Event.ACCESS_REFUSED,
                account=person.account.id,
                endpoint=request.endpoint,
                needs=who.name.lower(),
                status=404,
            )
        abort(404)
    if who in (Audience.READER, Audience.ADMINISTRATOR) and request.method == "POST":
        # The log tells what a person did by their login, also of an administrator who never signed.
        with portal_services().change(person.account.id) as context:
            person_rows.ensure(context, person.account)
    return None


def login_here() -> str:
    """The way to sign in and back to this page, where a person who read longer than a session lasts goes on."""
    return login_path(without_other_arguments(request.path, request.args) or "/me")


def is_administrator() -> bool:
    """Whether the visitor may change everything. Raises HubError when GitHub, who knows, does not answer."""
    person = visitor()
    return person is not None and person.account.id in portal_services().roles.administrators()


def is_reader() -> bool:
    """Whether the visitor may read everything: administrators and auditors. Raises HubError."""
    person = visitor()
    return person is not None and (is_administrator() or person.account.id in portal_services().roles.auditors())


def is_known_reader() -> bool:
    """Whether the visitor may read everything; False while GitHub does not answer, which breaks no public page."""
    try:
        return is_reader()
    except HubError:
        return False


def rate_limit_key() -> str:
    """The key of a rate limit: the person, since a company may share an address; else the stranger's address."""
    who = visitor()
    return f"account {who.account.id}" if who else get_remote_address()


def may_tell(event: Event) -> bool:
    """Whether one more line of that event may be written about this visitor, so that a script cannot flood the log."""
    bound: LogRateLimit = current_app.extensions.setdefault(_BOUND, LogRateLimit())
    return bound.admits(event, rate_limit_key())


def _may(who: Audience, person: Visitor) -> bool:
    match who:
        case Audience.SIGNED_IN:
            return True
        case Audience.MANAGER:
            company_id = str((request.view_args or {}).get("company_id", ""))
            # An office that a process of the release before has written counts once its code was made.
            return _manages(person, company_id) or (
                row_codes.made(portal_services().sessions, portal_services().vault) and _manages(person, company_id)
            )
        case Audience.READER:
            return is_reader()
        case Audience.ADMINISTRATOR:
            return is_administrator()
        case _:
            return False


def _manages(person: Visitor, company_id: str) -> bool:
    with reading() as (records, vault, at):
        return managers.manages(records, vault, person.account.id, company_id, at=at)


def _note(endpoint: str, who: Audience, state: BlueprintSetupState) -> None:
    state.app.extensions.setdefault(_NAME, {})[endpoint] = who
