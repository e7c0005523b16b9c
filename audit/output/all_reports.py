"""All files of an audit: the page, the reports for people and programs on top, and a folder for each repository."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from audit.output import json_layout
from audit.output.audit_run import AuditRun
from audit.output.compatibility_page import matrix
from audit.output.cyclonedx import bom
from audit.output.dependency_table import Escape, dependency_table
from audit.output.html_report import page
from audit.output.json_reports import dependency_licenses, report
from audit.output.notice import notice
from audit.output.sarif import sarif
from audit.output.spdx_document import sbom
from audit.output.third_party import third_party

_ODD: Final = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_FOLDER_NAME_CHARACTERS: Final = 80  # Characters of one folder's name.
# Windows reserves names of devices; the others are our own files.
_RESERVED: Final = re.compile(
    r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?"
    r"|license-compatibility\.md|report\.[a-z0-9-]+|notice|third-party-licenses|sbom\.spdx\.json|bom\.cdx\.json"
    r"|dependency-licenses\.json|dependencies\.csv|licenses\.sarif"
)
_FORMAT: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
FORMATS: Final[dict[str, Callable[[AuditRun], str]]] = {}
"""Functions that write a whole run as one text, by the name of the format; `report.NAME` is its file."""


def register(name: str, write: Callable[[AuditRun], str]) -> None:
    """Add a format. Raises ValueError for a name that exists, or that cannot be the end of a file's name."""
    if name in {*FORMATS, "github", "sarif", "text"}:  # The last three are the command's own.
        raise ValueError(f"the format {name} exists already")
    if not _FORMAT.fullmatch(name):
        raise ValueError(f"the format {name!r} must be called by 1 to 40 lower-case letters, digits and hyphens")
    FORMATS[name] = write


register("json", report)
register("html", page)
OUR_FORMATS: Final = tuple(FORMATS)
"""Formats of every audit; the others are a plugin's, and written where they are asked for, by `countersign audit`."""


def each(whole: AuditRun, escape: Escape, supplier: str | None = None) -> Iterator[tuple[str, bytes]]:
    """The path of each file below the folder of the audit, and its bytes; all but the moment follows from the findings.

    `escape` makes a value harmless as a cell of a spreadsheet, `supplier` is the organisation that distributes the
    repositories and has the files made (None: no organisation is named).
    """
    yield from on_top(whole, FORMATS)
    taken: set[str] = set()
    for audit in whole.repositories:
        place = folder(audit.repository.name, taken)
        alone = replace(whole, repositories=(audit,))
        yield from ((f"{place}/{name}", data) for name, data in below(alone, escape, supplier))


def sboms(whole: AuditRun) -> Iterator[tuple[str, bytes]]:
    """The SBOMs alone, as `each` gives them."""
    taken: set[str] = set()
    for audit in whole.repositories:
        yield f"{folder(audit.repository.name, taken)}/sbom.spdx.json", _bytes(sbom(audit, whole.at))


def on_top(whole: AuditRun, formats: Iterable[str] = OUR_FORMATS) -> Iterator[tuple[str, bytes]]:
    """The files about all repositories; they tell nothing of texts."""
    yield "LICENSE-COMPATIBILITY.md", _bytes(matrix(whole))
    for name in formats:
        yield f"report.{name}", _bytes(FORMATS[name](whole))


def below(alone: AuditRun, escape: Escape, supplier: str | None = None) -> Iterator[tuple[str, bytes]]:
    """The files about the one repository of a run; some say when they were made, all else follows from what was found."""
    (audit,) = alone.repositories
    yield "NOTICE", _bytes(notice(audit))
    yield "THIRD-PARTY-LICENSES", _bytes(third_party(audit))
    yield "sbom.spdx.json", _bytes(sbom(audit, alone.at, supplier))
    yield "bom.cdx.json", _bytes(bom(audit, alone.at, supplier))
    yield "dependency-licenses.json", _bytes(dependency_licenses(audit))
    yield "dependencies.csv", _bytes(dependency_table(audit, escape, supplier))
    yield "licenses.sarif", _bytes(sarif(alone))


def folder(name: str, taken: set[str]) -> str:
    """`owner/name` as one or two folders; for any name it leads nowhere else, and no other repository has it (`taken`)."""
    # Dots at the beginning are cut off: `..` would lead out of the audit's folder.
    parts = [_ODD.sub("-", part)[:_MAX_FOLDER_NAME_CHARACTERS].lstrip(".") for part in name.split("/")]
    safe = "/".join(part for part in parts[-2:] if part)
    odd = not safe or safe != name or any(_RESERVED.fullmatch(part) for part in safe.split("/"))
    bare, number = safe or "repository", 0
    # Some file systems take names in other letters for the same.
    while odd or safe.casefold() in taken:
        digest = json_layout.digest(f"{name}{number or ''}")[:8]
        safe, odd, number = f"{bare}-{digest}", False, number + 1
    taken.add(safe.casefold())
    return safe


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")  # Half of a surrogate pair has no bytes.
