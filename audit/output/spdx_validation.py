"""Is an SPDX document valid: spdx-tools' own checks, asked part by part, with the ids of the document looked up once.

spdx-tools' validator of whole documents reads all ids anew for every relationship (its issues 742 and 818): 22 seconds for 5,000
packages. docs/decisions/sbom.md says what is asked here and what is not.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from spdx_tools.spdx.model.document import Document
from spdx_tools.spdx.model.relationship import RelationshipType
from spdx_tools.spdx.parser.error import SPDXParsingError
from spdx_tools.spdx.parser.jsonlikedict.json_like_dict_parser import JsonLikeDictParser
from spdx_tools.spdx.validation.annotation_validator import validate_annotations
from spdx_tools.spdx.validation.creation_info_validator import validate_creation_info
from spdx_tools.spdx.validation.extracted_licensing_info_validator import validate_extracted_licensing_infos
from spdx_tools.spdx.validation.license_expression_validator import validate_license_expression
from spdx_tools.spdx.validation.package_validator import validate_package
from spdx_tools.spdx.validation.spdx_id_validators import validate_spdx_id
from spdx_tools.spdx.validation.validation_message import ValidationMessage

from audit import display_text
from audit.licenses.spdx import lists

_VERSION = "SPDX-2.3"
_MAX_FAULTS = 50  # Faults that are reported of a document.
_PARSER: Any = JsonLikeDictParser  # Any: its constructor has no types.
# The tool's list is older than ours: what ours knows is recognized.
_UNRECOGNIZED = re.compile(r"Unrecognized license reference: (\S+)\. ")


def faults(text: str) -> tuple[str, ...]:
    """The faults of this SPDX 2.3 document of packages in JSON, in words; none when it is valid. Never raises."""
    try:
        document = _PARSER().parse(json.loads(text))
    except SPDXParsingError as error:
        return tuple(map(str, error.messages))
    # spdx-tools fails in any of these ways for what is no document.
    except (ValueError, RecursionError, TypeError, AttributeError) as error:
        return (f"no SPDX document in JSON: {error}",)
    return tuple(_faults(document))


def report(documents: Iterable[tuple[str, str]]) -> tuple[list[str], bool]:
    """The faults of these (name, text), a line each, with a line for the whole; and whether all are valid."""
    lines, valid, count = list[str](), 0, 0
    for name, text in documents:
        found = faults(text)
        count, valid = count + 1, valid + (not found)
        lines += [f"{name}: {fault}" for fault in found[:_MAX_FAULTS]]
        if len(found) > _MAX_FAULTS:
            lines.append(f"{name}: and {len(found) - _MAX_FAULTS:,} faults more")
    lines.append(
        f"spdx-tools: {valid:,} of {display_text.count(count, 'SBOM', 'SBOMs')} {'is' if count == 1 else 'are'} valid"
    )
    return lines, valid == count


def _faults(document: Document) -> Iterator[str]:
    info = document.creation_info
    if info.spdx_version != _VERSION or document.files or document.snippets:
        yield f"only documents of {_VERSION} with packages alone are checked"
        return
    yield from _said(validate_creation_info(info, _VERSION))
    yield from _packages(document)
    # Annotations name elements, as relationships do; ours has none but could be asked about another.
    yield from _said(validate_annotations(document.annotations, document))
    yield from _said(validate_extracted_licensing_infos(document.extracted_licensing_info))
    yield from _relations(document)


def _packages(document: Document) -> Iterator[str]:
    # Without its packages: the check of one part would look up all ids of the document.
    bare = Document(document.creation_info, extracted_licensing_info=document.extracted_licensing_info)
    expressions: dict[str, Any] = {}
    for package in document.packages:
        yield from validate_spdx_id(package.spdx_id, bare)
        yield from _said(validate_package(package, _VERSION))
        both = (package.license_concluded, package.license_declared)
        expressions |= {str(value): value for value in both if value is not None}  # Each is checked once.
    for expression in expressions.values():
        for said in _said(validate_license_expression(expression, bare, _id(document))):
            unknown = _UNRECOGNIZED.match(said)
            if not unknown or unknown[1] not in lists().licenses:
                yield said


def _id(document: Document) -> str:
    return str(document.creation_info.spdx_id)


def _relations(document: Document) -> Iterator[str]:
    count = Counter([_id(document), *(package.spdx_id for package in document.packages)])
    yield from (f"the id {name} stands {times} times" for name, times in count.items() if times > 1)
    for relationship in document.relationships:
        # NONE and NOASSERTION are no texts: they name nothing.
        for name in (relationship.spdx_element_id, relationship.related_spdx_element_id):
            if isinstance(name, str) and name not in count:
                yield f"a relationship names {name}, which does not exist"
    described = any(
        relationship.relationship_type is RelationshipType.DESCRIBES for relationship in document.relationships
    )
    if len(document.packages) != 1 and not described:
        yield "nothing says what the document describes"


def _said(messages: Iterable[ValidationMessage]) -> Iterator[str]:
    return (message.validation_message for message in messages)
