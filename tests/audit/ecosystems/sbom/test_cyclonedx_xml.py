"""CycloneDX in XML says what it says in JSON."""

from tests.audit.ecosystems.brief import dependency_lines, origins, together

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


def test_components():
    """With their lines, licences, scopes."""
    assert dependency_lines("bom.xml", BOM) == [
        "pkg:maven/g/a@1 dynamic-link direct :8 MIT AND Apache-2.0",
        "pkg:npm/b@2 runtime-import indirect :16 MIT OR ISC",
        "pkg:npm/t@1 dev-tool indirect :20",
    ]


def test_the_graph_and_the_archives():
    """Without user and query; and who supplies it."""
    assert origins({"target/x.cdx.xml": BOM}) == [
        "pkg:npm/b@2",
        "pkg:maven/g/a@1 from https://host/a.jar SHA1:0a0a0a0a brings pkg:npm/t@1",
        "pkg:npm/t@1",
    ]
    assert [one.supplier for one in together({"x.cdx.xml": BOM})] == [None, "Example Ltd", None]


def test_a_prefix():
    """The namespace counts, not how it is written."""
    prefixed = BOM.replace("<", "<c:").replace("<c:/", "</c:").replace("<c:?", "<?").replace("xmlns=", "xmlns:c=")
    assert dependency_lines("bom.xml", prefixed) == dependency_lines("bom.xml", BOM)


def test_bad_input():
    """A finding, never a clean answer."""
    assert dependency_lines("bom.xml", "<bom/>") == ["! file/broken :1"]
    assert dependency_lines("bom.xml", "<project/>") == ["! file/broken :1"]
    assert dependency_lines("bom.xml", "<bom") == ["! file/broken :1"]
    assert dependency_lines("bom.xml", '<!DOCTYPE x [<!ENTITY a "b">]><bom/>') == ["! file/refused"]


def test_our_own():
    """Teaches nothing new."""
    assert dependency_lines("bom.xml", BOM.replace("cyclonedx-maven-plugin", "countersign")) == []
