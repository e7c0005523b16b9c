"""Makes audit/data/native-libraries.json of Debian's packages: names for the linker, pkg-config modules, headers, and the reviewed licence.

derive_libraries.py FOLDER [--newest]   (FOLDER keeps the packages that were fetched)

native_libraries.psv lists the libraries. Each has the licence that a person read in its package's copyright file, for
the library as it is linked. native_libraries.lock.json pins the packages; `--newest` takes the packages that Debian has
now, pins them anew, and names each library whose copyright file has changed, so that its licence is read again.
"""

import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from audit.ecosystems.native import known_libraries, platform_libraries
from tests.audit.derive import DATA, as_json, digest, write_sources

HERE = Path(__file__).parent
LIST, LOCK = HERE / "native_libraries.psv", HERE / "native_libraries.lock.json"
RELEASE = "Debian 12"
ATTRIBUTION = "Debian's packages and their copyright files, read by this project."
SYSTEM = ("libc6-dev", "linux-libc-dev", "libstdc++-12-dev", "libgcc-12-dev")
"""Packages whose headers are the system's own."""
NOT_TELLING = frozenset({
    "config.h", "version.h", "types.h", "util.h", "utils.h", "common.h", "error.h", "errors.h", "list.h", "main.h", "queue.h",
    "api.h", "debug.h", "global.h", "macros.h", "log.h", "init.h", "module.h", "object.h", "string.h", "buffer.h", "context.h",
    "bitops.h", "blake2.h", "codecs.h", "half.h", "import.h", "ini.h", "json.h", "md2.h", "md4.h", "md5.h", "nlist.h", "packer.h",
    "ripemd.h", "rmd160.h", "sha.h", "sha1.h", "sha2.h", "sha256.h", "sha512.h", "tag.h", "token.h", "tree.h",
    "auth-client.h", "client.h", "converter.h", "crypt.h", "driver_int.h", "edit_dist.h", "linear.h", "nice.h", "node.h", "proxy.h", "spice.h",
    "tag_enum.h", "team.h", "utf8.h", "xs.h", "xs_lib.h",
    "file/", "internal/", "md/", "obsolete/", "private/", "rpcsvc/", "unsupported/",
    "act/", "adapters/", "backends/", "base/", "client/", "common/", "concepts/", "core/", "devmem/", "direct/", "display/", "doc/", "dummy/",
    "fbdev/", "fusion/", "generic/", "gfx/", "informix/", "input/", "mesa_system/", "meta/", "mysql/", "preview/", "qt5/", "qt6/", "range/", "std/", "ui/",
    "windows/",
})  # fmt: skip
"""Names of headers and folders that say nothing of whose they are, or are the system's own elsewhere."""
LIBRARY = re.compile(r"\./(?:usr/)?lib/(?:x86_64-linux-gnu/)?lib([^/]+?)\.(?:so|a)$")
MODULE = re.compile(r"\./usr/(?:lib/x86_64-linux-gnu|lib|share)/pkgconfig/([^/]+)\.pc$")
HEADER = re.compile(r"\./usr/include/(.+)$")
FOLDERS = re.compile(r"-I(\$\{includedir\}|\$\{prefix\}/include|/usr/include)(/[^\s$]+)")
OWN_FOLDER = re.compile(r"^includedir=(?:\$\{(?:exec_)?prefix\}|/usr)/include/([^\s$]+)", re.MULTILINE)


@dataclass
class Package:
    """What is in one of Debian's packages."""

    name: str
    source: str = ""
    version: str = ""
    pinned: str = ""
    links: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    headers: set[str] = field(default_factory=set)
    roots: set[str] = field(default_factory=set)
    copyright: bytes = b""


def main() -> None:
    """Fetch what is pinned, and write the table."""
    folder, newest = Path(sys.argv[1]), "--newest" in sys.argv
    rows = [line.split("|") for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    lock = json.loads(LOCK.read_text()) if LOCK.exists() else {}
    wanted = {part for row in rows if row[1][0] != "=" for name in row[1].split() for part in name.split("@")}
    packages = {name: unpacked(fetched(name, folder, {} if newest else lock)) for name in sorted(wanted | {*SYSTEM})}
    libraries = {row[0]: library(row, packages) for row in rows}
    share_headers(libraries, {header for name in SYSTEM for header in packages[name].headers})
    share_links(libraries)
    said = {name: hashlib.sha256(packages[name].copyright).hexdigest() for name in sorted(packages)}
    for name, pin in lock.items():
        if name in said and pin["copyright"] != said[name]:
            print(f"{name}: its copyright file has changed: read it again")
    pinned = {name: {"version": packages[name].pinned, "copyright": said[name]} for name in sorted(packages)}
    LOCK.write_text(json.dumps(pinned, indent=0) + "\n", encoding="utf-8", newline="\n")
    content = laid_out(libraries)
    (DATA / "native-libraries.json").write_bytes(content)
    known_libraries.table.cache_clear()
    write_sources([{
        "file": "native-libraries.json", "sha256": digest(content), "registry": "debian", "package": "bookworm", "version": "12",
        "member": "usr/share/doc/*/copyright", "member_sha256": digest("".join(said.values()).encode()),
        "content": "licences of C and C++ libraries", "data": RELEASE, "license": "Apache-2.0", "attribution": ATTRIBUTION,
    }])  # fmt: skip


def fetched(name: str, folder: Path, lock: dict) -> Path:
    """The package's file, of the version that is pinned, or of the newest where none is."""
    version = lock.get(name, {}).get("version", "")
    there = sorted(folder.glob(f"{name}_{version.replace(':', '%3a') or '*'}_*.deb"))
    if not there:
        subprocess.run(["apt-get", "download", "-qq", f"{name}={version}" if version else name], cwd=folder, check=True)
        [*there] = folder.glob(f"{name}_*.deb")
    return there[-1]


def unpacked(file: Path) -> Package:
    """Its names and its copyright file."""
    shown = subprocess.run(
        ["dpkg-deb", "-f", file, "Package", "Source", "Version"], check=True, capture_output=True, text=True
    )
    fields = dict(line.split(": ", 1) for line in shown.stdout.splitlines())
    source, _, version = fields.get("Source", fields["Package"]).partition(" ")
    found = Package(fields["Package"], source, version.strip("()") or fields["Version"], fields["Version"])
    packed = subprocess.run(["dpkg-deb", "--fsys-tarfile", file], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for entry in archive:
            path = entry.name
            if link := LIBRARY.match(path):
                found.links.add(link[1])
            elif module := MODULE.match(path):
                found.modules.add(module[1])
                if entry.isfile():
                    found.roots |= searched(archive.extractfile(entry).read().decode(errors="replace"))
            elif (header := HEADER.match(path)) and not entry.isdir() and not header[1].startswith("c++/"):
                found.headers.add(header[1].removeprefix("x86_64-linux-gnu/"))
            elif path == f"./usr/share/doc/{found.name}/copyright" and entry.isfile():
                found.copyright = archive.extractfile(entry).read()
    return found


def searched(module: str) -> set[str]:
    """The folders of headers that a pkg-config module adds to the search path, below /usr/include."""
    own = OWN_FOLDER.search(module)
    base = f"{own[1]}/" if own else ""
    folders = {
        (base if start == "${includedir}" else "") + folder.strip("/") for start, folder in FOLDERS.findall(module)
    }
    return {PurePosixPath(folder).as_posix().removeprefix("x86_64-linux-gnu/") for folder in folders | {base} if folder}


def library(row: list[str], packages: dict[str, Package]) -> dict:
    """One entry of the table, before names that several libraries have are shared out."""
    _, origin, licence, options = row
    said = dict(part.partition("=")[::2] for part in options.split())
    given = {
        kind: [part for part in said.get(kind, "").split(",") if part]
        for kind in ("names", "links", "modules", "headers", "only", "without")
    }
    entry = {"source": origin[1:]} if origin[0] == "=" else {}
    found = []
    if not entry:
        names = [name.partition("@")[::2] for name in origin.split()]
        found = [packages[name] for name, _ in names]
        sources = [f"{packages[name].source} {packages[where or name].version}" for name, where in names]
        entry = {"source": ", ".join((RELEASE, *dict.fromkeys(sources)))}
    links = {link for each in found for link in each.links if not platform_libraries.is_system(link)}
    entry |= {
        "license": licence,
        "links": sorted(
            ({link for link in links if link in (given["only"] or links)} | {*given["links"]}) - {*given["without"]}
        ),
        "modules": sorted({module for each in found for module in each.modules} | {*given["modules"]}),
        "own": frozenset(given["headers"]),
        "headers": {
            path for each in found for header in each.headers for path in included(header, each.roots, row[0], links)
        },
        "names": given["names"],
        "header_only": "header-only" in said,
    }
    return entry


def included(header: str, roots: set[str], library: str, links: set[str]) -> set[str]:
    """How a header may be included: from the folder of all headers, or from a folder of the library's search path.

    A header at the top of that folder tells its library if it is called like the library.
    """
    stems = tuple(re.split(r"[-.0-9]", link.lower().removeprefix("lib"))[0] for link in (library, *links))
    below = {header.removeprefix(f"{root}/") for root in roots if root and header.startswith(f"{root}/")}
    return {header} | {
        path for path in below if "/" in path or path.lower().removeprefix("lib").startswith(tuple(filter(None, stems)))
    }


def share_headers(libraries: dict[str, dict], system: set[str]) -> None:
    """Each header belongs to one library, or tells nothing; a folder that is one library's own stands for all that is in it."""
    owners: dict[str, set[str]] = defaultdict(set)
    folders: dict[str, set[str]] = defaultdict(set)
    claimed = {header for value in libraries.values() for header in value["own"]}
    shared = {header.partition("/")[0] for header in system if "/" in header}
    for name, entry in libraries.items():
        for header in entry["headers"]:
            owners[header].add(name)
            if "/" in header:
                folders[header.partition("/")[0]].add(name)
    for value in libraries.values():
        kept = set(value.pop("own"))
        for header in value["headers"] - claimed:
            first, slash, _ = header.partition("/")
            if slash and len(folders[first]) == 1 and first not in shared and f"{first}/" not in NOT_TELLING:
                kept.add(f"{first}/")
            elif (
                len(owners[header]) == 1
                and header not in system
                and not {header, f"{first}/"} & NOT_TELLING
                and header.endswith((".h", ".hpp", ".hh"))
            ):
                kept.add(header)
        value["headers"] = sorted(kept)


def share_links(libraries: dict[str, dict]) -> None:
    """A name of two libraries belongs to the first library in the list."""
    for kind in ("links", "modules"):
        taken: dict[str, str] = {}
        for name, entry in libraries.items():
            for double in [other for other in entry[kind] if other in taken]:
                print(f"{kind} {double}: {taken[double]} and {name}")
            entry[kind] = [other for other in entry[kind] if taken.setdefault(other, name) == name]


def laid_out(libraries: dict[str, dict]) -> bytes:
    """One library a line, without what is empty."""
    return as_json({name: {key: value for key, value in entry.items() if value} for name, entry in libraries.items()})


if __name__ == "__main__":
    main()
