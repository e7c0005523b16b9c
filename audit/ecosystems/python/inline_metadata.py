"""Inline script metadata (PEP 723): the packages that a single file of Python needs, in comments at its head."""

import re
from typing import Final

from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import toml_text
from audit.ecosystems.parsed_file import ParsedFile, said, texts
from audit.ecosystems.python import specifiers
from audit.facts import Usage

_BLOCK: Final = re.compile(r"^# /// script[ \t]*+\r?\n((?:#(?: [^\n]*+)?\r?\n)++)", re.MULTILINE)
_END: Final = re.compile(r"^# ///[ \t]*+\r?$", re.MULTILINE)
MARK: Final = "# /// script"


def read(path: str, content: str) -> ParsedFile:
    """The requirements of the block; nothing of a file without one. Raises ParseError for a block that is no TOML."""
    found = _BLOCK.search(content)
    if found is None:
        return ParsedFile()
    # As in PEP 723's own pattern, the last `# ///` ends the block.
    ends = [match.start() for match in _END.finditer(found[1])]
    lines = found[1][: ends[-1]].splitlines() if ends else []
    first = content.count("\n", 0, found.start()) + 1
    data = toml_text.load("\n".join(line[2:] for line in lines))  # Without `# `.
    dependencies = DependencyList(path)
    for words in texts(data.get("dependencies")):
        line = next((number for number, comment in enumerate(lines, first + 1) if words in comment), first)
        why, place = "inline script metadata: dependencies", dependencies.place(line, words)
        dependency = specifiers.dependency(words, Usage.RUNTIME_IMPORT, why, place)
        if dependency:
            dependencies.dependencies.append(dependency)
        else:
            dependencies.unreadable(line, f"no requirement: {said(words)!r}")
    return dependencies.parsed()
