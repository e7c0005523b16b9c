"""SBOMs under any name are known by their beginning."""

import pytest

from audit.ecosystems import read, row, sbom_row
from audit.ecosystems.sbom.sbom_forms import ending
from tests.audit.scan.test_scope import found

CYCLONEDX = b'{"bomFormat": "CycloneDX", "specVersion": "1.5", "components": [{"type": "library", "name": "gpl", "version": "1"}]}'
SPDX = b'{"SPDXID": "SPDXRef-DOCUMENT", "name": "n", "packages": [{"SPDXID": "SPDXRef-a", "name": "gpl", "versionInfo": "1", "downloadLocation": "NONE"}], "spdxVersion": "SPDX-2.3"}'
XML = b'<?xml version="1.0"?>\n<bom xmlns="http://cyclonedx.org/schema/bom/1.5"><components><component type="library"><name>gpl</name><version>1</version></component></components></bom>'
TAGS = b"SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\nSPDXID: SPDXRef-DOCUMENT\nDocumentName: n\nDocumentNamespace: https://x.example/n\nCreator: Tool: x\nCreated: 2024-01-01T00:00:00Z\n\nPackageName: gpl\nSPDXID: SPDXRef-a\nPackageVersion: 1\nPackageDownloadLocation: NONE\n"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("sbom.json", CYCLONEDX), ("sbom.cyclonedx.json", CYCLONEDX), ("deps/x.json", CYCLONEDX), ("a-sbom.json", b"\xef\xbb\xbf" + CYCLONEDX), ("x.cdx", CYCLONEDX),
        ("spdx.json", SPDX), ("sbom.json", SPDX), ("sbom/x.json", b'{"sbom": ' + SPDX + b"}"), ("sbom.xml", XML), ("x.sbom", XML), ("inventory.xml", XML), ("sbom.txt", TAGS),
    ],
)  # fmt: skip
def test_an_sbom_is_read_under_any_name(path, content):
    tree = found({path: content, "a.c": b"int a;"})
    assert [(dependency.name, dependency.version) for dependency in tree.dependencies] == [("gpl", "1")]
    assert tree.findings == ()


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("bom.schema.json", b'{"properties": {"bomFormat": {"enum": ["CycloneDX"]}}}'), ("x.md", CYCLONEDX), ("a.json", b'{"about": "an SBOM in spdx"}'),
        ("bom-1.5.xsd", XML), ("a.xml", b'<schema targetNamespace="http://cyclonedx.org/schema/bom/1.5"/>'), ("licenses.json", b'{"spdxVersion": 3, "bom": 1}'),
        ("a.txt", b"Write SPDXVersion: SPDX-2.3 at the top"), ("x.json", b"[]"), ("x", CYCLONEDX),
    ],
)  # fmt: skip
def test_another_file_is_none(path, content):
    assert ending(path, content) == ""
    assert sbom_row(path, content) is None
    assert found({path: content, "a.c": b"int a;"}).findings == ()


def test_the_form_stands_at_the_beginning():
    assert ending("x.json", b"{" + b" " * 3_000 + CYCLONEDX[1:]) == ".cdx.json"
    assert ending("x.json", b"{" + b" " * 5_000 + CYCLONEDX[1:]) == ""
    assert ending("x.rdf", b'<rdf:RDF xmlns="http://spdx.org/rdf/terms#"><SpdxDocument/>') == ".spdx.rdf"
    assert ending("x.xml", b"<Document><spdxVersion>SPDX-2.3</spdxVersion></Document>") == ".spdx.xml"
    assert ending("x.yml", b"---\nSPDXID: x\nspdxVersion: SPDX-2.3\n") == ".spdx.yaml"
    assert ending("x.json", b'{"@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld"}') == ".spdx.json"


@pytest.mark.parametrize("path", ["sbom.json", "x/y.sbom.json", "my-sbom.xml", "a.cyclonedx.json"])
def test_what_is_called_so_and_is_none_is_told(path):
    assert row(path) is not None
    [finding] = read(path, '{"artifacts": [], "schema": {"url": "syft"}}').findings
    assert (finding.code, finding.message.partition(":")[0]) == (
        "file/unsupported", "is called an SBOM, and is neither CycloneDX nor SPDX",
    )  # fmt: skip
