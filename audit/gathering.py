"""What a walk has come by, sorted as it goes: our own manifests and sources, packages in the tree, legal texts."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from audit import installed, naming, usage
from audit.ecosystems import TABLE, includes, read, row
from audit.ecosystems.merging import Source, merge
from audit.ecosystems.reading import Read, finding
from audit.ecosystems.requirements import read as read_requirements
from audit.expression import read as read_expression
from audit.facts import UNLEARNED, Dependency, Finding, Learned, Place, Repository, Text
from audit.facts import Source as By
from audit.grants import Grants, granted, grants

_SHELVES: Final = frozenset(
    {
        "third_party",
        "third-party",
        "thirdparty",
        "3rdparty",
        "3rd_party",
        "vendor",
        "vendored",
        "_vendor",
        "extern",
        "externals",
    }
)
_INSTALLED: Final = frozenset({"node_modules", "site-packages", "dist-packages"})
_METADATA: Final = frozenset({"package.json", "METADATA", "PKG-INFO", "Cargo.toml", "pyproject.toml"})
_CODE: Final = re.compile(r"\.(?:c|cc|cpp|cxx|h|hh|hpp|py|js|ts|mjs|go|rs|java|kt|rb|php|cs|swift|m|a|so|jar|S|asm)$")
_WORTH: Final = re.compile(
    rb"<(?:uapi/)?(?:linux|asm|asm-generic)/|MODULE_LICENSE|obj-[my$]|/lib/modules/"
    rb"|[Gg]eneral[\s*/#]{1,8}[Pp]ublic[\s*/#]{1,8}[Ll]icen[cs]e|above-listed|SPDX-License-Identifier:[^\n]{0,40}GPL"
)
_NEAR: Final = 3
"""Folders below the root in which licence texts are looked at that no package of a shelf has."""
_SUBMODULE: Final = re.compile(r"^[ \t]*+path[ \t]*+=[ \t]*+([^\n]*+)", re.MULTILINE)
_PACKAGES: Final = 50_000


def shown(path: str) -> str:
    """A path as it can be written: names that are no UTF-8 have their odd bytes replaced."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def is_worth_reading(data: bytes) -> bool:
    """True if a source, or a Makefile, may speak of the kernel or of a licence of GNU's."""
    return _WORTH.search(data) is not None


def is_read(path: str) -> bool:
    """Whether a file's being there, or what it says, may change what is found; files that others name aside."""
    name = path.rpartition("/")[2]
    if Gathered().role(path, installed.legal(name)):
        return True
    return bool(_CODE.search(name)) and not _SHELVES.isdisjoint(path.split("/")[:-1])


def submodule_folders(content: str) -> frozenset[str]:
    """The folders that .gitmodules names."""
    return frozenset(path.strip().strip("/") for path in _SUBMODULE.findall(content)) - {"", "."}


@dataclass
class Gathered:
    """All that a walk has come by. `submodules` are folders of other repositories."""

    submodules: frozenset[str] = frozenset()
    reads: dict[str, Source] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    packages: dict[str, installed.Package] = field(default_factory=dict)
    shelves: dict[str, str] = field(default_factory=dict)
    licenses: list[Text] = field(default_factory=list)
    notices: list[Text] = field(default_factory=list)
    nested: list[Text] = field(default_factory=list)
    grants: Grants = field(default_factory=Counter)
    asked: set[str] = field(default_factory=set)

    def role(self, path: str, legal: str) -> str:
        """What a file is to us: `manifest`, `source`, `license`, `notice`, `metadata`, or nothing."""
        package = self._package(path)
        name = path.rpartition("/")[2]
        if package:
            inside = path[len(package) + 1 :]
            if package in self.shelves and _CODE.search(name):
                self._at(package)
            near = inside.count("/") == 0 or inside.startswith(("licenses/", "LICENSES/", "license_files/"))
            return legal if legal and near else "metadata" if name in _METADATA and "/" not in inside else ""
        if legal:
            return legal if "/" not in path or path.startswith("LICENSES/") or _is_nested(path, legal) else ""
        at = row(path)
        if at is None:
            return "license" if path.startswith("LICENSES/") else ""
        return "source" if TABLE[at][1] == "linux" else "manifest"

    def _package(self, path: str) -> str:
        """The folder of the package to which a file belongs; empty for our own.

        The outermost shelf decides; among folders of node_modules the innermost, which is where npm put the package.
        """
        parts = path.split("/")[:-1]
        for at, part in enumerate(parts):
            folder = "/".join(parts[: at + 1])
            if folder in self.submodules:
                self.shelves.setdefault(folder, "")
                return folder
            if part in _INSTALLED:
                last = len(parts) - 1 - parts[::-1].index(part) if part == "node_modules" else at
                rest = parts[last + 1 :]
                return "/".join(parts[: last + 1 + (2 if rest and rest[0].startswith("@") else 1)])
            if part in _SHELVES and parts[at + 1 :]:
                package = "/".join(parts[: at + 1 + _depth(part, parts[at + 1 :])])
                self.shelves.setdefault(package, folder)
                return package
        return ""

    def _at(self, folder: str) -> installed.Package | None:
        """The package of a folder, made when it is first asked for; None beyond all bounds."""
        if folder not in self.packages and len(self.packages) >= _PACKAGES:
            return None
        return self.packages.setdefault(folder, installed.Package(shown(folder)))

    def legal(self, path: str, role: str, text: Text) -> None:
        """A licence or a notice: of a package, or of the repository."""
        folder = self._package(path)
        if not folder and _is_nested(path, role):
            self.nested.append(text)
            return
        package = self._at(folder) if folder else None
        holder = package if folder else self
        if holder:
            (holder.notices if role == "notice" else holder.licenses).append(text)

    def metadata(self, path: str, content: str) -> None:
        """A metadata file of a package."""
        package = self._at(self._package(path))
        if package:
            installed.metadata(package, shown(path), content)

    def take(self, path: str, content: str, amiss: str, at: int | None = None) -> None:
        """A manifest, a lock file or a source of our own."""
        at = row(path) if at is None else at
        if at is None:
            return
        if TABLE[at][1] == "linux":
            self.grants.update(grants(content))
        found = read(shown(path), content, at)
        if amiss:
            self.findings.append(finding("file/encoding", shown(path), 1, amiss))
        if (
            found.dependencies
            or found.findings
            or found.own
            or found.includes
            or found.kernel
            or found.license.expression
        ):
            self.reads[path] = Source(shown(path), TABLE[at][1], found)

    def named_files(self) -> list[str]:
        """Files that manifests name and that nobody has asked for yet."""
        named = {one.path for source in self.reads.values() for one in source.read.includes if not includes.leaves(one)}
        waiting = sorted(named - set(self.reads) - self.asked)
        self.asked.update(waiting)
        return waiting

    def include(self, path: str, content: str | None, amiss: str) -> None:
        """A file that a manifest names, whatever it is called; None if it is not there."""
        if content is not None and path not in self.reads:
            if amiss:
                self.findings.append(finding("file/encoding", shown(path), 1, amiss))
            self.reads[path] = Source(shown(path), "requirements", read_requirements(shown(path), content))

    def repository(
        self, name: str, findings: tuple[Finding, ...], detect: Callable[[str, str], str | None] | None
    ) -> Repository:
        """All of it as a Repository."""
        reads = {path: source.read for path, source in self.reads.items()}
        merged, contradictions = installed.attach(merge(self.reads.values()), self.packages.values())
        if not any(source.family == "npm" and source.read.graph for source in self.reads.values()):
            merged = (*merged, *installed.unlisted(merged, self.packages.values()))
        dependencies = _with_shelves(merged, self)
        own = _own_license(self, reads, detect)
        said_of = [one for each in reads.values() for one in each.findings]
        return Repository(
            name=name,
            license=own,
            dependencies=tuple(
                replace(one, license=naming.completed(one.license, one.licenses, detect))
                if detect and one.licenses
                else one
                for one in dependencies
            ),
            findings=(
                *findings,
                *self.findings,
                *said_of,
                *includes.findings(reads, frozenset(reads)),
                *contradictions,
                *(naming.nested(own, self.nested, self.licenses, detect) if detect else ()),
            ),
            licenses=tuple(self.licenses),
            notices=tuple(self.notices),
        )


def _depth(shelf: str, rest: list[str]) -> int:
    """How many folders below a shelf a package is: in Go's vendor tree host, owner and name, else one."""
    if shelf != "vendor" or "." not in rest[0]:
        return 1
    return 3 if rest[0] in {"github.com", "gitlab.com", "bitbucket.org"} else 2


def _is_nested(path: str, legal: str) -> bool:
    """A licence text in a folder of our own sources, which is none of tests, examples or documentation."""
    near = legal == "license" and 0 < path.count("/") <= _NEAR
    return near and not path.startswith("LICENSES/") and usage.aside(path) is None


def _with_shelves(found: tuple[Dependency, ...], gathered: Gathered) -> list[Dependency]:
    """Folders of vendored trees: texts for the dependency that is known already, else a dependency of its own."""
    names = {_plain(one.name): at for at, one in enumerate(found)} | {
        _plain(one.name.rpartition("/")[2]): at for at, one in enumerate(found)
    }
    submodules = {
        place.said.rstrip("/").removesuffix(".git").rpartition("/")[2].lower(): at
        for at, one in enumerate(found)
        for place in one.places
        if place.path == ".gitmodules"
    }
    listed = list(found)
    for folder, package in sorted(gathered.packages.items()):
        if folder not in gathered.shelves:
            continue
        last = _plain(folder.rpartition("/")[2])
        at = (
            submodules.get(folder.rpartition("/")[2].lower())
            if folder in gathered.submodules
            else names.get(_plain(package.name) or last, names.get(last))
        )
        if at is None:
            listed.append(installed.vendored(package, gathered.shelves[folder] or folder))
        elif not listed[at].licenses:
            one = installed.with_texts(listed[at], package)
            listed[at] = replace(one, places=(*one.places, Place(package.folder)))
    return sorted(listed, key=lambda one: (one.name.lower(), one.version or "", one.usage.value, one.purl or ""))


def _plain(name: str) -> str:
    """A name as folders and registries spell it alike: `pyproject-hooks` lies in `pyproject_hooks`."""
    return name.lower().replace("_", "-").replace(".", "-")


def _own_license(gathered: Gathered, reads: dict[str, Read], detect: naming.Detect | None) -> Learned:
    """The repository's own licence: what a manifest at the root states, else what its licence texts and its headers say."""
    stated = [one.license for path, one in sorted(reads.items()) if "/" not in path and one.license.expression]
    own = stated[0] if stated else UNLEARNED
    if detect is None:
        return own
    whole = naming.completed(own, [one for one in gathered.licenses if "/" not in one.path], detect)
    said = read_expression(whole.expression) if whole.source is By.LICENSE_TEXT else None
    if said is None or not gathered.grants:
        return whole
    return replace(whole, expression=str(granted(said, gathered.grants)))
