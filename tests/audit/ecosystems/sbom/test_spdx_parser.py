"""Every SPDX notation gives the same packages, and hostile documents do no harm."""

import io
import re
import subprocess
import sys

import pytest
from spdx_tools.spdx.parser.jsonlikedict.json_like_dict_parser import JsonLikeDictParser
from spdx_tools.spdx.writer.json import json_writer
from spdx_tools.spdx.writer.rdf import rdf_writer
from spdx_tools.spdx.writer.tagvalue import tagvalue_writer
from spdx_tools.spdx.writer.xml import xml_writer
from spdx_tools.spdx.writer.yaml import yaml_writer

from audit import ecosystems
from audit.ecosystems.sbom import spdx_elements
from audit.licenses.expression import read
from tests.audit.ecosystems.brief import dependency_lines

LICENSE = "(MIT OR Zlib) AND GPL-2.0-only WITH Classpath-exception-2.0"
DOCUMENT = {
    "spdxVersion": "SPDX-2.3",
    "SPDXID": "SPDXRef-DOCUMENT",
    "name": "x",
    "dataLicense": "CC0-1.0",
    "documentNamespace": "https://example.com/x",
    "creationInfo": {"creators": ["Tool: x"], "created": "2024-01-01T00:00:00Z"},
    "packages": [
        {"SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": "1", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
         "licenseConcluded": "NOASSERTION", "licenseDeclared": LICENSE, "comment": "two\nPackageName: lines",
         "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:cargo/{name}@1"}]}
        for name in ("root", "a", "b")
    ],
    "files": [{"SPDXID": "SPDXRef-file", "fileName": "./f", "checksums": [{"algorithm": "SHA1", "checksumValue": "a" * 40}]}],
    "relationships": [
        {"spdxElementId": left, "relationshipType": kind, "relatedSpdxElement": right}
        for left, kind, right in (
            ("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-root"), ("SPDXRef-root", "STATIC_LINK", "SPDXRef-a"),
            ("SPDXRef-b", "TEST_DEPENDENCY_OF", "SPDXRef-root"), ("SPDXRef-b", "DEPENDS_ON", "NONE"),
        )
    ],
}  # fmt: skip
WRITERS = {
    "x.spdx.json": (json_writer, io.StringIO),
    "x.spdx.yaml": (yaml_writer, io.StringIO),
    "x.spdx.yml": (yaml_writer, io.StringIO),
    "x.spdx.xml": (xml_writer, io.StringIO),
    "x.spdx.rdf": (rdf_writer, io.BytesIO),
    "x.spdx.rdf.xml": (rdf_writer, io.BytesIO),
    "x.spdx": (tagvalue_writer, io.StringIO),
}


def written(path):
    """The document as spdx-tools writes it."""
    writer, stream = WRITERS[path]
    writer.write_document_to_stream(JsonLikeDictParser().parse(DOCUMENT), out := stream())
    return out.getvalue().decode() if isinstance(out, io.BytesIO) else out.getvalue()


@pytest.mark.parametrize("path", WRITERS)
def test_every_notation_gives_the_same_packages_usages_and_licences(path):
    content = written(path)
    found = ecosystems.read(path, content)
    assert () == found.findings
    by_name = {dependency.name: dependency for dependency in found.dependencies}
    assert {"a": "static-link", "b": "test-only"} == {
        name: dependency.usage.value for name, dependency in by_name.items()
    }
    for name, dependency in by_name.items():
        assert (dependency.version, dependency.purl, dependency.direct) == ("1", f"pkg:cargo/{name}@1", True)
        assert sorted(map(str, read(dependency.license.expression).parts)) == sorted(map(str, read(LICENSE).parts))
        element = "\n".join(content.split("\n")[dependency.places[0].line - 1 :])
        assert re.search(r"SPDXRef-(\w+)", element)[1] == name


RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:spdx="http://spdx.org/rdf/terms#">
<spdx:SpdxDocument rdf:about="https://example.com/x#SPDXRef-DOCUMENT"><spdx:specVersion>SPDX-2.3</spdx:specVersion>
<spdx:name>x</spdx:name><spdx:dataLicense rdf:resource="http://spdx.org/licenses/CC0-1.0"/>
<spdx:creationInfo><spdx:CreationInfo><spdx:creator>Tool: x</spdx:creator><spdx:created>2024-01-01T00:00:00Z</spdx:created>
</spdx:CreationInfo></spdx:creationInfo></spdx:SpdxDocument><spdx:Package rdf:about="https://example.com/x#SPDXRef-a">
<spdx:name>a</spdx:name><spdx:downloadLocation rdf:resource="http://spdx.org/rdf/terms#noassertion"/>
<spdx:licenseDeclared rdf:nodeID="a0"/></spdx:Package>{}</rdf:RDF>"""
BOMB = "".join(
    f'<spdx:ConjunctiveLicenseSet rdf:nodeID="{letter}{at}"><spdx:member rdf:nodeID="a{at + 1}"/><spdx:member rdf:nodeID="b{at + 1}"/>'
    "</spdx:ConjunctiveLicenseSet>"
    for at in range(35)
    for letter in "ab"
)
CYCLE = '<spdx:{0} rdf:nodeID="a0"><spdx:member rdf:nodeID="a0"/></spdx:{0}>'
HOSTILE = {
    "shared sets": ("x.spdx.rdf", RDF.format(BOMB), ["a unknown :5", "! file/broken :5"]),
    "a set in itself": ("x.spdx.rdf", RDF.format(CYCLE.format("DisjunctiveLicenseSet")), ["a unknown :5", "! file/broken :5"]),
    "an exception to itself": ("x.spdx.rdf", RDF.format(CYCLE.format("WithExceptionOperator")), ["a unknown :5", "! file/broken :5"]),
    "no document in RDF": ("x.spdx.rdf", "<a/>", ["! file/broken :1"]),
    "an address in parts": ("x.spdx.rdf", RDF.format("").replace("x#SPDXRef-DOCUMENT", "x"), ["! file/broken :1"]),
    "RDF of version 3": ("x.spdx.rdf", RDF.format("").replace("SPDX-2.3", "SPDX-3.0"), ["! file/broken :1"]),
    "a document type in RDF": ("x.spdx.rdf.xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', ["! file/refused"]),
    "a hidden document type": ("x.spdx.rdf", '<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE a+AD4-<a/>', ["! file/broken :1"]),
    "a document type in XML": ("x.spdx.xml", '<!DOCTYPE a [<!ENTITY b "c">]><Document>&b;</Document>', ["! file/refused"]),
    "another element": ("x.spdx.xml", "<bom/>", ["! file/broken :1"]),
    "an alias": ("x.spdx.yaml", "spdxVersion: SPDX-2.3\na: &a []\npackages: [*a]\n", ["! file/refused :3"]),
    "deep YAML": ("x.spdx.yml", "[" * 10_000, ["! file/refused :1"]),
    "packages in YAML that are none": ("x.spdx.yaml", "spdxVersion: SPDX-2.3\npackages: [1, {}]\n", ["! file/broken"]),
    "faults alone": ("x.spdx.json", '{"spdxVersion": "SPDX-2.3", "packages": [' + "{}, " * 900 + "{}]}", ["! file/broken :1"]),
    "a name that is an actor's": (
        "x.spdx", "SPDXVersion: SPDX-2.3\nPackageName: Tool: x\nSPDXID: SPDXRef-a\nPackageName: b\nSPDXID: SPDXRef-b\n",
        ["b unknown :4", "! file/broken :2"],
    ),
    "an id twice": ("x.spdx", "SPDXVersion: SPDX-2.3\n" + "PackageName: a\nSPDXID: SPDXRef-a\n" * 2, ["a unknown :2", "! file/broken :4"]),
    "a text without an end": ("x.spdx", "SPDXVersion: SPDX-2.3\nPackageComment: <text>\nPackageName: a\n", ["! file/broken :2"]),
    "a relationship of two words": ("x.spdx", "SPDXVersion: SPDX-2.3\nRelationship: a b\n", ["! file/broken"]),
}  # fmt: skip


@pytest.mark.parametrize(("path", "content", "expected"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_document_is_a_finding_and_its_right_parts_are_read(path, content, expected):
    assert dependency_lines(path, content) == expected


@pytest.mark.parametrize("path", ["x.spdx", "x.spdx.rdf"])
def test_tag_value_and_rdf_documents_have_a_limit_of_size(path):
    """These notations are slow to read."""
    assert dependency_lines(path, "x" * (spdx_elements.MAX_DOCUMENT_CHARACTERS + 1)) == ["! file/too-large"]


def test_importing_the_readers_does_not_load_spdx_tools():
    """Audits without an SPDX document must not wait for it."""
    code = "import sys, audit.ecosystems; print(sorted({'spdx_tools', 'rdflib', 'beartype'} & sys.modules.keys()))"
    assert "[]\n" == subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
