""".gitmodules: other repositories whose sources lie in the tree."""

import re
from typing import Final

from audit import usage
from audit.ecosystems import artifacts
from audit.ecosystems.parsed_file import ParsedFile, dependency_at, finding, said
from audit.ecosystems.purls import name_of_address, of_address
from audit.facts import Dependency, Finding, Place, Usage

_SECTION: Final = re.compile(r"\[submodule[ \t]++\"([^\"\n]*+)\"[ \t]*+\]")
_VALUE: Final = re.compile(r"(path|url|branch)[ \t]*+=[ \t]*+([^\n]*+)")
_TEST: Final = re.compile(r"(?:^|/)(?:tests?|testing|benchmarks?)(?:/|$)", re.IGNORECASE)


def why(folder: str) -> str:
    """The reason for which the repository in a folder is used."""
    return f".gitmodules: sources in {said(folder.strip('/'))}"


def read(path: str, content: str) -> ParsedFile:
    """Each submodule, its commit unknown (it stands in no file), used as sources that were taken over."""
    sections: list[tuple[int, dict[str, str]]] = []
    for number, raw in enumerate(content.split("\n"), 1):
        line = raw.strip()
        if _SECTION.fullmatch(line):
            sections.append((number, {}))
        elif sections and (pair := _VALUE.fullmatch(line)):
            sections[-1][1][pair[1]] = pair[2].strip()
    found: list[Dependency] = []
    findings: list[Finding] = []
    # An empty file is what git leaves when the last submodule goes.
    if content.strip() and not sections:
        findings.append(finding("file/broken", path, 1, 'there is no [submodule "…"]: nothing was read of this file'))
    for number, values in sections:
        folder, url = values.get("path", ""), values.get("url", "")
        name = name_of_address(url) or folder.rpartition("/")[2]
        if not url or not name:
            findings.append(finding("dependency/unreadable", path, number, "a submodule without a url"))
            continue
        local = url.startswith(("./", "../"))  # Relative to the repository's own address.
        how = usage.by_name(name) or (Usage.TEST_ONLY if _TEST.search(folder) else Usage.VENDORED)
        place = Place(path, number, said(url))
        known, download = (None, None) if local else (of_address(url, None, name), artifacts.repository(url, None))
        found.append(dependency_at(place, name, None, known, how, why(folder), direct=True, download=download))
    return ParsedFile(dependencies=tuple(found), findings=tuple(findings))
