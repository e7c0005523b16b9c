"""SPDX documents: relationships say how each package is used."""

import json

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines


def document(*relations, creators=("Tool: x",)):
    """A document of a root and one package, related so."""
    return json.dumps(
        {
            "spdxVersion": "SPDX-2.3",
            "creationInfo": {"creators": list(creators)},
            "packages": [
                {"SPDXID": "SPDXRef-Root", "name": "root"},
                {
                    "SPDXID": "SPDXRef-a",
                    "name": "a",
                    "versionInfo": "1",
                    "licenseConcluded": "NOASSERTION",
                    "licenseDeclared": "MIT",
                    "externalRefs": [{"referenceType": "purl", "referenceLocator": "pkg:pypi/A@1"}],
                },
            ],
            "relationships": [
                {"spdxElementId": left, "relationshipType": kind, "relatedSpdxElement": right}
                for left, kind, right in [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Root"), *relations]
            ],
        },
        indent=1,
    )


@pytest.mark.parametrize(
    ("kind", "back", "expected"),
    [
        ("DEPENDS_ON", False, "runtime-import direct"),
        ("STATIC_LINK", False, "static-link direct"),
        ("DYNAMIC_LINK", False, "dynamic-link direct"),
        ("CONTAINS", False, "bundled direct"),
        ("BUILD_TOOL_OF", True, "build-tool direct"),
        ("DEV_DEPENDENCY_OF", True, "dev-tool direct"),
        ("TEST_DEPENDENCY_OF", True, "test-only direct"),
        ("OPTIONAL_DEPENDENCY_OF", True, "runtime-import direct optional"),
        ("COPY_OF", True, "runtime-import"),
    ],
)
def test_each_relationship_gives_a_usage_in_its_direction(kind, back, expected):
    pair = ("SPDXRef-a", kind, "SPDXRef-Root") if back else ("SPDXRef-Root", kind, "SPDXRef-a")
    assert dependency_lines("x.spdx.json", document(pair)) == [f"pkg:pypi/a@1 {expected} :13 MIT"]


def test_the_most_binding_of_several_relationships_counts():
    pairs = [("SPDXRef-a", "TEST_DEPENDENCY_OF", "SPDXRef-Root"), ("SPDXRef-Root", "STATIC_LINK", "SPDXRef-a")]
    assert dependency_lines("x.spdx.json", document(*pairs)) == ["pkg:pypi/a@1 static-link direct :13 MIT"]


def test_tag_value_documents_give_the_same_packages():
    content = """SPDXVersion: SPDX-2.3
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-Root
PackageName: root
SPDXID: SPDXRef-Root
PackageName: a
SPDXID: SPDXRef-a
PackageVersion: 1
PackageLicenseDeclared: MIT
ExternalRef: PACKAGE-MANAGER purl pkg:cargo/a@1
Relationship: SPDXRef-Root DEPENDS_ON SPDXRef-a
FileName: ./x
SPDXID: SPDXRef-x
LicenseConcluded: Zlib
"""
    assert dependency_lines("x.spdx", content) == ["pkg:cargo/a@1 static-link direct :5 MIT"]


@pytest.mark.parametrize(
    ("lines", "line"),
    [("garbage", 3), ("# a comment\nCreator: Tool: x\ngarbage", 5), ("PackageComment: <text>it\nPackageName: a", 3)],
)
def test_a_tag_value_document_without_packages_is_a_finding(lines, line):
    assert dependency_lines("x.spdx", f"SPDXVersion: SPDX-2.3\nSPDXID: SPDXRef-DOCUMENT\n{lines}\n") == [
        f"! file/broken :{line}"
    ]
    assert dependency_lines("x.spdx", "SPDXVersion: SPDX-2.3\n# a comment\n\nDocumentName: x\n") == []


def test_a_document_of_countersign_itself_is_not_read():
    pair = ("SPDXRef-Root", "DEPENDS_ON", "SPDXRef-a")
    assert dependency_lines("sbom.spdx.json", document(pair, creators=["Tool: countersign-0.1"])) == []


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "{}",
        "[]",
        '{"spdxVersion": 2}',
        '{"spdxVersion": "SPDX-2.3", "packages": [1, {}], "relationships": [{}, 2]}',
    ],
)
def test_bad_input_is_a_finding(content):
    assert set(dependency_lines("x.spdx.json", content)) == {"! file/broken :1"}
    assert dependency_lines("x.spdx", content) == ["! file/broken :1"]


def test_an_unreadable_package_is_a_finding_and_the_others_are_read():
    content = json.loads(document(("SPDXRef-Root", "STATIC_LINK", "SPDXRef-a"), ("SPDXRef-Root", "LIKES", "SPDXRef-a")))
    content["packages"] += [{"SPDXID": "SPDXRef-b"}, {"SPDXID": 7, "name": "c"}]
    read = ecosystems.read("x.spdx.json", json.dumps(content, indent=1))
    assert ["a"] == [dependency.name for dependency in read.dependencies]
    assert [("file/broken", 26), ("file/broken", 45)] == [
        (finding.code, finding.place.line) for finding in read.findings
    ]
    assert read.findings[0].message.startswith("2 of its packages could not be read: passed over (the first: ")
    assert "Invalid RelationshipType: LIKES" in read.findings[1].message


def test_wrong_fields_that_the_audit_does_not_need_are_ignored():
    """spdx-tools would refuse the whole document for a date or a checksum."""
    content = json.loads(document())
    content["packages"][1] |= {
        "releaseDate": "yesterday",
        "checksums": 7,
        "licenseDeclared": "Apache License, Version 2.0",
    }
    assert dependency_lines("x.spdx.json", json.dumps(content)) == [
        "pkg:pypi/a@1 runtime-import :1 Apache License, Version 2.0"
    ]
