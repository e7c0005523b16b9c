"""CycloneDX documents: scopes, kinds, licences, nested components."""

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


def test_components():
    """In their order, those within others after them."""
    assert dependency_lines("bom.json", CONTENT) == [
        "pkg:npm/a@1 runtime-import direct :4 MIT AND Apache-2.0",
        "pkg:npm/b@2 runtime-import indirect :7 MIT OR ISC",
        "pkg:maven/g/m@1 dynamic-link indirect optional :8",
        "pkg:npm/t@1 dev-tool indirect :9",
        "c separate-process indirect :10",
        "! file/broken :3",
    ]


def test_bad_input():
    """A finding."""
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


def test_the_graph_and_the_archives():
    """Who needs whom, the archive, who supplies it."""
    assert origins({"bom.json": FULL}) == [
        "pkg:npm/a@1 from https://host/a.tgz SHA1:0a0a0a0a brings pkg:npm/b@2",
        "pkg:npm/b@2",
        "pkg:npm/c@3",
    ]
    assert [one.supplier for one in together({"bom.json": FULL})] == ["Example Ltd", None, None]


def test_our_own():
    """Teaches nothing new."""
    assert dependency_lines("bom.cdx.json", FULL.replace("TOOL", "countersign")) == []
