"""Package URLs in their canonical form: the plain ones are put together here, all others by packageurl-python."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from packageurl import PackageURL

from audit.purl_match import divided

_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*+")  # These need no escaping.
# Names that the specification of package URLs writes in small letters.
_LOWER: Final = frozenset({"pypi", "npm", "github", "gitlab", "bitbucket", "apk", "oci", "composer", "hex"})
_LOWER_NAMESPACE: Final = frozenset({"pypi", "github", "gitlab", "bitbucket", "apk", "composer", "hex"})
# With rules of their own, known to the library.
_SPECIAL: Final = frozenset({"oci", "mlflow", "huggingface", "hackage", "pub", "cpan", "julia", "swift"})
_HOSTS: Final = {"github.com": "github", "gitlab.com": "gitlab", "bitbucket.org": "bitbucket"}
_ADDRESS: Final = re.compile(r"(?:git\+)?(?:[a-z+]+://)?(?:[^/@\s]*@)?([A-Za-z0-9.-]+)[:/]([^\s?#@]+)")


def purl(kind: str, name: str, version: str | None = None, namespace: str = "") -> str | None:
    """`pkg:kind/namespace/name@version`; None for a name of which no package URL can be made."""
    parts = [name, *([version] if version else []), *(namespace.split("/") if namespace else [])]
    if kind in _SPECIAL or not all(map(_PLAIN.fullmatch, parts)):
        return _by_library(kind, name, version or "", namespace)
    if kind in _LOWER:
        name = name.lower()
    if kind == "pypi":
        name = name.replace("_", "-")
    if kind in _LOWER_NAMESPACE:
        namespace = namespace.lower()
    return f"pkg:{kind}/{f'{namespace}/' if namespace else ''}{name}{f'@{version}' if version else ''}"


@lru_cache(maxsize=4096)
def _by_library(kind: str, name: str, version: str, namespace: str) -> str | None:
    try:
        return PackageURL(kind, namespace or None, name, version or None).to_string()
    except (ValueError, TypeError):  # No UTF-8; a name of spaces alone.
        return None


def canonical(written: str) -> str | None:
    """The canonical form of a package URL as a file writes it; None if it is none."""
    return _canonical(written) if written.startswith("pkg:") and len(written) < 2_000 else None


@lru_cache(maxsize=4096)
def _canonical(written: str) -> str | None:
    try:
        return PackageURL.from_string(written).to_string()
    except (ValueError, TypeError):
        return None


def without_version(url: str | None) -> str:
    """The package, whichever version of it; empty for None."""
    return divided(url or "")[0]


def version_in(url: str | None) -> str | None:
    """The version that a package URL names, as it is written there."""
    return divided(url or "")[1] or None


def kind_of(url: str | None) -> str:
    """The type of a package URL (`pypi`); empty for None."""
    return url[4:].partition("/")[0] if url else ""


def of_address(address: str, version: str | None = None, fallback: str = "") -> str | None:
    """The package URL of a repository's address: `pkg:github/owner/name` on known hosts, else `pkg:generic/name`."""
    found = _ADDRESS.match(address.strip()[:2_000])
    path = found[2].strip("/").removesuffix(".git") if found else ""
    owner, slash, name = path.rpartition("/")
    kind = _HOSTS.get(found[1].lower().removeprefix("www.")) if found else None
    if kind and slash and ("/" not in owner or kind == "gitlab"):  # GitLab has groups in groups.
        return purl(kind, name, version, owner)
    known = fallback or name or path
    return purl("generic", known, version) if known else None


def of_options(options: Mapping[str, str], name: str) -> str | None:
    """The package URL of the repository that the options `github`, or `git`, and `ref`, or `tag`, of Bundler and Mix name."""
    address = f"https://github.com/{options['github']}" if "github" in options else options.get("git", "")
    return of_address(address, options.get("ref") or options.get("tag"), name)


def of_swift(address: str, version: str | None = None) -> str | None:
    """The package URL of a Swift package, which is its repository: `pkg:swift/github.com/owner/name`; None for a path."""
    found = _ADDRESS.match(address.strip()[:2_000])
    owner, slash, name = found[2].strip("/").removesuffix(".git").rpartition("/") if found else ("", "", "")
    return purl("swift", name, version, f"{found[1].lower()}/{owner}") if found and slash else None


_ARCHIVE_OF_TREE: Final = re.compile(
    r"https?://(?:www\.)?(?:github\.com/[^/]{1,100}/([^/]{1,100})/(?:archive|zipball|tarball)/|codeload\.github\.com/[^/]{1,100}/([^/]{1,100})/)"
)


def name_of_address(address: str) -> str:
    """The last part of a repository's or an archive's address, without its ending; empty if there is none."""
    plain = address.strip()[:2_000].partition("#")[0].partition("?")[0].rstrip("/")
    of_tree = _ARCHIVE_OF_TREE.match(plain)
    if of_tree:  # The archive is called as the branch or tag is.
        return (of_tree[1] or of_tree[2]).removesuffix(".git")
    tail = plain.rpartition("/")[2].rpartition(":")[2]
    return re.sub(r"\.(?:git|tar\.\w+|tgz|zip|whl)$", "", tail)


_REPOSITORY_OF_ARCHIVE: Final = re.compile(
    r"https?://(?:www\.|codeload\.)?(github\.com/[\w.-]{1,100}/[\w.-]{1,100}|gitlab\.com/(?:[\w.-]{1,100}/){1,10}?[\w.-]{1,100}(?=/-/))/"
)
_ARCHIVE_ENDING: Final = re.compile(r"\.(?:tar(?:\.\w+)?|t[gbx]z2?|zip|jar|7z)$")
_TAG_OF_RELEASE: Final = re.compile(r"/releases/download/([^/]{1,100})/")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_VERSION: Final = re.compile(r"(?<![A-Za-z0-9])[vV]?(\d++(?:\.\d++)++[0-9A-Za-z.+-]*+|\d[\w.-]*+$)")


def of_archive(address: str, version: str | None, name: str) -> str | None:
    """The package URL of an archive: of the repository on a known host that gives it out, else `pkg:generic/name`."""
    found = _REPOSITORY_OF_ARCHIVE.match(address.strip()[:2_000])
    return of_address(f"https://{found[1]}", version, name) if found else purl("generic", name.lower(), version)


def version_of_archive(address: str) -> str | None:
    """The version in an archive's address: in the file's name, else of its release; or the commit it is of."""
    plain = address.strip()[:2_000].partition("#")[0].partition("?")[0].rstrip("/")
    file, release = _ARCHIVE_ENDING.sub("", plain.rpartition("/")[2]), _TAG_OF_RELEASE.search(plain)
    if _COMMIT.fullmatch(file):
        return file
    found = _VERSION.search(file) or (_VERSION.search(release[1]) if release else None)
    return found[1] if found else None


def bare(name: str) -> str:
    """A library's name as builds mean it alike: letters, digits and `+`, without `lib` in front (`LIBX264`, `x264`)."""
    said = "".join(sign for sign in name.casefold() if sign.isalnum() or sign == "+") or name
    return said[3:] if said.startswith("lib") and len(said) > 5 else said  # Two letters say too little.
