"""Remotes as git writes them: whose repository an address is, and where a branch was pushed to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PushTarget:
    """Where a branch was pushed to: a remote, or an address; `is_tracked` says whether the clone knows what it had there."""

    remote: str
    is_tracked: bool


def without_login(url: str) -> str:
    """The address without a name and password, which are nobody else's business; the `git@` of SSH stays."""
    scheme, colons, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{colons}{host.rpartition('@')[2]}{slash}{path}" if scheme in ("http", "https") else url


def repository_name(url: str) -> str:
    """`owner/name` of https://host/owner/name.git, ssh://host/owner/name and host:owner/name; else the last part."""
    _scheme, remote, rest = url.partition("://")
    host, colon, path = url.partition(":")
    if remote and not url.startswith("file:"):
        whole = rest.partition("/")[2]
    elif not remote and colon and "/" not in host and len(host) > 1:
        whole = path
    else:
        whole = url.replace("\\", "/").rstrip("/").rpartition("/")[2]
    parts = [part for part in whole.split("/") if part]
    return "/".join(parts[-2:]).removesuffix(".git")
