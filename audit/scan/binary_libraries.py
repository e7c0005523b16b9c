"""Libraries in binary form that lie in the tree (`libs/libx.so`, `lib/x-1.2.jar`): works of which no manifest tells."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from audit.ecosystems import purls
from audit.ecosystems.origins import NO_REGISTRY
from audit.ecosystems.purls import bare
from audit.facts import Dependency, Place, Usage
from audit.scan.decoding import shown
from audit.usage import FOLDERS, NOT_SHIPPED, usage_by_folder

_LIBRARY: Final = re.compile(
    r"(?P<name>[^/]{1,100}?)(?:-(?P<version>\d[\w.+]{0,40})(?:-[\w.-]{1,100})?)?"
    r"\.(?P<kind>jar|aar|whl|nupkg|dll|dylib|a|so(?:\.\d{1,6}){0,4})",
    re.IGNORECASE,
)
_WRAPPERS: Final = ("gradle/wrapper/gradle-wrapper.jar", ".mvn/wrapper/maven-wrapper.jar")
"""What starts Gradle and Maven; both write it into the repository themselves."""
_MAX_PLACES: Final = 50
MAX_LIBRARIES: Final = 2_000
"""Files of this kind that are looked at."""


def is_library(name: str) -> bool:
    """Whether a file is one by its name."""
    return _LIBRARY.fullmatch(name) is not None


def with_libraries(listed: Sequence[Dependency], paths: Iterable[str]) -> list[Dependency]:
    """The dependencies with these files: places of a library that a build names or takes from a file, else dependencies of their own.

    What is in such a file is not looked at, so its licence is not known until somebody says it.
    """
    found = list(listed)
    named = {bare(one.name): at for at, one in enumerate(found) if _is_of_no_registry(one)}
    own: dict[tuple[str, str, Usage], Dependency] = {}
    for path in sorted(paths):
        one = _dependency(path)
        at = named.get(bare(one.name))
        if at is not None and (one.usage in NOT_SHIPPED or found[at].usage not in NOT_SHIPPED):
            found[at] = replace(found[at], places=(*found[at].places, *one.places)[:_MAX_PLACES])
            continue
        key = (one.name, one.version or "", one.usage)
        known = own.get(key, replace(one, places=()))
        own[key] = replace(known, places=(*known.places, *one.places)[:_MAX_PLACES])
    return [*found, *own.values()]


def _is_of_no_registry(one: Dependency) -> bool:
    return purls.kind_of(one.purl) in {"", "generic", "conan"} or f"={NO_REGISTRY}" in (one.purl or "")


def _dependency(path: str) -> Dependency:
    """One file as a dependency; a static library is linked as such, anything else is loaded."""
    file = path.rpartition("/")[2]
    parts = _LIBRARY.fullmatch(file)
    name, version, kind = (parts["name"], parts["version"], parts["kind"].lower()) if parts else (file, None, "")
    is_native = kind in {"a", "dylib"} or kind.startswith("so")
    name = name[3:] if is_native and name.startswith("lib") and len(name) > 3 else name
    apart = usage_by_folder(path)
    how = apart or (Usage.STATIC_LINK if kind == "a" else Usage.DYNAMIC_LINK)
    how = Usage.BUILD_TOOL if path.endswith(_WRAPPERS) else how
    why = "a library in binary form lies in the tree" + (f", in a folder of {FOLDERS[apart]}" if apart else "")
    url = purls.purl("generic", name.lower(), version)
    return Dependency(
        name=name, version=version, purl=url, usage=how, why=why, places=(Place(shown(path)),), direct=True
    )
