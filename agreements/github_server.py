"""The forms of GitHub's own identities on one server: no-reply addresses, web-flow, the addresses of bots; and those of logins."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_GITHUB_COM: Final = "github.com"
_GHE_COM: Final = ".ghe.com"

LOGIN: Final = "[A-Za-z0-9][A-Za-z0-9_-]{0,38}"
"""The pattern of a person's or an organisation's login.

A managed user's has an underscore before the enterprise's short code, within the 39 characters; logins of GitHub's first
years also end with a dash. Source, read on 2026-11-29: docs.github.com, "Username considerations for external authentication".
"""


def is_login(text: str) -> bool:
    """Whether an account at GitHub may have that login: a person, an organisation, or an App, whose login ends in `[bot]`."""
    return re.fullmatch(rf"{LOGIN}(?:\[bot\])?", text) is not None


@dataclass(frozen=True, slots=True)
class GitHubServer:
    """One GitHub: github.com, a tenant of GHE.com or an Enterprise Server; `github_server` derives it from the host.

    Sources, read on 2026-11-28: docs.github.com, "Setting your commit email address"; the source of GitHub Desktop,
    `lookupPreferredEmail` (no-reply addresses below the server's own host); docs.github.com, "Configuring web commit
    signing".
    """

    host: str
    """The host name in lower case, without a port."""
    noreply_domain: str
    """The domain of the address `ID+LOGIN@…` of every account; no company covers a person by it."""
    web_flow_email: str
    """The committer of commits made in the browser."""
    web_flow_id: int | None  # An Enterprise Server's operator makes that account, with a number of its own.
    """The account of web-flow; None where its number is not known."""

    @property
    def is_github_com(self) -> bool:
        """Whether the ids of the shipped lists (agents, bots) are ids of this server."""
        return self.host == _GITHUB_COM

    @property
    def is_enterprise_server(self) -> bool:
        """Whether it has a version of its own; github.com and the tenants of GHE.com are always the newest."""
        return not self.is_github_com and not self.host.endswith(_GHE_COM)

    def api_url(self, web_url: str) -> str:
        """The REST API's address for the server at this one (docs.github.com, "Getting started with the REST API")."""
        return f"{web_url.rstrip('/')}/api/v3" if self.is_enterprise_server else f"https://api.{self.host}"

    @property
    def bot_suffixes(self) -> tuple[str, ...]:
        """The ends of bots' addresses: this server's and github.com's."""
        # Commits of github.com's bots are imported everywhere.
        domains = dict.fromkeys((self.noreply_domain, f"users.noreply.{_GITHUB_COM}"))
        return tuple(f"[bot]@{domain}" for domain in domains)

    def is_noreply(self, domain: str) -> bool:
        """Whether the canonical domain is, or lies below, that of no-reply addresses of this server or github.com."""
        # The dot: `xusers.noreply.github.com` is another domain.
        return f".{domain}".endswith((f".{self.noreply_domain}", f".noreply.{_GITHUB_COM}"))


@lru_cache(maxsize=64)
def github_server(host: str) -> GitHubServer:
    """The server with that host name; its case, a port, a final dot and the `www` of github.com do not matter."""
    name = _without_port(host.lower()).removesuffix(".")
    if name == f"www.{_GITHUB_COM}":
        name = _GITHUB_COM
    return GitHubServer(
        host=name,
        noreply_domain=f"users.noreply.{name}",
        web_flow_email=f"noreply@{name}",
        web_flow_id=19864447 if name == _GITHUB_COM else None,
    )


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"  # RFC 3986 3.2.2: an IPv6 address stands in brackets.
    if host.count(":") > 1:
        return f"[{host}]"
    return host.partition(":")[0]


GITHUB_COM: Final = github_server(_GITHUB_COM)
