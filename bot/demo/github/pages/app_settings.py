"""Registering an App from a manifest, and installing it: what an owner of an organisation, or a person, clicks through."""

import re
import secrets
import unicodedata
from collections.abc import Iterable
from datetime import timedelta
from urllib.parse import urlencode

from flask import Blueprint, redirect, render_template, request, session
from flask.typing import ResponseReturnValue

from bot.demo.github import enterprise, event_payloads
from bot.demo.github.authentication import key_pair
from bot.demo.github.pages import app_manifest
from bot.demo.github.refusal import existing, forbidden, not_found
from bot.demo.github.rest_request import world
from bot.demo.github.state import Json, RegisteredApp, StoredAccount, StoredApp

routes = Blueprint("app_settings", __name__)
_CODE_LIFE = timedelta(hours=1)  # As long as GitHub's.


@routes.post("/settings/apps/new")
@routes.post("/organizations/<login>/settings/apps/new")
def register(login: str = "") -> ResponseReturnValue:
    """Show what the App would be and ask for its name; nothing is made yet. The form may come from anywhere."""
    _, people = _registrants(login)
    manifest = _manifest()
    return _form(login, people, manifest, str(manifest.get("name", "")))


@routes.post("/settings/apps/manifest")
@routes.post("/organizations/<login>/settings/apps/manifest")
def create(login: str = "") -> ResponseReturnValue:
    """Make the App, send it a ping, and send the browser back with a code for its keys."""
    organization, people = _registrants(login)
    manifest = _manifest()
    who = _signed_in(people)
    owner = organization or who
    name = request.form.get("name", str(manifest.get("name", ""))).strip()
    if app_manifest.name_mistake(name, is_taken=_is_taken(name, owner)):
        return _form(login, people, manifest, name, owner=owner), 422
    app, code = _made(manifest, owner, name)
    world().hooks.send(app, "ping", event_payloads.ping(world(), app, who))
    back = manifest.get("redirect_url", f"/apps/{app.slug}/installations/new")
    return redirect(f"{back}?{urlencode({'code': code, 'state': request.form.get('state', '')})}")


@routes.app_errorhandler(app_manifest.ManifestRefused)
def refused(error: app_manifest.ManifestRefused) -> ResponseReturnValue:
    """The whole manifest, with every reason."""
    return render_template("app_manifest_refused.html", reasons=error.reasons), 422


def _manifest() -> Json:
    here = world()
    return app_manifest.read(
        request.form.get("manifest", ""),
        reaches_private=here.reaches_private,
        lacks=enterprise.unknown_in_manifest(here.enterprise),
    )


def _form(
    login: str, people: list[StoredAccount], manifest: Json, name: str, *, owner: StoredAccount | None = None
) -> str:
    mistake = app_manifest.name_mistake(name, is_taken=_is_taken(name, owner or world().find_account(login)))
    return render_template(
        "app_manifest.html",
        login=login,
        path=f"/organizations/{login}" if login else "",
        manifest=manifest,
        text=request.form.get("manifest", ""),
        name=name,
        mistake=mistake,
        state=request.args.get("state", request.form.get("state", "")),
        registrants=people,
    )


def _made(manifest: Json, owner: StoredAccount, name: str) -> tuple[StoredApp, str]:
    private, public = key_pair()
    app = world().app(
        _slug(name), owner, public, name=name, webhook_secret=secrets.token_hex(20),
        hook_url=manifest.get("hook_attributes", {}).get("url", ""), callbacks=manifest.get("callback_urls", []),
        permissions=manifest.get("default_permissions", {}), events=manifest.get("default_events", []),
    )  # fmt: skip
    code = secrets.token_hex(20)  # Good for one use.
    world().registered[code] = RegisteredApp(app, private, world().now() + _CODE_LIFE)
    return app, code


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()  # A slug is in ASCII.
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def _is_taken(name: str, owner: StoredAccount | None) -> bool:
    slug = _slug(name)
    holder = world().find_account(slug)
    # No two Apps have one name, and none has that of an account other than its owner.
    return any(app.slug == slug for app in world().apps.values()) or holder not in (None, owner)


@routes.get("/apps/<slug>/installations/new")
def choose(slug: str) -> ResponseReturnValue:
    """Ask whether to install the App on its owner's account; as every App here is private, nowhere else."""
    app = _app(slug)
    is_installed = any(installation.app is app for installation in world().installations.values())
    people = [] if is_installed else _administrators(app.owner)
    return render_template("app_install.html", app=app, places=[(app.owner, who) for who in people])


@routes.post("/apps/<slug>/installations")
def install(slug: str) -> ResponseReturnValue:
    """Install it on all repositories of its owner."""
    app = _app(slug)
    target, _, person = request.form.get("account", "").partition(":")
    if target != str(app.owner.id):  # A private App can be installed nowhere else.
        raise not_found()
    world().install(app, app.owner, _signed_in(_administrators(app.owner), person))
    return redirect(f"/{app.owner.login}")


def _signed_in(owners: Iterable[StoredAccount], person: str = "") -> StoredAccount:
    # To choose a person is to sign in: there are no passwords here.
    chosen = person or request.form.get("account", "") or str(session.get("account", 0))
    who = next((owner for owner in owners if str(owner.id) == chosen), None)
    if who is None:
        raise forbidden("Only an owner of the organization may do that.")
    session["account"] = who.id
    return who


def _administrators(account: StoredAccount) -> list[StoredAccount]:
    if account.type != "Organization":
        return [account]
    return [world().accounts[number] for number, role in account.members.items() if role == "admin"]


def _registrants(login: str) -> tuple[StoredAccount | None, list[StoredAccount]]:
    if not login:
        return None, [account for account in world().accounts.values() if account.token and account.type == "User"]
    found = world().find_account(login)
    owner = existing(found if found and found.type == "Organization" else None)
    return owner, _administrators(owner)


def _app(slug: str) -> StoredApp:
    return existing(next((app for app in world().apps.values() if app.slug == slug), None))
