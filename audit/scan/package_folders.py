"""Folders of packages by others in the tree: installed ones, vendored ones, and submodules."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from audit.facts import Finding, Place
from audit.scan import installed_packages
from audit.scan.decoding import shown
from audit.scan.installed_packages import InstalledPackage
from audit.scan.vendored_works import MAX_NAMED, VENDOR_FOLDERS, VendoredWorks
from audit.usage import usage_by_folder

INSTALLED: Final = frozenset({"node_modules", "site-packages", "dist-packages"})
_SUBMODULE: Final = re.compile(r"^[ \t]*+path[ \t]*+=[ \t]*+([^\n]*+)", re.MULTILINE)
# Folders are called so for what they are, and no work is.
_FOLDER_WORDS: Final = frozenset({
    "api", "app", "assets", "bin", "browser", "build", "cjs", "client", "common", "components", "config", "contexts", "core", "css", "dist",
    "docs", "esm", "helpers", "hooks", "img", "images", "include", "internal", "javascript", "javascripts", "js", "lib", "libs", "modules", "node", "pages", "patches",
    "plugins", "public", "rsc", "scripts", "server", "shared", "source", "sources", "src", "ssr", "static", "styles", "stylesheets", "tools", "ts", "types",
    "ui", "util", "utils", "vendor", "views",
})  # fmt: skip
MAX_PACKAGES: Final = 50_000  # Packages of one tree; texts and metadata of further ones are left out.


def submodule_folders(content: str) -> frozenset[str]:
    """The folders that .gitmodules names."""
    return frozenset(path.strip().strip("/") for path in _SUBMODULE.findall(content)) - {"", "."}


@dataclass
class PackageFolders:
    """The folders that hold packages, and what is known of each."""

    submodules: frozenset[str] = frozenset()
    """Folders of other repositories."""
    found: dict[str, InstalledPackage] = field(default_factory=dict)
    """Packages of which there are texts or metadata, by folder."""
    shelves: dict[str, str] = field(default_factory=dict)
    """The vendored tree in which each vendored package lies, by the package's folder; empty for a submodule."""

    environments: set[str] = field(default_factory=set)
    """Folders of virtual environments of Python."""
    left_out: str = ""
    """The first folder of a package that is one too many."""

    def of(self, path: str) -> str:
        """The folder of the package to which a file belongs; empty for our own."""
        parts = path.split("/")[:-1]
        # The outermost shelf decides: what lies below is the package's own affair.
        for at, part in enumerate(parts):
            folder = "/".join(parts[: at + 1])
            if folder in self.submodules:
                self.shelves.setdefault(folder, "")
                return folder
            if part in INSTALLED:
                # Among folders of node_modules the innermost is where npm put the package.
                last = len(parts) - 1 - parts[::-1].index(part) if part == "node_modules" else at
                rest = parts[last + 1 :]
                return "/".join(parts[: last + 1 + (2 if rest and rest[0].startswith("@") else 1)])
            if part in VENDOR_FOLDERS and parts[at + 1 :]:
                package = "/".join(parts[: at + 1 + _depth(part, parts[at + 1 :])])
                self.shelves.setdefault(package, folder)
                return package
        return ""

    def at(self, folder: str) -> InstalledPackage | None:
        """The package in that folder, new or known; None where there are too many."""
        if folder not in self.found and len(self.found) >= MAX_PACKAGES:
            self.left_out = self.left_out or folder
            return None
        return self.found.setdefault(folder, InstalledPackage(shown(folder)))

    def metadata(self, path: str, content: str) -> None:
        """A metadata file of a package."""
        package = self.at(self.of(path))
        if package:
            installed_packages.metadata(package, shown(path), content)


def _depth(shelf: str, rest: list[str]) -> int:
    """The number of folders from a shelf to a package: in Go's vendor tree host, owner and name, else one."""
    if shelf != "vendor" or "." not in rest[0]:
        return 1
    return 3 if rest[0] in {"github.com", "gitlab.com", "bitbucket.org"} else 2


def unnamed(shelves: Iterable[str], packages: Mapping[str, InstalledPackage], works: VendoredWorks) -> frozenset[str]:
    """The folders of a vendored tree whose work is not known: they have the name of any folder, or lie in tests."""
    return frozenset(
        folder
        for folder in shelves
        if folder in packages
        and (folder.rpartition("/")[2].lower() in _FOLDER_WORDS or usage_by_folder(f"{folder}/x"))
        and not _tells(packages[folder])
        and not (folder in works.found and (works.found[folder].heads or _tells(works.found[folder].package)))
    )


def _tells(package: InstalledPackage) -> bool:
    return bool(package.name or package.version or package.licenses or package.license.expression)


def unnamed_findings(folders: Collection[str]) -> list[Finding]:
    """The finding for them all, without those in folders of tests or examples: these are not delivered."""
    folders = [folder for folder in folders if not usage_by_folder(f"{folder}/x")]
    if not folders:
        return []
    first, names = min(folders), sorted({folder.rpartition("/")[2] for folder in folders})
    what = f"{len(folders)} folders" if len(folders) > 1 else "a folder"
    listed = ", ".join(names[:MAX_NAMED])
    message = f"{what} in a place for works by others, and nothing in {listed} says whose work that is: if it is someone else's, list it in the rulebook"
    return [Finding("license/nested", Place(shown(first)), message)]
