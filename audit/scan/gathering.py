"""What a walk has come by, sorted as it goes: our own manifests and sources, packages in the tree, legal texts."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from audit.ecosystems import FILE_READERS, SOURCE_FAMILIES, family, go_imports, includes, purls, read, row
from audit.ecosystems.dependency_merge import DependencyFile, bare, merge
from audit.ecosystems.native.submodules import why as submodule_why
from audit.ecosystems.parsed_file import finding
from audit.ecosystems.python.requirements import read as read_requirements
from audit.facts import UNLEARNED, Dependency, Finding, Learned, Place, Repository, Source, Text, Usage
from audit.licenses import contradiction
from audit.licenses.expression import read as read_expression
from audit.scan import binary_libraries, installed_packages, package_version, tagged_sources, vendored_works, workspaces
from audit.scan.decoding import shown
from audit.scan.installed_packages import InstalledPackage
from audit.scan.vendored_works import CODE_FILE, MIXED_FOLDERS, VENDOR_FOLDERS, is_data, settle
from audit.texts import work_license
from audit.texts.grants import Grants, granted, grants
from audit.usage import NOT_SHIPPED, by_name

INSTALLED: Final = frozenset({"node_modules", "site-packages", "dist-packages"})
_METADATA: Final = frozenset({"package.json", "METADATA", "PKG-INFO", "Cargo.toml", "pyproject.toml"})
_WORTH: Final = re.compile(
    rb"<(?:uapi/)?(?:linux|asm|asm-generic)/|MODULE_LICENSE|obj-[my$]|/lib/modules/"
    rb"|[Gg]eneral[\s*/#]{1,8}[Pp]ublic[\s*/#]{1,8}[Ll]icen[cs]e|above-listed|SPDX-License-Identifier:[^\n]{0,40}(?:GPL|MPL|EPL|EUPL|CDDL|OSL-|CPAL|SSPL|BUSL|CC-BY-)"
)
_SUBMODULE: Final = re.compile(r"^[ \t]*+path[ \t]*+=[ \t]*+([^\n]*+)", re.MULTILINE)
_MAX_PACKAGES: Final = 50_000


def is_worth_reading(path: str, data: bytes) -> bool:
    """True for a Go file, which may import something; else if a source may speak of the kernel, or of a licence with copyleft or of restricted use."""
    return family(path) == go_imports.FAMILY or _WORTH.search(data) is not None


def is_read(path: str) -> bool:
    """Whether a file's being there, or what it says, may change what is found; files that others name aside."""
    name = path.rpartition("/")[2]
    if ScanResult().role(path, installed_packages.legal(name)):
        return True
    folders = path.split("/")[:-1]
    if not folders or not INSTALLED.isdisjoint(folders):
        return False
    if installed_packages.legal(name) or package_version.tells(name, ""):
        return True
    return bool(CODE_FILE.search(name)) and not (VENDOR_FOLDERS | MIXED_FOLDERS).isdisjoint(folders)


def submodule_folders(content: str) -> frozenset[str]:
    """The folders that .gitmodules names."""
    return frozenset(path.strip().strip("/") for path in _SUBMODULE.findall(content)) - {"", "."}


@dataclass
class ScanResult:
    """All that a walk has come by. `submodules` are folders of other repositories, `with_code` those with code in them or below."""

    submodules: frozenset[str] = frozenset()
    reads: dict[str, DependencyFile] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    packages: dict[str, InstalledPackage] = field(default_factory=dict)
    shelves: dict[str, str] = field(default_factory=dict)
    licenses: list[Text] = field(default_factory=list)
    notices: list[Text] = field(default_factory=list)
    works: vendored_works.VendoredWorks = field(default_factory=vendored_works.VendoredWorks)
    grants: Grants = field(default_factory=Counter)
    asked: set[str] = field(default_factory=set)
    with_code: set[str] = field(default_factory=set)
    libraries: list[str] = field(default_factory=list)
    tagged: list[tagged_sources.TaggedSource] = field(default_factory=list)

    def enter(self, folder: str, names: Sequence[str]) -> None:
        """A folder, with the names of its files, before they come."""
        if INSTALLED.isdisjoint(folder.split("/")):
            self.works.enter(folder, names, self._package(f"{folder}/x") if folder else "")
        holder = shown(folder) if any(map(CODE_FILE.search, names)) else ""
        while holder and holder not in self.with_code:
            self.with_code.add(holder)
            holder = holder.rpartition("/")[0]

    def role(self, path: str, legal: str) -> str:
        """What a file is to us: `manifest`, `source`, `license`, `notice`, `metadata`, `part` of a vendored work, `library`, or nothing."""
        package = self._package(path)
        if package:
            return self._role_in(package, path, legal)
        if legal:
            return "" if path in self.works.sidecars else legal
        at, name = row(path), path.rpartition("/")[2]
        if at is None and path.startswith("LICENSES/"):
            return "license"
        if at is None or FILE_READERS[at][1] in SOURCE_FAMILIES:
            is_part = path in self.works.parts or name in workspaces.FILES
            alone = "library" if binary_libraries.is_library(name) else ""
            return "part" if is_part else alone if at is None else "source"
        return "manifest"

    def _role_in(self, package: str, path: str, legal: str) -> str:
        """What a file of a package in the tree is to us."""
        inside, name = path[len(package) + 1 :], path.rpartition("/")[2]
        if package in self.shelves and CODE_FILE.search(name):
            self._at(package)
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
            if part in INSTALLED:
                last = len(parts) - 1 - parts[::-1].index(part) if part == "node_modules" else at
                rest = parts[last + 1 :]
                return "/".join(parts[: last + 1 + (2 if rest and rest[0].startswith("@") else 1)])
            if part in VENDOR_FOLDERS and parts[at + 1 :]:
                package = "/".join(parts[: at + 1 + _depth(part, parts[at + 1 :])])
                self.shelves.setdefault(package, folder)
                return package
        return ""

    def _at(self, folder: str) -> InstalledPackage | None:
        """The package of a folder, made when it is first asked for; None beyond all bounds."""
        if folder not in self.packages and len(self.packages) >= _MAX_PACKAGES:
            return None
        return self.packages.setdefault(folder, InstalledPackage(shown(folder)))

    def legal(self, path: str, role: str, text: Text) -> None:
        """A licence or a notice: of a package, or of the repository."""
        folder = self._package(path)
        if self._has_work(path, folder) or (not folder and "/" in path and not path.startswith("LICENSES/")):
            self.works.legal(path, role, text)
            return
        package = self._at(folder) if folder else None
        holder = package if folder else self
        if holder:
            (holder.notices if role == "notice" else holder.licenses).append(text)

    def library(self, path: str) -> None:
        """A library in binary form, in no package."""
        if len(self.libraries) == binary_libraries.MAX_LIBRARIES:
            message = f"after {binary_libraries.MAX_LIBRARIES:,} libraries in binary form, the rest is not listed"
            self.findings.append(finding("tree/cut-short", shown(path), None, message))
        self.libraries.append(path)

    def metadata(self, path: str, content: str) -> None:
        """A metadata file of a package."""
        package = self._at(self._package(path))
        if package:
            installed_packages.metadata(package, shown(path), content)

    def take(self, path: str, content: str, amiss: str) -> None:
        """A manifest, a lock file or a source of our own."""
        at = row(path)
        if at is None:
            return
        if FILE_READERS[at][1] != "linux":
            self.works.part(path, content)
        elif MIXED_FOLDERS.isdisjoint(path.split("/")[:-1]):
            self.grants.update(grants(content))
        tag = (
            tagged_sources.tagged(path, content)
            if FILE_READERS[at][1] in SOURCE_FAMILIES and not self._package(path)
            else None
        )
        if tag is not None:
            self.tagged.append(tag)
        found = read(shown(path), content, at)
        if amiss:
            self.findings.append(finding("file/encoding", shown(path), 1, amiss))
        said = (found.dependencies, found.findings, found.own, found.includes, found.kernel, found.imports)
        if any(said) or found.bundler or found.registries or found.meant or found.license.expression:
            self.reads[path] = DependencyFile(shown(path), FILE_READERS[at][1], found)

    def unread(self, path: str) -> None:
        """A source that was not looked into: what a Go file imports is not known, so nothing follows from the others."""
        if family(path) == go_imports.FAMILY:
            self.reads[path] = DependencyFile(shown(path), go_imports.FAMILY, go_imports.NOT_READ)

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
            self.reads[path] = DependencyFile(shown(path), "requirements", read_requirements(shown(path), content))

    def repository(self, name: str, detect: work_license.Detect) -> Repository:
        """All of it as a Repository; `detect` names the licences of texts."""
        own, doubts = _own_license(self, detect)
        expression = read_expression(own.expression)
        works, open_findings = settle(self.works, vendored_works.OwnLicense(expression, tuple(self.licenses)), detect)
        sources = {path: source for path, source in self.reads.items() if not self._is_others(path, works)}
        reads = {path: source.read for path, source in sources.items()}
        listed, stated = merge(sources.values())
        merged, contradictions = installed_packages.attach(listed, self.packages.values(), stated)
        merged = (*merged, *installed_packages.unlisted(merged, self._unlocked(sources)))
        dependencies = _with_libraries(_with_works(_with_shelves(merged, self, works), self, works), self, works)
        said_of = [one for each in reads.values() for one in each.findings]
        return Repository(
            name=name,
            license=own,
            dependencies=tuple(_named(one, detect, self.with_code) if one.licenses else one for one in dependencies),
            findings=(
                *self.findings,
                *said_of,
                *includes.findings(reads, frozenset(reads)),
                *doubts,
                *contradictions,
                *work_license.nested(own, self.works.loose, self.licenses, detect),
                *tagged_sources.findings(
                    [*self.tagged, *tagged_sources.stated(reads, self.works.loose)],
                    expression,
                    lambda folder: self.works.of(folder) not in works,
                ),
                *open_findings,
            ),
            licenses=tuple(self.licenses),
            notices=tuple(self.notices),
        )

    def _unlocked(self, sources: Mapping[str, DependencyFile]) -> list[InstalledPackage]:
        """Packages with no lock file of npm's kind in a folder above them."""
        locks = [path for path, one in sources.items() if one.family == "npm" and one.read.graph]
        below = tuple(path.removesuffix(path.rpartition("/")[2]) for path in locks)
        return [one for folder, one in self.packages.items() if not folder.startswith(below)]

    def _is_others(self, path: str, works: Mapping[str, InstalledPackage]) -> bool:
        """Whether a manifest belongs to somebody else's work in a folder for such: it speaks for that work alone."""
        at = self.works.of(path.rpartition("/")[0])
        return at is not None and at in works and self.works.found[at].is_shelved


def _depth(shelf: str, rest: list[str]) -> int:
    """How many folders below a shelf a package is: in Go's vendor tree host, owner and name, else one."""
    if shelf != "vendor" or "." not in rest[0]:
        return 1
    return 3 if rest[0] in {"github.com", "gitlab.com", "bitbucket.org"} else 2


def _with_shelves(
    found: tuple[Dependency, ...], gathered: ScanResult, works: Mapping[str, InstalledPackage]
) -> list[Dependency]:
    """Folders of vendored trees: texts for the dependency that is known already, else a dependency of its own."""
    names = {_plain(one.name): at for at, one in enumerate(found)} | {
        _plain(one.name.rpartition("/")[2]): at for at, one in enumerate(found)
    }
    lying = {one.why: at for at, one in enumerate(found)}
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
        _describe(package, gathered, works.get(folder))
        last = _plain(folder.rpartition("/")[2])
        at = (
            lying.get(submodule_why(folder), submodules.get(folder.rpartition("/")[2].lower()))
            if folder in gathered.submodules
            else names.get(
                _plain(folder.rpartition("vendor/")[2]), names.get(_plain(package.name) or last, names.get(last))
            )
        )
        one = installed_packages.vendored(package, gathered.shelves[folder] or folder)
        if at is None or (folder not in gathered.submodules and not _is_that(listed[at], one)):
            listed.append(one)
        elif not listed[at].licenses:
            one = installed_packages.with_texts(listed[at], package)
            listed[at] = replace(one, places=(*one.places, Place(package.folder)))
    return listed


def _is_that(known: Dependency, lying: Dependency) -> bool:
    """Whether what lies in the tree is the dependency of that name.

    A name is little: what only tests or builds use is not what is copied into the work, unless it is known as a tool by its
    name; and a package whose texts are there is the folder only if it is of the same kind.
    """
    if known.usage in NOT_SHIPPED and lying.usage not in NOT_SHIPPED and by_name(known.name) is None:
        return False
    kind = purls.kind_of(known.purl)
    return not known.licenses or kind in {"", "generic", "conan", purls.kind_of(lying.purl)}


def _describe(package: InstalledPackage, gathered: ScanResult, by_heads: InstalledPackage | None) -> None:
    """What files of a package of a vendored tree tell of it beside its metadata; `by_heads` has its licence by the heads of its sources."""
    work = gathered.works.found.get(package.folder)
    if work is not None:
        package.name = package.name or work.package.name
        package.version = package.version or work.package.version
    if by_heads is not None and not package.licenses:
        package.licenses = by_heads.licenses
        package.license = package.license if package.license.expression else by_heads.license


def _with_works(
    listed: list[Dependency], gathered: ScanResult, works: Mapping[str, InstalledPackage]
) -> list[Dependency]:
    """The works in all other folders: texts for a library of that name which a build looks for, else dependencies of their own."""
    wanted = {
        bare(one.name): at
        for at, one in enumerate(listed)
        if not one.licenses and purls.kind_of(one.purl) in {"", "generic", "conan"}
    }
    for folder, package in sorted(works.items()):
        if folder in gathered.shelves:
            continue
        one = installed_packages.vendored(package, package.folder.rpartition("/")[0] or ".")
        at = wanted.get(bare(one.name)) if one.usage is Usage.VENDORED else None
        if at is None or not _is_that(listed[at], one):
            listed.append(one)
            continue
        del wanted[bare(one.name)]
        known = listed[at]
        is_open = known.usage in {Usage.UNKNOWN, Usage.VENDORED}
        joined = replace(
            installed_packages.with_texts(known, package),
            usage=Usage.VENDORED if is_open else known.usage,
            why=one.why if is_open else known.why,
            version=known.version or one.version,
            purl=known.purl if known.version or not one.version else one.purl,
            places=(*known.places, *one.places),
        )
        listed[at] = joined
    return listed


def _with_libraries(
    listed: Sequence[Dependency], gathered: ScanResult, works: Mapping[str, InstalledPackage]
) -> list[Dependency]:
    """Those in binary form, but for what belongs to somebody's work in the tree, or was read as a list of requirements."""
    alone = [
        path
        for path in gathered.libraries[: binary_libraries.MAX_LIBRARIES]
        if path not in gathered.reads and gathered.works.of(path.rpartition("/")[0]) not in works
    ]
    found = binary_libraries.with_libraries(listed, alone)
    return sorted(found, key=lambda one: (one.name.lower(), one.version or "", one.usage.value, one.purl or ""))


def _named(one: Dependency, detect: work_license.Detect, with_code: Collection[str]) -> Dependency:
    """With its licence by its texts; a folder under a licence of fonts or documents, and without code, holds data beside the code."""
    one = replace(one, license=work_license.completed(one.license, one.licenses, detect))
    if one.usage is not Usage.VENDORED or not is_data(one.license.expression):
        return one
    if any(place.path in with_code or CODE_FILE.search(place.path) for place in one.places):
        return one
    return replace(one, usage=Usage.DATA_OR_DOC, why=f"{one.why}, by its licence fonts or documents")


def _plain(name: str) -> str:
    """A name as folders and registries spell it alike: `pyproject-hooks` lies in `pyproject_hooks`."""
    return name.lower().replace("_", "-").replace(".", "-")


def _own_license(gathered: ScanResult, detect: work_license.Detect) -> tuple[Learned, list[Finding]]:
    """The repository's own licence: what manifests at the root state, else what its licence texts and its headers say.

    Of manifests that contradict each other the first by path counts, and a finding says so. REUSE puts the texts into LICENSES alone.
    """
    texts = [one for one in gathered.licenses if "/" not in one.path] or gathered.licenses
    known = work_license.with_later(detect)
    manifests = [source.read.license for path, source in sorted(gathered.reads.items()) if "/" not in path]
    stated = [work_license.completed(one, texts, known) for one in manifests if one.expression]
    whole = stated[0] if stated else work_license.completed(UNLEARNED, texts, known)
    differing = contradiction.different(stated)
    counts = f"{whole.place.path if whole.place else whole.source} counts"
    findings = [contradiction.finding("the repository itself", differing, counts)] if len(differing) > 1 else []
    said = read_expression(whole.expression) if whole.source is Source.LICENSE_TEXT else None
    if said is None or not gathered.grants:
        return whole, findings
    return replace(whole, expression=str(granted(said, gathered.grants))), findings
