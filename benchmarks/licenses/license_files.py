"""Licence files of pinned packages, fetched by their registries' own clients; the texts are others' and are not kept here.

license_files.txt names registry, package and version; `new:` stands before those that were drawn by chance from the most downloaded
packages and measured before their files were read. `python benchmarks/licenses/license_files.py` fetches all of them (pip, npm;
900 MB) and counts the licence files; the benchmark of texts then measures on them, too.
"""

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_string
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))  # It is also run by hand.

from audit.licenses.expression import atoms, read
from audit.scan.decoding import decode
from audit.texts.identification import family

PACKAGES = Path(__file__).with_suffix(".txt")
FOLDER = Path(__file__).parents[1] / "results" / "license-files"
LARGEST = 300_000
PATIENCE = 900
AT_ONCE = 25
"""Packages that one call of a client fetches: its start takes longer than most downloads."""
NAME = re.compile(r"(?:licen[cs]e|copying|unlicense|mit-licen[sc]e|copyright)[^/]*", re.IGNORECASE)
_WHEEL = re.compile(r"[^/]+\.dist-info/(?:licenses/)?[^/]+")  # PEP 639: below `licenses/`
CLASSIFIERS = {
    "Apache Software License": "Apache-2.0", "BSD License": "BSD", "ISC License (ISCL)": "ISC", "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0", "The Unlicense (Unlicense)": "Unlicense",
}  # fmt: skip
COMMANDS = {
    "pypi": ([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"], "{name}=={version}"),
    "npm": (["npm", "pack", "--silent"], "{name}@{version}"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class File:
    """A licence file: its package, the text, the families of licences that the package declares, and whether it is the only one.

    `is_new`: drawn by chance, and measured before it was read.
    """

    package: str
    text: str
    truth: frozenset[str]
    alone: bool
    is_new: bool

    def fits(self, found: frozenset[str]) -> bool:
        """True when all of these families are declared; a family's name without a version (`BSD`) stands for each of them."""
        return bool(found) and all(
            any(licence == said or licence.startswith(f"{said}-") for said in self.truth) for licence in found
        )


@dataclass(frozen=True, slots=True)
class Package:
    """A line of license_files.txt."""

    registry: str
    name: str
    version: str
    is_new: bool

    @property
    def folder(self) -> str:
        return f"{self.registry}/{self.name.replace('/', '~')}~{self.version}"

    def is_in(self, archive: Path) -> bool:
        """Whether this archive is the package's, by the name that its registry's client gives it."""
        # The file that npm writes has a scope's name without `@`, and with `-`.
        if self.registry == "npm":
            return archive.name == f"{self.name.removeprefix('@').replace('/', '-')}-{self.version}.tgz"
        # PEP 503: names differ neither in case nor in `-`, `_` and `.`.
        name, _, _ = archive.name.partition("-")
        return re.sub(r"[-_.]+", "-", name).lower() == re.sub(r"[-_.]+", "-", self.name).lower()


def packages() -> list[Package]:
    """All of them, in the order of the list."""
    found = []
    for line in PACKAGES.read_text(encoding="utf-8").split():
        registry, name, version = line.removeprefix("new:").split(":")
        found.append(Package(registry, name, version, line.startswith("new:")))
    return found


def fetch(folder: Path) -> None:
    """Each package that is not there yet; what cannot be had is named and left out."""
    for registry in COMMANDS:
        missing = [
            package for package in packages() if package.registry == registry and not (folder / package.folder).exists()
        ]
        for start in range(0, len(missing), AT_ONCE):
            some = missing[start : start + AT_ONCE]
            if not _fetched(registry, some, folder):
                # A client fetches all of them or none: then one by one.
                for package in some:
                    if not _fetched(registry, [package], folder):
                        print(f"{package.name} {package.version}: not to be had here", file=sys.stderr)


def _fetched(registry: str, some: list[Package], folder: Path) -> bool:
    """False when one of them cannot be had: then there is none of them."""
    command, form = COMMANDS[registry]
    asked = [form.format(name=package.name, version=package.version) for package in some]
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run([*command, *asked], cwd=scratch, capture_output=True, timeout=PATIENCE, check=False)
        if done.returncode:
            return False
        for archive in Path(scratch).iterdir():
            for package in some:
                if package.is_in(archive):
                    place = folder / package.folder
                    place.mkdir(parents=True, exist_ok=True)
                    shutil.move(archive, place / archive.name)
                    break
    return True


def files(folder: Path) -> Iterator[File]:
    """The licence files of all packages that declare a licence, in the order of their names."""
    new = {folder / package.folder for package in packages() if package.is_new}
    for archive in sorted([*folder.glob("pypi/*/*.whl"), *folder.glob("npm/*/*.tgz")]):
        said, texts = _wheel(archive) if archive.suffix == ".whl" else _package(archive)
        truth = _families(said)
        texts = [text for text in texts if text.strip()]
        if truth:
            yield from (File(archive.name, text, truth, len(texts) == 1, archive.parent in new) for text in texts)


def _families(said: str | None) -> frozenset[str]:
    expression = read(said) if said and len(said) < LARGEST // 1000 else None
    found = frozenset() if expression is None else frozenset(family(atom.license) for atom in atoms(expression))
    # A name without a version does not tell which licence is meant.
    unclear = {"UNKNOWN", "GPL", "LGPL"} & found or any(licence.startswith("LicenseRef") for licence in found)
    return frozenset() if unclear else found


def _wheel(archive: Path) -> tuple[str | None, list[str]]:
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
        [metadata] = [name for name in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
        head = message_from_string(opened.read(metadata).decode("utf-8", "replace"))
        known = [
            CLASSIFIERS.get(classifier.rpartition(" :: ")[2])
            for classifier in head.get_all("Classifier", [])
            if classifier.startswith("License ::")
        ]
        ours = [name for name in names if _WHEEL.fullmatch(name) and NAME.fullmatch(name.rpartition("/")[2])]
        texts = [decode(opened.read(name))[0] for name in ours if opened.getinfo(name).file_size <= LARGEST]
    # Several classifiers do not tell how they relate.
    stated = [head.get("License-Expression"), head.get("License"), *(known if len(known) == 1 else ())]
    return next((words for words in stated if words and _families(words)), None), texts


def _package(archive: Path) -> tuple[str | None, list[str]]:
    texts, said = [], None
    with tarfile.open(archive) as opened:
        for member in opened:
            name = member.name.partition("/")[2]
            if not member.isfile() or "/" in name or member.size > LARGEST:
                continue
            content = opened.extractfile(member)
            if content is not None and name == "package.json":
                said = json.loads(content.read()).get("license")
            elif content is not None and NAME.fullmatch(name):
                texts.append(decode(content.read())[0])
    return said if isinstance(said, str) else None, texts


if __name__ == "__main__":
    fetch(FOLDER)
    print(dict(Counter("alone" if file.alone else "beside others" for file in files(FOLDER))))
