"""Registering an App from a manifest, and installing it: what an owner of an organisation clicks through."""

import json
import re
import secrets
from collections.abc import Iterable
from datetime import timedelta
from urllib.parse import urlencode

from flask import Blueprint, redirect, render_template, request, session
from flask.typing import ResponseReturnValue

from bot.demo.github import payloads
from bot.demo.github.authentication import key_pair
from bot.demo.github.refusal import ErrorResponse, forbidden, not_found
from bot.demo.github.rest.request import world
from bot.demo.github.state import Json, RegisteredApp, StoredAccount, StoredApp

routes = Blueprint("app_settings", __name__)
_CODE_LIFE = timedelta(hours=1)
_KEYS = frozenset({
    "name", "url", "hook_attributes", "redirect_url", "callback_urls", "setup_url", "description", "public", "default_events",
    "default_permissions", "request_oauth_on_install", "setup_on_update",
})  # fmt: skip
"""Of the manifest. Source: GitHub's page "Registering a GitHub App from a manifest"."""
_MAX_NAME_CHARACTERS = 34


@routes.post("/organizations/<login>/settings/apps/new")
def register(login: str) -> ResponseReturnValue:
    """Show what the App would be and ask for its name; nothing is made yet. The form may come from anywhere."""
    with world().lock:
        owner = _organization(login)
        text = request.form.get("manifest", "")
        manifest = _manifest(text)
        return render_template(
            "app_manifest.html",
            owner=owner,
            manifest=manifest,
            text=text,
            state=request.args.get("state", ""),
            people=_owners(owner),
        )


@routes.post("/organizations/<login>/settings/apps/manifest")
def create(login: str) -> ResponseReturnValue:
    """Make the App, send it a ping, and send the browser back with a code for its keys."""
    with world().lock:
        owner, manifest = _organization(login), _manifest(request.form.get("manifest", ""))
        who = _signed_in(_owners(owner))
        name = request.form.get("name", "").strip() or str(manifest["name"])
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        if len(name) > _MAX_NAME_CHARACTERS or any(one.slug == slug for one in world().apps.values()):
            raise ErrorResponse(422, f"The name {name} is taken or longer than {_MAX_NAME_CHARACTERS} characters.")
        private, public = key_pair()
        hook = manifest.get("hook_attributes", {})
        app = world().app(
            slug, owner, public, name=name, webhook_secret=secrets.token_hex(20), hook_url=hook.get("url", ""),
            callbacks=manifest.get("callback_urls", []), permissions=manifest.get("default_permissions", {}),
            events=manifest.get("default_events", []),
        )  # fmt: skip
        code = secrets.token_hex(20)
        world().registered[code] = RegisteredApp(app, private, world().now() + _CODE_LIFE)
        world().hooks.send(app, "ping", payloads.ping(world(), app, who))
        return redirect(
            f"{manifest['redirect_url']}?{urlencode({'code': code, 'state': request.form.get('state', '')})}"
        )


@routes.get("/apps/<slug>/installations/new")
def choose(slug: str) -> ResponseReturnValue:
    """Ask where to install the App."""
    with world().lock:
        app = _app(slug)
        installed = {one.account.id for one in world().installations.values() if one.app is app}
        places = [
            (one, who)
            for one in world().accounts.values()
            if one.type == "Organization" and one.id not in installed
            for who in _owners(one)
        ]
        return render_template("app_install.html", app=app, places=places)


@routes.post("/apps/<slug>/installations")
def install(slug: str) -> ResponseReturnValue:
    """Install it on all repositories of an organisation."""
    with world().lock:
        app = _app(slug)
        target, _, person = request.form.get("account", "").partition(":")
        place = world().accounts.get(int(target) if target.isdecimal() else 0)
        if place is None or place.type != "Organization":
            raise not_found()
        world().install(app, place, _signed_in(_owners(place), person))
        return redirect(f"/{place.login}")


def _signed_in(owners: Iterable[StoredAccount], person: str = "") -> StoredAccount:
    """Who does it, one of these; to choose one is to sign in, there are no passwords here."""
    chosen = person or request.form.get("account", "") or str(session.get("account", 0))
    who = next((one for one in owners if str(one.id) == chosen), None)
    if who is None:
        raise forbidden("Only an owner of the organization may do that.")
    session["account"] = who.id
    return who


def _owners(organization: StoredAccount) -> list[StoredAccount]:
    return [world().accounts[number] for number, role in organization.members.items() if role == "admin"]


def _organization(login: str) -> StoredAccount:
    found = world().find_account(login)
    if found is None or found.type != "Organization":
        raise not_found()
    return found


def _app(slug: str) -> StoredApp:
    for one in world().apps.values():
        if one.slug == slug:
            return one
    raise not_found()


def _manifest(text: str) -> Json:
    """The manifest, if GitHub would take it."""
    try:
        manifest = json.loads(text)
    except ValueError:
        raise ErrorResponse(422, "The manifest is no JSON.") from None
    if not isinstance(manifest, dict):
        raise ErrorResponse(422, "The manifest is no JSON object.")
    if unknown := sorted(set(manifest) - _KEYS):
        raise ErrorResponse(422, f"The manifest has keys that are not known: {', '.join(unknown)}.")
    for key in ("name", "url", "redirect_url"):
        if not isinstance(manifest.get(key), str) or not manifest[key]:
            raise ErrorResponse(422, f"The manifest needs {key}.")
    return manifest
