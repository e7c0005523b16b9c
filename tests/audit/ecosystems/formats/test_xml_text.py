"""XML as nodes with lines."""

import pytest

from audit.ecosystems.formats import xml_text
from audit.ecosystems.parsed_file import ParseError


def test_nodes_have_names_without_prefixes_lines_and_texts_in_any_encoding():
    root = xml_text.load('<?xml version="1.0"\n encoding="latin-1"?>\n<m:p>\n <a> é </a><a/>\n <b><c>x</c></b></m:p>')

    assert (root.name, root.line, root.get("a"), len(root.all("a")), root.get("none")) == ("p", 3, "é", 2, "")
    assert [(element.words, element.line) for element in root.all("b", "c")] == [("x", 5)]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "file/refused"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "file/refused"),
        ("<a>" * 200, "file/refused"),
        ("<a>", "file/broken"),
        ("", "file/broken"),
        ("\x00", "file/broken"),
        ("<a>\ud800", "file/broken"),
    ],
)
def test_broken_deep_or_doctype_xml_is_refused(content, code):
    with pytest.raises(ParseError) as caught:
        xml_text.load(content)

    assert caught.value.code == code


def test_attributes_of_elements_are_kept():
    root = xml_text.load('<a b="1" c=""><d/></a>')
    assert (dict(root.attributes), dict(root.children[0].attributes)) == ({"b": "1", "c": ""}, {})
