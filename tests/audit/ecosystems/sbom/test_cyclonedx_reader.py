"""CycloneDX documents in JSON and XML: scopes, kinds, licences, nested components."""

import json

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines, origins, together

CONTENT = """{"bomFormat": "CycloneDX", "specVersion": "1.5",
 "metadata": {"component": {"bom-ref": "root", "name": "shop"}},
 "components": [
  {"type": "library", "bom-ref": "a", "name": "a", "version": "1", "purl": "pkg:npm/a@1",
   "licenses": [{"license": {"id": "MIT"}}, {"license": {"name": "Apache-2.0"}}],
   "components": [
    {"type": "library", "name": "b", "purl": "pkg:npm/b@2", "licenses": [{"expression": "MIT OR ISC"}]}]},
  {"type": "library", "group": "g", "name": "m", "version": "1", "purl": "pkg:maven/g/m@1", "scope": "optional"},
  {"type": "library", "name": "t", "purl": "pkg:npm/t@1", "scope": "excluded"},
  {"type": "container", "name": "c"}, {}, 7],
 "dependencies": [{"ref": "root", "dependsOn": ["a"]}]}"""


def test_components_are_read_in_order_and_nested_ones_after_them():
    assert dependency_lines("bom.json", CONTENT) == [
        "pkg:npm/a@1 runtime-import direct :4 MIT AND Apache-2.0",
        "pkg:npm/b@2 runtime-import indirect :7 MIT OR ISC",
        "pkg:maven/g/m@1 dynamic-link indirect optional :8",
        "pkg:npm/t@1 dev-tool indirect :9",
        "c separate-process indirect :10",
        "! file/broken :3",
    ]


def test_bad_json_is_a_finding():
    assert dependency_lines("x.cdx.json", "{}") == ["! file/broken :1"]
    assert dependency_lines("x.cdx.json", "{\n") == ["! file/broken :2"]


FULL = """{"bomFormat": "CycloneDX", "metadata": {"tools": {"components": [{"name": "TOOL"}]}}, "components": [
  {"name": "a", "bom-ref": "r1", "version": "1", "purl": "pkg:npm/a@1", "supplier": {"name": "Example  Ltd"},
   "hashes": [{"alg": "SHA-1", "content": "DIGEST"}, {"alg": "none", "content": "00"}],
   "externalReferences": [{"type": "website", "url": "https://a.example"}, {"type": "distribution", "url": "https://u:p@host/a.tgz?t=1"}]},
  {"name": "b", "bom-ref": "r2", "version": "2", "purl": "pkg:npm/b@2"}, {"name": "c", "version": "3", "purl": "pkg:npm/c@3"}],
 "dependencies": [{"ref": "r1", "dependsOn": ["r2", "gone"]}, {"ref": "", "dependsOn": ["r1"]}]}""".replace(
    "DIGEST", "0A" * 20
)


def test_json_gives_needs_archives_and_suppliers():
    assert origins({"bom.json": FULL}) == [
        "pkg:npm/a@1 from https://host/a.tgz SHA1:0a0a0a0a brings pkg:npm/b@2",
        "pkg:npm/b@2",
        "pkg:npm/c@3",
    ]
    assert [dependency.supplier for dependency in together({"bom.json": FULL})] == ["Example Ltd", None, None]


def test_a_document_of_countersign_itself_is_not_read():
    assert dependency_lines("bom.cdx.json", FULL.replace("TOOL", "countersign")) == []


BOM = f"""<?xml version="1.0" encoding="UTF-8"?>
<bom xmlns="http://cyclonedx.org/schema/bom/1.6" version="1">
  <metadata>
    <tools><tool><name>cyclonedx-maven-plugin</name></tool></tools>
    <component type="application" bom-ref="root"><name>shop</name></component>
  </metadata>
  <components>
    <component type="library" bom-ref="a">
      <supplier><name>Example Ltd</name></supplier>
      <group>g</group><name>a</name><version>1</version>
      <hashes><hash alg="SHA-1">{"0a" * 20}</hash></hashes>
      <licenses><license><id>MIT</id></license><license><name>Apache-2.0</name></license></licenses>
      <purl>pkg:maven/g/a@1</purl>
      <externalReferences><reference type="distribution"><url>https://u:p@host/a.jar?t=1</url></reference></externalReferences>
      <components>
        <component type="library"><name>b</name><purl>pkg:npm/b@2</purl>
          <licenses><expression>MIT OR ISC</expression></licenses></component>
      </components>
    </component>
    <component type="library" bom-ref="t"><name>t</name><scope>excluded</scope><purl>pkg:npm/t@1</purl></component>
  </components>
  <dependencies>
    <dependency ref="root"><dependency ref="a"/></dependency>
    <dependency ref="a"><dependency ref="t"/></dependency>
  </dependencies>
</bom>
"""


def test_xml_components_have_their_lines_licences_and_scopes():
    assert dependency_lines("bom.xml", BOM) == [
        "pkg:maven/g/a@1 dynamic-link direct :8 MIT AND Apache-2.0",
        "pkg:npm/b@2 runtime-import indirect :16 MIT OR ISC",
        "pkg:npm/t@1 dev-tool indirect :20",
    ]


def test_xml_gives_needs_archives_without_secrets_and_suppliers():
    assert origins({"target/x.cdx.xml": BOM}) == [
        "pkg:npm/b@2",
        "pkg:maven/g/a@1 from https://host/a.jar SHA1:0a0a0a0a brings pkg:npm/t@1",
        "pkg:npm/t@1",
    ]
    assert [dependency.supplier for dependency in together({"x.cdx.xml": BOM})] == [None, "Example Ltd", None]


def test_an_xml_prefix_does_not_matter():
    prefixed = BOM.replace("<", "<c:").replace("<c:/", "</c:").replace("<c:?", "<?").replace("xmlns=", "xmlns:c=")
    assert dependency_lines("bom.xml", prefixed) == dependency_lines("bom.xml", BOM)


def test_bad_xml_is_a_finding():
    assert dependency_lines("bom.xml", "<bom/>") == ["! file/broken :1"]
    assert dependency_lines("bom.xml", "<project/>") == ["! file/broken :1"]
    assert dependency_lines("bom.xml", "<bom") == ["! file/broken :1"]
    assert dependency_lines("bom.xml", '<!DOCTYPE x [<!ENTITY a "b">]><bom/>') == ["! file/refused"]


def test_an_xml_document_of_countersign_itself_is_not_read():
    assert dependency_lines("bom.xml", BOM.replace("cyclonedx-maven-plugin", "countersign")) == []


@pytest.mark.parametrize("depth", [49, 50, 51, 120])
def test_components_of_every_depth_that_is_read_count(depth):
    nested = [{"name": "last", "purl": "pkg:npm/last@1"}]
    for number in range(depth):
        nested = [{"name": f"c{number}", "components": nested}]

    found = ecosystems.read("bom.json", json.dumps({"bomFormat": "CycloneDX", "components": nested}))

    assert (len(found.dependencies), found.dependencies[-1].purl, found.findings) == (depth + 1, "pkg:npm/last@1", ())


@pytest.mark.parametrize("depth", [1_000, 50_000])
def test_components_that_nest_deeper_than_is_read_are_a_finding(depth):
    deep = '{"bomFormat": "CycloneDX", "components": ' + '[{"name": "a", "components": ' * depth

    assert dependency_lines("bom.json", f"{deep}[]{'}]' * depth}}}") == ["! file/refused"]
    xml = f"{'<component><name>a</name><components>' * depth}{'</components></component>' * depth}"
    document = f'<bom xmlns="http://cyclonedx.org/schema/bom/1.6"><components>{xml}</components></bom>'
    assert dependency_lines("bom.xml", document) == ["! file/refused :1"]
