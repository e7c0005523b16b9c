"""A repository and what it uses as a CycloneDX 1.6 document in JSON (ECMA-424; cyclonedx.org/docs/1.6/json).

The scope says whether a component is there at run time; how it is used is a property, since CycloneDX has no words for it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from audit import display_text, usage
from audit.facts import Cell, Dependency, Learned, Repository, RepositoryAudit, Source, Text, Usage
from audit.licenses.expression import Expression, read
from audit.output import json_layout, license_references, suppliers
from audit.output.audit_run import stamp
from audit.output.license_references import entries
from audit.output.shipped_parts import holders, taken

TOOL: Final = "countersign"
"""The name by which our own reader (audit/ecosystems/sbom/cyclonedx_reader.py) skips our own documents."""
_ROOT: Final = "repository"
# CycloneDX's spelling of SPDX's algorithms; it has no SHA-224.
_HASHES: Final = {
    "MD5": "MD5", "SHA1": "SHA-1", "SHA256": "SHA-256", "SHA384": "SHA-384", "SHA512": "SHA-512", "SHA3-256": "SHA3-256",
    "SHA3-384": "SHA3-384", "SHA3-512": "SHA3-512", "BLAKE2b-256": "BLAKE2b-256", "BLAKE2b-384": "BLAKE2b-384",
    "BLAKE2b-512": "BLAKE2b-512",
}  # fmt: skip
# Types of components by their usage; all others are libraries.
_KINDS: Final = {
    Usage.DATA_OR_DOC: "data",
    Usage.MODEL_WEIGHTS: "machine-learning-model",
    Usage.TRAINING_DATA: "data",
    Usage.BUILD_TOOL: "application",
    Usage.DEV_TOOL: "application",
    Usage.SEPARATE_PROCESS: "application",
}
_PURL: Final = re.compile(r"pkg:[!-~]+/[!-~]+")


def bom(audited: RepositoryAudit, at: datetime, supplier: str | None = None) -> str:
    """The document as JSON text; `at` is the moment of its making. All else, the serial number too, follows from the content.

    `supplier` is the organisation that distributes the repository and has this document made (None: the account in the
    repository's name distributes it, and the tool alone is named as the maker).
    """
    owner = suppliers.owner(audited.repository, supplier)
    groups: dict[str, list[Cell]] = {}
    for cell in audited.cells:
        groups.setdefault(_reference(cell.dependency), []).append(cell)
    components = [_component(name, cells, owner) for name, cells in sorted(groups.items())]
    content = json_layout.members({"components": components, "dependencies": list(_dependencies(groups))})
    root = _repository(audited.repository, owner)
    # An identifier that follows from a SHA-256 (RFC 9562, version 8).
    found = json_layout.digest(f"{json_layout.line([root, supplier])}\n{content}")
    head = json_layout.members(
        {
            "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "serialNumber": f"urn:uuid:{found[:8]}-{found[8:12]}-8{found[13:16]}-8{found[17:20]}-{found[20:32]}",
            "version": 1,
            "metadata": {
                "timestamp": stamp(at),
                "tools": {"components": [{"type": "application", "name": TOOL}]},
                **({"manufacturer": {"name": display_text.line(supplier)}} if supplier else {}),
                "component": root,
            },
        }
    )
    return json_layout.closed(head, content)


def _repository(repository: Repository, owner: str | None) -> dict[str, Any]:
    ruled = repository.license.source is Source.RULEBOOK
    return {
        "type": "application",
        "bom-ref": _ROOT,
        **({"supplier": {"name": owner}} if owner else {}),
        "name": display_text.line(repository.name) or "repository",
        **({"version": display_text.line(repository.head)} if repository.head else {}),
        **_licenses(read(repository.license.expression), repository.licenses, "concluded" if ruled else "declared"),
    }


def _reference(dependency: Dependency) -> str:
    """The name of a component in its document: one for each package in each version."""
    if dependency.purl and _PURL.fullmatch(dependency.purl):
        return dependency.purl
    digest = json_layout.digest(json_layout.line([dependency.name, dependency.version, dependency.purl]))
    return f"component-{digest[:16]}"


def _component(reference: str, cells: list[Cell], owner: str | None) -> dict[str, Any]:
    """The component of a package; its most binding usage decides its scope and its licence."""
    strongest = usage.strongest(*(cell.dependency.usage for cell in cells))
    cell = min((cell for cell in cells if cell.dependency.usage is strongest), key=_first)
    dependency = cell.dependency
    name = suppliers.supplier(dependency, owner)
    concluded, declared = taken(cell), read(dependency.license.expression)
    chosen = dependency.license.source is Source.RULEBOOK or concluded != declared
    whose = holders(cell)
    # `excluded` is what is not there at run time, `optional` what may be missing then.
    scope = "optional" if all(cell.dependency.optional for cell in cells) else "required"
    scope = "excluded" if strongest in usage.NOT_SHIPPED else scope
    hashes = [
        {"alg": _HASHES[checksum.algorithm], "content": checksum.value}
        for checksum in dependency.checksums
        if checksum.algorithm in _HASHES
    ]
    kind = "vcs" if (dependency.download or "").startswith("git") else "distribution"
    return {
        "type": _KINDS.get(strongest, "library"),
        "bom-ref": reference,
        **({"supplier": {"name": name}} if name else {}),
        "name": display_text.line(dependency.name) or "unnamed",
        **({"version": display_text.line(dependency.version, 100)} if dependency.version else {}),
        "scope": scope,
        **({"hashes": hashes} if hashes else {}),
        **_licenses(concluded, dependency.licenses, "concluded" if chosen else "declared"),
        **({"copyright": "\n".join(whose)} if whose else {}),
        **({"purl": dependency.purl} if reference == dependency.purl else {}),
        **({"externalReferences": [{"url": dependency.download, "type": kind}]} if dependency.download else {}),
        "properties": list(_properties(cells, dependency.license if chosen else None)),
    }


def _first(cell: Cell) -> tuple[str, str, str]:
    # One of several uses that are alike speaks for the component, the same one in any order of them.
    dependency = cell.dependency
    return cell.judgement.branch or dependency.license.expression or "", dependency.download or "", dependency.why


def _properties(cells: list[Cell], ruled: Learned | None) -> Iterator[dict[str, str]]:
    for each in sorted({cell.dependency.usage for cell in cells}):
        yield {"name": "countersign:usage", "value": each}
    for verdict in sorted({cell.judgement.verdict for cell in cells}):
        yield {"name": "countersign:verdict", "value": verdict}
    if any(cell.dependency.modified for cell in cells):
        yield {"name": "countersign:modified", "value": "true"}
    if ruled and ruled.expression and ruled.source is not Source.RULEBOOK:
        yield {"name": "countersign:license:declared", "value": display_text.line(ruled.expression, 300)}


def _licenses(said: Expression | None, texts: Iterable[Text], how: str) -> dict[str, Any]:
    """An expression; a licence that SPDX does not have, by its name with its text. Nothing where none can be read."""
    if said is None:
        return {}
    extracted: dict[str, set[str]] = {}
    listed = list(texts)
    words = license_references.valid(said, listed, extracted)
    # An expression may hold ids of SPDX's list; a licence that is not there has a name.
    if words not in extracted:
        return {"licenses": [{"expression": words, "acknowledgement": how}]}
    text = {"text": {"contentType": "text/plain", "content": min(extracted[words])}} if listed else {}
    return {"licenses": [{"license": {"name": display_text.line(str(said)), "acknowledgement": how, **text}}]}


def _dependencies(groups: Mapping[str, list[Cell]]) -> Iterator[dict[str, Any]]:
    """The repository needs what is direct, or what nothing else leads to; a package what its lock file says."""
    brings = {
        name: sorted({url for cell in cells for url in cell.dependency.needs if url in groups and url != name})
        for name, cells in sorted(groups.items())
    }
    # A dependency may be direct where no file says it.
    asked = {name for name, cells in groups.items() if any(cell.dependency.direct is not False for cell in cells)}
    own = sorted(entries(brings, asked))
    yield {"ref": _ROOT, "dependsOn": own}
    yield from ({"ref": name, "dependsOn": listed} for name, listed in brings.items())
