"""What one file says of packages for all manifests of a workspace: catalogues of pnpm, Yarn and Bun, and go.work."""

import json

import pytest

from tests.audit.ecosystems.brief import merged

ASKED = json.dumps({"dependencies": {"a": "catalog:", "b": "catalog:three", "c": "catalog:lost", "d": "^1"}})
YAML = "catalog:\n  a: 1.0.0\n  d: 9.0.0\ncatalogs:\n  three:\n    b: npm:@s/real@2.0.0\n"
BUN = {"catalog": {"a": "1.0.0", "d": "9.0.0"}, "catalogs": {"three": {"b": "npm:@s/real@2.0.0"}}}


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("pnpm-workspace.yaml", YAML),
        ("pnpm-workspace.yaml", YAML.replace("catalog:\n", "catalogs:\n  default:\n", 1).replace("  a:", "    a:").replace("  d:", "    d:").replace("catalogs:\n  three", "  three")),
        (".yarnrc.yml", YAML), ("package.json", json.dumps({"workspaces": {"packages": ["x"], **BUN}})), ("package.json", json.dumps(BUN)),
    ],
)  # fmt: skip
def test_catalogues(path, content):
    """A manifest asks for what stands there, by the name of the catalogue; what asks for a range of its own has that."""
    assert merged({"x/package.json": ASKED, path: content}) == [
        "pkg:npm/%40s/real@2.0.0 runtime-import direct :1",
        "pkg:npm/a@1.0.0 runtime-import direct :1",
        "pkg:npm/c runtime-import direct :1",
        "pkg:npm/d runtime-import direct :1",
    ]


MODULE = (
    "module e.com/x\ngo 1.22\nrequire (\n\te.com/a v1.0.0\n\te.com/b v1.0.0\n\te.com/c v1.0.0\n\te.com/d v1.0.0\n)\n"
)
WORK = """go 1.22
use (
\t./x
)
replace e.com/a => e.com/fork v1.5.0
replace (
\te.com/b v1.0.0 => e.com/other v2.0.0
\te.com/c v1.1.0 => e.com/never v1.0.0
\te.com/d => ./d
)
"""


def test_go_work():
    """Its `replace` counts for all modules: of one version where it names one; what is replaced by a folder is the repository's own."""
    assert merged({"x/go.mod": MODULE, "go.work": WORK}) == [
        "pkg:golang/e.com/c@v1.0.0 static-link direct :6",
        "pkg:golang/e.com/fork@v1.5.0 static-link direct :4",
        "pkg:golang/e.com/other@v2.0.0 static-link direct :5",
    ]


def test_replace_of_one_version():
    """In go.mod, too."""
    lines = "replace e.com/b v1.0.0 => e.com/other v2.0.0\nreplace e.com/c v1.1.0 => e.com/never v1.0.0\nreplace e.com/d v1.0.0 => ./d\n"
    assert [one.split()[0] for one in merged({"go.mod": MODULE + lines})] == [
        "pkg:golang/e.com/a@v1.0.0", "pkg:golang/e.com/c@v1.0.0", "pkg:golang/e.com/other@v2.0.0",
    ]  # fmt: skip
