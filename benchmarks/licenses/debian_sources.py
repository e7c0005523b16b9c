"""Licence files at the root of C and C++ sources of Debian, fetched by apt; the texts are others' and are not kept here.

debian_sources.txt names half, source, version, file, and the ids that are right: those of Debian's copyright file for `Files: *` and of
the file as it was read (`-`: it only says where the licence is). `written-on`: the grammar was written on these; `held-out`, `new` and
`new2` were measured before they were read. `new2` are the root files of the first sources of Debian 12 main, by how many other sources'
packages depend on them, that are in C or C++, under 45 MB and were not in the list; their ids were written down before they were measured.
`python benchmarks/licenses/debian_sources.py` needs a deb-src line and fetches 1.5 GB, of which it keeps the licence files.
"""

import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))  # It is also run by hand.

from audit.scan.decoding import decode
from audit.texts.identification import family

SOURCES = Path(__file__).with_suffix(".txt")
FOLDER = Path(__file__).parents[1] / "results" / "debian-sources"
LARGEST = 300_000
PATIENCE = 900


@dataclass(frozen=True, slots=True)
class RootFile:
    """A licence file at a source's root: which half, its path, the text, and the families of licences that are right."""

    half: str
    path: str
    text: str
    truth: frozenset[str]

    def fits(self, found: frozenset[str]) -> bool:
        """True when all of these are in the file; for one that only points to another, when there are none."""
        return bool(found) and found <= self.truth if self.truth else not found


def rows() -> Iterator[tuple[str, str, str, str, frozenset[str]]]:
    """Half, source, version, file and truth of each line."""
    for line in SOURCES.read_text(encoding="utf-8").splitlines():
        half, source, version, name, *said = line.split()
        yield half, source, version, name, frozenset(family(license_id) for license_id in said if license_id != "-")


def fetch(folder: Path) -> None:
    """The files of each source that is not there yet; what cannot be had is named and left out."""
    wanted: dict[tuple[str, str], set[str]] = {}
    for _, source, version, name, _ in rows():
        wanted.setdefault((source, version), set()).add(name)
    for (source, version), names in wanted.items():
        place = folder / source
        if place.exists():
            continue
        with tempfile.TemporaryDirectory() as scratch:
            if not download(source, version, Path(scratch)):
                continue
            place.mkdir(parents=True)
            for archive in Path(scratch).glob("*.tar.*"):
                _unpack(archive, names, place)


def download(source: str, version: str, place: Path) -> bool:
    """Put the archives of a source package into that folder; False, and a line that says so, when they cannot be had."""
    command = ["apt-get", "source", "--download-only", "--only-source", f"{source}={version}"]
    done = subprocess.run(command, cwd=place, capture_output=True, timeout=PATIENCE, check=False)
    if done.returncode:
        print(f"{source} {version}: not to be had here", file=sys.stderr)
    return done.returncode == 0


def _unpack(archive: Path, names: set[str], place: Path) -> None:
    if archive.suffix == ".asc":  # The signature of an archive.
        return
    with tarfile.open(archive) as opened:
        for member in opened:
            # The first folder is named after the release.
            _, _, name = member.name.removeprefix("./").partition("/")
            content = opened.extractfile(member) if name in names and member.size <= LARGEST else None
            if content is not None:
                (place / name).write_bytes(content.read())


def files(folder: Path, half: str = "") -> Iterator[RootFile]:
    """The files that are there, of one half or of all."""
    for part, source, _, name, truth in rows():
        path = folder / source / name
        if path.exists() and (not half or part == half):
            yield RootFile(part, f"{source}/{name}", decode(path.read_bytes())[0], truth)


if __name__ == "__main__":
    fetch(FOLDER)
    print(len(list(files(FOLDER))), "files")
