"""The distributor of a component: SPDX's supplier (2.3, section 7.5), the distribution source, which NTIA asks for.

No supplier is guessed: it is what a lock file or an SBOM says, the host of the address that it names, the public
registry of the package URL's type, the account at the host of a repository, or, for what lies in the tree, the
distributor of the tree: the account in its name, or the one that its own manifests name.
"""

import re
from functools import lru_cache
from typing import Final

from packageurl import PackageURL

from audit import display_text
from audit.ecosystems import purls
from audit.ecosystems.origins import NO_REGISTRY
from audit.facts import Dependency, Repository, Usage

_GITHUB_API: Final = "api.github.com"
# Registries by the type of a package URL, unless that names another place (purl-spec, PURL-TYPES).
_REGISTRIES: Final = {
    "npm": "npmjs.com",
    "pypi": "pypi.org",
    "cargo": "crates.io",
    "gem": "rubygems.org",
    "composer": "packagist.org",
    "nuget": "nuget.org",
    "maven": "repo.maven.apache.org",
    "pub": "pub.dev",
    "hex": "hex.pm",
    "conda": "anaconda.org",
    "cocoapods": "cocoapods.org",
    "conan": "center.conan.io",
    "hackage": "hackage.haskell.org",
    "cran": "cran.r-project.org",
    "cpan": "cpan.org",
    "docker": "docker.io",
    "huggingface": "huggingface.co",
}
# Hosts from which a registry hands out its packages.
_HOSTS: Final = {
    "registry.npmjs.org": "npmjs.com",
    "registry.npmjs.com": "npmjs.com",
    "registry.yarnpkg.com": "npmjs.com",
    "files.pythonhosted.org": "pypi.org",
    "pypi.python.org": "pypi.org",
    "static.crates.io": "crates.io",
    "index.crates.io": "crates.io",
    "repo1.maven.org": "repo.maven.apache.org",
    "codeload.github.com": "github.com",
    _GITHUB_API: "github.com",
}
_FORGES: Final = {"github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org"}
_ADDRESS: Final = re.compile(r"(?:[a-z+]++://)?([A-Za-z0-9.-]++)(?::\d++)?(?:/([^/?#]*+))?")
_DISTRIBUTIONS: Final = frozenset({"deb", "rpm", "apk", "alpm"})  # Their namespace is the distribution.
_MAX_NAMED: Final = 5  # Authors that are named.
_IN_TREE: Final = frozenset({Usage.SOURCE_MERGED, Usage.VENDORED})


def supplier(dependency: Dependency, owner: str | None) -> str | None:
    """The supplier's name; None where it is not stated. `owner` distributes the repository, and so what lies in its tree."""
    if dependency.supplier:
        return display_text.line(dependency.supplier) or None
    if dependency.download:
        return _of_address(dependency.download)
    if NO_REGISTRY in _parts(dependency.purl or ""):
        return owner  # It is a file, which lies in the tree.
    # A part of the tree is a work, or a file or folder of no registry (weights, data, a library in binary form).
    is_file = purls.kind_of(dependency.purl) in {"", "generic"} and any(
        place.line is None for place in dependency.places
    )
    return owner if owner and (dependency.usage in _IN_TREE or is_file) else _of_purl(dependency.purl)


def owner(repository: Repository, named: str | None = None) -> str | None:
    """The distributor of a repository: the given name, else its name's account, else its manifests' suppliers."""
    account, slash, _ = repository.name.rpartition("/")
    # Those whom its own manifests name: NTIA's supplier is who "creates, defines, and identifies" a component.
    by_manifests = ", ".join(repository.suppliers[:_MAX_NAMED])
    by_manifests += " and others" if len(repository.suppliers) > _MAX_NAMED else ""
    return display_text.line(named or "") or (display_text.line(account) if slash else "") or by_manifests or None


def _of_address(address: str) -> str | None:
    found = _ADDRESS.match(address)
    if found is None:
        return None
    host = found[1].lower().removeprefix("www.")
    known, account = _HOSTS.get(host, host), found[2]
    if host == _GITHUB_API:  # Composer takes archives from /repos/OWNER/NAME/zipball/…
        account = address[found.end() :].removeprefix("/").partition("/")[0]
    return f"{known}/{account}" if known in _FORGES.values() and account else known


def _of_purl(purl: str | None) -> str | None:
    kind, space, place = _parts(purl or "")
    if place:
        return _of_address(place)
    if kind in _FORGES and space:
        return f"{_FORGES[kind]}/{space}"
    if kind in {"golang", "swift"}:
        # The path of a module begins with the host that answers for it; a short one is that host alone.
        host, _, rest = (space or purls.without_version(purl).rpartition("/")[2]).partition("/")
        return (f"{host}/{rest.partition('/')[0]}" if host in _FORGES.values() and rest else host) or None
    if kind in _DISTRIBUTIONS:
        return space or None
    return _REGISTRIES.get(kind)


@lru_cache(maxsize=4096)
def _parts(purl: str) -> tuple[str, str, str]:
    """Type, namespace and registry of a package URL; plain ones without the library, which takes ten times as long."""
    if "?" not in purl and "%" not in purl:
        return purls.kind_of(purl), "/".join(purl.split("/")[1:-1]), ""
    try:
        package = PackageURL.from_string(purl)
    except ValueError:
        return "", "", ""
    return package.type, package.namespace or "", str(package.qualifiers.get("repository_url", ""))
