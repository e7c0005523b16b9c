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
        f"pkg:maven/g/{name}" for name in ("a@1", "b@2", "c@3", "d@4")
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
    assert [line.partition(" ")[0] for line in merged(files)] == [
        "pkg:maven/org.other/pot@1.0",
        "pkg:maven/org.tea/leaf@1.0",
    ]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('antlr "g:a:1"', "pkg:maven/g/a@1 unknown direct :2"),
        ("coreLibraryDesugaring('g:a:1')", "pkg:maven/g/a@1 unknown direct :2"),
        ('lintChecks("g:a:1")', "pkg:maven/g/a@1 dev-tool direct :2"),
        ('"implementation"("g:a:1")', "pkg:maven/g/a@1 dynamic-link direct :2"),
        ('"kapt"("g:a:1")', "pkg:maven/g/a@1 build-tool direct :2"),
        ('add("implementation", "g:a:1")', "pkg:maven/g/a@1 dynamic-link direct :2"),
        ('if (x) implementation("g:a:1")', "pkg:maven/g/a@1 dynamic-link direct :2"),
        ('constraints { implementation("g:a:1") }', "pkg:maven/g/a@1 dynamic-link direct :2"),
        ('implementation(kotlin("reflect", "1.9"))', "pkg:maven/org.jetbrains.kotlin/kotlin-reflect@1.9 dynamic-link direct :2"),
        ("implementation(['g:a:1'])", "pkg:maven/g/a@1 dynamic-link direct :2"),
        ("implementation([group: 'g', name: 'a', version: '1'])", "pkg:maven/g/a@1 dynamic-link direct :2"),
        ("implementation(dependencies.create('g:a:1'))", "pkg:maven/g/a@1 dynamic-link direct :2"),
        ("implementation(variantOf(libs.a.b) { classifier('x') })", "libs.a.b dynamic-link direct :2"),
        ("implementation libs.a.b.get()", "libs.a.b dynamic-link direct :2"),
        ("implementation(platform(SpringBootPlugin.BOM_COORDINATES))", "pkg:maven/org.springframework.boot/spring-boot-dependencies dynamic-link direct :2"),
        ("implementation(project(':x')) { implementation 'g:a:1'; exclude group: 'h:b:1' }", "pkg:maven/g/a@1 dynamic-link direct :2"),
        ("implementation('g:a:1!!') { because('h:b:1') }", "pkg:maven/g/a@1 dynamic-link direct :2"),
    ],
)  # fmt: skip
def test_every_configuration_and_form_of_a_call_among_dependencies_is_read(call, expected):
    for block in ("dependencies", "commonMain.dependencies", "dependencies { debug"):
        braces = block.count("{") + 1
        assert dependency_lines("build.gradle.kts", f"{block} {{\n  {call}\n{'}' * braces}\n") == [expected]


@pytest.mark.parametrize(
    "call",
    [
        'implementation(npm("react", "18"))', "implementation(it)", "implementation libs.a, deps.b", "implementation libs.findLibrary('a').get()",
        "implementation project.ext.gson", "implementation rootProject.ext.gson", 'implementation "$gson"', "implementation(deps.a) { }",
        "implementation group: 'g', name: artifact", 'intellijPlatform { plugin("org.x:1") }', "shared()", 'spring("web")', "implementation",
        "names.each { implementation it }", "for (name in names) { implementation(name) }", "if (x) { api(Deps.a) }", "mappings loom.official()",
    ],
)  # fmt: skip
def test_a_call_among_dependencies_that_names_none_is_not_read(call):
    found = ecosystems.read("build.gradle", f"dependencies {{\n  {call}\n  {call}\n}}\n").findings
    assert [(finding.code, finding.place.line) for finding in found] == [("file/unsupported", 2)]
    assert f"(`{call[:60].strip()}" in found[0].message


QUIET = """import java.util.Properties
buildscript { repositories { google() } }
plugins { alias(libs.plugins.kotlin) }
def properties = new Properties()
android {
    compileSdk = libs.versions.compileSdk.get().toInt()
    defaultConfig { buildConfigField("String", "X", '""') }
    signingConfigs { debug { storeFile file('debug.keystore') } }
}
dependencies {
    /* implementation("g:no:1") */
    val version: String by project
    def other = "2.0"
    implementation(project(path: ":core", configuration: "shadow"))
    api(projects.core.model)
    testImplementation(testFixtures(project(":core")))
    implementation(fileTree(mapOf("dir" to "libs", "include" to listOf("*.jar"))))
    compileOnly(gradleApi())
    testRuntimeOnly(sourceSets.main.get().output)
    runtimeOnly(files(tasks.named("jar")))
    modules { module("g:old") { replacedBy("g:new", "moved") } }
    components.all { allVariants { withDependencies { removeAll { it.group == "x" } } } }
    println "g:no:1"
}
tasks.register("start") { doLast { Runtime.getRuntime().exec("date +HH:mm:ss") } }
tasks.register("run", JavaExec) { classpath(configurations.named("x"), tasks.named("jar")) }
bootJar { layered { dependencies { intoLayer("snapshots") { include "*:*:*SNAPSHOT" } } } }
publishing { publications { maven(MavenPublication) { pom { name = '''it's a "part"''' } } } }
val quoted = \"\"\""$value\"\"\"\"
"""


def test_an_ordinary_build_file_has_no_findings():
    assert dependency_lines("build.gradle.kts", QUIET) == []


def test_a_variable_stands_for_the_archives_that_it_was_given():
    build = """def gson = 'g:a:1'
dependencies {
    val bom = platform("g:bom:2")
    implementation(bom)
    testImplementation(bom)
    implementation gson
}
"""
    assert dependency_lines("build.gradle", build) == [
        "pkg:maven/g/bom@2 dynamic-link direct :4",
        "pkg:maven/g/bom@2 test-only direct :5",
        "pkg:maven/g/a@1 dynamic-link direct :6",
    ]


@pytest.mark.parametrize(
    ("defined", "version"),
    [
        ('val v = "1.0"', "@1.0"), ("ext.v = '1.0'", "@1.0"), ("ext {\n  v = '1.0'\n}", "@1.0"), ('val v: String = "1.0"', "@1.0"),
        ('val v = "1.0"\nval v = "1.0"', "@1.0"), ('val v = "1.0"\nval v = "2.0"', ""), ("val v = of(x)", ""), ("val v by project", ""),
    ],
)  # fmt: skip
def test_a_version_in_a_variable_is_the_one_text_that_it_was_given(defined, version):
    for text in ("g:a:$v", "g:a:${v}"):
        build = f'{defined}\ndependencies {{ implementation("{text}") }}\n'
        assert [line.split()[0] for line in dependency_lines("build.gradle.kts", build)] == [f"pkg:maven/g/a{version}"]
    assert dependency_lines("build.gradle", f'{defined}\ndependencies {{ implementation "g:a:$v.x" }}')[0].startswith(
        "pkg:maven/g/a "
    )


@pytest.mark.parametrize(
    "line",
    [
        "ext.libraries = [ a: 'g:a:1' ]", 'protobuf { protoc { artifact = "g:a:1" } }', "ext { a = 'g:a:1' }",
        'configurations.all { resolutionStrategy { force("g:a:1") } }', 'dependencyManagement { imports { mavenBom("g:a:1") } }',
        'dependencies { listOf("g:a:1").forEach { implementation(libs.b) } }', 'substitute(module("g:b")).using(module("g:a:1"))',
    ],
)  # fmt: skip
def test_an_archive_that_no_call_asks_for_is_used_in_an_unknown_way(line):
    assert "pkg:maven/g/a@1 unknown :1" in dependency_lines("build.gradle", line)


@pytest.mark.parametrize(
    "text", ["HH:mm:ss", "jdbc:h2:mem", "a:b", ":core:io:1", "$group:$name:1", "https://a.b:80:1", "run: a:b:1"]
)
def test_other_texts_with_colons_are_no_archives(text):
    assert dependency_lines("build.gradle", f'x = "{text}"') == []


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("apply from: 'https://x.example/deps.gradle'", True),
        ('apply(from = "https://x.example/deps.gradle")', True),
        ("apply from: 'gradle/deps.gradle'", False),
        ("apply plugin: 'java'", False),
        ('apply { plugin("java") }', False),
    ],
)
def test_a_script_of_another_place_is_told(line, is_told):
    assert dependency_lines("build.gradle", line) == (["! file/unsupported :1"] if is_told else [])


@pytest.mark.parametrize("build", ["dependencies {\n", "}\n", "implementation(\n"])
def test_brackets_that_do_not_match_are_a_finding(build):
    assert dependency_lines("build.gradle", build) == ["! file/unsupported"]


@pytest.mark.parametrize("build", [
    "implementation(" + ".".join(["libs"] * 500) + ")", 'implementation("g:n:' + "$a" * 500 + '")', "implementation(many)\n" * 500,
])  # fmt: skip
def test_what_a_variable_stands_for_is_bounded(build):
    """A script of a few kilobytes must not become a report of many megabytes."""
    many = ",".join(f"'g:a:{number}'" for number in range(500))
    given = f"def a = '{'x' * 5_000}'\ndef many = [{many}]\n"
    found = dependency_lines("build.gradle", f"{given}dependencies {{\n{build}\n}}\n")
    assert sum(map(len, found)) < 40_000
