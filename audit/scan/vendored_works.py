"""Works by others in a tree: which folders hold one, and which are the repository's own parts with a licence file of their own.

A folder with a licence file is another author's work unless it says what the repository itself says, or a workspace lists it.
In folders named for works by others (`deps`) the head of a source is enough, and the repository's own text counts again.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Final

from audit.facts import Finding, Learned, Place, Source, Text
from audit.licenses.aliases import FAMILIES, license_of
from audit.licenses.expression import Expression, atoms, read
from audit.scan import installed_packages, package_version, workspaces
from audit.scan.decoding import shown
from audit.scan.installed_packages import InstalledPackage
from audit.texts import work_license
from audit.texts.copyrights.copyright_holders import copyrights
from audit.texts.grants import Grants, grants
from audit.texts.identification import family
from audit.texts.source_header import legal_text
from audit.usage import usage_by_folder

MIXED_FOLDERS: Final = frozenset({"deps", "subprojects", "bundled", "submodules"})
"""Folders for works by others, in which a repository may keep helpers of its own, too."""
VENDOR_FOLDERS: Final = frozenset({
    "third_party", "third-party", "thirdparty", "3rdparty", "3rd_party", "vendor", "vendored", "_vendor", "extern", "externals",
    "ThirdParty", "Thirdparty", "Third_Party", "Third-Party", "3rdParty", "3rd_Party",
})  # fmt: skip
"""Folders for works by others alone."""
CODE_FILE: Final = re.compile(
    r"\.(?:c|cc|cpp|cxx|h|hh|hpp|py|js|ts|mjs|go|rs|java|kt|rb|php|cs|swift|m|a|so|jar|S|asm)$"
)
# In C and C++ `external` holds works by others; in most other languages it is as often the own code for services outside.
_EXTERNAL: Final = "external"
_NATIVE_FILE: Final = re.compile(r"\.(?:c|cc|cpp|cxx|h|hh|hpp|S|asm)$")
# Below these folders are named for the packages in them: `…/incremental/deps` is one of the work's own.
_PACKAGES: Final = re.compile(r"(?:^|/)src/[^/]+/(?:java|kotlin|scala|groovy)/")
# Folders that hold texts of other places, or models of a repository to be.
_TEXTS_ALONE: Final = frozenset({
    "license", "licence", "licenses", "licences", "legal", "copyright", "meta-inf", "license-files", "license_files",
    "third-party-licenses", "third_party_licenses", "debian", ".github", "template", "templates", "skeleton",
})  # fmt: skip
MAX_NAMED: Final = 10  # Folders or files that a finding names.
_WITHIN: Final = frozenset({"src", "include", "lib", "source"})
_MAX_DESCRIBING_FILES: Final = 6
# Files of one work that are read for its name and version, and for the licence in their heads.
_MAX_SOURCE_FILES: Final = 3
_MAX_SINGLE_FILES: Final = 50  # Files right in a folder for works by others.
MAX_WORKS: Final = 20_000  # Folders; further ones are not looked at.
_STEM: Final = re.compile(r"([A-Za-z0-9][\w+.-]{0,60}?)[-_.]licen[cs]e(?:\.(?:txt|md|rst))?", re.IGNORECASE)
_NO_NAME: Final = frozenset(
    {"third-party", "thirdparty", "third_party", "3rdparty", "project", "source", "software", "full"}
)
# All of a copyright line but its holder.
_YEARS: Final = re.compile(r"\bcopyright\b|\(c\)|©|all rights reserved|[<(\[][^<>()\[\]]{0,80}[>)\]]|\bby\b|[\W\d_]+", re.IGNORECASE)  # fmt: skip
_DATA: Final = ("OFL-", "CC-BY", "Bitstream-", "Ubuntu-font")  # Of fonts and documents.


@dataclass(slots=True)
class VendoredWork:
    """A folder that may hold another author's work (`package`), `licensed` if it has a licence file.

    `is_shelved`: it lies in a folder for works by others. `heads` are licence texts at the head of its sources,
    `granted` what those grant; `asked` counts its files that are read, by purpose.
    """

    package: InstalledPackage
    licensed: bool
    is_shelved: bool
    heads: list[Text] = field(default_factory=list)
    granted: Grants = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)


@dataclass
class VendoredWorks:
    """Folders that a walk `found` and that may be such works, outermost first; `loose` are texts of unknown origin."""

    found: dict[str, VendoredWork] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    """Files that are read for the work in a folder: path → that folder."""
    members: set[str] = field(default_factory=set)
    """Patterns of the folders that the repository's workspaces list."""
    sidecars: set[str] = field(default_factory=set)
    """Files that speak for one file beside them alone (REUSE)."""
    loose: list[Text] = field(default_factory=list)
    left_out: str = ""
    """The first folder that may be such a work and is one too many."""
    single_left_out: dict[str, int] = field(default_factory=dict)
    """The number of files right in a folder for works by others that are too many, by the folder."""

    def enter(self, folder: str, names: Sequence[str], shelf: str = "") -> None:
        """A folder with the names of its files, before any of them is looked at; `shelf` is its package of a vendored tree."""
        there = frozenset(names)
        licensed = False
        for name in names:
            if name.endswith(".license") and name.removesuffix(".license") in there:
                self.sidecars.add(f"{folder}/{name}" if folder else name)
            elif installed_packages.legal(name) == "license":
                licensed = True
        above, _, last = folder.rpartition("/")
        is_for_works = last in MIXED_FOLDERS | VENDOR_FOLDERS or last.lower() == _EXTERNAL
        if is_for_works and not shelf and not _PACKAGES.search(folder):
            self._single(folder, names)
        if not folder:
            return
        outer = self._in_external(folder, names) if not shelf else ""
        # The work's own folder came before any of its sources.
        if outer and outer != folder and not self._add(outer, licensed=False, is_shelved=True):
            return
        is_shelved = outer == folder or (above.rpartition("/")[2] in MIXED_FOLDERS and not _PACKAGES.search(above))
        is_work = shelf == folder or ((licensed or is_shelved) and last.lower() not in _TEXTS_ALONE)
        if is_work and not self._add(folder, licensed=licensed, is_shelved=is_shelved or bool(shelf)):
            return
        self._pick(folder, names)

    def _add(self, folder: str, *, licensed: bool, is_shelved: bool) -> bool:
        """Note a folder as a work; false if it is one too many."""
        if folder in self.found:
            self.found[folder].licensed |= licensed
            self.found[folder].is_shelved |= is_shelved
        elif len(self.found) >= MAX_WORKS:
            self.left_out = self.left_out or folder
            return False
        else:
            self.found[folder] = VendoredWork(InstalledPackage(shown(folder)), licensed, is_shelved)
        return True

    def _in_external(self, folder: str, names: Sequence[str]) -> str:
        """The folder in `external` in which C or C++ lies, not deeper than its `src/lib`; empty where there is none."""
        parts = folder.split("/")
        at = next((at for at, part in enumerate(parts[:-1], 1) if part.lower() == _EXTERNAL), 0)
        outer = "/".join(parts[: at + 1])
        around = self.of("/".join(parts[:at]))
        if not at or len(parts) - at > 3 or _PACKAGES.search(outer) or not any(map(_NATIVE_FILE.search, names)):
            return ""
        # What a work by others has below is its own affair.
        return "" if around is not None and self.found[around].is_shelved else outer

    def _single(self, folder: str, names: Sequence[str]) -> None:
        is_external = folder.rpartition("/")[2].lower() == _EXTERNAL
        code = [*filter((_NATIVE_FILE if is_external else CODE_FILE).search, names)]
        if len(code) > _MAX_SINGLE_FILES and not usage_by_folder(f"{folder}/x"):
            self.single_left_out[folder] = len(code) - _MAX_SINGLE_FILES
        for name in code[:_MAX_SINGLE_FILES]:
            at = f"{folder}/{name.partition('.')[0]}"
            work = VendoredWork(
                InstalledPackage(shown(f"{folder}/{name}"), name=name.partition(".")[0]),
                licensed=False,
                is_shelved=True,
            )
            self.found.setdefault(at, work)
            self.parts[f"{folder}/{name}"] = at
            # Among works by others alone each file is someone else's, but for those that make a package of the folder.
            if (is_external or folder.rpartition("/")[2] in VENDOR_FOLDERS) and not name.startswith("_"):
                work.asked["single"] += 1

    def _pick(self, folder: str, names: Sequence[str]) -> None:
        at = self.of(folder)
        if at is None:
            return
        work, inside = self.found[at], folder[len(at) + 1 :]
        last = at.rpartition("/")[2].lower()
        near = (
            not inside
            or inside.lower() in _WITHIN | {last}
            or (inside.startswith("include/") and inside.count("/") == 1)
        )
        for name in names:
            tells = package_version.tells(name, at) if not inside else near and package_version.is_header(name, at)
            if tells and work.asked["describing"] < _MAX_DESCRIBING_FILES:
                work.asked["describing"] += 1
                self.parts[f"{folder}/{name}"] = at
        # Heads are read where no licence file tells more, and not deep within the work or in its tests.
        if work.licensed or inside.count("/") > 2 or usage_by_folder(f"{inside}/x"):
            return
        # The source that is called like the folder first.
        for name in sorted(
            filter(CODE_FILE.search, names), key=lambda source: (source.partition(".")[0].lower() != last, source)
        ):
            if work.asked["heads"] < _MAX_SOURCE_FILES:
                work.asked["heads"] += 1
                self.parts[f"{folder}/{name}"] = at

    def of(self, folder: str) -> str | None:
        """The folder of the innermost work in which a folder lies; None outside of all."""
        while folder:
            if folder in self.found:
                return folder
            folder = folder.rpartition("/")[0]
        return None

    def of_file(self, path: str) -> str | None:
        """The work to which a file belongs: one of that file alone, or that of its folder."""
        return self.parts.get(path) or self.of(path.rpartition("/")[0])

    def legal(self, path: str, role: str, text: Text) -> None:
        """A licence or a notice below the root that is no installed package's."""
        folder, _, name = path.rpartition("/")
        at = folder if folder in self.found else None
        if at is None and folder.rpartition("/")[2].lower() in _TEXTS_ALONE:
            at = self.of(folder)  # The texts of the work that has this folder.
        if role == "license":
            stem = _STEM.fullmatch(name)
            # `zlib.license` names the work of which it is the licence.
            if at == folder and stem and _is_name(stem[1]):
                work = VendoredWork(InstalledPackage(shown(path), name=stem[1]), licensed=True, is_shelved=False)
                self.found.setdefault(path, work).package.licenses.append(text)
            elif at is None:
                self.loose.append(text)
            else:
                self.found[at].package.licenses.append(text)
        elif at is not None:
            self.found[at].package.notices.append(text)

    def part(self, path: str, content: str) -> None:
        """A file that was chosen, or one that lists a workspace."""
        if path not in self.parts:
            self.members |= workspaces.members(path, content)
            return
        at, place = self.parts[path], shown(path)
        work = self.found[at]
        if path.rpartition("/")[0] == at:
            installed_packages.metadata(work.package, place, content)
        if package_version.tells(path.rpartition("/")[2], at):
            package_version.describe(work.package, place, content)
        if not work.licensed and CODE_FILE.search(path):
            said = legal_text(content)
            work.asked["silent"] += not said and bool(content.strip())
            if said:
                work.granted.update(grants(said))
                work.heads.append(Text(place, said, sha256(said.encode("utf-8", "backslashreplace")).hexdigest()))


@dataclass(frozen=True)
class OwnLicense:
    """The repository's own `license`, and its `texts` at the root."""

    license: Expression | None
    texts: tuple[Text, ...]

    @property
    def families(self) -> frozenset[str]:
        """The families of its licences: whichever versions of GNU's may be chosen."""
        return frozenset(family(atom.license) for atom in atoms(self.license))

    @cached_property
    def holders(self) -> frozenset[str]:
        """The names of its holders."""
        return _holders(self.texts, self.license)


def settle(
    works: VendoredWorks, own: OwnLicense, detect: work_license.Detect
) -> tuple[dict[str, InstalledPackage], list[Finding]]:
    """The works by others, by folder; and what is told of those whose author is not known."""
    found: dict[str, InstalledPackage] = {}
    findings: list[Finding] = []
    # Folders that only hold another work, with what its build needs.
    holding = {works.of(at.rpartition("/")[0]) for at in works.found}
    for at, work in sorted(works.found.items()):
        package = work.package
        # Gradle's builds list their own parts in a folder in which Meson keeps works by others.
        if at.split("/")[-2:-1] == [workspaces.OWN_PARTS] and workspaces.is_member(at, works.members):
            works.loose += package.licenses
            continue
        if work.licensed:
            if _is_others(at, works, found, own, detect):
                found[at] = package
            continue
        said = _by_heads(work, own, detect)
        if said is not None:
            found[at] = package
            package.license, package.licenses = said, list(work.heads)
        elif not work.heads and package.license.expression and work.is_shelved:
            # A manifest that states the repository's own licence is one of its own parts.
            if not (_families(package.license) <= own.families or workspaces.is_member(at, works.members)):
                found[at] = package
        elif not work.heads and work.asked["heads"] and at not in holding and _is_unclaimed(at, works):
            message = "a folder for works by others, and no file in it that is read names a licence: if it holds one, list it in the rulebook"
            findings.append(Finding("license/nested", Place(package.folder), message))
    silent = [at for at, work in works.found.items() if work.asked["single"] and work.asked["silent"]]
    findings += _silent_files(at for at in silent if at not in found and not usage_by_folder(at))
    for folder, count in sorted(works.single_left_out.items()):
        message = f"{count:,} more files here, in a place for works by others, are not looked at: list in the rulebook what is someone else's"
        findings.append(Finding("license/nested", Place(shown(folder)), message))
    return found, findings


def _is_unclaimed(at: str, works: VendoredWorks) -> bool:
    """Whether it lies right in a folder for works by others, is delivered, and no workspace lists it."""
    shelf = f"/{at}".split("/")[-2]
    is_claimed = usage_by_folder(f"{at}/x") or workspaces.is_member(at, works.members)
    return (shelf in MIXED_FOLDERS or shelf.lower() == _EXTERNAL) and not is_claimed


def _families(stated: Learned) -> frozenset[str]:
    """The families of a stated licence; its words where they name none."""
    expression = read(stated.expression)
    return frozenset(family(atom.license) for atom in atoms(expression)) or frozenset({stated.expression or ""})


def _silent_files(ats: Iterable[str]) -> list[Finding]:
    """The finding for files right in a folder for works by others that state nothing."""
    names = sorted(ats)
    if not names:
        return []
    listed = ", ".join(name.rpartition("/")[2] for name in names[:MAX_NAMED])
    what = f"{len(names)} files" if len(names) > 1 else "a file"
    message = f"{what} right in a place for works by others, and nothing in {listed} says whose work that is: if it is someone else's, list it in the rulebook"
    return [Finding("license/nested", Place(shown(names[0].rpartition("/")[0])), message, len(names))]


def _is_others(
    at: str, works: VendoredWorks, found: Collection[str], own: OwnLicense, detect: work_license.Detect
) -> bool:
    """Whether what has a licence file of its own is another author's; a text of unknown origin is kept apart."""
    work = works.found[at]
    licenses = work.package.licenses
    texts = {text.sha256 for text in licenses}
    around = works.of(at.rpartition("/")[0])
    # A text that the work around has, too, is no other author's.
    if not texts or (
        around is not None
        and around in found
        and texts <= {text.sha256 for text in works.found[around].package.licenses}
    ):
        return False
    if usage_by_folder(f"{at}/x"):  # A folder of tests has its own text, too; fixtures hold texts of unknown origin.
        return usage_by_folder(at) is not None and all(detect(text.text, text.path) for text in licenses)
    # A folder of texts for other places, or a template of a repository.
    is_model = "{{" in at or not _TEXTS_ALONE.isdisjoint(at.lower().split("/"))
    if is_model or (not work.is_shelved and workspaces.is_member(at, works.members)):
        works.loose += licenses
        return False
    is_ours = texts <= {text.sha256 for text in own.texts} or _says_the_same(licenses, own, detect)
    # In a folder for works by others the repository's own text counts again.
    return work.is_shelved or not is_ours


def _says_the_same(licenses: Sequence[Text], own: OwnLicense, detect: work_license.Detect) -> bool:
    said = read(work_license.of_texts(licenses, detect).expression)
    if said is None or not {family(atom.license) for atom in atoms(said)} <= own.families:
        return False
    return _holders(licenses, said) <= own.holders


def _by_heads(work: VendoredWork, own: OwnLicense, detect: work_license.Detect) -> Learned | None:
    """The licence by the heads of its sources; None where they are the repository's own, or say nothing."""
    said = work_license.of_texts(work.heads, detect)
    if said.expression is None and len(work.granted) == 1:
        ((version, later),) = work.granted
        if version[-1].isdigit():
            words = f"{version}-{'or-later' if later else 'only'}"
            said = Learned(words, Source.LICENSE_TEXT, Place(work.heads[0].path))
    expression = read(said.expression)
    named = {family(atom.license) for atom in atoms(expression)}
    is_of_own_holders = _holders(work.heads, expression) <= own.holders
    # The repository's own licence and its own holders: the sources are its own.
    if named and named <= own.families and (is_of_own_holders or not own.holders):
        return None
    return said if named or not is_of_own_holders else None


def _holders(texts: Sequence[Text], under: Expression | None) -> frozenset[str]:
    """The holders of texts, without years, addresses and words around; not those of the licence they are `under`."""
    lines = copyrights((text.text for text in texts), under)
    return frozenset(name for line in lines if (name := _YEARS.sub(" ", line).strip().casefold()))


def _is_name(stem: str) -> bool:
    """Whether `x` of `x.license` names a work, and not the licence itself or what such files are called."""
    return stem.lower() not in _NO_NAME and stem.upper() not in FAMILIES and license_of(stem) is None


def is_for_works(path: str) -> bool:
    """Whether a source lies in a folder for works by others."""
    folders = path.split("/")[:-1]
    if not MIXED_FOLDERS.isdisjoint(folders) or not VENDOR_FOLDERS.isdisjoint(folders):
        return True
    return _NATIVE_FILE.search(path) is not None and any(folder.lower() == _EXTERNAL for folder in folders)


def is_data(expression: str | None) -> bool:
    """Whether the licence is one of fonts and documents, by which what lies there is data beside code."""
    said = read(expression)
    return said is not None and all(atom.license.startswith(_DATA) for atom in atoms(said))
