"""Signing in with GitHub: state and PKCE out, an account id and its verified addresses in, the token forgotten."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import structlog
from flask import Blueprint, Flask, redirect, render_template, request, session
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter

from agreements.domains.canonical_form import domain_of
from agreements.facts import Account
from agreements.github_server import GitHubServer
from bot.github.client.requester_pool import API_VERSION
from bot.portal.portal_services import portal_services
from bot.portal.session import kept_form, redirects
from bot.portal.session.page_access import Audience, Route, may_tell, open_routes, post
from bot.portal.session.visitor import Visitor, remember, visitor
from bot.settings import Settings
from bot.telemetry import security_log
from bot.telemetry.security_log import Event

if TYPE_CHECKING:
    import requests
    from authlib.integrations.flask_client import FlaskOAuth2App  # type: ignore[import-untyped]  # it ships no types

TIMEOUT_SECONDS = 10
MAX_ADDRESSES = 50

RATE_LIMIT = "300 per minute"
"""For one network address. A whole company may come from one, on the day when it is asked to sign; what an attempt costs
is a row that ends with the session, and at most three calls to GitHub, each after a redirect from GitHub's own page.
"""

_AFTER = "after"
_STATE = "_state_github_"  # Authlib's own prefix for what it keeps in the session.
_MAX_PENDING_LOGINS = 5  # Each tab may begin one.

_MISCONFIGURED: Mapping[str, str] = {
    "incorrect_client_credentials": "COUNTERSIGN_CLIENT_ID and COUNTERSIGN_CLIENT_SECRET are not those of the App",
    "redirect_uri_mismatch": "COUNTERSIGN_URL/login/callback is no callback address of the App",
    "application_suspended": "the App is suspended at GitHub",
}
"""GitHub's errors that only the operator can mend, and how."""
_REFUSED: Mapping[str, str] = {
    "access_denied": "denied",
    "bad_verification_code": "expired",
    "unverified_user_email": "unverified",
}
"""GitHub's errors that the person can do something about."""

log = structlog.get_logger()


class LoginFailed(Exception):
    """GitHub's answer does not say who the visitor is."""


def make_login(app: Flask, settings: Settings, limiter: Limiter) -> Blueprint:
    """The blueprint with `/login`, `/login/callback` and `/logout`."""
    github = cache(lambda: _github(app, settings))  # Once, for the first visitor who signs in.
    login = Blueprint("login", __name__)

    def begin() -> ResponseReturnValue:
        _forget_old_states()
        session[_AFTER] = redirects.ours(request.args.get("next")) or "/me"  # Never to another site.
        answer: ResponseReturnValue = github().authorize_redirect(f"{settings.url}/login/callback")
        return answer

    def callback() -> ResponseReturnValue:
        import requests  # noqa: PLC0415 - see `_github`
        from authlib.common.errors import AuthlibBaseError  # type: ignore[import-untyped]  # noqa: PLC0415 - as above

        # Whether GitHub itself sent the visitor back: a link with an error in it may come from another site.
        is_ours = f"{_STATE}{request.args.get('state', '')}" in session
        try:
            who = _who(github())
        except (AuthlibBaseError, LoginFailed) as error:
            return _failed(error, is_ours=is_ours)
        except (requests.RequestException, ValueError) as error:  # ValueError: the answer is no JSON.
            log.warning("login.github-unreachable", why=type(error).__name__)
            return render_template("login_failed.html", again=_again(), why="unreachable"), 503
        after, kept = redirects.ours(session.get(_AFTER)) or "/me", kept_form.find()  # `remember` empties the session.
        remember(who)
        if kept is not None and kept.is_of(who.account.id):  # Another person's form is forgotten.
            kept_form.put(kept)  # Back into the new session.
            after = kept_form.PATH
        security_log.tell(Event.SIGNED_IN, account=who.account.id)
        return redirect(after)

    routes = (
        Route("/login", begin, Audience.PUBLIC, limit=RATE_LIMIT),
        Route("/login/callback", callback, Audience.PUBLIC, limit=RATE_LIMIT),
        Route(kept_form.PATH, kept_form.resume, Audience.SIGNED_IN),
        post("/logout", sign_out, Audience.PUBLIC),
    )
    open_routes(login, limiter, routes)
    return login


def sign_out() -> ResponseReturnValue:
    """End the session, here and in the browser."""
    who = visitor()
    session.clear()
    if who is not None:
        security_log.tell(Event.SIGNED_OUT, account=who.account.id)
    answer = redirect("/")
    # "Back" must not show pages of the ended session that the browser kept.
    answer.headers["Clear-Site-Data"] = '"cache", "storage"'
    return answer


def _github(app: Flask, settings: Settings) -> "FlaskOAuth2App":
    """GitHub as Authlib sees it; Authlib is loaded for the first visitor who signs in."""
    from authlib.integrations.flask_client import OAuth  # noqa: PLC0415 - see above

    # Without its `cache`: Authlib did not bind state that is kept there to the visitor's session (CVE-2025-68158).
    client: FlaskOAuth2App = OAuth(app).register(
        name="github",
        client_id=settings.client_id,
        client_secret=settings.client_secret.reveal(),
        authorize_url=f"{settings.github_url}/login/oauth/authorize",
        access_token_url=f"{settings.github_url}/login/oauth/access_token",
        api_base_url=f"{settings.github_api_url}/",
        client_kwargs={
            # PKCE: a stolen code is worth nothing without the session that asked for it.
            "code_challenge_method": "S256",
            "token_endpoint_auth_method": "client_secret_post",
            "default_timeout": TIMEOUT_SECONDS,
        },
        compliance_fix=_follow_nothing,
    )
    return client


def _follow_nothing(session: "requests.Session") -> None:
    # A redirect is an error: our secret and the token go to GitHub's own addresses alone.
    session.max_redirects = 0


def _forget_old_states() -> None:
    # The newest few alone, so that a session cannot be made to grow.
    kept = [key for key in session if key.startswith(_STATE)]
    for key in kept[: max(0, len(kept) - _MAX_PENDING_LOGINS + 1)]:
        del session[key]


def _failed(error: Exception, *, is_ours: bool) -> ResponseReturnValue:
    """The page after a failed login: the visitor may try again, or the operator, whose log has the reason, must act."""
    code = str(getattr(error, "error", ""))
    known = code if code in _MISCONFIGURED or code in _REFUSED else None
    # Only an answer to our own question may raise the alarm: a link from elsewhere can hold any error.
    if is_ours and code in _MISCONFIGURED:
        security_log.tell(Event.LOGIN_MISCONFIGURED, github_error=code, help=_MISCONFIGURED[code])
        return render_template("login_failed.html", why="misconfigured", code=code), 503
    why = "account" if isinstance(error, LoginFailed) else _REFUSED.get(code, "unfinished")
    if may_tell(Event.LOGIN_REFUSED):
        security_log.tell(Event.LOGIN_REFUSED, why=why, github_error=known)
    return render_template("login_failed.html", again=_again(), why=why), 400


def _again() -> str:
    return redirects.login_path(redirects.ours(session.get(_AFTER)) or "/me")


def _who(github: "FlaskOAuth2App") -> Visitor:
    """Exchange the code, ask who it is, drop the token. Raises AuthlibBaseError, LoginFailed, RequestException."""
    token = github.authorize_access_token()
    account = _account(_answer(github, "user", token))
    return Visitor(account, _verified(_answer(github, "user/emails?per_page=100", token), portal_services().server))


def _answer(github: "FlaskOAuth2App", path: str, token: dict[str, Any]) -> Any:
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": API_VERSION}
    response = github.get(path, token=token, headers=headers)
    response.raise_for_status()
    return response.json()


def _account(user: Any) -> Account:
    if not isinstance(user, dict) or not isinstance(user.get("id"), int) or not isinstance(user.get("login"), str):
        raise LoginFailed("no account in the answer")
    # JSON's `true` is an int to Python; organisations and bots sign nothing.
    if isinstance(user["id"], bool) or user["id"] < 1 or not user["login"] or user.get("type", "User") != "User":
        raise LoginFailed("not a person's account")
    return Account(user["id"], user["login"])


def _verified(emails: Any, server: GitHubServer) -> tuple[str, ...]:
    """The verified addresses of `GET /user/emails`, primary first; GitHub's no-reply ones only if there is no other."""
    if not isinstance(emails, list):
        raise LoginFailed("no addresses in the answer")
    sure = [entry for entry in emails if isinstance(entry, dict) and entry.get("verified") is True]
    sure.sort(key=lambda entry: entry.get("primary") is not True)
    addresses = tuple(
        dict.fromkeys(entry["email"] for entry in sure if isinstance(entry.get("email"), str) and entry["email"])
    )
    reached = tuple(address for address in addresses if not server.is_noreply(domain_of(address) or ""))
    return (reached or addresses)[:MAX_ADDRESSES]
