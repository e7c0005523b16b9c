"""Inline script metadata (PEP 723): the packages that a single file of Python needs, in comments at its head."""

import re
from typing import Final

from audit.ecosystems.formats import toml_text
from audit.ecosystems.parsed_file import ParsedFile
from audit.ecosystems.python import pyproject
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
    # Without `# `, on the same lines as in the file.
    block = "\n" * first + "\n".join(line[2:] for line in lines)
    data = toml_text.load(block)
    lines_of, indexes = toml_text.TomlLines(block), pyproject.indexes(data)
    tables = pyproject.PyprojectTables(path, lines=lines_of, indexes=indexes, named=pyproject.named_by_uv(data))
    tables.specifiers(data.get("dependencies"), Usage.RUNTIME_IMPORT, "inline script metadata")
    return tables.parsed()
