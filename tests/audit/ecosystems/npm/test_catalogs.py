"""Catalogues of pnpm, Yarn and Bun: what a package.json asks for by their names."""

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
