"""Usages by what a file says of a dependency (its scope, its group, how it is linked): tables, no guesses."""

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from audit.facts import Usage

DEFAULTS: Final = {
    **dict.fromkeys(("cargo", "cocoapods", "golang", "pub", "swift"), Usage.STATIC_LINK),
    **dict.fromkeys(("composer", "conda", "gem", "hex", "jsr", "npm", "pypi"), Usage.RUNTIME_IMPORT),
    **dict.fromkeys(("maven", "nuget"), Usage.DYNAMIC_LINK),
}
"""The usage of what runs, by type of package URL, where a file says no more; of any other type it is not known."""

# From the usage that takes most of another work into one's own to the one that takes least.
_RANKS: Final = (
    Usage.SOURCE_MERGED,
    Usage.VENDORED,
    Usage.BUNDLED,
    Usage.STATIC_LINK,
    Usage.HEADER_ONLY,
    Usage.DYNAMIC_LINK,
    Usage.RUNTIME_IMPORT,
    Usage.UNKNOWN,  # Behind the known ways into a program, before all that is beside it.
    Usage.GENERATED_OUTPUT,
    Usage.MODEL_WEIGHTS,
    Usage.DATA_OR_DOC,
    Usage.TRAINING_DATA,
    Usage.NETWORK_SERVICE,
    Usage.AGGREGATE,
    Usage.SEPARATE_PROCESS,
    Usage.BUILD_TOOL,
    Usage.TEST_ONLY,
    Usage.DEV_TOOL,
)
_RANK: Final = {usage: rank for rank, usage in enumerate(_RANKS)}

NOT_SHIPPED: Final = frozenset({Usage.BUILD_TOOL, Usage.DEV_TOOL, Usage.TEST_ONLY})
"""Usages that help to make the work and put nothing into it."""
MODELS_AND_DATA: Final = frozenset({Usage.MODEL_WEIGHTS, Usage.TRAINING_DATA})
"""Usages that are judged by terms of use: a copyright licence of code is only one of the things that they hold."""

_TESTS: Final = frozenset({"test", "tests", "testing", "unittest", "pytest", "coverage", "cov", "e2e"})
_DEVELOPS: Final = frozenset({
    "dev", "develop", "development", "devel", "doc", "docs", "documentation", "lint", "linting", "linter", "typing",
    "types", "mypy", "typecheck", "typechecking", "style", "format", "formatting", "qa", "quality", "check", "checks", "debug", "profiling", "bench",
    "benchmark", "benchmarks", "precommit", "ci", "nox", "tox", "local", "ide", "editor", "examples",
})  # fmt: skip
_BUILDS: Final = frozenset({"build", "building", "packaging", "compile", "bootstrap", "wheel", "wheels"})
# No user asks for these extras, as users do for `format`, `types` or `release`: they serve the work's own development.
_EXTRAS: Final = (
    (Usage.TEST_ONLY, frozenset({"test", "tests", "testing", "unittest", "unittests", "coverage", "cov"})),
    (Usage.DEV_TOOL, frozenset({
        "dev", "develop", "development", "devel", "doc", "docs", "documentation", "lint", "linting", "linter", "qa", "typecheck",
        "typechecking", "bench", "benchmark", "benchmarks", "pre", "commit", "precommit", "ci", "nox", "tox",
    })),
)  # fmt: skip
# Words that do not change what such a name says.
_BESIDE: Final = frozenset({"all", "deps", "dependencies", "extra", "extras", "requirements", "unit", "integration"})
# Names of groups of what is installed where the work runs.
_RUNS: Final = frozenset({"main", "default", "prod", "production", "server", "runtime"})
# Tests first: the group `test-build` builds nothing that is shipped.
_GROUPS: Final = ((Usage.TEST_ONLY, _TESTS), (Usage.DEV_TOOL, _DEVELOPS), (Usage.BUILD_TOOL, _BUILDS))
# Other folders of tests in builds of Gradle and Maven, in small letters.
_SOURCE_SETS: Final = frozenset({
    "androidtest", "functionaltest", "integrationtest", "integtest", "inttest", "smoketest", "testfixtures", "testsuite", "testsuites",
    "integration-test", "integration-tests", "functional-tests", "unittests", "unit-tests",
})  # fmt: skip
_TEST_DATA: Final = frozenset({"testdata", "test-data", "test_data", "fixture", "fixtures", "__fixtures__"})
_TEMPLATES: Final = frozenset({"template", "templates", "skeleton", "skeletons"})
# Files that tests are given to read, below a folder of tests.
_GIVEN_TO_TESTS: Final = frozenset({
    "data", "resources", "cases", "testcases", "samples", "golden", "inputs", "snapshots", "__snapshots__", "tap-snapshots",
})  # fmt: skip
_ASIDE: Final = (
    (
        Usage.TEST_ONLY,
        frozenset(
            {"test", "tests", "testing", "test_package", "e2e", "fuzz", "oss-fuzz", "__tests__"} | _TEST_DATA | _SOURCE_SETS
        ),
    ),
    (
        Usage.DEV_TOOL,
        frozenset({
            "examples", "example", "docs", "doc", "samples", "demos",
            "benchmarks", "benchmark", "benches", "benchsuite", "microbench", "microbenchmarks",
        }),
    ),
)  # fmt: skip
# Folders of parts that only test or measure a work, in small letters: `Some.Library.Tests`, `testsuite-osgi`.
_OF_TESTS: Final = re.compile(
    r"[\w.-]{0,100}(?:[-_.]tests|\.(?:unit|integration|functional)?test)|testsuite[-_.][\w.-]{1,100}"
)
_OF_BENCHMARKS: Final = re.compile(r"[\w.-]{0,100}[-_.]benchmarks")
_TESTS_THERE: Final = _ASIDE[0][1]
_NAMED_ASIDE: Final = ((Usage.TEST_ONLY, _OF_TESTS), (Usage.DEV_TOOL, _OF_BENCHMARKS))
FOLDERS: Final = {Usage.TEST_ONLY: "tests", Usage.DEV_TOOL: "examples, documentation or tooling"}
_MAVEN: Final = {
    # What a container provides is linked all the same when the work runs.
    **dict.fromkeys(("", "compile", "runtime", "provided", "system"), Usage.DYNAMIC_LINK),
    "test": Usage.TEST_ONLY,
}
_MAX_CONFIGURATION_CHARACTERS: Final = 1_000  # Characters of a name that are read.
_SEPARATOR: Final = re.compile(r"[-_./]")
_WORD: Final = re.compile(r"[A-Z]?[a-z0-9]++|[A-Z]++(?![a-z])")
# A source set may have any name: it says nothing of the usage, unless it is for tests.
_OF_SOURCE_SET: Final = re.compile(
    r"[a-zA-Z0-9]+(?:Implementation|Api|Compile|CompileOnly|CompileClasspath|Runtime|RuntimeOnly|RuntimeClasspath)"
)
_BUILD_NAMES: Final = frozenset({"classpath", "annotationprocessor", "developmentOnly"})
# Words of configurations that hold what compiles, or what plug-ins are made of.
_PROCESSORS: Final = frozenset({
    "annotationprocessor", "kapt", "ksp", "plugin", "plugins", "compiler", "commonizer", "scripting",
})  # fmt: skip
# Words of configurations of plug-ins that check or document.
_CHECKERS: Final = frozenset(
    {"checkstyle", "pmd", "spotbugs", "jacoco", "detekt", "ktlint", "lint", "javadoc", "dokka"}
)
_TEST_NAMES: Final = frozenset({
    "googletest", "gtest", "gmock", "catch2", "catch", "doctest", "cppunit", "cpputest", "boost-ext-ut", "check",
    "cmocka", "unity", "criterion", "googlebenchmark", "benchmark", "google-benchmark",
    "gtest_main", "gmock_main", "benchmark_main", "catch2withmain",
})  # fmt: skip
_PROGRAM_NAMES: Final = frozenset({
    "git", "doxygen", "perl", "pythoninterp", "flex", "bison", "swig", "sphinx", "latex", "java", "ant", "cmake",
    "ninja", "pkgconfig", "protoc", "buildcache", "ccache", "sccache", "clangformat", "clang-format", "clangtidy",
    "clang-tidy", "cppcheck", "lcov", "gcov", "wget", "unixcommands", "subversion", "hg", "gnuplot", "ruby",
})  # fmt: skip
_HEADER_ONLY: Final = frozenset({
    "nlohmann-json", "nlohmann_json", "json", "eigen", "eigen3", "rapidjson", "cxxopts", "cli11", "magic_enum",
    "magic-enum", "rangev3", "range-v3", "pybind11", "pugixml-header", "tl-expected", "expected-lite", "tclap",
    "cereal", "xtl", "xtensor", "ms-gsl",
})  # fmt: skip


def default(kind: str) -> Usage:
    """The usage of what runs, by the type of its package URL (`pypi`, `cargo` …)."""
    return DEFAULTS.get(kind, Usage.UNKNOWN)


def group(name: str) -> Usage | None:
    """The usage that the name of a group tells: "test-utils" → test-only, "docs" → dev-tool; None: it tells none.

    For groups that are not published, and for files named after one (`requirements-dev.txt`).
    """
    words = _words(name)
    return next((usage for usage, known in _GROUPS if not known.isdisjoint(words)), None)


def of_group(name: str) -> Usage:
    """The usage of a group that is not published: in development, unless its name says that it runs."""
    return group(name) or (Usage.RUNTIME_IMPORT if _words(name) & _RUNS else Usage.DEV_TOOL)


def of_extra(name: str) -> Usage:
    """The usage of an extra of a Python package: users may ask for it, unless its whole name says otherwise."""
    words = _words(name) - _BESIDE
    # All of its words have to say so: `test-client` is an extra for users.
    is_inside = bool(words) and words <= frozenset[str]().union(*(known for _, known in _EXTRAS))
    found = (usage for usage, known in _EXTRAS if is_inside and not known.isdisjoint(words))
    return next(found, Usage.RUNTIME_IMPORT)


def _words(name: str) -> frozenset[str]:
    return frozenset(_SEPARATOR.split(name.lower()))


def usage_by_folder(path: str) -> Usage | None:
    """The usage of all that a file names in a folder of tests, examples or documentation, or a hidden one at the root.

    None for all other files.
    """
    return _of_folder(path.rpartition("/")[0])


@lru_cache(maxsize=4096)  # Files of one folder are many.
def _of_folder(folder: str) -> Usage | None:
    parts = {part.lower() for part in folder.split("/")}
    how = next((how for how, names in _ASIDE if not names.isdisjoint(parts)), None)
    if how is None:
        how = next((how for how, named in _NAMED_ASIDE if any(map(named.fullmatch, parts))), None)
    first = folder.partition("/")[0]
    # Only at the root (`.devcontainer`): deeper ones may be a package manager's (`node_modules/.pnpm`).
    # Cargo's settings are those of the work above.
    is_hidden = first.startswith(".") and bool(first.strip(".")) and folder != ".cargo"
    return how or (Usage.DEV_TOOL if is_hidden else None)


def is_test_data(path: str) -> bool:
    """Whether a manifest is something that tests are given to read, or a template: what it names is not used."""
    parts = [part.lower() for part in path.split("/")[:-1]]
    # Archetypes of Maven and templates of Cookiecutter are models of works that are still to be made.
    if not (_TEST_DATA | {"archetype-resources"}).isdisjoint(parts) or any("{{" in part for part in parts):
        return True
    at = next((at for at, part in enumerate(parts) if part in _TESTS_THERE), len(parts))
    # A source set of tests (`src/test/`) has code, and files that this reads.
    is_source_set = 0 < at < len(parts) and parts[at - 1] == "src"
    # Maven's invoker runs the projects in `src/it/`: they are cases of tests.
    is_of_maven = any(pair == ("src", "it") for pair in pairwise(parts))
    return is_source_set or is_of_maven or not _GIVEN_TO_TESTS.isdisjoint(parts[at + 1 :])


def is_template(path: str) -> bool:
    """Whether a file lies in a folder of templates: what its name promises may be there only once it is filled in."""
    return not _TEMPLATES.isdisjoint(part.lower() for part in path.split("/")[:-1])


def maven(scope: str) -> Usage:
    """The usage of a scope of Maven's; a scope that is not known says nothing."""
    return _MAVEN.get(scope, Usage.UNKNOWN)


def gradle(configuration: str) -> Usage:
    """A configuration of Gradle's (`implementation`, `testCompileClasspath`), also of a plug-in or a source set."""
    words = frozenset(word.lower() for word in _WORD.findall(configuration[:_MAX_CONFIGURATION_CHARACTERS]))
    if not {"test", "tests"}.isdisjoint(words):
        return Usage.TEST_ONLY
    # Behind the tests: `integrationTestImplementation` is a configuration of a source set, too.
    if not words or _OF_SOURCE_SET.fullmatch(configuration):
        return Usage.DYNAMIC_LINK
    if not words.isdisjoint(_CHECKERS):
        return Usage.DEV_TOOL
    is_processor = words >= {"annotation", "processor"} or not words.isdisjoint(_PROCESSORS)
    is_build = configuration in _BUILD_NAMES or configuration.startswith(("buildscript", "kotlinBuildTools"))
    return Usage.BUILD_TOOL if is_processor or is_build else Usage.DYNAMIC_LINK


def native(name: str, link: str = "") -> Usage:
    """The usage of a library of C or C++ by how it is linked (`static`, `shared`, `interface`), else by its name."""
    word = link.lower()
    if word in {"static", "object"}:
        return Usage.STATIC_LINK
    if word in {"shared", "module", "dynamic"}:
        return Usage.DYNAMIC_LINK
    if word == "interface":
        return Usage.HEADER_ONLY
    return by_name(name) or Usage.UNKNOWN  # A build links what it finds, and both ways are common.


def by_name(name: str) -> Usage | None:
    """Test frameworks, build programs and header libraries that C and C++ projects name; None: the name says nothing."""
    low = name.lower()
    if low in _TEST_NAMES:
        return Usage.TEST_ONLY
    if low in _PROGRAM_NAMES:
        return Usage.BUILD_TOOL
    return Usage.HEADER_ONLY if low in _HEADER_ONLY else None


def strongest(*usages: Usage) -> Usage:
    """The usage that binds most: what is used at run time and in tests is used at run time."""
    return min(usages, key=rank)


def rank(usage: Usage) -> int:
    """The place of a usage among all, 0 for the one that binds most."""
    return _RANK[usage]
