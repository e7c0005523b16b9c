"""Name and version of a work whose sources lie in a tree: build files, a VERSION file, the macros of its version header."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from audit.ecosystems.formats import python_literals
from audit.scan.installed_packages import STATING, InstalledPackage

READ_CHARACTERS: Final = 256_000  # Characters of a file that are looked at.
_HEADER: Final = re.compile(r"\.(?:h|hpp)$", re.IGNORECASE)
# Two numbers at least: one alone may count anything.
_NUMBER: Final = re.compile(r"(?<![\w.])v?(\d{1,6}(?:\.\d{1,6}){1,3}(?:-?(?:alpha|beta|rc)\.?\d{0,4})?)(?!\w)(?!\.\w)")
_NAME: Final = re.compile(r"[A-Za-z][\w+.-]{0,80}")
_INIT: Final = re.compile(r"^[ \t]*AC_INIT[ \t]*\([ \t\n]{0,20}\[?([^\],()\n]{1,80})\]?[ \t\n]{0,20}(?:,[ \t\n]{0,20}\[?([^\],()\n]{0,80}))?", re.MULTILINE)  # fmt: skip
_PROJECT: Final = re.compile(r"^[ \t]*project[ \t]*\([ \t\n]{0,20}\"?([\w+.-]{1,80})\"?([^()]{0,400})\)", re.IGNORECASE | re.MULTILINE)  # fmt: skip
_FIELD: Final = re.compile(r"^(Name|Version):[ \t]*([^\n@$]{1,80})$", re.MULTILINE)
_ATTRIBUTE: Final = re.compile(r"^ {4}(name|version) = \"([^\"\n]{1,80})\"", re.MULTILINE)
_TEXT: Final = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w{0,80})[ \t]+(?:\"([^\"\n]{1,80})\"|(\d[\d.]{4,30})[ \t]*$)", re.MULTILINE
)
_PART: Final = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+((?:[A-Za-z]\w{0,60}?_)?(?:VER(?:SION)?_?)?)(MAJOR|MINOR|PATCH|MICRO|RELEASE|REVISION|TINY)(?:_VERSION)?[ \t]+\"?(\d{1,6})\"?[ \t]*(?:/[/*][^\n]*)?$",
    re.MULTILINE | re.IGNORECASE,
)
_SAYS: Final = re.compile(r"(?:^|_)(?:VERSION|RELEASE|VER|VERSION_STR(?:ING)?|VERSION_NUMBER)$", re.IGNORECASE)


def tells(name: str, folder: str) -> bool:
    """Whether a file right in the folder of a work may tell its name or its version, by the file's name."""
    low = name.lower()
    return low in _READERS or low.endswith((".pc.in", ".pc", ".gemspec")) or is_header(name, folder)


def is_header(name: str, folder: str) -> bool:
    """Whether it may be the header that names the version of the work in that folder (`lua.h` of `lua`, `x_version.h`)."""
    if not _HEADER.search(name):
        return False
    stem = _plain(name.rpartition(".")[0])
    work = _plain(folder.rpartition("/")[2])
    return "version" in stem or stem in {work, f"lib{work}", work.removeprefix("lib")}


def describe(package: InstalledPackage, path: str, content: str) -> None:
    """Take over the name and the version that a file states; what is known already stays."""
    file, head = path.rpartition("/")[2].lower(), content[:READ_CHARACTERS]
    reader = _READERS.get(".pc" if file.endswith((".pc.in", ".pc")) else file)
    # Both are empty for what a file does not say plainly, as where a variable stands in its place.
    name, version = reader(head) if reader else ("", macros(head))
    if not package.name and _NAME.fullmatch(name):  # A variable is no name.
        package.name = name
    package.version = package.version or version


def _lone(content: str) -> tuple[str, str]:
    return "", number(content.lstrip()[:200].partition("\n")[0])


def _autoconf(content: str) -> tuple[str, str]:
    """`AC_INIT([name], [version])`; with one argument it is the old form, which names a file."""
    found = _INIT.search(content)
    return (found[1].strip(), number(found[2])) if found and found[2] else ("", "")


def _cmake(content: str) -> tuple[str, str]:
    """`project(name VERSION 1.2.3)`."""
    found = _PROJECT.search(content)
    words = found[2].split() if found else []
    at = words.index("VERSION") + 1 if "VERSION" in words[:-1] else 0
    return (found[1], number(words[at]) if at else "") if found else ("", "")


def _meson(content: str) -> tuple[str, str]:
    """`project('name', version: '1.2.3')`."""
    called = next(iter(python_literals.calls(python_literals.tokens(content.replace(":", "=")), "project")), None)
    return (called[0], number(called[2].get("version", ""))) if called else ("", "")


def _pkg_config(content: str) -> tuple[str, str]:
    """The version; its name is one for people."""
    fields = {match[1]: match[2].strip() for match in _FIELD.finditer(content)}
    return "", number(fields.get("Version", ""))


def _conan(content: str) -> tuple[str, str]:
    fields = {match[1]: match[2] for match in _ATTRIBUTE.finditer(content)}
    return fields.get("name", ""), number(fields.get("version", ""))


_READERS: Final[Mapping[str, Callable[[str], tuple[str, str]]]] = {
    "version": _lone, "version.txt": _lone, ".version": _lone, "configure.ac": _autoconf, "configure.in": _autoconf,
    "cmakelists.txt": _cmake, "meson.build": _meson, ".pc": _pkg_config, "conanfile.py": _conan,
    # What the metadata of a package system say is read by `installed_packages`.
    **dict.fromkeys(("package.json", "cargo.toml", "pyproject.toml", *STATING), lambda _content: ("", "")),
}  # fmt: skip


def number(said: str) -> str:
    """The first version in a line; empty if there is none."""
    found = _NUMBER.search(said)
    return found[1] if found else ""


def macros(content: str) -> str:
    """The version that a header defines: as a text of the most parts, else put together of its parts; empty if it has none."""
    texts = [number(match[2] or match[3]) for match in _TEXT.finditer(content) if _SAYS.search(match[1])]
    # The longest one: a macro may give the major version alone.
    best = max(texts, key=lambda text: text.count("."), default="")
    parts: dict[str, dict[str, str]] = {}
    for match in _PART.finditer(content):
        parts.setdefault(match[1].upper(), {}).setdefault(match[2].upper(), match[3])
    for found in parts.values():
        if {"MAJOR", "MINOR"} <= found.keys():
            last = next(
                (found[part] for part in ("PATCH", "MICRO", "RELEASE", "REVISION", "TINY") if part in found), None
            )
            whole = ".".join(filter(None, (found["MAJOR"], found["MINOR"], last)))
            return whole if whole.count(".") > best.count(".") else best or whole
    return best


def _plain(name: str) -> str:
    return "".join(sign for sign in name.lower() if sign.isalnum())
