"""The libraries that one CMake file asks for, and the archives, repositories and Conan packages that it downloads."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from audit import usage
from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.native import known_libraries
from audit.ecosystems.native.known_libraries import KnownLibrary
from audit.ecosystems.parsed_file import AskedLibrary, PackageDetails, dependency_at
from audit.ecosystems.purls import name_of_address, of_address, of_archive, purl, version_of_archive, without_version
from audit.facts import Dependency, Place, Usage

FETCHES: Final = {
    "fetchcontent_declare": "FetchContent_Declare",
    "externalproject_add": "ExternalProject_Add",
    "cpmaddpackage": "CPMAddPackage",
    "cpmfindpackage": "CPMFindPackage",
    "cpmdeclarepackage": "CPMDeclarePackage",
}
# CPM's short form: `gh:owner/name#tag`, `gl:owner/name@1.0`, an address.
_SHORT: Final = re.compile(r"(?:(gh|gl|bb):|(?=https?://))([^#@\s]++)(?:[#@]([^#@\s]++))?(?:[#@][^\s]*+)?")
_HOSTS: Final = {"gh": "github.com", "gl": "gitlab.com", "bb": "bitbucket.org"}
_REQUIREMENT: Final = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_+.-]*+)/([A-Za-z0-9_.+-]++)(?:@\S*+)?")
_OF_THIS_TREE: Final = re.compile(
    r"\$\{(?:CMAKE|PROJECT|[A-Za-z0-9_]{1,80})_(?:CURRENT_)?(?:SOURCE|LIST|BINARY)_DIR\}|\.{1,2}/"
)
_VENDORED: Final = re.compile(
    r"(?:^|/)(?:third[-_]?party|3rd[-_]?party|vendor(?:ed)?|externals?|extern|deps)(?:/|$)", re.IGNORECASE
)
_RELEASE: Final = re.compile(r"[-_]v?[0-9][\w.+-]{0,60}$")  # Ends an archive's name.
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+.-]*")
_TEST: Final = re.compile(r"(?:^|/)(?:tests?|testing|unittests?|benchmarks?|examples?)/", re.IGNORECASE)
_FIND_MODULE: Final = re.compile(r"(?:^|/)Find([A-Za-z][A-Za-z0-9_+.-]*)\.cmake$")

# Objects go into the binary as they are.
_LINKED: Final = {"static": Usage.STATIC_LINK, "object": Usage.STATIC_LINK} | dict.fromkeys(
    ("shared", "module"), Usage.DYNAMIC_LINK
)


@dataclass
class Listing(DependencyList):
    """The content of one file so far: the dependencies `asked` for, and how they are linked.

    `libraries`, `packages`, `projects` and `spaces` are names that the work makes. `static` are the packages to be linked
    so ("" for all), `linkage` is by vcpkg's triplet, `built` of sources that the build brings (`BUILD_SHARED_LIBS`).
    """

    asked: list[AskedLibrary] = field(default_factory=list)
    libraries: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    projects: set[str] = field(default_factory=set)
    spaces: set[str] = field(default_factory=set)
    static: set[str] = field(default_factory=set)
    linkage: str = ""
    built: str = ""

    def library(
        self,
        name: str,
        known: KnownLibrary | None,
        link: str,
        why: str,
        place: Place,
        *,
        target: str = "",
    ) -> None:
        """Add a library, linked as `link` says (`static`, `shared`, or ""); `target` is its word in a linker's call."""
        module = _FIND_MODULE.search(self.path)
        if module and not target:  # FindX.cmake tries several names of X.
            known = known_libraries.by_name(module[1]) or known
            name = module[1]
        how = _LINKED.get(link.lower())
        if how is None and known is None and link:
            how = usage.native(name, link)
        note = "" if how else ", no word on how it is linked"
        dependency = known_libraries.dependency(name, known, how, f"{why}{note}", place)
        self.ask(
            replace(dependency, why=why if how is None and dependency.usage is not Usage.UNKNOWN else dependency.why),
            target or name,
            is_linked=bool(target),
        )

    def ask(self, dependency: Dependency, name: str, *, is_linked: bool = False) -> None:
        """One more dependency; one of a folder of tests is for tests."""
        if _TEST.search(self.path):
            dependency = replace(dependency, usage=Usage.TEST_ONLY, why=f"{dependency.why}, in a folder of tests")
        self.asked.append(AskedLibrary(name, dependency, is_linked))


def fetched(command: str) -> Callable[[Listing, Place, list[str]], None]:
    """Sources that the build downloads: with FetchContent they become part of it, an external project is built apart."""

    def does(listing: Listing, place: Place, words: list[str]) -> None:
        is_cpm = command.startswith("cpm")
        short = _SHORT.fullmatch(words[0]) if is_cpm else None
        if short:
            host = _HOSTS.get(short[1] or "")
            origin = f"https://{host}/{short[2]}" if host else short[2]
            words = ["GIT_REPOSITORY", origin, "GIT_TAG", short[3] or "", *words[1:]]
        said_by = dict(pairwise(words))
        uri = _SHORT.fullmatch(said_by.get("URI", "")) if is_cpm else None
        if uri and uri[1]:
            said_by = {"GIT_REPOSITORY": f"https://{_HOSTS[uri[1]]}/{uri[2]}", "GIT_TAG": uri[3] or ""} | said_by
        address = said_by.get("GIT_REPOSITORY") or said_by.get("URL") or ""
        if "GITHUB_REPOSITORY" in said_by:
            address = f"https://github.com/{said_by['GITHUB_REPOSITORY']}"
        tag = said_by.get("GIT_TAG") or said_by.get("VERSION")
        git = said_by.get("GIT_REPOSITORY") or "GITHUB_REPOSITORY" in said_by
        # A variable may be any version.
        version = (tag if "$" not in tag else None) if tag else None if git else version_of_archive(address)
        name = (said_by.get("NAME", "") if is_cpm else words[0]) or name_of_address(address)
        beside = said_by.get("SOURCE_DIR", "") if not address else ""  # A part of the tree that is built apart.
        is_ours = _OF_THIS_TREE.match(address) or (beside and not _VENDORED.search(beside))
        if not _NAME.fullmatch(name) or is_ours:
            return
        called = usage.by_name(name) or usage.by_name(name_of_address(address))
        apart = command == "externalproject_add"  # Its targets are linked by file, unseen here.
        how = called or (
            Usage.UNKNOWN if apart else Usage.DYNAMIC_LINK if listing.built == "shared" else Usage.STATIC_LINK
        )
        url = of_address(address, version, name) if git else of_archive(address, version, name)
        known = _known(url, address, name, version)
        dependency = known_libraries.dependency(name, known, how, f"CMake: {FETCHES[command]}", place)
        if not url or url.startswith("pkg:generic/"):
            url = purl("generic", dependency.name.lower(), version)
        dependency = replace(dependency, version=version, purl=url, usage=how)
        listing.ask(replace(dependency, **_archive(said_by, address, version)), name)

    return does


def _known(url: str | None, address: str, name: str, version: str | None) -> KnownLibrary | None:
    """The library by its repository, which tells more than a build's name for it: `nlohmann/json` is `nlohmann-json`."""
    of_repository = without_version(url).partition("/")[2].replace("/", "-")
    names = (of_repository, _RELEASE.sub("", name_of_address(address)), name)
    return next((found for each in names if (found := known_libraries.known_at(each, version))), None)


def _archive(said_by: Mapping[str, str], address: str, version: str | None) -> PackageDetails:
    if not said_by.get("URL"):
        return {"download": artifacts.repository(address, version), "checksums": ()}
    algorithm, _, digest = said_by.get("URL_HASH", "").partition("=")
    return {"download": artifacts.address(address), "checksums": artifacts.checksum(algorithm, digest)}


def conan(listing: Listing, place: Place, words: list[str]) -> None:
    """`conan_cmake_configure(REQUIRES fmt/6.1.2 …)`."""
    section = ""
    for word in words:
        section = word if word.isupper() else section
        match = _REQUIREMENT.fullmatch(word)
        if match and section in {"REQUIRES", "BUILD_REQUIRES", "TOOL_REQUIRES"}:
            how = usage.native(match[1]) if section == "REQUIRES" else Usage.BUILD_TOOL
            how = Usage.STATIC_LINK if how is Usage.UNKNOWN else how  # Conan's default.
            url = purl("conan", match[1], match[2])
            listing.ask(
                dependency_at(place, match[1], match[2], url, how, "CMake: Conan's packages", direct=True), match[1]
            )
