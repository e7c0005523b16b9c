"""bun.lock: comments, commas at the ends, packages below packages, workspaces, addresses."""

import base64
import time

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines, merged, origins

SUM = f"sha512-{base64.b64encode(bytes([44]) * 64).decode()}"
LOCK = f"""{{
  "lockfileVersion": 1,
  "workspaces": {{
    "": {{
      "name": "root", // what bun asks for "here"
      "dependencies": {{ "a": "^1.0.0", "ws": "workspace:*", "alias": "npm:@s/real@^3" }},
      "devDependencies": {{ "d": "1", }},
    }},
    "packages/ws": {{ "name": "ws", "dependencies": {{ "b": "2" }} }},
  }},
  "packages": {{
    "a": ["a@1.0.0", "", {{ "dependencies": {{ "b": "^1" }} }}, "{SUM}"],
    "alias": ["@s/real@3.0.0", "", {{}}, "{SUM}"],
    "b": ["b@1.0.0", "", {{}}, ""],
    "d": ["d@1.0.0", "", {{ "peerDependencies": {{ "e": "1" }} }}, ""],
    "d/e": ["e@2.0.0", "", {{}}, ""],
    "e": ["e@1.0.0", "", {{}}, ""],
    "f": ["f@file:../f", {{}}],
    "ws": ["ws@workspace:packages/ws"],
    "ws/b": ["b@2.0.0", "https://npm.corp.example/b/-/b-2.0.0.tgz", {{}}, ""],
  }},
}}
"""


def test_each_registry_package_of_a_bun_lock_is_read_at_its_line():
    assert dependency_lines("bun.lock", LOCK) == [
        "pkg:npm/a@1.0.0 unknown :12",
        "pkg:npm/%40s/real@3.0.0 unknown :13",
        "pkg:npm/b@1.0.0 unknown :14",
        "pkg:npm/d@1.0.0 unknown :15",
        "pkg:npm/e@2.0.0 unknown :16",
        "pkg:npm/e@1.0.0 unknown :17",
        "pkg:npm/b@2.0.0?repository_url=npm.corp.example unknown :20",
    ]


def test_usage_spreads_along_the_graph_to_the_nearest_package_below_each_name():
    assert merged({"bun.lock": LOCK}) == [
        "pkg:npm/%40s/real@3.0.0 runtime-import :13",
        "pkg:npm/a@1.0.0 runtime-import :12",
        "pkg:npm/b@1.0.0 runtime-import :14",
        "pkg:npm/b@2.0.0?repository_url=npm.corp.example runtime-import :20",
        "pkg:npm/d@1.0.0 dev-tool :15",
        "pkg:npm/e@1.0.0 runtime-import :17",
        "pkg:npm/e@2.0.0 dev-tool :16",
    ]


def test_the_package_json_beside_the_lock_says_which_packages_are_direct():
    manifest = '{"name": "root", "dependencies": {"a": "^1.0.0"}, "devDependencies": {"d": "1"}}'
    found = merged({"package.json": manifest, "bun.lock": LOCK})
    assert "pkg:npm/a@1.0.0 runtime-import direct :1" in found
    assert "pkg:npm/b@1.0.0 runtime-import indirect :14" in found
    assert "pkg:npm/d@1.0.0 dev-tool direct :1" in found


def test_archives_have_their_checksums_and_packages_their_needs():
    found = origins({"bun.lock": LOCK})
    assert "pkg:npm/a@1.0.0 SHA512:2c2c2c2c brings pkg:npm/b@1.0.0" in found
    assert "pkg:npm/d@1.0.0 brings pkg:npm/e@2.0.0" in found


def test_repositories_and_archives_are_named_by_their_addresses():
    lock = """{"workspaces": {"": {}}, "packages": {
      "g": ["g@github:o/g#00ff", {}, "o-g-00ff"],
      "h": ["h@git+https://github.com/o/h.git#00ff", {}, "00ff"],
      "t": ["t@https://dl.example.org/t.tgz", {}, ""],
      "x": ["x@./x.tgz", {}, ""]
    }}"""
    assert [dependency.purl for dependency in ecosystems.read("bun.lock", lock).dependencies] == [
        "pkg:github/o/g@00ff",
        "pkg:github/o/h@00ff",
        "pkg:npm/t?repository_url=dl.example.org",
        "pkg:npm/x?repository_url=no-registry",
    ]


def test_commas_and_comment_signs_within_strings_stay():
    lock = '{"workspaces": {"": {"name": "//,]"}}, "packages": {"a": ["a@1.0.0", "https://registry.npmjs.org/a,}", {}, ""],}}'
    found = ecosystems.read("bun.lock", lock)
    assert [dependency.purl for dependency in found.dependencies] == ["pkg:npm/a@1.0.0"]
    assert found.own == {"//,]"}


def test_unclosed_comments_are_read_in_linear_time():
    """Each could be followed to the end of the file, and from every one of them anew."""
    start = time.process_time()
    assert dependency_lines("bun.lock", "/* " * 100_000) == ["! file/broken :1"]
    assert time.process_time() - start < 5
