"""A package of somebody's own registry is told by its package URL, whichever lock file says so; of a mirror it is everybody's."""

import pytest

from audit.ecosystems import origins, read
from audit.ecosystems.purls import canonical

OWN = "?repository_url=npm.corp.example"


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://registry.npmjs.org/a/-/a-1.0.0.tgz", ""),
        ("https://registry.npmmirror.com/a/-/a-1.0.0.tgz", ""),
        ("https://ada:secret@npm.corp.example:8443/a.tgz", "npm.corp.example"),
        ("HTTPS://X", ""),
        ("http://NPM.Corp.Example", "npm.corp.example"),
        ("registry+https://github.com/rust-lang/crates.io-index", ""),
        ("registry+https://github.com/corp/index", "github.com"),
        ("sparse+https://index.crates.io/", ""),
        ("sparse+https://cargo.corp.example/index/", "cargo.corp.example"),
        ("", ""),
        ("../folder", ""),
        ("https://", ""),
    ],
)
def test_hosts(address, host):
    """Of a registry that is not shared; never with a password."""
    assert origins.host(address) == host


def test_only_packages_of_registries():
    """A repository of git's has no other registry."""
    assert origins.taken("pkg:github/o/a@00ff", "https://x.org/a") == "pkg:github/o/a@00ff"
    assert origins.taken(None, "https://x.org/a") is None
    assert canonical(origins.taken("pkg:npm/a@1", "https://x.org/a")) == "pkg:npm/a@1?repository_url=x.org"


FILES = {
    "package-lock.json": '{"lockfileVersion": 3, "packages": {"": {}, "node_modules/a": {"version": "1.0.0", "resolved": "https://npm.corp.example/a.tgz"}}}',
    "yarn.lock": 'a@^1:\n  version "1.0.0"\n  resolved "https://npm.corp.example/a/-/a-1.0.0.tgz#00ff"\n',
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\npackages:\n  a@1.0.0:\n    resolution: {integrity: x, tarball: https://npm.corp.example/a.tgz}\n",
    "Cargo.lock": '[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "sparse+https://npm.corp.example/"\n',
    "poetry.lock": '[[package]]\nname = "a"\nversion = "1.0.0"\n[package.source]\ntype = "legacy"\nurl = "https://npm.corp.example/simple"\n',
    "uv.lock": 'version = 1\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = { registry = "https://npm.corp.example/simple" }\n',
    "pylock.toml": 'lock-version = "1.0"\n[[packages]]\nname = "a"\nversion = "1.0.0"\nindex = "https://npm.corp.example/simple"\n',
    "Pipfile.lock": '{"_meta": {"sources": [{"name": "corp", "url": "https://npm.corp.example/simple"}]}, "default": {"a": {"version": "==1.0.0", "index": "corp"}}}',
    "requirements.txt": "--extra-index-url https://npm.corp.example/simple\na==1.0.0\n",
}
BERRY = """__metadata:
  version: 8

"a@npm:^1.0.0":
  version: 1.0.0
  resolution: "a@npm:1.0.0::__archiveUrl=https%3A%2F%2Fnpm.corp.example%2Fa%2F-%2Fa-1.0.0.tgz"
  languageName: node
  linkType: hard
"""


@pytest.mark.parametrize(("path", "content"), [*FILES.items(), ("yarn.lock", BERRY)], ids=[*FILES, "yarn.lock 2"])
def test_lock_files(path, content):
    """Each says it in its own way; of a shared one there is nothing to say."""
    (own,) = read(path, content).dependencies
    shared = {"Cargo.lock": "index.crates.io"}.get(path, "registry.npmjs.org")
    (everybody,) = read(path, content.replace("npm.corp.example", shared)).dependencies

    assert own.purl.endswith(f"/a@1.0.0{OWN}")
    assert everybody.purl == own.purl.removesuffix(OWN)
