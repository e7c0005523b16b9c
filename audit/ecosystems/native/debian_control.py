"""debian/control: libraries of C and C++ by the names of their Debian packages, and whether anything else is named.

Fields and relations are those of the Debian Policy Manual, chapters 5 and 7. Packages that carry what a language's own manifests
name (`python3-yaml`, `golang-github-…-dev`) and programs are not looked up: the work's own manifests and build files name them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from audit import display_text
from audit.ecosystems.native import known_libraries, platform_libraries
from audit.ecosystems.native.known_libraries import KnownLibrary
from audit.ecosystems.parsed_file import ParsedFile, not_read, said
from audit.facts import Dependency, Finding, Place, Usage
from audit.usage import usage_by_folder

FAMILY: Final = "debian"
_FIELD: Final = re.compile(r"([A-Za-z][A-Za-z-]{0,40}):(.*)")
_BUILDS: Final = frozenset({"build-depends", "build-depends-arch", "build-depends-indep"})
_RUNS: Final = frozenset({"depends", "pre-depends"})
_RELATION: Final = re.compile(r"([a-z0-9][a-z0-9+.-]{1,100})(?::[a-z0-9-]{1,30})?(?=$|[\s(\[<])")
# Wanted only with tests and documentation (Debian's BuildProfileSpec).
_ASIDE: Final = re.compile(r"<[^<>]{0,100}!(?:nocheck|nodoc)\b")
_OF_LANGUAGES: Final = re.compile(
    r"lib.+-(?:java|perl|ocaml|ocaml-dev|cil|cil-dev|php|ruby|js)|lib(?:rust|ghc|js|jruby|php)-.+|golang-.+"
    r"|(?:node|ruby|php|r|elpa|haskell|python3?)-(?!(?:all-)?dev\Z).+"
)
# Build programs that are called as libraries are, and the kernel's headers, which sources tell more of.
_TOOLS: Final = frozenset({"autotools-dev", "dpkg-dev", "javahelper", "linux-libc-dev"})
_SYSTEM: Final = re.compile(r"lib(?:32|64|n32|x32)?(?:c|stdc\+\+|gcc|gcc-s|atomic|gomp|crypt)[-\d.]{0,8}(?:-dev|s1)?")
_VARIANT: Final = re.compile(r"-(?:all|openssl|gnutls|nss|gcrypt|mbedtls|ssl|compat|0)\Z")
# Ends the name of a runtime package, and of many a development package: `libreadline8`, `zlib1g`, `libgtk-3-0`.
_SONAME: Final = re.compile(r"(?:t64|-?\d[\d.]{0,8}[a-z]?)\Z")
_LIBRARIES, _PACKAGES = "names libraries of Debian", "names packages of Debian"
_CALLED: Final = {"libssl3": "libssl"}  # Of OpenSSL 3; a linker's `ssl3` is a library of NSS.
_MAX_RELATIONS: Final = 2_000
_MAX_TOLD: Final = 5


def read(path: str, content: str) -> ParsedFile:
    """Each library that is known by its Debian package, its linkage left open; findings tell of other packages."""
    found: list[Dependency] = []
    libraries: dict[str, int] = {}
    others: dict[str, int] = {}
    own = set(re.findall(r"^Package:[ \t]*+(\S++)", content, re.MULTILINE))
    relations = _relations(content)
    for field, line, relation in islice(relations, _MAX_RELATIONS):
        named = _RELATION.match(relation)
        if named is None or named[1] in own:  # A binary package of the same source.
            continue
        name = named[1]
        known = None if _OF_LANGUAGES.fullmatch(name) else library_of(name)
        is_library = name.endswith("-dev") or (field in _RUNS and name.startswith("lib"))
        if known is not None and is_library:
            how = Usage.TEST_ONLY if _ASIDE.search(relation) else None
            why = f"debian/control: {field.title()}"
            found.append(known_libraries.dependency(name, known, how, why, Place(path, line, said(relation))))
        elif not _ASIDE.search(relation) and name not in _TOOLS and not _SYSTEM.fullmatch(name):
            is_of_c = name.endswith("-dev") and not _OF_LANGUAGES.fullmatch(name)
            if is_library or field in _RUNS:
                (libraries if is_of_c else others).setdefault(name, line)
    unknown = () if usage_by_folder(path) else ((libraries, _LIBRARIES), (others, _PACKAGES))
    findings = [_told(path, names, what) for names, what in unknown if names]
    # One more is taken only to know whether there is one.
    if cut := next(relations, None):
        why = f"names more than {_MAX_RELATIONS:,} packages, and only the first are read"
        findings.append(not_read(path, cut[1], why))
    return ParsedFile(dependencies=tuple(found), findings=tuple(findings))


def settle(reads: Mapping[str, ParsedFile], *, has_manifests: bool) -> dict[str, ParsedFile]:
    """The files by path; where other manifests are there, these name the contents of Debian's other packages."""
    if not has_manifests:
        return dict(reads)
    return {
        path: replace(file, findings=tuple(each for each in file.findings if not each.message.startswith(_PACKAGES)))
        for path, file in reads.items()
    }


def library_of(package: str) -> KnownLibrary | None:
    """The library that a development or runtime package of Debian has, by its name; None where the table has none."""
    stem = package.removeprefix("default-").removesuffix("-dev")
    for _ in range(4):  # A name has a few suffixes at most.
        for name in (_CALLED.get(stem, stem).removeprefix("lib"), stem):
            is_known = name and not platform_libraries.is_system(name)
            if is_known and (found := known_libraries.by_link_name(name) or known_libraries.by_module(name)):
                return found
        shorter = _VARIANT.sub("", stem)
        shorter = shorter if shorter != stem else _SONAME.sub("", stem)
        if shorter == stem:
            return None
        stem = shorter
    return None


def _relations(content: str) -> Iterator[tuple[str, int, str]]:
    """Each field that names packages, with the line and the relations in it."""
    field = ""
    for number, line in enumerate(content.split("\n"), 1):
        if line.startswith("#"):  # Comments stand also within a field.
            continue
        begun = _FIELD.match(line)
        if begun:
            field = begun[1].lower()
        elif not line.startswith((" ", "\t")):  # A line of a field begins with a blank.
            field = ""
        if field in _BUILDS | _RUNS:
            for relation in (begun[2] if begun else line).split(","):
                yield field, number, relation.partition("|")[0].strip()  # Builds take the first alternative.


def _told(path: str, names: Mapping[str, int], what: str) -> Finding:
    listed = list(names)
    shown = ", ".join(listed[:_MAX_TOLD])
    shown += f" and {len(listed) - _MAX_TOLD:,} more" if len(listed) > _MAX_TOLD else ""
    return not_read(path, min(names.values()), f"{what} that are not known here ({display_text.line(shown, 300)})")
