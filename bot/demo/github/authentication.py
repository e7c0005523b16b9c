"""Tells who is asking, and what they may do: App by JWT, installation or person by token, or anonymous."""

import base64
import binascii
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from flask import Request

from bot.demo.github.refusal import ErrorResponse, bad_credentials, forbidden, not_found, not_permitted
from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import Json, StoredAccount, StoredApp, StoredInstallation, StoredRepository, StoredToken

TOKEN_LIFE = timedelta(hours=1)  # As long as GitHub's.
_TOKEN_LENGTH = 520  # In GitHub's form of 2026.
_LEVELS = ("read", "write", "admin")  # Of a permission, weakest first.
_ANONYMOUS = "Requires authentication"
_UNREADABLE = "A JSON web token could not be decoded"


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request to `world`: an `app` by its JWT alone; with a `token`, an installation or a `user`."""

    world: SimulatedState
    app: StoredApp | None = None
    user: StoredAccount | None = None
    token: StoredToken | None = None

    @property
    def installation(self) -> StoredInstallation | None:
        """The installation whose token this is."""
        return self.token.installation if self.token else None

    @property
    def actor(self) -> StoredAccount | None:
        """The account that deeds are done by: the person, or the App's bot."""
        if self.user is not None:
            return self.user
        return self.app.bot if self.app is not None and self.installation is not None else None

    @property
    def name(self) -> str:
        """The owner of the rate limit, in the words of GitHub's refusals."""
        if self.installation is not None:
            return f"installation ID {self.installation.id}"
        if self.user is not None:
            return f"user ID {self.user.id}"
        return f"app ID {self.app.id}" if self.app is not None else "127.0.0.1"

    def the_app(self) -> StoredApp:
        """The App, proved by a JWT; 401 otherwise."""
        if self.app is None or self.token is not None:
            raise bad_credentials(_UNREADABLE)
        return self.app

    def the_installation(self) -> StoredInstallation:
        """The installation; 403 for any other caller."""
        if self.installation is None:
            raise forbidden("You must authenticate with an installation access token in order to list repositories.")
        return self.installation

    def the_user(self) -> StoredAccount:
        """The person; 401 for an anonymous caller, 403 for an installation."""
        if self.user is None:
            raise forbidden() if self.installation else bad_credentials(_ANONYMOUS)
        return self.user

    def sees(self, repo: StoredRepository) -> bool:
        """True when the caller may know that the repository exists."""
        if self.installation is not None:
            return self._reaches(repo) or not repo.private
        return self.world.may(self.user, repo, "read")

    def need(self, repo: StoredRepository, level: str, *permissions: str) -> None:
        """Pass when any of the App permissions (or the person's role) reaches the level; else 403, 404 if unseen."""
        if not self.sees(repo):
            raise not_found()
        public_read = level == "read" and not repo.private  # GitHub shows it to every caller.
        if self.installation is None:
            if level != "read" and not self.world.may(self.user, repo, level):
                raise (
                    forbidden("Must have push access to the repository.") if self.user else bad_credentials(_ANONYMOUS)
                )
            if not public_read:
                self._need_of_fine_grained_token(level, permissions)
            return
        granted = self._reaches(repo) and any(self.has(permission, level) for permission in permissions)
        if not granted and not public_read:
            raise not_permitted(level, *permissions)

    def need_of_app(self, repo: StoredRepository, level: str, *permissions: str) -> None:
        """Like `need` for an App; of people it is enough that they see the repository, and that their token may."""
        if self.installation is not None:
            self.need(repo, level, *permissions)
        else:
            self._need_of_fine_grained_token(level, permissions)

    def _need_of_fine_grained_token(self, level: str, permissions: tuple[str, ...]) -> None:
        """403 where a person's own token with chosen permissions has none of these."""
        is_fine_grained = self.token is not None and self.token.app is None
        # "Checks" cannot even be chosen for such a token at GitHub.
        if is_fine_grained and not any(
            self.has(permission, level) for permission in permissions if permission != "checks"
        ):
            raise not_permitted(level, *permissions, by="personal access token")

    def need_author(self, repo: StoredRepository, author: StoredAccount | None, *permissions: str) -> None:
        """Pass for who wrote it, for people with write access, and for an App with the permission to write."""
        self.need_of_app(repo, "write", *permissions)
        if self.installation is None and self.user is not author and not self.world.may(self.user, repo, "write"):
            raise forbidden("Must have admin rights to Repository.") if self.user else bad_credentials(_ANONYMOUS)

    def has(self, permission: str, level: str) -> bool:
        """True when the token carries that permission at least at that level."""
        granted = (self.token.permissions if self.token else {}).get(permission)
        return granted is not None and _LEVELS.index(granted) >= _LEVELS.index(level)

    def _reaches(self, repo: StoredRepository) -> bool:
        return self.installation is not None and self.installation.covers(repo)


def caller(world: SimulatedState, request: Request) -> Caller:
    """Read the Authorization header; 401 for credentials that are not known, 403 for a suspended installation."""
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    if not text:
        return Caller(world)
    if scheme.lower() == "basic":
        return Caller(world, user=_basic(world, text))
    if scheme.lower() not in ("bearer", "token"):
        raise bad_credentials()
    if text.startswith("ey") and text.count(".") == 2:  # A JWT: `ey` is how `{"` begins in base64.
        return Caller(world, app=_app(world, text))
    token = world.tokens.get(text)
    if token is None:
        person = world.account_of_token(text)
        if person is None:
            raise bad_credentials()
        return Caller(world, user=person)
    if token.expires_at is not None and token.expires_at <= world.now():
        raise bad_credentials()
    if token.installation is not None and token.installation.suspended_at is not None:
        raise forbidden("This installation has been suspended")
    return Caller(world, app=token.app, user=token.user, token=token)


def _basic(world: SimulatedState, text: str) -> StoredAccount:
    try:
        login, _, secret = base64.b64decode(text, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise bad_credentials() from None
    person = world.account_of_token(secret)
    if person is None or person.login.lower() != login.lower():
        raise bad_credentials()
    return person


def _app(world: SimulatedState, text: str) -> StoredApp:
    try:
        # Read without its signature, only to find the App whose key it has to fit.
        claims: dict[str, Any] = jwt.decode(text, options={"verify_signature": False})
    except jwt.InvalidTokenError:
        raise bad_credentials(_UNREADABLE) from None
    issuer = str(claims.get("iss", ""))
    app = next((app for app in world.apps.values() if issuer in (str(app.id), app.client_id)), None)
    if app is None:
        raise ErrorResponse(404, "Integration not found")
    try:
        # The times are judged below, by the world's clock.
        jwt.decode(
            text, app.key, algorithms=["RS256"], options={"verify_exp": False, "verify_iat": False, "verify_nbf": False}
        )
    except jwt.InvalidTokenError:
        raise bad_credentials(_UNREADABLE) from None
    issued, ends, moment = claims.get("iat"), claims.get("exp"), world.clock().timestamp()
    if not isinstance(issued, int) or issued > moment + 1:  # JWTs have whole seconds.
        raise bad_credentials("'Issued at' claim ('iat') must be an Integer representing a time in the past")
    if not isinstance(ends, int) or ends <= moment:
        raise bad_credentials("'Expiration time' claim ('exp') must be a numeric value representing the future time")
    if ends > moment + 601:  # GitHub allows ten minutes.
        raise bad_credentials("'Expiration time' claim ('exp') is too far in the future")
    return app


def installation_token(
    world: SimulatedState, installation: StoredInstallation, fields: Json
) -> tuple[str, StoredToken]:
    """Make a token of at most the installation's permissions, for an hour, in GitHub's form of 2026."""
    granted = installation.app.permissions
    asked: dict[str, str] = fields.get("permissions") or dict(granted)
    for name, level in asked.items():
        if name not in granted or level not in _LEVELS[: _LEVELS.index(granted[name]) + 1]:
            raise ErrorResponse(422, "The permissions requested are not granted to this installation.")
    head, end = f"ghs_{installation.app.id}_{secrets.token_hex(18)}.", f".{secrets.token_hex(32)}"
    text = head + secrets.token_hex(260)[: _TOKEN_LENGTH - len(head) - len(end)] + end
    token = StoredToken(world.now() + TOKEN_LIFE, installation.app, installation, None, dict(asked))
    world.tokens[text] = token
    return text, token


def key_pair() -> tuple[str, str]:
    """A fresh RSA key as GitHub gives it to an App: private and public, PEM."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()
