"""What one file of CMake's has said so far: libraries that it asks for, and what the work itself makes."""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from audit import usage
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.native import known_libraries
from audit.ecosystems.native.known_libraries import KnownLibrary
from audit.ecosystems.parsed_file import AskedLibrary
from audit.facts import Dependency, Place, Usage

_TEST: Final = re.compile(r"(?:^|/)(?:tests?|testing|unittests?|benchmarks?|examples?)/", re.IGNORECASE)
_FIND_MODULE: Final = re.compile(r"(?:^|/)Find([A-Za-z][A-Za-z0-9_+.-]*)\.cmake$")

_LINKED: Final = {"static": Usage.STATIC_LINK, "object": Usage.STATIC_LINK} | dict.fromkeys(
    ("shared", "module"), Usage.DYNAMIC_LINK
)


@dataclass
class Listing(DependencyList):
    """What one file has said so far."""

    asked: list[AskedLibrary] = field(default_factory=list)
    libraries: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    projects: set[str] = field(default_factory=set)
    spaces: set[str] = field(default_factory=set)
    static: set[str] = field(default_factory=set)
    linkage: str = ""
    built: str = ""
    """How libraries are made whose sources the build brings (`BUILD_SHARED_LIBS`)."""

    def library(
        self,
        name: str,
        known: KnownLibrary | None,
        link: str,
        why: str,
        place: Place,
        *,
        target: str = "",
    ) -> None:
        """One more library, `static`, `shared` or not said how it is linked; `target` is the word of the linker's by which it is called."""
        module = _FIND_MODULE.search(self.path)
        if module and not target:
            known = known_libraries.by_name(module[1]) or known
            name = module[1]
        how = _LINKED.get(link.lower())
        if how is None and known is None and link:
            how = usage.native(name, link)
        note = "" if how else ", no word on how it is linked"
        one = known_libraries.dependency(name, known, how, f"{why}{note}", place)
        self.ask(
            replace(one, why=why if how is None and one.usage is not Usage.UNKNOWN else one.why),
            target or name,
            is_linked=bool(target),
        )

    def ask(self, one: Dependency, name: str, *, is_linked: bool = False) -> None:
        """One more dependency; one of a folder of tests is for tests."""
        if _TEST.search(self.path):
            one = replace(one, usage=Usage.TEST_ONLY, why=f"{one.why}, in a folder of tests")
        self.asked.append(AskedLibrary(name, one, is_linked))
