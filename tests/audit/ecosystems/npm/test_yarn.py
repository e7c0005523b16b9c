"""yarn.lock of both generations: descriptors, needs, workspaces, aliases, patches."""

import base64

from tests.audit.ecosystems.brief import dependency_lines, merged, origins

MANIFEST = '{"name": "shop", "dependencies": {"a": "^1.0"}, "devDependencies": {"d": "^2.0"}}'
CLASSIC = """# yarn lockfile v1


a@^1.0, "a@^1.1":
  version "1.1.0"
  resolved "https://registry.yarnpkg.com/a/-/a-1.1.0.tgz#00"
  dependencies:
    "@s/b" "~3.0"

"@s/b@~3.0":
  version "3.0.1"

d@^2.0:
  version "2.0.0"
  optionalDependencies:
    e "*"

e@*:
  version "5.0.0"

"al@npm:real@^1":
  version "1.0.0"
"""
BERRY = """__metadata:
  version: 8

"@s/b@npm:~3.0":
  version: 3.0.1
  resolution: "@s/b@npm:3.0.1"
  linkType: hard

"a@npm:^1.0, a@npm:^1.1":
  version: 1.1.0
  dependencies:
    "@s/b": "npm:~3.0"
  linkType: hard

"d@npm:^2.0":
  version: 2.0.0
  dependencies:
    e: "*"

"e@npm:*":
  version: 5.0.0

"p@patch:p@npm%3A^1#x.patch":
  version: 1.0.0

"shop@workspace:.":
  version: 0.0.0-use.local
  linkType: soft
"""


def test_a_classic_lock_gives_packages_with_usage_and_resolved_aliases():
    assert merged({"package.json": MANIFEST, "yarn.lock": CLASSIC}) == [
        "pkg:npm/%40s/b@3.0.1 runtime-import indirect :10",
        "pkg:npm/a@1.1.0 runtime-import direct :1",
        "pkg:npm/d@2.0.0 dev-tool direct :1",
        "pkg:npm/e@5.0.0 dev-tool indirect :18",
        "pkg:npm/real@1.0.0 runtime-import indirect :21",
    ]


def test_a_berry_lock_gives_the_same_packages_without_own_ones():
    assert merged({"package.json": MANIFEST, "yarn.lock": BERRY}) == [
        "pkg:npm/%40s/b@3.0.1 runtime-import indirect :4",
        "pkg:npm/a@1.1.0 runtime-import direct :1",
        "pkg:npm/d@2.0.0 dev-tool direct :1",
        "pkg:npm/e@5.0.0 dev-tool indirect :20",
        "pkg:npm/p@1.0.0 runtime-import indirect :23",
    ]


def test_bad_input_is_a_finding_with_its_line():
    assert dependency_lines("yarn.lock", 'a@1:\n  version "1"\nnonsense') == ["! file/broken :3"]
    assert dependency_lines("yarn.lock", "__metadata:\n  a: &x 1\nb: *x\n") == ["! file/refused :3"]
    assert dependency_lines("yarn.lock", "__metadata:\n  a: [\n") == ["! file/broken :3"]


SUM = f"sha512-{base64.b64encode(bytes([44]) * 64).decode()}"
CLASSIC_ARCHIVES = f"""a@^1:
  version "1.0.0"
  resolved "https://user:word@registry.yarnpkg.com/a/-/a-1.0.0.tgz#{"0a" * 20}"
  integrity {SUM}
  dependencies:
    b "^1"

b@^1, b@^1.0.1:
  version "1.0.1"
  resolved "https://registry.yarnpkg.com/b/-/b-1.0.1.tgz#{"0b" * 20}"

g@o/g:
  version "1.0.0"
  resolved "git+ssh://git@github.com/o/g.git#00ff"
"""
BERRY_ARCHIVES = """__metadata:
  version: 8

"a@npm:^1":
  version: 1.0.0
  resolution: "a@npm:1.0.0::__archiveUrl=https%3A%2F%2Fnpm.example.com%2Fa.tgz"
  dependencies:
    b: "npm:^1"
  checksum: 10/00ff

"b@npm:^1":
  version: 1.0.1
  resolution: "b@npm:1.0.1"
"""


def test_archives_of_yarn_1_have_checksums_and_those_of_yarn_2_have_none():
    """The checksum in a lock of Yarn 2 is that of an archive which Yarn itself makes."""
    assert origins({"yarn.lock": CLASSIC_ARCHIVES}) == [
        "pkg:npm/a@1.0.0 from https://registry.yarnpkg.com/a/-/a-1.0.0.tgz SHA512:2c2c2c2c brings pkg:npm/b@1.0.1",
        "pkg:npm/b@1.0.1 from https://registry.yarnpkg.com/b/-/b-1.0.1.tgz SHA1:0b0b0b0b",
        "pkg:github/o/g@00ff from git+ssh://github.com/o/g.git@00ff",
    ]
    assert origins({"yarn.lock": BERRY_ARCHIVES}) == [
        "pkg:npm/a@1.0.0?repository_url=npm.example.com from https://npm.example.com/a.tgz brings pkg:npm/b@1.0.1",
        "pkg:npm/b@1.0.1",
    ]


BERRY_ELSEWHERE = """__metadata:
  version: 8

"al@npm:@s/real@^1":
  version: 1.2.0
  resolution: "@s/real@npm:1.2.0"

"al2@npm:real@1.0.0":
  version: 1.0.0
  resolution: "real@npm:1.0.0"

"@s/p@patch:@s/p@npm%3A1.0.0#x.patch":
  version: 1.0.0
  resolution: "@s/p@patch:@s/p@npm%3A1.0.0#x.patch::version=1.0.0"

"gh@https://github.com/o/r.git#commit=00ff":
  version: 1.0.0
  resolution: "gh@https://github.com/o/r.git#commit=00ff"
"""


def test_an_alias_is_the_package_behind_it_and_a_repository_no_registry_package():
    manifest = '{"dependencies": {"al": "npm:@s/real@^1", "al2": "npm:real@1.0.0", "@s/p": "1.0.0", "gh": "o/r"}}'
    assert merged({"package.json": manifest, "yarn.lock": BERRY_ELSEWHERE}) == [
        "pkg:npm/%40s/p@1.0.0 runtime-import direct :1",
        "pkg:npm/%40s/real@1.2.0 runtime-import direct :1",
        "pkg:github/o/r@00ff runtime-import direct :1",
        "pkg:npm/real@1.0.0 runtime-import direct :1",
    ]


def test_a_resolution_is_the_package_behind_it_also_beside_the_range_that_it_replaces():
    lock = '"a@^1.0.0", "a@npm:b@1.0.0":\n  version "1.0.0"\n  resolved "https://registry.yarnpkg.com/b/-/b-1.0.0.tgz#ab"\n'
    manifest = '{"dependencies": {"a": "^1.0.0"}, "resolutions": {"a": "npm:b@1.0.0"}}'
    assert merged({"package.json": manifest, "yarn.lock": lock}) == ["pkg:npm/b@1.0.0 runtime-import direct :1"]
