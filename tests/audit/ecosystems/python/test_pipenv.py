"""Pipfile.lock: two sections."""

from tests.audit.ecosystems.brief import dependency_lines, merged, origins

LOCK = """{
  "_meta": {},
  "default": {
    "a": {"version": "==1.0"},
    "g": {"git": "https://github.com/o/g.git", "ref": "00ff"},
    "own": {"path": "."}
  },
  "develop": {
    "b": {"version": "==2.0"}, "c": 3
  }
}"""


def test_lock():
    """Exact versions, repositories, no folders."""
    assert dependency_lines("Pipfile.lock", LOCK) == [
        "pkg:pypi/a@1.0 runtime-import :4",
        "pkg:github/o/g@00ff runtime-import :5",
        "pkg:pypi/b@2.0 dev-tool :9",
        "! file/broken :8",
    ]


def test_with_its_manifest():
    """What Pipfile names is direct, the rest is not."""
    assert merged({"Pipfile": '[packages]\na = "*"\n', "Pipfile.lock": LOCK}) == [
        "pkg:pypi/a@1.0 runtime-import direct :2",
        "pkg:pypi/b@2.0 dev-tool indirect :9",
        "pkg:github/o/g@00ff runtime-import indirect :5",
    ]


def test_archives():
    """One hash is that of one archive; of several nobody says which is whose."""
    one, other = "sha256:" + "2c" * 32, "sha256:" + "3d" * 32
    entries = (
        f'"a": {{"version": "==1", "hashes": ["{one}"]}}, "b": {{"version": "==2", "hashes": ["{one}", "{other}"]}}'
    )
    git = '"g": {"git": "https://ada@github.com/o/g.git", "ref": "00ff"}'
    assert origins({"Pipfile.lock": f'{{"default": {{{entries}, {git}}}}}'}) == [
        "pkg:pypi/a@1 SHA256:2c2c2c2c",
        "pkg:pypi/b@2",
        "pkg:github/o/g@00ff from git+https://github.com/o/g.git@00ff",
    ]
