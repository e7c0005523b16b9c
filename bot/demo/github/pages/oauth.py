"""Signing in with GitHub: the page that asks, the code that proves it once, and the token behind it (RFC 6749 and 7636)."""

import base64
import hashlib
import re
import secrets
from datetime import timedelta
from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, redirect, render_template, request, session
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from bot.demo.github.refusal import ErrorResponse
from bot.demo.github.rest_request import world
from bot.demo.github.state import Json, OAuthCode, StoredAccount, StoredApp, StoredToken

routes = Blueprint("oauth", __name__)
_CODE_LIFE = timedelta(minutes=10)  # As long as GitHub's.
_TOKEN_LIFE = timedelta(hours=8)  # As long as GitHub's that expire.
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")  # A SHA-256 in Base64 without padding (RFC 7636, 4.2).
_WHY = {
    "incorrect_client_credentials": "The client_id and/or client_secret passed are incorrect.",
    "redirect_uri_mismatch": "The redirect_uri MUST match the registered callback URL for this application.",
    "bad_verification_code": "The code passed is incorrect or expired.",
}
_DENIED = {
    "error": "access_denied",
    "error_description": "The user has denied your application access.",
    "error_uri": "/apps/managing-oauth-apps/troubleshooting-authorization-request-errors/#access-denied",
}
_ERRORS_PAGE = "https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/"


def challenge(verifier: str) -> str:
    """The S256 challenge of a PKCE verifier."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


@routes.get("/login/oauth/authorize")
def ask() -> ResponseReturnValue:
    """Ask who it is; a person who allowed this App before goes straight back, unless `prompt` says otherwise."""
    app = _asked(request.args)
    who = world().accounts.get(session.get("account", 0))
    known = who is not None and (app.id, who.id) in world().allowed
    if who is not None and known and request.args.get("prompt") != "select_account":
        return redirect(_back(app, who, request.args))
    people = [account for account in world().accounts.values() if account.token and account.type == "User"]
    people.sort(key=lambda account: account is not who)  # First the one who is signed in.
    refuse = f"{request.args['redirect_uri']}?{urlencode({**_DENIED, 'state': request.args['state']})}"
    return render_template("authorize.html", app=app, people=people, who=who, asked=request.args, refuse=refuse)


@routes.post("/login/oauth/authorize")
def allow() -> ResponseReturnValue:
    """The person said yes: sign them in here, and send the browser back with a code."""
    app = _asked(request.form)
    who = world().accounts.get(request.form.get("account", 0, type=int))
    if who is None or not who.token:
        raise ErrorResponse(422, "Choose who you are.")
    session["account"] = who.id
    world().allowed.add((app.id, who.id))
    return redirect(_back(app, who, request.form))


def _asked(fields: "MultiDict[str, str]") -> StoredApp:
    app = next((app for app in world().apps.values() if app.client_id == fields.get("client_id")), None)
    if app is None:
        raise ErrorResponse(404, "No App has this client_id.")
    # No browser is sent to an address that is not registered.
    if fields.get("redirect_uri") not in app.callbacks:
        raise ErrorResponse(400, "The redirect_uri is not one of the App's registered callback addresses.")
    if not fields.get("state"):
        raise ErrorResponse(400, "The state is missing: without it anybody could finish this sign-in.")
    if fields.get("code_challenge_method") != "S256" or not _CHALLENGE.fullmatch(fields.get("code_challenge", "")):
        raise ErrorResponse(400, "A PKCE code_challenge with method S256 is required.")
    return app


def _back(app: StoredApp, who: StoredAccount, fields: "MultiDict[str, str]") -> str:
    code = secrets.token_hex(10)
    world().codes[code] = OAuthCode(
        app, who, fields["redirect_uri"], fields["code_challenge"], world().now() + _CODE_LIFE
    )
    return f"{fields['redirect_uri']}?{urlencode({'code': code, 'state': fields['state']})}"


@routes.post("/login/oauth/access_token")
def exchange() -> ResponseReturnValue:
    """A code for a token, once. As a form, unless JSON is asked for."""
    fields = request.form.to_dict()
    app = next((app for app in world().apps.values() if app.client_id == fields.get("client_id")), None)
    answer = {"error": "Not Found"} if app is None else _exchanged(app, fields)
    status = 404 if app is None else 200  # GitHub answers all other errors with 200.
    if (
        request.accept_mimetypes.best_match(["application/x-www-form-urlencoded", "application/json"])
        == "application/json"
    ):
        return jsonify(answer), status
    return Response(urlencode(answer), status, mimetype="application/x-www-form-urlencoded")


def _exchanged(app: StoredApp, fields: dict[str, str]) -> Json:
    if not secrets.compare_digest(app.client_secret.encode(), fields.get("client_secret", "").encode()):
        return _error("incorrect_client_credentials")
    code = world().codes.pop(fields.get("code", ""), None)  # One use, also where it fails below (RFC 6749, 4.1.2).
    if code is None or code.app is not app or code.expires_at <= world().clock():
        return _error("bad_verification_code")
    if fields.get("redirect_uri") != code.redirect_uri:
        return _error("redirect_uri_mismatch")
    # A stolen code is of no use without the verifier (RFC 7636, 4.6).
    if not secrets.compare_digest(challenge(fields.get("code_verifier", "")), code.challenge):
        return _error("bad_verification_code")
    text = world().fresh_token("ghu_")
    world().tokens[text] = StoredToken(world().now() + _TOKEN_LIFE, app, None, code.user, dict(app.permissions))
    return {
        "access_token": text,
        "expires_in": int(_TOKEN_LIFE.total_seconds()),
        "refresh_token": world().fresh_token("ghr_"),
        "refresh_token_expires_in": 15897600,  # Six months.
        "scope": "",
        "token_type": "bearer",
    }


def _error(code: str) -> Json:
    return {"error": code, "error_description": _WHY[code], "error_uri": f"{_ERRORS_PAGE}#{code.replace('_', '-')}"}
