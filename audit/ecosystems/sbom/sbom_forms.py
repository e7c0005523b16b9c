"""The form of an SBOM under any name, by its beginning: CycloneDX and SPDX, as the table of readers has them."""

import re
from typing import Final

from audit.ecosystems.parsed_file import ParsedFile, not_read

HEAD_CHARACTERS: Final = 4_096
"""Characters at the beginning of a file in which its form stands; programs write it first, or sort the keys."""
_FORMS: Final = tuple(
    (ending, re.compile(mark))
    for ending, mark in (
        (".cdx.json", rb"\s*+\{[\s\S]*\"bomFormat\"\s*+:\s*+\"CycloneDX\""),
        (".spdx.json", rb"\s*+\{[\s\S]*(?:\"spdxVersion\"\s*+:\s*+\"SPDX-|\"SPDXID\"\s*+:\s*+\"SPDXRef-DOCUMENT\"|spdx\.org/rdf/3\.)"),
        (".cdx.xml", rb"\s*+<[\s\S]*<(?:\w++:)?bom\b[^<>]*\bhttp://cyclonedx\.org/schema/bom/|\s*+<bom\b[^<>]*\bhttp://cyclonedx\.org/schema/bom/"),
        (".spdx.rdf", rb"\s*+<[\s\S]*\bhttp://spdx\.org/rdf/terms#[\s\S]*<(?:\w++:)?SpdxDocument\b"),
        (".spdx.xml", rb"\s*+<[\s\S]*<spdxVersion>SPDX-"),
        (".spdx.yaml", rb"(?:[\s\S]*\n)?[\"']?spdxVersion[\"']?[ \t]*+:[ \t]*+[\"']?SPDX-"),
        (".spdx", rb"\s*+SPDXVersion:[ \t]*+SPDX-"),
    )
)  # fmt: skip
# Files of other kinds quote such documents.
_OF_NAME: Final = {
    "json": (".cdx.json", ".spdx.json"),
    "jsonld": (".spdx.json",),
    "xml": (".cdx.xml", ".spdx.rdf", ".spdx.xml"),
    "rdf": (".spdx.rdf",),
    "yaml": (".spdx.yaml",),
    "yml": (".spdx.yaml",),
    "cdx": (".cdx.json", ".cdx.xml"),
    "sbom": (".cdx.json", ".spdx.json", ".cdx.xml", ".spdx"),
    "txt": (".spdx",),
}


def ending(path: str, head: bytes) -> str:
    """The ending under which the table reads a file that begins so; empty for one that is no SBOM."""
    forms = _OF_NAME.get(path.rpartition(".")[2].lower(), ())
    beginning = head[:HEAD_CHARACTERS].removeprefix(b"\xef\xbb\xbf") if forms else b""
    if b"bom" not in beginning and b"spdx" not in beginning.lower():
        return ""
    return next((name for name, mark in _FORMS if name in forms and mark.match(beginning)), "")


def unread(path: str, _content: str) -> ParsedFile:
    """A file that is called an SBOM and has none of the forms."""
    return ParsedFile(findings=(not_read(path, None, "is called an SBOM, and is neither CycloneDX nor SPDX"),))
