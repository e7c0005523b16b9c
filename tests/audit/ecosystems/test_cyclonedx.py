"""CycloneDX documents: scopes, kinds, licences, nested components."""

from tests.audit.ecosystems.brief import told

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


def test_components():
    """In their order, those within others after them."""
    assert told("bom.json", CONTENT) == [
        "pkg:npm/a@1 runtime-import direct :4 MIT AND Apache-2.0",
        "pkg:npm/b@2 runtime-import indirect :7 MIT OR ISC",
        "pkg:maven/g/m@1 dynamic-link indirect optional :8",
        "pkg:npm/t@1 dev-tool indirect :9",
        "c separate-process indirect :10",
        "! file/broken :3",
    ]


def test_bad_input():
    """A finding."""
    assert told("x.cdx.json", "{}") == ["! file/broken :1"]
    assert told("x.cdx.json", "{\n") == ["! file/broken :2"]
