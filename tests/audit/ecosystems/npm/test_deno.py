"""deno.lock in its versions: npm, JSR, modules by address."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import merged, origins

FIVE = """{"version": "5",
  "specifiers": {
    "jsr:@std/assert@1": "1.0.0", "jsr:@std/internal@^1.0": "1.0.2", "npm:chalk@5": "5.3.0",
    "npm:react-dom@18": "18.2.0_react@18.2.0"
  },
  "jsr": {
    "@std/assert@1.0.0": {"integrity": "00", "dependencies": ["jsr:@std/internal@^1.0"]},
    "@std/internal@1.0.2": {"integrity": "00"}
  },
  "npm": {
    "chalk@5.3.0": {"integrity": "sha512-x"},
    "react-dom@18.2.0_react@18.2.0": {"dependencies": ["react", "loose@1.0.0"]},
    "react@18.2.0": {},
    "loose@1.0.0": {"tarball": "https://npm.corp.example/l.tgz"}
  },
  "workspace": {
    "dependencies": ["jsr:@std/assert@1", "npm:react-dom@18"],
    "packageJson": {"dependencies": ["npm:chalk@5"]}
  }
}"""


def test_lock():
    """What deno.json asks for is direct; peers in a key are no part of the version."""
    assert merged({"deno.lock": FIVE}) == [
        "pkg:jsr/%40std/assert@1.0.0 runtime-import direct :7",
        "pkg:jsr/%40std/internal@1.0.2 runtime-import indirect :8",
        "pkg:npm/chalk@5.3.0 runtime-import indirect :11",
        "pkg:npm/loose@1.0.0?repository_url=npm.corp.example runtime-import indirect :14",
        "pkg:npm/react@18.2.0 runtime-import indirect :13",
        "pkg:npm/react-dom@18.2.0 runtime-import direct :12",
    ]


def test_package_json_knows_what_is_a_tool():
    """Its scopes count for what it asks for."""
    manifest = '{"devDependencies": {"chalk": "5"}}'
    assert "pkg:npm/chalk@5.3.0 dev-tool direct :1" in merged({"deno.lock": FIVE, "package.json": manifest})


def test_needs():
    """By name, by name and version, by specifier."""
    found = origins({"deno.lock": FIVE})
    assert "pkg:jsr/%40std/assert@1.0.0 brings pkg:jsr/%40std/internal@1.0.2" in found
    assert (
        "pkg:npm/react-dom@18.2.0 brings pkg:npm/loose@1.0.0?repository_url=npm.corp.example pkg:npm/react@18.2.0"
        in found
    )


@pytest.mark.parametrize(
    "lock",
    [
        '{"version": "2", "remote": {}, "npm": {"specifiers": {"a@1": "a@1.0.0"}, "packages": {"a@1.0.0": {"dependencies": {"b": "b@2.0.0"}}, "b@2.0.0": {}}}}',
        '{"version": "3", "packages": {"specifiers": {"npm:a@1": "npm:a@1.0.0"}, "npm": {"a@1.0.0": {"dependencies": {"b": "b@2.0.0"}}, "b@2.0.0": {}}}}',
        '{"version": "4", "specifiers": {"npm:a@1": "1.0.0"}, "npm": {"a@1.0.0": {"dependencies": ["b"]}, "b@2.0.0": {}}}',
    ],
)
def test_other_versions(lock):
    """The same lock file in the forms of Deno 1 and 2."""
    assert origins({"deno.lock": lock}) == ["pkg:npm/a@1.0.0 brings pkg:npm/b@2.0.0", "pkg:npm/b@2.0.0"]


@pytest.mark.parametrize(
    ("address", "purl"),
    [
        ("https://deno.land/std@0.224.0/fs/mod.ts", "pkg:generic/deno.land/std@0.224.0"),
        ("https://deno.land/x/oak@v12.0.0/mod.ts", "pkg:generic/deno.land/x/oak@v12.0.0"),
        ("https://esm.sh/@s/x@1.0.0/y.js", "pkg:generic/esm.sh/%40s/x@1.0.0"),
        ("https://raw.githubusercontent.com/o/r/main/x.ts", "pkg:github/o/r@main"),
        ("https://example.org/a/b.ts", "pkg:generic/example.org/a"),
    ],
)
def test_modules_by_address(address, purl):
    """Each work is one dependency, whichever of its files are fetched; nobody says its licence."""
    lock = f'{{"version": "4", "remote": {{"{address}": "00", "{address}x": "00"}}}}'
    (one,) = ecosystems.read("deno.lock", lock).dependencies
    assert (one.purl, one.places[0].line, one.license.expression) == (purl, 1, None)
