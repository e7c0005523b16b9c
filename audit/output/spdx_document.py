"""A repository and what it uses as an SPDX 2.3 document: how each thing is used is the type of its relationship.

The specification: spdx.github.io/spdx-spec/v2.3. The table of usages and types is docs/reference/spdx-types.csv.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from audit import display_text
from audit.facts import Cell, Finding, Learned, Repository, RepositoryAudit, Source, Usage
from audit.licenses import expression
from audit.licenses.spdx import lists
from audit.output import json_layout, license_references, suppliers
from audit.output.audit_run import stamp
from audit.output.license_references import UNSAID, entries
from audit.output.shipped_parts import holders, ordered, taken
from audit.texts.copyrights.copyright_holders import copyrights

TYPES: Final = {
    Usage.SOURCE_MERGED: ("CONTAINS", True),
    Usage.VENDORED: ("CONTAINS", True),
    Usage.BUNDLED: ("CONTAINS", True),
    Usage.STATIC_LINK: ("STATIC_LINK", True),
    Usage.DYNAMIC_LINK: ("DYNAMIC_LINK", True),
    Usage.RUNTIME_IMPORT: ("RUNTIME_DEPENDENCY_OF", False),
    Usage.HEADER_ONLY: ("DEPENDS_ON", True),
    Usage.GENERATED_OUTPUT: ("GENERATED_FROM", True),
    Usage.DATA_OR_DOC: ("DATA_FILE_OF", False),
    Usage.MODEL_WEIGHTS: ("DATA_FILE_OF", False),
    Usage.TRAINING_DATA: ("DATA_FILE_OF", False),
    Usage.BUILD_TOOL: ("BUILD_TOOL_OF", False),
    Usage.DEV_TOOL: ("DEV_TOOL_OF", False),
    Usage.TEST_ONLY: ("TEST_DEPENDENCY_OF", False),
    Usage.AGGREGATE: ("CONTAINS", True),
    Usage.SEPARATE_PROCESS: ("HAS_PREREQUISITE", True),
    Usage.NETWORK_SERVICE: ("HAS_PREREQUISITE", True),
    Usage.UNKNOWN: ("DEPENDS_ON", True),
}
"""The type of the relationship, and whether the repository stands on its left; a comment names the usage itself."""
# Types that lead readers from the repository to a package: ntia-conformance-checker, for one, follows no others.
_FOLLOWED: Final = frozenset({"CONTAINS", "DEPENDS_ON", "DYNAMIC_LINK", "HAS_PREREQUISITE", "STATIC_LINK"})
_DOCUMENT: Final = "SPDXRef-DOCUMENT"
_ROOT: Final = "SPDXRef-Repository"
# By this our own reader knows our own documents (audit/ecosystems/sbom/spdx_packages.py): they teach nothing new.
_CREATOR: Final = "Tool: countersign"
_ODD: Final = re.compile(r"[^A-Za-z0-9.-]+")
_PURL: Final = re.compile(r"pkg:[!-~]+/[!-~]+")
_LATEST: Final = re.compile(r"\d+\.\d+")  # The version of the licence list: SPDX takes two of its numbers.
_UNKNOWN: Final = "unknown"  # An unknown version. SPDX has no word for it, and NTIA asks that it be said.
_LOCATION: Final = re.compile(
    r"(?:git\+)?(?:https?|ssh|git|ftp)://([a-z0-9]++(?:[-.][a-z0-9]++){0,100}+)(?::\d{1,5})?(?:/[!-~]*+)?"
)
_MAX_ADDRESS_CHARACTERS: Final = 2_000
# Findings that files of the work are under a licence which its own does not name.
_OF_FILES: Final = frozenset({"license/source", "license/attribution"})
_PACKAGE_URL: Final = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl"}
_Relation = tuple[str, str, str, str]


def sbom(audited: RepositoryAudit, at: datetime, supplier: str | None = None) -> str:
    """The document as JSON text; `at` is the moment of its making. All else, the namespace too, follows from the content.

    `supplier` is the organisation that distributes the repository and has this document made (None: the account in the
    repository's name distributes it, and no organisation is named as an author).
    """
    content = json_layout.members(_content(audited, suppliers.owner(audited.repository, supplier)))
    name = display_text.line(audited.repository.name) or "repository"
    # SPDX asks for a namespace that no other document has: the digest is that of the content.
    digest = json_layout.digest(f"{name}\n{content}")
    version = _LATEST.match(lists().version)
    head = json_layout.members(
        {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": _DOCUMENT,
            "name": name,
            "documentNamespace": f"https://spdx.org/spdxdocs/countersign/{_slug(name)}-{digest}",
            "creationInfo": {
                "created": stamp(at),
                "creators": [_CREATOR, *([_organization(supplier)] if supplier else [])],
                **({"licenseListVersion": version[0]} if version else {}),
            },
        }
    )
    return json_layout.closed(head, content)


def _content(audited: RepositoryAudit, owner: str | None) -> dict[str, Any]:
    extracted: dict[str, set[str]] = {}
    packages: dict[str, dict[str, Any]] = {}
    ids: dict[str, set[str]] = {}
    used: list[tuple[str, Cell]] = []
    for cell in audited.cells:
        package = _package(cell, owner, extracted)
        name = package["SPDXID"]
        # Uses of one package may differ: the same one stands for it in any order of them.
        packages[name] = min(packages[name], package, key=json_layout.line) if name in packages else package
        used.append((name, cell))
        ids.setdefault(cell.dependency.purl or "", set()).add(name)
    relations = {(_DOCUMENT, "DESCRIBES", _ROOT, ""), *_graph(used, ids)}
    content = {
        "packages": [
            _repository(audited.repository, audited.findings, owner, extracted),
            *(packages[name] for name in sorted(packages)),
        ],
        "relationships": [_relation(*relation) for relation in sorted(relations)],
    }
    if extracted:
        content["hasExtractedLicensingInfos"] = [
            {"licenseId": name, "extractedText": min(found)} for name, found in sorted(extracted.items())
        ]
    return content


def _organization(name: str | None) -> str:
    # In SPDX, parentheses behind a name hold an address for mail.
    said = display_text.line(name or "").replace("(", "[").replace(")", "]")
    return f"Organization: {said}" if said else UNSAID


def _of_files(findings: Iterable[Finding]) -> str:
    # In words: `licenseInfoFromFiles` is for packages whose files are all listed.
    found = (finding for finding in findings if finding.code in _OF_FILES)
    return "\n".join(
        f"{display_text.line(str(finding.place))}: {finding.message.rpartition(': ')[0]}." for finding in found
    )


def _repository(
    repository: Repository, findings: Iterable[Finding], owner: str | None, extracted: dict[str, set[str]]
) -> dict[str, Any]:
    under = expression.read(repository.license.expression)
    said = license_references.valid(under, repository.licenses, extracted)
    own = copyrights((text.text for text in ordered(repository.licenses) if "/" not in text.path), under)
    return {
        "SPDXID": _ROOT,
        "name": display_text.line(repository.name) or "repository",
        "versionInfo": display_text.line(repository.head or "") or _UNKNOWN,
        "supplier": _organization(owner),
        "downloadLocation": UNSAID,
        "filesAnalyzed": False,
        "licenseConcluded": said,
        "licenseDeclared": UNSAID if repository.license.source is Source.RULEBOOK else said,  # The rulebook concludes.
        **({"licenseComments": comment} if (comment := _of_files(findings)) else {}),
        "copyrightText": "\n".join(own) or UNSAID,
    }


def _package(cell: Cell, owner: str | None, extracted: dict[str, set[str]]) -> dict[str, Any]:
    dependency = cell.dependency
    concluded = license_references.valid(taken(cell), dependency.licenses, extracted)
    declared = UNSAID
    if dependency.license.source not in (Source.RULEBOOK, Source.UNSTATED):
        declared = license_references.valid(
            expression.read(dependency.license.expression), dependency.licenses, extracted
        )
    name = display_text.line(dependency.name) or "unnamed"
    version = display_text.line(dependency.version or "", 100)
    # Uses under different licences are packages of their own.
    digest = json_layout.digest(
        json_layout.line([dependency.name, dependency.version, dependency.purl, concluded, declared])
    )[:16]
    url = dependency.purl if dependency.purl and _PURL.fullmatch(dependency.purl) else None
    sums = [{"algorithm": each.algorithm, "checksumValue": each.value} for each in dependency.checksums]
    return {
        "SPDXID": f"SPDXRef-Package-{_slug(name)}-{digest}",
        "name": name,
        "versionInfo": version or _UNKNOWN,
        "supplier": _organization(suppliers.supplier(dependency, owner)),
        "downloadLocation": _location(dependency.download),
        "filesAnalyzed": False,
        **({"checksums": sums} if sums else {}),
        "licenseConcluded": concluded,
        "licenseDeclared": declared,
        **({"licenseComments": comment} if (comment := _comment(dependency.license)) else {}),
        "copyrightText": "\n".join(holders(cell)) or UNSAID,
        **({"externalRefs": [_PACKAGE_URL | {"referenceLocator": url}]} if url else {}),
    }


def _comment(said: Learned) -> str:
    if said.source is Source.UNSTATED:
        return ""
    place = f", {display_text.line(str(said.place))}" if said.place else ""
    return f"{display_text.line(said.expression or 'no licence', 300)}: {said.source}{place}"


def _location(address: str | None) -> str:
    """An address that SPDX takes for one: its host has a domain."""
    found = _LOCATION.fullmatch(address) if address and len(address) < _MAX_ADDRESS_CHARACTERS else None
    domain = found[1].rpartition(".") if found else ("", "", "")
    return found[0] if found and domain[0] and len(domain[2]) > 1 and domain[2].isalpha() else UNSAID


def _graph(used: list[tuple[str, Cell]], ids: Mapping[str, Collection[str]]) -> Iterator[_Relation]:
    needs: dict[str, set[str]] = {}
    for name, cell in used:
        found = {other for url in cell.dependency.needs for other in ids.get(url, ())} - {name}
        needs.setdefault(name, set()).update(found)
    yield from ((name, "DEPENDS_ON", other, "") for name, listed in needs.items() for other in listed)
    held: set[str] = set()
    asked: set[str] = set()
    for name, cell in used:
        yield from _relations(name, cell)
        if TYPES[cell.dependency.usage][0] in _FOLLOWED:
            held.add(name)
        elif cell.dependency.direct is not False:
            asked.add(name)
    # Most readers follow relationships only from what depends to what it depends on. So a package that the repository
    # asks for itself, and one to which no other package leads, hangs on it by `DEPENDS_ON`, too.
    begun = entries(needs, held | asked) - held
    for name, cell in used:
        usage = cell.dependency.usage
        if name in begun and TYPES[usage][0] not in _FOLLOWED:
            yield _ROOT, "DEPENDS_ON", name, "" if usage is Usage.RUNTIME_IMPORT else f"usage: {usage}"


def _relations(name: str, cell: Cell) -> Iterator[_Relation]:
    dependency = cell.dependency
    kind, forward = TYPES[dependency.usage]
    left, right = (_ROOT, name) if forward else (name, _ROOT)
    yield left, kind, right, f"usage: {dependency.usage}{', modified' if dependency.modified else ''}"
    if dependency.optional:
        yield name, "OPTIONAL_DEPENDENCY_OF", _ROOT, f"usage: {dependency.usage}"


def _relation(left: str, kind: str, right: str, comment: str) -> dict[str, str]:
    found = {"spdxElementId": left, "relationshipType": kind, "relatedSpdxElement": right}
    return {**found, "comment": comment} if comment else found


def _slug(name: str) -> str:
    return _ODD.sub("-", name).strip("-.")[:80] or "unnamed"
