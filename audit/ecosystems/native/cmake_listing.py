"""What one file of CMake's has said so far: libraries that it asks for, and what the work itself makes."""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from audit import usage
from audit.ecosystems.native import known_libraries
from audit.ecosystems.native.build_file import AskedLibrary
from audit.ecosystems.native.known_libraries import KnownLibrary
from audit.ecosystems.parsed_file import PackageDetails
from audit.facts import Dependency, Finding, Place, Usage

_TEST: Final = re.compile(r"(?:^|/)(?:tests?|testing|unittests?|benchmarks?|examples?)/", re.IGNORECASE)
_FIND_MODULE: Final = re.compile(r"(?:^|/)Find([A-Za-z][A-Za-z0-9_+.-]*)\.cmake$")


@dataclass
class Listing:
    """What one file has said so far."""

    path: str
    asked: list[AskedLibrary] = field(default_factory=list)
    own: set[str] = field(default_factory=set)
    libraries: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    projects: set[str] = field(default_factory=set)
    spaces: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    static: set[str] = field(default_factory=set)
    linkage: str = ""
    built: str = ""
    """How libraries are made whose sources the build brings (`BUILD_SHARED_LIBS`)."""

    def package(self, name: str) -> str:
        """What a target or a pkg-config module is called; within `FindX.cmake` all of them are what `find_package(X)` names."""
        module = _FIND_MODULE.search(self.path)
        return module[1] if module else name

    def library(
        self,
        name: str,
        known: KnownLibrary | None,
        link: str,
        why: str,
        place: Place,
        *,
        target: str = "",
        **more: bool,
    ) -> None:
        """One more library, `static`, `shared` or not said how it is linked; `target` is the word of the linker's by which it is called."""
        module = _FIND_MODULE.search(self.path)
        if module and not target:
            known = known_libraries.by_name(module[1]) or known
            name = module[1]
        said_how = {
            "static": Usage.STATIC_LINK,
            "object": Usage.STATIC_LINK,
            "shared": Usage.DYNAMIC_LINK,
            "module": Usage.DYNAMIC_LINK,
        }
        how = said_how.get(link.lower())
        if how is None and known is None and link:
            how = usage.native(name, link)
        note = "" if how else ", no word on how it is linked"
        details = PackageDetails(direct=True, optional=more.get("optional", False))
        one = known_libraries.dependency(name, known, how, f"{why}{note}", place, **details)
        self.add(
            replace(one, why=why if how is None and one.usage is not Usage.UNKNOWN else one.why),
            target or name,
            is_linked=bool(target),
        )

    def add(self, one: Dependency, name: str, *, is_linked: bool = False) -> None:
        """One more dependency; one of a folder of tests is for tests."""
        if _TEST.search(self.path):
            one = replace(one, usage=Usage.TEST_ONLY, why=f"{one.why}, in a folder of tests")
        self.asked.append(AskedLibrary(name, one, is_linked))
