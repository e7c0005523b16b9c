"""Scopes, groups, configurations, links: tables from words to usages."""

import pytest

from audit import usage
from audit.facts import Usage


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("pypi", "runtime-import"),
        ("npm", "runtime-import"),
        ("golang", "static-link"),
        ("cargo", "static-link"),
        ("maven", "dynamic-link"),
        ("generic", "unknown"),
        ("", "unknown"),
    ],
)
def test_each_ecosystem_has_a_default_usage(kind, expected):
    assert usage.default(kind) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("test", "test-only"),
        ("unit_tests", "test-only"),
        ("Dev", "dev-tool"),
        ("docs", "dev-tool"),
        ("typecheck", "dev-tool"),
        ("requirements/e2e.ci", "test-only"),
        ("build", "build-tool"),
        ("release", None),
        ("speed", None),
        ("latest", None),
        ("", None),
    ],
)
def test_whole_words_of_a_group_s_name_decide_its_usage(name, expected):
    assert usage.group(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("test", "test-only"), ("unit_tests", "test-only"), ("all-tests", "test-only"), ("Testing", "test-only"),
        ("dev", "dev-tool"), ("docs", "dev-tool"), ("lint", "dev-tool"), ("dev-docs", "dev-tool"), ("pre-commit", "dev-tool"),
        ("format", "runtime-import"), ("local", "runtime-import"), ("release", "runtime-import"), ("types", "runtime-import"),
        ("build-in", "runtime-import"), ("ide", "runtime-import"), ("test-server", "runtime-import"), ("all", "runtime-import"),
        ("", "runtime-import"),
    ],
)  # fmt: skip
def test_an_extra_is_for_development_only_by_its_whole_name(name, expected):
    """Users install extras."""
    assert usage.of_extra(name) == expected


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ("implementation", "dynamic-link"),
        ("testImplementation", "test-only"),
        ("androidTestApi", "test-only"),
        ("kapt", "build-tool"),
        ("annotationProcessor", "build-tool"),
        ("classpath", "build-tool"), ("developmentOnly", "build-tool"), ("buildscript-gradle", "build-tool"), ("ksp", "build-tool"),
        ("kotlinCompilerClasspath", "build-tool"), ("pluginClasspath", "build-tool"),
        ("compileClasspath", "dynamic-link"), ("myBuildscript", "dynamic-link"),
        ("checkstyle", "dev-tool"), ("pmd", "dev-tool"), ("spotbugs", "dev-tool"), ("jacocoAgent", "dev-tool"), ("detekt", "dev-tool"),
        ("latestImplementation", "dynamic-link"), ("latestReleaseRuntimeClasspath", "dynamic-link"), ("attestationApi", "dynamic-link"),
        ("workspaceImplementation", "dynamic-link"), ("pluginImplementation", "dynamic-link"), ("compilerApi", "dynamic-link"),
        ("lintImplementation", "dynamic-link"), ("splintApi", "dynamic-link"), ("kspDebug", "build-tool"), ("kaptTest", "test-only"),
        ("debugAnnotationProcessorClasspath", "build-tool"), ("kotlinCompilerPluginClasspathMain", "build-tool"),
        ("debugUnitTestRuntimeClasspath", "test-only"), ("integrationTestImplementation", "test-only"), ("", "dynamic-link"),
        ("kaptClasspath_kaptKotlin", "build-tool"), ("detektPlugins", "dev-tool"), ("x" * 100_000, "dynamic-link"),
        ("androidJacocoAnt", "dev-tool"), ("dokkaHtmlPlugin", "dev-tool"), ("hiltAnnotationProcessorDebug", "build-tool"),
        ("_agp_internal_javaPreCompileDebug_kaptClasspath", "build-tool"), ("scalaCompilerPlugins", "build-tool"),
        ("kotlinBuildToolsApiClasspath", "build-tool"), ("buildscriptClasspath", "build-tool"),
        ("ktlint", "dev-tool"), ("lintChecks", "dev-tool"), ("javadocElements", "dev-tool"),
    ],
)  # fmt: skip
def test_a_gradle_configuration_s_words_decide_its_usage(configuration, expected):
    assert usage.gradle(configuration) == expected


@pytest.mark.parametrize(
    ("scope", "expected"), [("", "dynamic-link"), ("provided", "dynamic-link"), ("test", "test-only"), ("x", "unknown")]
)
def test_a_maven_scope_gives_the_usage_and_an_unknown_one_says_nothing(scope, expected):
    assert usage.maven(scope) == expected


@pytest.mark.parametrize(
    ("name", "link", "expected"),
    [
        ("usb", "STATIC", "static-link"),
        ("usb", "SHARED", "dynamic-link"),
        ("usb", "INTERFACE", "header-only"),
        ("usb", "", "unknown"),
        ("usb", "object", "static-link"),
        ("usb", "module", "dynamic-link"),
        ("usb", "dynamic", "dynamic-link"),
        ("usb", "whole", "unknown"),
        ("GTest", "", "test-only"),
        ("Doxygen", "", "build-tool"),
        ("Eigen3", "", "header-only"),
        ("Eigen3", "static", "static-link"),
    ],
)
def test_a_native_library_has_the_usage_of_its_link_or_of_its_name(name, link, expected):
    assert usage.native(name, link) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/x/package.json", "test-only"),
        ("a/Fixtures/package.json", "test-only"),
        ("docs/requirements.txt", "dev-tool"),
        ("tools/run_tests/x/requirements.txt", "test-only"),
        ("src/Some.Library.Tests/a.csproj", "test-only"),
        ("src/Some.Library.UnitTest/a.csproj", "test-only"),
        ("testsuite-osgi/pom.xml", "test-only"),
        ("latest/contest/attests/package.json", None),
        ("speed-test/package.json", None),
        ("test-tools/package.json", None),
        ("microbench/pom.xml", "dev-tool"),
        ("csharp/Some.Benchmarks/a.csproj", "dev-tool"),
        ("src/package.json", None),
        ("test", None),
        (".codespell/requirements.txt", "dev-tool"),
        ("node_modules/.pnpm/a@1/node_modules/a/package.json", None),
        (".gitmodules", None),
        (".cargo/config.toml", None),
        (".cargo/x/Cargo.toml", "dev-tool"),
        ("./package.json", None),
    ],
)
def test_folders_decide_the_usage_and_not_the_file_s_name(path, expected):
    assert usage.usage_by_folder(path) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/test/java/pom.xml", True),
        ("test/java/pom.xml", False),
        ("src/integTest/resources/x/build.gradle", True),
        ("it/pom.xml", False),
        ("tests/snapshots/a/Cargo.toml", True),
        ("snapshots/a/Cargo.toml", False),
        ("a/test_data/go.mod", True),
        ("fixtures", False),
        ("data/tests/package.json", False),
    ],
)
def test_test_data_are_told_by_folders_of_fixtures_and_tests(path, expected):
    assert usage.is_test_data(path) is expected


def test_templates_are_told_by_their_folder():
    assert usage.is_template("src/Templates/x/pom.xml")
    assert not usage.is_template("src/templates")


def test_the_strongest_usage_is_found_in_the_order_of_all():
    assert usage.strongest(*Usage) is Usage.SOURCE_MERGED
    assert usage.strongest(Usage.DEV_TOOL, Usage.TEST_ONLY, Usage.RUNTIME_IMPORT) is Usage.RUNTIME_IMPORT


@pytest.mark.parametrize(
    ("name", "expected"),
    [("production", "runtime-import"), ("server", "runtime-import"), ("main", "runtime-import"), ("server-tests", "test-only"), ("docs", "dev-tool"), ("x", "dev-tool")],
)  # fmt: skip
def test_a_python_group_is_for_development_unless_its_name_says_it_runs(name, expected):
    assert usage.of_group(name) == expected
