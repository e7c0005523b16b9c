"""XML as plain nodes with lines: no document type, no entities, no depth that harms."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler

import defusedxml.sax
from defusedxml.common import DefusedXmlException

from audit.ecosystems.parsed_file import ParseError

MAX_DEPTH: Final = 100  # No real manifest is nested like this.
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class XmlElement:
    """An element: its name without a prefix, its line, its text, its children, and its attributes where it has some."""

    __slots__ = ("attributes", "children", "line", "name", "words")

    def __init__(self, name: str, line: int, attributes: Mapping[str, str] = _NONE) -> None:
        self.name, self.line, self.words, self.attributes = name, line, "", attributes
        self.children: list[XmlElement] = []

    def first(self, name: str) -> "XmlElement | None":
        return next((child for child in self.children if child.name == name), None)

    def get(self, name: str) -> str:
        """The text of the first child of this name, trimmed; empty if there is none."""
        child = self.first(name)
        return child.words.strip() if child else ""

    def all(self, *names: str) -> "list[XmlElement]":
        """All elements at the end of a path of names."""
        found = [self]
        for name in names:
            found = [child for element in found for child in element.children if child.name == name]
        return found


class _Builder(ContentHandler):
    def __init__(self) -> None:
        super().__init__()
        self.root = XmlElement("", 0)
        self.stack = [self.root]
        self.parts: list[str] = []
        self.locator: Any = None

    def setDocumentLocator(self, locator: Any) -> None:  # noqa: N802 - the standard library's name
        self.locator = locator

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802 - the standard library's name
        if len(self.stack) > MAX_DEPTH:
            raise ParseError("nested too deeply", self.locator.getLineNumber(), "file/refused")
        # A prefix is each document's own choice.
        node = XmlElement(
            name.rpartition(":")[2], self.locator.getLineNumber(), dict(attrs.items()) if attrs else _NONE
        )
        self.stack[-1].children.append(node)
        self.stack.append(node)
        self.parts = []

    def endElement(self, name: str) -> None:  # noqa: N802, ARG002 - the standard library's name and form
        node = self.stack.pop()
        if not node.children:  # Between children stands only white space.
            node.words = "".join(self.parts)
        self.parts = []

    def characters(self, content: str) -> None:
        self.parts.append(content)


def undeclared(content: str) -> str:
    """The text without its declaration, whose encoding holds no longer; its lines keep their numbers."""
    # The parser would decode UTF-8 by the encoding that the file declared.
    _, declaration, rest = content.partition("?>") if content.lstrip().startswith("<?xml") else ("", "", content)
    return "\n" * content[: len(content) - len(rest)].count("\n") + rest if declaration else content


def load(content: str) -> XmlElement:
    """The root element; ParseError says why not and at which line."""
    builder = _Builder()
    try:
        # Lone surrogates cannot be encoded; DTDs declare entities, which may grow without end or name other files.
        defusedxml.sax.parseString(undeclared(content).encode("utf-8", "replace"), builder, forbid_dtd=True)
    except SAXParseException as error:
        raise ParseError(f"this is not XML: {error.getMessage()}", error.getLineNumber()) from None
    except DefusedXmlException:
        raise ParseError("a document type or an entity, which may hide a bomb", None, "file/refused") from None
    except (SAXException, ValueError) as error:
        raise ParseError(f"this is not XML: {error}") from None
    if not builder.root.children:
        raise ParseError("this is not XML: there is no element", 1)
    return builder.root.children[0]
