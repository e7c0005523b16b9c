"""Sorts what a walk comes by, as it goes: our own manifests and sources, packages in the tree, legal texts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from audit.ecosystems import FILE_READERS, SOURCE_FAMILIES, family, go_imports, includes, read, row, sbom_row
from audit.ecosystems.dependency_merge import DependencyFile
from audit.ecosystems.native import (
    autoconf,
    bazel_hubs,
    build_tree,
    cmake,
    cmake_unread,
    foreign_builds,
    library_includes,
    makefile,
)
from audit.ecosystems.parsed_file import ParsedFile, finding, not_read
from audit.ecosystems.python.requirements import read as read_requirements
from audit.ecosystems.ruby import gemfile
from audit.facts import Finding, Text, Usage
from audit.scan import (
    file_licenses,
    installed_packages,
    model_files,
    package_folders,
    package_version,
    script_needs,
    vendored_works,
    workspaces,
)
from audit.scan.decoding import decode, shown
from audit.scan.file_licenses import FileLicenses
from audit.scan.package_folders import INSTALLED, PackageFolders
from audit.scan.reuse import dep5, reuse_toml
from audit.scan.scope import Scope, is_packed
from audit.scan.source_languages import SourceLanguages
from audit.scan.vendored_works import CODE_FILE
from audit.texts.grants import Grants, grants
from audit.texts.work_license import named_text
from audit.usage import is_test_data, usage_by_folder
from audit.work_budget import WorkBudget

_METADATA: Final = installed_packages.STATING | {
    "package.json", "METADATA", "PKG-INFO", "Cargo.toml", "pyproject.toml", "meson.build",
}  # fmt: skip
_WORTH: Final = re.compile(
    rb"<(?:uapi/)?(?:linux|asm|asm-generic)/|MODULE_LICENSE|obj-[my$]|/lib/modules/"
    rb"|[Gg]eneral[\s*/#]{1,8}[Pp]ublic[\s*/#]{1,8}[Ll]icen[cs]e|above-listed|SPDX-License-Identifier:[^\n]{0,40}GPL"
)
_README: Final = re.compile(r"readme(?:\.(?:md|markdown|rst|txt))?", re.IGNORECASE)


def _unknown_lock(path: str, _content: str) -> ParsedFile:
    # A file with a reader of its own that named nothing was read.
    unread = not_read(path, None, "a list of packages that Bazel takes, of a form that is not read")
    return ParsedFile(findings=() if row(path) is not None else (unread,))


# By family, what reads a file of any name that another one names.
_PART_READERS: Final = {
    "make": makefile.read,
    "autoconf": autoconf.read,
    foreign_builds.SCRIPT: foreign_builds.reader("Python"),
    cmake_unread.FAMILY: build_tree.alone(cmake.read),
    bazel_hubs.LOCK: _unknown_lock,
    "ruby": gemfile.read,
    "cocoapods": read,  # A manifest by its own name.
}
MAX_NAMED: Final = 100_000
"""Dependencies that one file names; the lock file of a very large project names some thousands."""
_WORK_OF_NAMED: Final = 2_000  # Judging and reporting one of them, beside a character that is read.


def is_worth_reading(path: str, data: bytes) -> bool:
    """True for a Go file, and for a source that may name the kernel, a library or a GNU licence."""
    if family(path) == foreign_builds.FAMILY:
        return foreign_builds.names_library(data)
    return family(path) == go_imports.FAMILY or _WORTH.search(data) is not None or library_includes.names_library(data)


def is_read(path: str) -> bool:
    """Whether a file's being there, or what it says, may change what is found; files that others name aside."""
    return bool(_role(path)) or _tells(path)


def may_change_uses(path: str) -> bool:
    """Whether a file may change what is used, or its licence; a text of which only the head is looked at does not."""
    return _role(path) not in {"", "code", "readme", "text"} or file_licenses.states_licenses(path) or _tells(path)


def _role(path: str) -> str:
    return ScanResult().role(path, installed_packages.legal(path.rpartition("/")[2]))


def _tells(path: str) -> bool:
    if model_files.tells(path) or is_packed(path):
        return True
    folders, name = path.split("/")[:-1], path.rpartition("/")[2]
    if not folders or not INSTALLED.isdisjoint(folders):
        return False
    if installed_packages.legal(name) or package_version.tells(name, ""):
        return True
    return bool(CODE_FILE.search(name)) and vendored_works.is_for_works(path)


@dataclass
class OwnTexts:
    """The repository's own legal texts, and what its sources say."""

    licenses: list[Text] = field(default_factory=list)
    """Its licence texts."""
    notices: list[Text] = field(default_factory=list)
    """Its NOTICE files."""
    readme: Text | None = None
    """The beginning of the README at the root."""
    grants: Grants = field(default_factory=Counter)
    """Licences that headers of its sources grant, counted."""


@dataclass
class CodeFiles:
    """Files and folders in which there is code, in the work or beside it."""

    folders: set[str] = field(default_factory=set)
    """Folders with code in them or below, as they are shown."""
    headers: list[str] = field(default_factory=list)
    """Headers of libraries."""
    libraries: list[str] = field(default_factory=list)
    """Libraries in binary form, in no package."""

    def enter(self, folder: str, names: Sequence[str]) -> None:
        """A folder, with the names of its files."""
        self.headers += [f"{folder}/{name}" for name in names if library_includes.is_header(name)]
        holder = shown(folder) if any(map(CODE_FILE.search, names)) else ""
        # The folders above hold code, too; those that are known end the way up.
        while holder and holder not in self.folders:
            self.folders.add(holder)
            holder = holder.rpartition("/")[0]


@dataclass
class ScanResult:
    """All that a walk has come by: what is the work's own, what others made, the tree itself, and how the walk went."""

    # The work's own:
    reads: dict[str, DependencyFile] = field(default_factory=dict)
    """Manifests and sources by path."""
    documents: dict[str, int] = field(default_factory=dict)
    """SBOMs that are known by their beginning, and are still to be read, with the rows of their readers."""
    own: OwnTexts = field(default_factory=OwnTexts)
    """Its legal texts, and what its sources grant."""
    files: FileLicenses = field(default_factory=FileLicenses)
    """Licences that single files state, or that REUSE states of them."""
    languages: SourceLanguages = field(default_factory=SourceLanguages)
    """Sources in languages whose imports are looked at."""

    # By others:
    packages: PackageFolders = field(default_factory=PackageFolders)
    """Installed and vendored packages, and submodules."""
    works: vendored_works.VendoredWorks = field(default_factory=vendored_works.VendoredWorks)
    """Other folders that may be works by others."""
    models: model_files.ModelFiles = field(default_factory=model_files.ModelFiles)
    """Models and data sets."""

    # The tree, and the walk through it:
    code_files: CodeFiles = field(default_factory=CodeFiles)
    """Files and folders with code."""
    scope: Scope = field(default_factory=Scope)
    """How much there was to read."""
    findings: list[Finding] = field(default_factory=list)
    """What is to be told of single files."""
    budget: WorkBudget = field(default_factory=lambda: WorkBudget(0))
    """The work of parsing that is left."""

    def enter(self, folder: str, names: Sequence[str]) -> None:
        """A folder, with the names of its files, before they come."""
        self.scope.enter(folder, names)
        self.files.enter(names)
        if "pyvenv.cfg" in names:
            self.packages.environments.add(folder)
        # Below an installed package nothing is the repository's own.
        if INSTALLED.isdisjoint(folder.split("/")):
            package = self.packages.of(f"{folder}/x") if folder else ""
            self.works.enter(folder, names, package)
            self.models.enter(folder, names)
            if not package:
                self.languages.enter(folder, names)
        self.code_files.enter(folder, names)

    def role(self, path: str, legal: str) -> str:
        """The role of a file in the audit; empty where it has none.

        `manifest`, `source`, `license`, `notice`, `metadata`, `part` of a vendored work, `library`, `statement` on the
        licences of other files, the `readme` at the root, `code` whose imports are looked at, or other `text`.
        """
        package = self.packages.of(path)
        if package:
            # The sidecar of a file of weights counts wherever these lie.
            kind = self.models.usages.get(path.removesuffix(file_licenses.SIDECAR))
            speaks = kind is Usage.MODEL_WEIGHTS and path in self.works.sidecars
            return "statement" if speaks else self._role_in(package, path, legal)
        at, name = row(path), path.rpartition("/")[2]
        self.scope.names_something |= at is not None or CODE_FILE.search(name) is not None
        if path in self.works.sidecars or name == reuse_toml.NAME or path == dep5.PATH:
            return "statement"
        if legal or (at is None and (path.startswith("LICENSES/") or _README.fullmatch(path))):
            return legal or ("license" if "/" in path else "readme")
        if at is None or FILE_READERS[at][1] in SOURCE_FAMILIES:
            return self._role_of_source(path, name, at)
        # What tests are given to read, and what a template holds, names nothing that is used.
        if is_test_data(path) and path not in self.works.parts:
            self.scope.test_data.append(path)
            return ""
        return "manifest"

    def waits(self, path: str, role: str) -> bool:
        """Whether a file of that role is looked into if, once all manifests are read, none speaks for it."""
        return role in {"source", "text"} and self.languages.waits(path) and not self._is_shelved(path)

    def _is_shelved(self, path: str) -> bool:
        """Whether it lies in a folder for works by others, where a chosen few of the files tell enough."""
        work = self.works.of(path.rpartition("/")[0])
        return work is not None and self.works.found[work].is_shelved

    def _role_of_source(self, path: str, name: str, at: int | None) -> str:
        is_part = path in self.works.parts or name in workspaces.FILES
        is_text = file_licenses.may_hold_text(path) and not usage_by_folder(path)
        is_code = self.languages.wants(path) and not self._is_shelved(path)
        alone = "library" if installed_packages.is_library(name) else ""
        is_source = at is not None and (FILE_READERS[at][1] != foreign_builds.FAMILY or not is_code)
        other = "source" if is_source else "code" if is_code else "text" if is_text else ""
        return "part" if is_part else other if at is not None else alone or other

    def _role_in(self, package: str, path: str, legal: str) -> str:
        inside, name = path[len(package) + 1 :], path.rpartition("/")[2]
        if package in self.packages.shelves and CODE_FILE.search(name):  # Without metadata, too.
            self.packages.at(package)
        # Texts deeper in a package are those of what it bundles.
        near = inside.count("/") == 0 or inside.startswith(("licenses/", "LICENSES/", "license_files/"))
        if legal and (near or self._has_work(path, package)):
            return legal
        if name in _METADATA and "/" not in inside:
            return "metadata"
        return "part" if path in self.works.parts else ""

    def _has_work(self, path: str, package: str) -> bool:
        """Whether the file's folder is a work of its own, deeper in a package of a vendored tree."""
        folder = path.rpartition("/")[0]
        return folder != package and folder in self.works.found

    def legal(self, path: str, role: str, text: Text) -> None:
        """A licence or a notice: of a package, or of the repository."""
        folder = self.packages.of(path)
        if self._has_work(path, folder) or (not folder and "/" in path and not path.startswith("LICENSES/")):
            self.works.legal(path, role, text)
            return
        # The models take a text that is the licence of weights or data alone.
        if role == "license" and "/" not in path and self.models.takes(text):
            return
        holder = self.packages.at(folder) if folder else self.own
        if holder:
            (holder.notices if role == "notice" else holder.licenses).append(text)

    def named_texts(self) -> list[str]:
        """Files of any name that a manifest at the root calls the licence of the work, and that were not read as one."""
        stated = (source.read.license.expression for path, source in self.reads.items() if "/" not in path)
        known = {text.path for text in self.own.licenses}
        return sorted({name for name in map(named_text, stated) if name} - known)

    def head(self, path: str, data: bytes) -> None:
        """The beginning of a text file, which may say something of its licence; what belongs to a package does not."""
        if self.packages.of(path):
            return
        document = sbom_row(path, data) if row(path) is None else None
        if document is not None:  # It names licences of others.
            self.documents[path] = document
            return
        self.files.head(path, data)
        self.scope.head(path, data)
        if usage_by_folder(path) is None and self.languages.head(path, data):
            self._needs(path, decode(data)[0])

    def _needs(self, path: str, content: str) -> bool:
        """Whether a source of Python says itself what it needs, which is read."""
        found = script_needs.read(shown(path), content)
        if found is not None:
            self.languages.packages.add(dependency.name for dependency in found.dependencies)
            self.reads[path] = DependencyFile(shown(path), "python", found)
        return found is not None

    def cover(self, path: str) -> None:
        """A file with something in it, of which REUSE may say something by its path."""
        if path not in self.works.sidecars and not self.packages.of(path):
            self.files.cover(path)

    def library(self, path: str) -> None:
        """A library in binary form, in no package."""
        if len(self.code_files.libraries) == installed_packages.MAX_LIBRARIES:  # Told once.
            message = f"after {installed_packages.MAX_LIBRARIES:,} libraries in binary form, the rest is not listed"
            self.findings.append(finding("tree/cut-short", shown(path), None, message))
        self.code_files.libraries.append(path)

    def left_out(self) -> Iterator[Finding]:
        """A finding for each kind of thing of which there are more than are looked at."""
        first = [
            (self.packages.left_out, f"{package_folders.MAX_PACKAGES:,} packages"),
            (self.works.left_out, f"{vendored_works.MAX_WORKS:,} folders that may be works by others"),
            *self.models.left_out,
        ]
        for path, what in first:
            if path:
                yield finding("tree/cut-short", shown(path), None, f"after {what}, the rest is not looked at")

    def take(self, path: str, content: str, amiss: str, at: int | None = None) -> None:
        """A manifest, a lock file or a source of our own, which row `at` reads (None: that of its path)."""
        at = row(path) if at is None else at
        if at is None:
            return
        if FILE_READERS[at][1] != "linux":
            self.works.part(path, content)
        # Headers in folders for works by others do not speak for the work.
        elif not vendored_works.is_for_works(path):
            self.own.grants.update(grants(content))
        found = self._bounded(path, read(shown(path), content, at))
        self.languages.manifest(path, at, found)
        if amiss:
            self.findings.append(finding("file/encoding", shown(path), 1, amiss))
        said = (found.dependencies, found.findings, found.own, found.includes, found.kernel, found.imports, found.build)
        if any(said) or found.bundler or found.registries or found.meant or found.license.expression:
            self.reads[path] = DependencyFile(shown(path), FILE_READERS[at][1], found)
        if found.imports and found.imports.usage is Usage.STATIC_LINK and not self.packages.of(path):
            self.languages.imported(path, found.imports.paths)

    def _bounded(self, path: str, found: ParsedFile) -> ParsedFile:
        count = len(found.dependencies)
        self.budget.spend(_WORK_OF_NAMED * count)
        if count <= MAX_NAMED:
            return found
        why = f"{count:,} dependencies: a file that names more than {MAX_NAMED:,} is not read"
        return ParsedFile(findings=(finding("file/too-large", shown(path), None, why),))

    def code(self, path: str, content: str) -> None:
        """A source that is in no row of the table: what it loads, and what it says itself that it needs."""
        if not path.endswith(".py") or not self._needs(path, content):
            self.languages.take(path, content)
            if family(path) == foreign_builds.FAMILY:
                self.take(path, content, "")

    def unread(self, path: str) -> None:
        """A file that was not read: what a Go file imports is not known, so nothing follows from the others."""
        at = row(path)
        if at is not None:
            self.languages.manifest(path, at, None)
        if family(path) == go_imports.FAMILY:
            self.reads[path] = DependencyFile(shown(path), go_imports.FAMILY, go_imports.NOT_READ)

    def named_files(self) -> dict[str, str]:
        """Files that manifests name and that were not read, each with the family of what is to read it."""
        named = {
            at: include.family
            for source in self.reads.values()
            for include in source.read.includes
            for at in (include.path, include.or_at)
            if at and not includes.leaves(include)  # Not out of the tree.
        }
        return {path: kind for path, kind in sorted(named.items()) if path not in self.reads}

    def include(self, path: str, kind: str, content: str, amiss: str) -> None:
        """A file of any name that a manifest names, and the family of what reads it."""
        if path not in self.reads:
            if amiss:
                self.findings.append(finding("file/encoding", shown(path), 1, amiss))
            read_by = _PART_READERS.get(kind, read_requirements)
            found = self._bounded(path, read_by(shown(path), content))
            listing = row("requirements.txt") if kind == "requirements" else None
            if listing is not None:
                self.languages.manifest(path, listing, found)
            self.reads[path] = DependencyFile(shown(path), kind, found)
