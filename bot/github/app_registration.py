"""The App as GitHub has it registered: made from a manifest, its permissions and events, its webhook, and GitHub's clock."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from agreements.github_server import GitHubServer
from bot.github.by_rest import segment
from bot.github.client.server_features import FEATURES, ServerFeatures
from bot.github.client.transport import Transport
from bot.github.permissions import in_manifest, in_rest
from bot.github.ports import HubError
from bot.github.reading import understanding
from bot.github.renames import RepositoryClient


@dataclass(frozen=True, slots=True)
class NewApp:
    """The new App's `id`, `slug`, `page` at GitHub, `owner` (a login) and `client_id`, and its secrets.

    GitHub gives `client_secret`, `webhook_secret` ("" for none) and `private_key` (PEM) once, for the code that a
    browser brought back.
    """

    id: int
    slug: str
    page: str
    owner: str
    client_id: str
    client_secret: str = field(repr=False)
    webhook_secret: str = field(repr=False)
    private_key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class AppRegistration:
    """The App's `slug`, `page`, `permissions` (in REST's names), `events`; `client_id` is "" where it is not told."""

    slug: str
    page: str
    client_id: str
    permissions: Mapping[str, str]
    events: frozenset[str]


@dataclass(frozen=True, slots=True)
class WebhookConfig:
    """The `url` and `content_type` of webhooks, whether GitHub `verifies_tls`, and `has_secret`: it never tells it."""

    url: str
    content_type: str
    has_secret: bool
    verifies_tls: bool


class GitHubAppRegistration(RepositoryClient):
    """The App's registration."""

    def registration(self) -> AppRegistration:
        """The App's permissions and events."""
        found = self._pool.app().read("/app")
        with understanding():
            return AppRegistration(
                str(found["slug"]),
                str(found["html_url"]),
                str(found.get("client_id") or ""),
                in_rest(found["permissions"]),
                frozenset(map(str, found["events"])),
            )

    def webhook(self) -> WebhookConfig:
        """The settings of the App's webhook."""
        found = self._pool.app().read("/app/hook/config")
        with understanding():
            return WebhookConfig(
                str(found.get("url") or ""),
                str(found.get("content_type") or "form"),
                bool(found.get("secret")),
                # `insecure_ssl` is a number or a text; anything but 0 switches the check of our certificate off.
                str(found.get("insecure_ssl", "0")) == "0",
            )

    def clock_offset(self, at: datetime) -> timedelta:
        """The time by which the clock that says `at` is ahead of GitHub's, to a second or two."""
        # From the head of an answer that counts towards no limit; a server in private mode is asked as the App.
        with suppress(HubError):
            return at - self._pool.anonymous().date("/rate_limit")
        return at - self._pool.app().date("/app")

    def server_features(self) -> ServerFeatures:
        """The version of this GitHub and what it lacks, from any earlier answer, else asked for."""
        # As the App: a server in private mode answers no unknown caller.
        return told_features(self._pool.app(), self._pool.server)


def told_features(transport: Transport, server: GitHubServer) -> ServerFeatures:
    """The server's features; it is asked for its version where no answer has told it yet."""
    features = transport.features
    if features.version is None and server.is_enterprise_server:
        with suppress(HubError):
            found = transport.read("/meta")
            with understanding():
                features.saw(found.get("installed_version"))
    return features


def offered(manifest: Mapping[str, Any], features: ServerFeatures) -> dict[str, Any]:
    """The manifest without the permissions and events that this server is not known to have."""
    # GitHub would refuse the whole manifest.
    missing = [feature for feature in FEATURES if not features.is_published(feature)]
    permissions = in_manifest({feature.permission: "" for feature in missing})
    events = {feature.event for feature in missing}
    return {
        **manifest,
        "default_permissions": {
            name: level for name, level in manifest["default_permissions"].items() if name not in permissions
        },
        "default_events": [name for name in manifest["default_events"] if name not in events],
    }


def convert(anonymous: Transport, code: str) -> NewApp:
    """Exchange the code of the manifest flow, good for one use within an hour, for the App and its secrets.

    Raises Missing for a code that GitHub does not know (any more), HubError. Source: REST, "Create a GitHub App from a manifest".
    """
    found = anonymous.write("POST", f"/app-manifests/{segment(code)}/conversions")
    with understanding():
        return NewApp(
            id=int(found["id"]),
            slug=str(found["slug"]),
            page=str(found["html_url"]),
            owner=str((found.get("owner") or {}).get("login") or ""),
            client_id=str(found["client_id"]),
            client_secret=str(found["client_secret"]),
            webhook_secret=str(found["webhook_secret"] or ""),
            private_key=str(found["pem"]),
        )
