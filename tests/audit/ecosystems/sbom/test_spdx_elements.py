"""Parts that all SPDX notations share: the licence that counts, and the faults."""

import pytest
from spdx_tools.spdx.parser.error import SPDXParsingError

from audit.ecosystems.parsed_file import ParseError
from audit.ecosystems.sbom.spdx_elements import ParsedDocument, first_stated, parse_element, reason


@pytest.mark.parametrize(
    ("stated", "first"),
    [
        (("MIT", "Zlib"), "MIT"), (("NOASSERTION", "Zlib"), "Zlib"), (("NONE", None), ""), ((None, 7), ""), ((), ""),
    ],
)  # fmt: skip
def test_the_concluded_licence_comes_before_the_declared_one(stated, first):
    assert first_stated(*stated) == first


def refuse(_value):
    """As spdx-tools does."""
    raise SPDXParsingError(["no name", "no id"])


def test_an_element_that_cannot_be_parsed_is_a_fault_and_others_stay():
    document = ParsedDocument()
    assert parse_element(document, "packages", 7, refuse, {}) is None
    assert parse_element(document, "packages", 8, len, "four") == 4
    assert document.faults == [("packages", 7, "no name; no id")]


def test_too_many_faults_refuse_the_document_and_tell_the_first():
    document = ParsedDocument()
    for number in range(200):
        parse_element(document, "packages", number, refuse, {})
    with pytest.raises(ParseError, match=r"more than 200 .* \(the first of its packages: no name; no id\)"):
        parse_element(document, "packages", 200, refuse, {})


def test_an_error_without_words_is_called_by_its_kind():
    assert reason(AssertionError()) == "AssertionError"
