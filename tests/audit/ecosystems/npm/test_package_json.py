"""package.json: the lists, the licence in its three spellings, and bundlers."""

import json

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines, merged

MANIFEST = """{
  "name": "shop", "license": "MIT",
  "dependencies": {
    "a": "^1.0.0",
    "o": "1.0.0"
  },
  "optionalDependencies": {"o": "1.0.0"},
  "peerDependencies": {"p": "*", "q": "*"},
  "peerDependenciesMeta": {"q": {"optional": true}},
  "bundleDependencies": ["a"],
  "devDependencies": {"d": "~2", "local": "file:./x"}
}"""
FRONT = '{"private": true, "scripts": {"build": "tsc && webpack"}, "devDependencies": {"webpack": "5"}, "dependencies": {"vue": "3"}}'


def test_each_list_gives_its_packages_once_with_their_usage():
    assert dependency_lines("package.json", MANIFEST) == [
        "pkg:npm/a bundled direct :4",
        "pkg:npm/o@1.0.0 runtime-import direct optional :5",
        "pkg:npm/p runtime-import direct :8",
        "pkg:npm/q runtime-import direct optional :8",
        "pkg:npm/d dev-tool direct :11",
    ]


def test_a_private_package_with_a_bundler_script_bundles_its_runtime_packages():
    lock = '{"packages": {"": {"dependencies": {"vue": "3"}}, "node_modules/vue": {"version": "3.0.0"}, "node_modules/dep": {"version": "1.0.0"}}}'
    assert merged({"package.json": FRONT, "package-lock.json": lock}) == [
        "pkg:npm/dep@1.0.0 bundled indirect :1",
        "pkg:npm/vue@3.0.0 bundled direct :1",
        "pkg:npm/webpack dev-tool direct :1",
    ]


@pytest.mark.parametrize(
    "change",
    [('webpack"}', 'tsc"}'), ('"private": true', '"main": "x.js"'), ('"webpack": "5"', '"tsc": "5"')],
)
def test_packages_are_imported_at_run_time_without_a_bundler_call(change):
    assert "pkg:npm/vue runtime-import direct :1" in dependency_lines("package.json", FRONT.replace(*change))


@pytest.mark.parametrize(
    ("stated", "bundled"),
    [
        ('"bundleDependencies": true', ["a", "b"]),
        ('"bundledDependencies": true', ["a", "b"]),
        ('"bundleDependencies": false', []),
        ('"bundledDependencies": false', []),
        ('"bundleDependencies": []', []),
        ('"bundledDependencies": ["b"]', ["b"]),
        ('"bundleDependencies": false, "bundledDependencies": true', []),
        ('"bundleDependencies": ["a"], "bundledDependencies": ["b"]', ["a"]),
        ('"bundleDependencies": true, "bundledDependencies": ["b"]', ["a", "b"]),
        ('"bundleDependencies": null, "bundledDependencies": ["b"]', []),
        ('"name": "x"', []),
    ],
)
def test_packages_are_bundled_by_a_list_or_all_of_them_by_true_in_both_spellings(stated, bundled):
    content = f'{{{stated}, "dependencies": {{"a": "1", "b": "2"}}, "devDependencies": {{"d": "1"}}, "peerDependencies": {{"p": "1"}}, "optionalDependencies": {{"o": "1"}}}}'

    assert [
        dependency.name
        for dependency in ecosystems.read("package.json", content).dependencies
        if dependency.usage == "bundled"
    ] == bundled


@pytest.mark.parametrize("stated", ['["a"]', "true"])
def test_bundled_packages_and_what_they_need_stay_bundled_beside_a_lock_file(stated):
    content = f'{{"bundleDependencies": {stated}, "dependencies": {{"a": "1"}}, "devDependencies": {{"d": "1"}}}}'
    a = '"node_modules/a": {"version": "1.0.0", "dependencies": {"x": "1"}}, "node_modules/x": {"version": "1.0.0"}'
    d = '"node_modules/d": {"version": "1.0.0", "dev": true, "dependencies": {"y": "1"}}, "node_modules/y": {"version": "1.0.0", "dev": true}'
    lock = f'{{"packages": {{"": {{"dependencies": {{"a": "1"}}, "devDependencies": {{"d": "1"}}}}, {a}, {d}}}}}'

    assert merged({"package.json": content, "package-lock.json": lock}) == [
        "pkg:npm/a@1.0.0 bundled direct :1",
        "pkg:npm/d@1.0.0 dev-tool direct :1",
        "pkg:npm/x@1.0.0 bundled indirect :1",
        "pkg:npm/y@1.0.0 dev-tool indirect :1",
    ]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ('"license": "MIT"', "MIT"),
        ('"license": {"type": "ISC", "url": "x"}', "ISC"),
        ('"licenses": [{"type": "MIT"}, {"type": "ISC"}]', "MIT OR ISC"),
        ('"license": 7', None),
    ],
)
def test_the_package_s_own_licence_is_read_in_its_old_and_new_forms(stated, expected):
    assert ecosystems.read("package.json", f"{{{stated}}}").license.expression == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", ["! file/broken :1"]),
        ("[]", ["! file/broken :1"]),
        ('{\n"dependencies": {"a": \n', ["! file/broken :3"]),
        ("[" * 100_000, ["! file/refused"]),
        (
            '{"dependencies": [1], "devDependencies": {"a": 1, "": "1"}, "scripts": 1}',
            ["pkg:npm/a dev-tool direct :1", "! file/broken :1", "! file/broken :1"],
        ),
        ('{"dependencies": {"\\ud800": "1"}}', ["pkg:npm/%3f runtime-import direct :1"]),
    ],
)
def test_bad_input_is_a_finding_or_read_as_far_as_possible(content, expected):
    assert dependency_lines("package.json", content) == expected


@pytest.mark.parametrize(
    ("spec", "is_outside"),
    [
        ("file:../lib", True), ("link:../../lib", True), ("portal:/opt/lib", True), ("../lib", True), ("~/lib", True),
        ("file:lib", False), ("link:./lib", False), ("workspace:../lib", False), ("workspace:^", False), ("^1.0.0", False),
    ],
)  # fmt: skip
def test_a_dependency_that_is_a_folder_outside_is_a_finding(spec, is_outside):
    found = ecosystems.read("package.json", json.dumps({"dependencies": {"b": spec}})).findings

    assert [(finding.code, finding.place.line) for finding in found] == [("file/outside", 1)] * is_outside


def test_a_dependency_that_is_a_folder_beside_the_manifest_is_no_finding():
    content = json.dumps({"dependencies": {"b": "file:../b"}})

    assert not ecosystems.read("packages/a/package.json", content).findings
