"""Meson: dependency(), find_library() and subproject() calls, and wrap files, read by their text alone."""

import re
from typing import Final

from audit import usage
from audit.ecosystems import artifacts
from audit.ecosystems.formats import python_literals
from audit.ecosystems.parsed_file import PackageDetails, ParsedFile, dependency_at, said
from audit.ecosystems.purls import name_of_address, of_address, purl
from audit.facts import Place, Usage

_NOTHING: Final = frozenset({"threads", "m", "dl", "rt", "pthread", "openmp", "appleframeworks", ""})
_LINE: Final = re.compile(r"([a-z_]++)[ \t]*+=[ \t]*+([^\n]*+)")


def read(path: str, content: str) -> ParsedFile:
    """meson.build: `static: true` is a word on how it is linked, `native: true` says that the build needs it."""
    arguments = python_literals.tokens(content.replace(":", "="))  # meson writes `static: true`
    found = []
    for function in ("dependency", "cc.find_library", "cpp.find_library", "compiler.find_library", "subproject"):
        for name, line, words in python_literals.calls(arguments, function):
            if name.lower() in _NOTHING:
                continue
            link = {"true": "static", "false": "shared"}.get(words.get("static", ""), "")
            how = Usage.BUILD_TOOL if words.get("native") == "true" else usage.native(name, link)
            if function == "subproject" and how is Usage.UNKNOWN:
                how = Usage.STATIC_LINK
            why = f"meson.build: {function}()" + (f", static: {words['static']}" if link else "")
            place, url = Place(path, line, said(name)), purl("generic", name.lower())
            more = PackageDetails(direct=True, optional=words.get("required") == "false")
            found.append(dependency_at(place, name, None, url, how, why, **more))
    own = frozenset(name for name, _, _ in python_literals.calls(arguments, "project"))
    return ParsedFile(dependencies=tuple(found), own=own)


def read_wrap(path: str, content: str) -> ParsedFile:
    """subprojects/x.wrap: sources that Meson downloads and builds in."""
    values: dict[str, tuple[str, int]] = {}
    for at, line in enumerate(content.split("\n"), 1):
        pair = _LINE.match(line.strip())
        if pair:
            values.setdefault(pair[1], (pair[2].strip(), at))
    name = path.rpartition("/")[2].removesuffix(".wrap")
    address, number = values.get("url") or values.get("source_url") or ("", 1)
    version = values.get("revision", ("", 0))[0]
    if not address:
        return ParsedFile()
    git = "url" in values
    if not git:
        version = re.sub(r"^.*?-(?=\d)", "", name_of_address(address)[:200])
    url = of_address(address, version or None, name) if git else purl("generic", name.lower(), version or None)
    how = usage.by_name(name) or Usage.STATIC_LINK
    more: PackageDetails = {"download": artifacts.repository(address, version) if git else artifacts.address(address)}
    more["direct"] = True
    more["checksums"] = () if git else artifacts.checksum("sha256", values.get("source_hash", ("", 0))[0])
    place, why = Place(path, number, said(address)), "Meson: a wrap, built in"
    return ParsedFile(dependencies=(dependency_at(place, name, version, url, how, why, **more),))
