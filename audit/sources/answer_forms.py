"""Answers of registries that are no JSON as the mappings that the same statements make in JSON: an index, metadata, a POM, a nuspec."""

import re
from html import unescape
from typing import Any, Final

from audit.ecosystems.formats import xml_text
from audit.ecosystems.parsed_file import ParseError
from audit.scan import python_metadata
from audit.sources.answers import MAX_ANSWER_BYTES, GarbledAnswer, parsed

_LINK: Final = re.compile(r"<a(\s[^<>]*+)>([^<]*+)", re.IGNORECASE)  # In attributes `<` and `>` are escaped (PEP 503).
_ATTRIBUTE: Final = re.compile(r"""\s([a-z-]++)=(?:"([^"]*+)"|'([^']*+)')""", re.IGNORECASE)


def index(data: bytes) -> dict[str, Any]:
    """A package's page of Python's simple index, by PEP 691 (JSON) or PEP 503 (HTML). Raises GarbledAnswer."""
    if data.lstrip()[:1] != b"<":  # A mirror may send HTML all the same.
        return parsed(data)
    return {"files": [_file(*found.groups()) for found in _LINK.finditer(_text(data))]}


def _file(attributes: str, name: str) -> dict[str, Any]:
    given = {match[1].casefold(): match[2] or match[3] or "" for match in _ATTRIBUTE.finditer(attributes)}
    said = "data-core-metadata" in given or "data-dist-info-metadata" in given  # PEP 714 renamed it.
    url = unescape(given.get("href", ""))
    return {"filename": unescape(name).strip(), "url": url, "yanked": "data-yanked" in given, "core-metadata": said}


def metadata(data: bytes) -> dict[str, Any]:
    """Python's core metadata, in the form of PyPI's JSON. Raises GarbledAnswer."""
    fields: dict[str, list[str]] = {}
    for header in python_metadata.headers(_text(data)):
        fields.setdefault(header.name.casefold(), []).append(header.value)
    if "metadata-version" not in fields:  # Each such file has one.
        raise GarbledAnswer("no metadata of a Python package")
    stated, free = (fields.get(name, [None])[0] for name in ("license-expression", "license"))
    return {"info": {"license_expression": stated, "license": free, "classifiers": fields.get("classifier", [])}}


def pom(data: bytes) -> dict[str, Any]:
    """A POM: the names of its licences, and its parent's coordinates. Raises GarbledAnswer."""
    root = _root(data)
    parent = root.first("parent")
    names = ("groupId", "artifactId", "version")
    return {
        "licenses": [element.get("name") or element.get("url") for element in root.all("licenses", "license")],
        "parent": [parent.get(name) for name in names] if parent else [],
    }


def nuspec(data: bytes) -> dict[str, Any]:
    """NuGet's manifest: the type and the words of its licence, and the older form, an address. Raises GarbledAnswer."""
    found = next(iter(_root(data).all("metadata")), None)
    stated = found.first("license") if found else None
    return {
        "type": stated.attributes.get("type", "") if stated else "",
        "license": stated.words.strip() if stated else "",
        "url": found.get("licenseUrl") if found else "",
    }


def _root(data: bytes) -> xml_text.XmlElement:
    try:
        return xml_text.load(_text(data))
    except ParseError as error:
        raise GarbledAnswer(error.why[:100]) from None


def _text(data: bytes) -> str:
    if len(data) > MAX_ANSWER_BYTES:
        raise GarbledAnswer(f"more than {MAX_ANSWER_BYTES:,} bytes")
    try:
        return data.decode("utf-8-sig")  # A byte order mark may come first.
    except UnicodeDecodeError:
        raise GarbledAnswer("no UTF-8 text") from None
