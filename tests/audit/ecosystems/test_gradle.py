"""Gradle: the lock file, the catalogue, build files line by line."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines, merged

LOCK = """# This is a Gradle generated file
g:a:1.0=compileClasspath,runtimeClasspath,testRuntimeClasspath
g:t:2.0=testCompileClasspath
g:p:3.0=annotationProcessor
empty=
nonsense
"""
CATALOGUE = """[versions]
one = "1.0"
[libraries]
a-b = { module = "g:a", version.ref = "one" }
c = "g:c:2.0"
d = { group = "g", name = "d", version = { strictly = "3.0" } }
[bundles]
all = ["a-b", "c"]
"""
BUILD = """plugins { id("java") }
dependencies {
    implementation 'g:x:1.0'
    testImplementation("g:y:2.0")
    api(libs.a.b)
    runtimeOnly platform('g:bom:+')
    compileOnly group: 'g', name: 'z', version: '4.0'
    kapt "g:k:1.0:classifier@jar"
    implementation project(':other')
    println 'g:no:1.0'
}
"""


def test_several_calls_in_one_line_are_read():
    build = 'dependencies { implementation("g:a:1"); api("g:b:2") }\ndependencies {\n  api "g:c:3"; testImplementation "g:d:4"\n}\n'
    assert [line.split()[0] for line in dependency_lines("build.gradle.kts", build)] == [
        f"pkg:maven/g/{one}" for one in ("a@1", "b@2", "c@3", "d@4")
    ]


def test_the_most_binding_configuration_of_a_lock_entry_counts():
    assert dependency_lines("gradle.lockfile", LOCK) == [
        "pkg:maven/g/a@1.0 dynamic-link :2",
        "pkg:maven/g/t@2.0 test-only :3",
        "pkg:maven/g/p@3.0 build-tool :4",
        "! file/broken :6",
    ]
    assert dependency_lines("buildscript-gradle.lockfile", "g:a:1=classpath") == ["pkg:maven/g/a@1 build-tool :1"]


def test_every_form_of_a_call_on_one_line_is_read():
    assert dependency_lines("build.gradle", BUILD) == [
        "pkg:maven/g/x@1.0 dynamic-link direct :3",
        "pkg:maven/g/y@2.0 test-only direct :4",
        "libs.a.b dynamic-link direct :5",
        "pkg:maven/g/bom dynamic-link direct :6",
        "pkg:maven/g/z@4.0 dynamic-link direct :7",
        "pkg:maven/g/k@1.0 build-tool direct :8",
    ]


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("testImplementation(libs.a.b)", "pkg:maven/g/a@1.0 test-only direct :1"),
        ("api libs.bundles.all", "pkg:maven/g/c@2.0 dynamic-link direct :1"),
        ("", "pkg:maven/g/d@3.0 dynamic-link :6"),
    ],
)
def test_a_catalogue_entry_has_the_usage_of_its_calls(use, expected):
    assert expected in merged({"gradle/libs.versions.toml": CATALOGUE, "build.gradle.kts": use})


def test_the_shadow_plug_in_bundles_runtime_packages():
    assert ecosystems.read("build.gradle", "  id 'com.gradleup.shadow' version '8.0'").bundler == "com.gradleup.shadow"
    assert (
        ecosystems.read("build.gradle", "plugins { id 'com.gradleup.shadow' version '8.0' }").bundler
        == "com.gradleup.shadow"
    )


CALLS = """dependencies {
  implementation(
    'a.b:c:1.0' // the core
  )
  implementation 'd.e:f:2.0', 'g.h:i:3.0',
    'j.k:l'
  testImplementation('m.n:o:1') {
    exclude group: 'x', module: 'y'
  }
  implementation(
    platform("p.q:bom:5"),
  )
  api(group = "r.s",
      name = "t", version = "6")
  implementation libs.one, libs.two.three
  println("u:v:1")
}
"""


def test_a_call_over_several_lines_has_the_line_of_its_begin():
    assert dependency_lines("build.gradle", CALLS) == [
        "pkg:maven/a.b/c@1.0 dynamic-link direct :2",
        "pkg:maven/d.e/f@2.0 dynamic-link direct :5",
        "pkg:maven/g.h/i@3.0 dynamic-link direct :5",
        "pkg:maven/j.k/l dynamic-link direct :5",
        "pkg:maven/m.n/o@1 test-only direct :7",
        "pkg:maven/p.q/bom@5 dynamic-link direct :10",
        "pkg:maven/r.s/t@6 dynamic-link direct :13",
        "libs.one dynamic-link direct :15",
        "libs.two.three dynamic-link direct :15",
    ]


@pytest.mark.parametrize(
    ("call", "is_computed"),
    [
        ("implementation deps.guava", True), ("api(Deps.okhttp)", True), ("testImplementation libraries['junit']", True),
        ("implementation project(':a')", False), ("implementation projects.core", False), ("implementation files('x.jar')", False),
        ("implementation fileTree(dir: 'libs')", False), ("implementation libs.guava", False), ("implementation 'a:b:1'", False),
        ("implementation sourceSets.main.output", False), ("println deps.guava", False),
    ],
)  # fmt: skip
def test_computed_names_are_one_finding_at_the_first(call, is_computed):
    for path in ("build.gradle", "gradle/deps.gradle", "a/x.gradle.kts"):
        found = ecosystems.read(path, f"dependencies {{\n  {call}\n  {call}\n}}\n").findings
        assert [(finding.code, finding.place.line) for finding in found] == (
            [("file/unsupported", 2)] if is_computed else []
        )


def test_archives_of_the_work_s_own_group_and_parts_are_no_dependencies():
    files = {
        "settings.gradle.kts": 'rootProject.name = "tea"\ninclude(":core:pot", "cup")\n',
        "build.gradle": "group = 'org.tea'\n",
        "cup/cup.gradle": "implementation 'org.tea:pot:1.0'\nimplementation 'org.tea:tea:1.0'\nimplementation 'org.tea:leaf:1.0'\n"
        "implementation project(':pot')\nimplementation 'org.other:pot:1.0'\nimplementation \"org.tea:${name}:1\"\n",
    }
    assert [one.partition(" ")[0] for one in merged(files)] == [
        "pkg:maven/org.other/pot@1.0",
        "pkg:maven/org.tea/leaf@1.0",
    ]
