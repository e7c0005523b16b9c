"""pnpm-lock.yaml, lockfile versions 5, 6 and 9: importers, peers, aliases, links."""

import base64

import pytest

from tests.audit.ecosystems.brief import dependency_lines, merged, origins

SUM = f"sha512-{base64.b64encode(bytes([44]) * 64).decode()}"

FIVE = """lockfileVersion: 5.4
specifiers: {a: ^1.0.0, d: ^2.0.0}
dependencies:
  a: 1.1.0_p@1.0.0
devDependencies:
  d: 2.0.0
packages:
  /a/1.1.0_p@1.0.0:
    dependencies:
      '@s/b': 3.0.1
    dev: false
  /@s/b/3.0.1:
    resolution: {integrity: x}
  /d/2.0.0:
    dependencies: {e: 5.0.0}
    dev: true
  /e/5.0.0: {dev: true}
"""
SIX = """lockfileVersion: '6.0'
importers:
  .:
    dependencies:
      a: {specifier: ^1.0.0, version: 1.1.0(p@1.0.0)}
      own: {specifier: 'workspace:*', version: 'link:own'}
    devDependencies:
      d: {specifier: ^2.0.0, version: 2.0.0}
packages:
  /a@1.1.0(p@1.0.0):
    dependencies: {'@s/b': 3.0.1}
  /@s/b@3.0.1: {}
  /d@2.0.0:
    dependencies: {e: 5.0.0}
  /e@5.0.0: {}
"""
NINE = """lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      a: {specifier: ^1.0.0, version: 1.1.0(p@1.0.0)}
    devDependencies:
      d: {specifier: 'npm:d@^2.0.0', version: d@2.0.0}
packages:
  a@1.1.0: {}
  '@s/b@3.0.1': {}
  d@2.0.0: {}
  e@5.0.0: {}
snapshots:
  a@1.1.0(p@1.0.0):
    dependencies: {'@s/b': 3.0.1}
  '@s/b@3.0.1': {}
  d@2.0.0:
    optionalDependencies: {e: 5.0.0}
  e@5.0.0: {optional: true}
"""


@pytest.mark.parametrize("content", [FIVE, SIX, NINE], ids=["5", "6", "9"])
def test_the_three_lock_versions_give_the_same_dependencies(content):
    said = [line.partition(" :")[0] for line in merged({"pnpm-lock.yaml": content})]

    assert said == [
        "pkg:npm/%40s/b@3.0.1 runtime-import",
        "pkg:npm/a@1.1.0 runtime-import",
        "pkg:npm/d@2.0.0 dev-tool",
        "pkg:npm/e@5.0.0 dev-tool",
    ]


def test_the_manifest_says_which_packages_are_direct():
    manifest = '{"dependencies": {"a": "^1.0.0"}, "devDependencies": {"d": "^2.0.0"}}'
    assert merged({"package.json": manifest, "pnpm-lock.yaml": SIX}) == [
        "pkg:npm/%40s/b@3.0.1 runtime-import indirect :12",
        "pkg:npm/a@1.1.0 runtime-import direct :1",
        "pkg:npm/d@2.0.0 dev-tool direct :1",
        "pkg:npm/e@5.0.0 dev-tool indirect :15",
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a: &a [x]\nb: *a", ["! file/refused :2"]),
        ("packages: [", ["! file/broken :2"]),
        ("{" * 200, ["! file/refused :1"]),
        ("- a", ["! file/broken :1"]),
        ("", ["! file/broken :1"]),
        ("packages: {a: 1, '': {}, '/@': {dependencies: [1]}}\nimporters: {'.': {dependencies: 7}}", None),
    ],
)
def test_bad_input_is_a_finding_with_its_line(content, expected):
    found = dependency_lines("pnpm-lock.yaml", content)

    assert expected is None or found == expected


def test_archives_have_an_address_only_if_they_are_not_at_the_registry():
    lock = f"""lockfileVersion: '9.0'
importers:
  .: {{dependencies: {{a: {{specifier: ^1, version: 1.0.0}}}}}}
packages:
  a@1.0.0:
    resolution: {{integrity: {SUM}}}
  b@2.0.0:
    resolution: {{integrity: {SUM}, tarball: 'https://npm.example.com/b.tgz?token=x'}}
  g@git+https://github.com/o/g.git#00ff:
    resolution: {{commit: 00ff, repo: 'https://ada@github.com/o/g.git', type: git}}
    version: 3.0.0
snapshots:
  a@1.0.0:
    dependencies: {{b: 2.0.0}}
"""
    b = "pkg:npm/b@2.0.0?repository_url=npm.example.com"
    assert origins({"pnpm-lock.yaml": lock}) == [
        f"pkg:npm/a@1.0.0 SHA512:2c2c2c2c brings {b}",
        f"{b} from https://npm.example.com/b.tgz SHA512:2c2c2c2c",
        "pkg:github/o/g@00ff from git+https://github.com/o/g.git@00ff",
    ]


SETUP = """---
lockfileVersion: '9.0'
importers:
  .:
    configDependencies:
      hooks: {specifier: 1.0.0, version: 1.0.0}
    packageManagerDependencies:
      pnpm: {specifier: 12.3.4, version: 12.3.4}
packages:
  hooks@1.0.0: {}
  pnpm@12.3.4: {}
  '@pnpm/exe.linux-x64@12.3.4': {}
snapshots:
  hooks@1.0.0: {}
  pnpm@12.3.4:
    optionalDependencies: {'@pnpm/exe.linux-x64': 12.3.4}
  '@pnpm/exe.linux-x64@12.3.4': {optional: true}
---
"""
TOOLS = [
    "pkg:npm/%40pnpm/exe.linux-x64@12.3.4 dev-tool",
    "pkg:npm/hooks@1.0.0 dev-tool",
    "pkg:npm/pnpm@12.3.4 dev-tool",
]


@pytest.mark.parametrize("content", [SETUP + NINE, SETUP + NINE + "---\n", SETUP.replace("\n", "\r\n") + NINE])
def test_the_project_behind_pnpm_itself_is_read_and_what_sets_it_up_is_a_tool(content):
    said = [line.partition(" :")[0] for line in merged({"pnpm-lock.yaml": content})]

    own = [line.partition(" :")[0] for line in merged({"pnpm-lock.yaml": NINE})]
    assert said == sorted([*own, *TOOLS])


def test_a_package_that_both_documents_lock_has_the_usage_that_counts_for_the_project():
    setup = SETUP.replace("hooks", "a").replace("a@1.0.0", "a@1.1.0").replace("version: 1.0.0", "version: 1.1.0")
    said = merged({"package.json": '{"dependencies": {"a": "^1.0.0"}}', "pnpm-lock.yaml": setup + NINE})

    assert "pkg:npm/a@1.1.0 runtime-import direct :1" in said


def test_a_wrong_value_in_either_document_is_a_finding_at_the_key_that_holds_it():
    setup = SETUP.replace("{specifier: 12.3.4, version: 12.3.4}", "[]")
    project = NINE.replace("e@5.0.0: {}", "e@5.0.0: [x]")

    found = [line for line in dependency_lines("pnpm-lock.yaml", setup + project) if line.startswith("!")]

    assert found == ["! file/broken :20", "! file/broken :26"]
    assert dependency_lines("pnpm-lock.yaml", f"{SETUP}- a\n") == ["! file/broken :18"]
