"""How npm and its relatives name things: scopes, aliases, and addresses in the place of a version."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from audit.ecosystems import origins, purls

_EXACT: Final = re.compile(r"[=v]{0,2}(\d++\.\d++\.\d++(?:[-+][0-9A-Za-z.+-]*+)?)")
_SHORT: Final = re.compile(r"(?:(github|gitlab|bitbucket):)?([\w.-]++)/([\w.-]++)(?:#(.*+))?")
_TARBALL: Final = re.compile(r"https://codeload\.github\.com/([\w.-]++)/([\w.-]++)/tar\.gz/(?:refs/\w++/)?([^?#]++)")
"""Where pnpm, and npm behind some proxies, take a repository of GitHub from."""
_LOCAL: Final = ("file:", "link:", "workspace:", "portal:", "exec:", "./", "../", "/", "~/")


_SCHEMES: Final = ("file:", "link:", "portal:")


@dataclass(frozen=True, slots=True)
class ResolvedPackage:
    """A package as it really is: under its own name, with its package URL, and the range where no version is named."""

    name: str
    version: str | None
    purl: str | None
    range: str = ""


@lru_cache(maxsize=4096)
def package(name: str, spec: str = "") -> ResolvedPackage | None:
    """What `"name": "spec"` means; None for a folder of the repository itself, which an archive is not."""
    spec = spec.removeprefix("patch:").strip()
    if spec.startswith(_LOCAL):
        url = origins.of_archive(registry(name), spec)
        return ResolvedPackage(name, None, url) if origins.is_archive(spec) else None
    if spec.startswith("npm:"):
        return _alias(name, spec.removeprefix("npm:"))
    exact = _EXACT.fullmatch(spec)
    if exact:
        return ResolvedPackage(name, exact[1], registry(name, exact[1]))
    return _elsewhere(name, spec) or ResolvedPackage(name, None, registry(name), spec or "*")


def folder(spec: str) -> str:
    """The folder that a spec names in the place of a version; "" for any other, as for `workspace:`, which names a package."""
    spec = spec.removeprefix("patch:").strip()
    if spec.startswith(("workspace:", "exec:")) or not spec.startswith(_LOCAL):
        return ""
    scheme = next((one for one in _SCHEMES if spec.startswith(one)), "")
    return spec.removeprefix(scheme)


def _alias(name: str, target: str) -> ResolvedPackage | None:
    """`npm:other@^1` is another package, `npm:^1` (Yarn) is this one."""
    at = target.rfind("@")
    if at > 0:
        return package(target[:at], target[at + 1 :])
    return package(target) if re.match(r"@?[A-Za-z]", target) else package(name, target)


def _elsewhere(name: str, spec: str) -> ResolvedPackage | None:
    """A repository or an archive in the place of a version; None for a range."""
    tarball, short = _TARBALL.fullmatch(spec), _SHORT.fullmatch(spec)
    if tarball:
        return ResolvedPackage(name, tarball[3], purls.purl("github", tarball[2], tarball[3], tarball[1]))
    if short:
        mark = _mark(short[4] or "")
        return ResolvedPackage(
            name, mark, purls.purl(short[1] or "github", short[3].removesuffix(".git"), mark, short[2])
        )
    if "://" in spec or spec.startswith(("git@", "gitlab:", "bitbucket:", "gist:")):
        address, _, mark = spec.partition("#")
        mark = _mark(mark) or ""
        archive = address.endswith((".tgz", ".tar.gz")) or "/-/" in address
        url = origins.of_archive(registry(name), address) if archive else purls.of_address(address, mark or None, name)
        return ResolvedPackage(name, mark or None, url)
    return None


def _mark(written: str) -> str | None:
    """A commit, a tag or a branch; `semver:^1` is a range of tags, and none of them."""
    return None if written.startswith("semver:") else written or None


def registry(name: str, version: str | None = None) -> str | None:
    """The package URL of a package of the registry; a scope is its namespace."""
    scope, slash, last = name.partition("/")
    if slash and scope.startswith("@"):
        return purls.purl("npm", last, version, scope)
    return purls.purl("npm", name, version)


def of_lock(name: str, version: str, resolved: str) -> ResolvedPackage:
    """An entry of a lock file: its version, or the commit of the repository that it came from."""
    if resolved.startswith("git") or ".git#" in resolved:
        address, _, commit = resolved.partition("#")
        return ResolvedPackage(name, version or commit or None, purls.of_address(address, commit or None, name))
    return ResolvedPackage(name, version or None, origins.of_archive(registry(name, version or None), resolved))
