"""Names as npm and its relatives write them: scopes, aliases, addresses in place of a version, catalogues of versions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from audit.ecosystems import origins, purls
from audit.ecosystems.formats import json_text, yaml_text
from audit.ecosystems.parsed_file import ManifestEntry, ParsedFile, dependency_at, said, table, text
from audit.facts import Place, Usage

_EXACT: Final = re.compile(r"[=v]{0,2}(\d++\.\d++\.\d++(?:[-+][0-9A-Za-z.+-]*+)?)")  # A bare version is exact in npm.
_SHORT: Final = re.compile(r"(?:(github|gitlab|bitbucket):)?([\w.-]++)/([\w.-]++)(?:#(.*+))?")
# pnpm and Yarn 1 take a repository of GitHub as an archive from there.
_TARBALL: Final = re.compile(r"https://codeload\.github\.com/([\w.-]++)/([\w.-]++)/tar\.gz/(?:refs/\w++/)?([^?#]++)")
_LOCAL: Final = ("file:", "link:", "workspace:", "portal:", "exec:", "./", "../", "/", "~/")
_SCHEMES: Final = ("file:", "link:", "portal:")
_DEFAULT: Final = "default"
# Of a path to a package: `a>b` (pnpm), `a/@scope/b` (Yarn), each perhaps with a range.
_PARTS: Final = re.compile(r"(?:@[^/@>]++/)?[^/>]++")


@dataclass(frozen=True, slots=True)
class ResolvedPackage:
    """A package as it really is: its own `name`, `version` and `purl`, and the `range` where no version is named."""

    name: str
    version: str | None
    purl: str | None
    range: str = ""


@lru_cache(maxsize=4096)  # Workspaces ask for the same again and again.
def package(name: str, spec: str = "") -> ResolvedPackage | None:
    """The package that `"name": "spec"` means; None for a folder of the repository itself, which an archive is not."""
    spec = spec.removeprefix("patch:").strip()
    if spec.startswith(_LOCAL):
        url = origins.of_archive(registry(name), spec)
        return ResolvedPackage(name, None, url) if origins.is_archive(spec) else None
    if spec.startswith("npm:"):  # `npm:other@^1` is another package, `npm:^1` (Yarn) is this one.
        target = spec.removeprefix("npm:")
        other, _, asked = target.rpartition("@")
        if other:
            return package(other, asked)
        return package(target) if re.match(r"@?[A-Za-z]", target) else package(name, target)
    exact = _EXACT.fullmatch(spec)
    if exact:
        return ResolvedPackage(name, exact[1], registry(name, exact[1]))
    return _elsewhere(name, spec) or ResolvedPackage(name, None, registry(name), spec or "*")


def folder(spec: str) -> str:
    """The folder that a spec names in place of a version; "" for any other, as `workspace:`, which names a package."""
    spec = spec.removeprefix("patch:").strip()
    if spec.startswith(("workspace:", "exec:")) or not spec.startswith(_LOCAL):
        return ""
    scheme = next((prefix for prefix in _SCHEMES if spec.startswith(prefix)), "")
    return spec.removeprefix(scheme)


def _elsewhere(name: str, spec: str) -> ResolvedPackage | None:
    tarball, short = _TARBALL.fullmatch(spec), _SHORT.fullmatch(spec)
    if tarball:
        return ResolvedPackage(name, tarball[3], purls.purl("github", tarball[2], tarball[3], tarball[1]))
    # npm reads a bare `owner/name` as a repository of GitHub.
    if short:
        mark = _mark(short[4] or "")
        return ResolvedPackage(
            name, mark, purls.purl(short[1] or "github", short[3].removesuffix(".git"), mark, short[2])
        )
    if "://" in spec or spec.startswith(("git@", "gitlab:", "bitbucket:", "gist:")):
        address, _, mark = spec.partition("#")
        mark = _mark(mark) or ""
        archive = address.endswith((".tgz", ".tar.gz")) or "/-/" in address  # Registries put archives below `/-/`.
        url = origins.of_archive(registry(name), address) if archive else purls.of_address(address, mark or None, name)
        return ResolvedPackage(name, mark or None, url)
    return None


def _mark(written: str) -> str | None:
    return None if written.startswith("semver:") else written or None  # `semver:^1` is a range of tags.


def registry(name: str, version: str | None = None) -> str | None:
    """The package URL of a package of the registry; a scope is its namespace."""
    scope, slash, last = name.partition("/")
    if slash and scope.startswith("@"):
        return purls.purl("npm", last, version, scope)
    return purls.purl("npm", name, version)


def of_lock(name: str, version: str, resolved: str) -> ResolvedPackage:
    """An entry of a lock file: its version, or the commit of the repository that it came from."""
    # The version in the entry is the manifest's; only the commit tells what was taken.
    if resolved.startswith("git") or ".git#" in resolved:
        address, _, commit = resolved.partition("#")
        return ResolvedPackage(name, version or commit or None, purls.of_address(address, commit or None, name))
    return ResolvedPackage(name, version or None, origins.of_archive(registry(name, version or None), resolved))


def read_workspace(path: str, content: str) -> ParsedFile:
    """pnpm-workspace.yaml: its catalogues and overrides."""
    data = yaml_text.top(content)
    return ParsedFile(meant=(*catalogs(path, data), *replacements(path, "overrides", data.get("overrides"))))


def replacements(path: str, section: str, holder: object) -> Iterator[ManifestEntry]:
    """The entries of `overrides` (npm, pnpm, Bun) or `resolutions` (Yarn): packages in the place of others."""
    waiting = [("", holder)]
    while waiting:
        above, entries = waiting.pop()
        lines = entries.lines if isinstance(entries, yaml_text.YamlMapping) else json_text.lines_of(entries)
        for key, spec in table(entries).items():
            written = above if key == "." else f"{above}>{text(key)}" if above else text(key)
            if isinstance(spec, dict):  # npm: for what one package needs.
                waiting.append((written, spec))
                continue
            name, asked = _replaced(written)
            # `$name` is the direct dependency, `-` none; a catalogue's version and a patch are of the package itself.
            target = (
                package(name, text(spec))
                if name and not text(spec).startswith(("$", "-", "catalog:", "patch:"))
                else None
            )
            if target:
                place = Place(path, lines.get(key), said(f"{written}: {text(spec)}"))
                why = f"{path.rpartition('/')[2]}: {section}"
                found = dependency_at(
                    place,
                    target.name,
                    target.version,
                    target.purl,
                    Usage.UNKNOWN,
                    why,
                    version_range=target.range,
                    direct=False,
                )
                is_other = purls.without_version(target.purl) != registry(name)
                yield ManifestEntry(name, found, asked, is_replacement=is_other)


def _replaced(written: str) -> tuple[str, str | None]:
    """The name that is replaced, and the range of it, None for any; for what one package needs, the path, which none asks."""
    parts = _PARTS.findall(written.removeprefix("**/"))
    at = parts[-1].find("@", 1) if parts else -1
    name, asked = (parts[-1][:at], parts[-1][at + 1 :].removeprefix("npm:")) if at > 0 else ("".join(parts[-1:]), None)
    return name, asked if len(parts) == 1 else written


def catalogs(path: str, data: object) -> Iterator[ManifestEntry]:
    """The entries of `catalog` and `catalogs` of pnpm, Yarn or Bun: versions for a whole workspace."""
    named = [(_DEFAULT, table(data).get("catalog")), *table(table(data).get("catalogs")).items()]
    for catalogue, holder in named:
        lines = holder.lines if isinstance(holder, yaml_text.YamlMapping) else json_text.lines_of(holder)
        for name, spec in table(holder).items():
            target = package(text(name), text(spec))
            if target is None:
                continue
            place = Place(path, lines.get(name), said(f"{text(name)}@{text(spec)}"))
            why = f"catalogue {said(catalogue)}"
            found = dependency_at(
                place, target.name, target.version, target.purl, Usage.UNKNOWN, why, version_range=target.range
            )
            # A package.json asks by `catalog:name`, or by `catalog:` for the default one.
            for asked in [f"catalog:{text(catalogue)}", *(["catalog:"] if catalogue == _DEFAULT else [])]:
                yield ManifestEntry(text(name), found, asked)
