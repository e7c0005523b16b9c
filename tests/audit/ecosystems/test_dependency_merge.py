"""Manifests and lock files together, over a whole repository."""

from dataclasses import replace

import pytest

from audit import ecosystems
from audit.ecosystems.dependency_merge import DependencyFile, merge, settle
from audit.ecosystems.parsed_file import Graph, ParsedFile
from audit.facts import Checksum, Dependency
from tests.audit.ecosystems.brief import merged, origin, together


def test_a_range_joins_the_version_of_the_same_use():
    files = {
        "pyproject.toml": '[project]\ndependencies = ["a>=1"]\n',
        "requirements.txt": "a==1.0",
        "requirements-dev.txt": "a==1.0",
    }
    assert merged(files) == ["pkg:pypi/a@1.0 dev-tool direct :1", "pkg:pypi/a@1.0 runtime-import direct :1"]


def test_packages_that_the_repository_makes_are_no_dependencies():
    files = {"package.json": '{"name": "one"}', "sub/package.json": '{"dependencies": {"one": "1", "two": "2"}}'}
    assert merged(files) == ["pkg:npm/two runtime-import direct :1"]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        pytest.param(
            {
                "package-lock.json": '{"packages": {"": {"dependencies": {"one": "1"}}, "node_modules/one": {"version": "1.0.0"}}}',
                "tools/one/package.json": '{"name": "one"}',
            },
            ["pkg:npm/one@1.0.0"],
            id="npm",
        ),
        pytest.param(
            {
                "package-lock.json": '{"packages": {"node_modules/one": {"resolved": "p/one", "link": true}, "p/one": {}}}',
                "package.json": '{"workspaces": ["p/*"], "dependencies": {"one": "1"}}',
                "p/one/package.json": '{"name": "one"}',
            },
            [],
            id="npm, linked",
        ),
        pytest.param(
            {
                "yarn.lock": 'one@^1:\n  version "1.0.0"\n  resolved "https://registry.yarnpkg.com/one/-/one-1.0.0.tgz"\n',
                "package.json": '{"dependencies": {"one": "^1"}}',
                "tools/one/package.json": '{"name": "one"}',
            },
            ["pkg:npm/one@1.0.0"],
            id="Yarn",
        ),
        pytest.param(
            {"yarn.lock": "# yarn\n", "package.json": '{"dependencies": {"one": "^1"}}', "p/package.json": '{"name": "one"}'},
            [],
            id="Yarn, which lists no parts",
        ),
        pytest.param(
            {
                "Cargo.lock": '[[package]]\nname = "one"\nversion = "1.0.0"\n'
                'source = "registry+https://github.com/rust-lang/crates.io-index"\n',
                "tools/Cargo.toml": '[package]\nname = "one"\n',
            },
            ["pkg:cargo/one@1.0.0"],
            id="Cargo",
        ),
        pytest.param(
            {
                "Gemfile.lock": "GEM\n  remote: https://rubygems.org/\n  specs:\n    one (1.0.0)\n",
                "tools/one.gemspec": 'Gem::Specification.new do |s|\n  s.name = "one"\nend\n',
            },
            ["pkg:gem/one@1.0.0"],
            id="Bundler",
        ),
        pytest.param(
            {
                "pdm.lock": '[[package]]\nname = "one"\nversion = "1.0.0"\npath = "./tools/one"\n'
                '[[package]]\nname = "two"\nversion = "2.0.0"\n',
                "tools/one/pyproject.toml": '[project]\nname = "one"\n',
                "tools/two/pyproject.toml": '[project]\nname = "two"\n',
            },
            ["pkg:pypi/two@2.0.0"],
            id="PDM",
        ),
        pytest.param(
            {
                "go.mod": "module x.org/a\nrequire x.org/one v1.0.0\n",
                "go.sum": "x.org/one v1.0.0 h1:a=\n",
                "tools/one/go.mod": "module x.org/one\n",
            },
            ["pkg:golang/x.org/one@v1.0.0"],
            id="Go",
        ),
        pytest.param(
            {
                "go.work": "use (\n  .\n  ./one\n)\n",
                "go.mod": "module x.org/a\nrequire x.org/one v1.0.0\n",
                "go.sum": "x.org/one v1.0.0 h1:a=\n",
                "one/go.mod": "module x.org/one\n",
            },
            [],
            id="Go, with a workspace",
        ),
        pytest.param(
            {
                "z/go.work": "go 1.22\n",
                "go.mod": "module x.org/a\nrequire x.org/one v1.0.0\n",
                "go.sum": "x.org/one v1.0.0 h1:a=\n",
                "z/go.mod": "module x.org/one\n",
            },
            ["pkg:golang/x.org/one@v1.0.0"],
            id="Go, with a workspace elsewhere",
        ),
        pytest.param(
            {
                "f/package-lock.json": '{"packages": {"node_modules/one": {"version": "1.0.0", "resolved": "file:../one"}}}',
                "f/package.json": '{"dependencies": {"one": "file:../one"}}',
                "one/package.json": '{"name": "one"}',
            },
            [],
            id="npm, copied",
        ),
        pytest.param(
            {
                "pnpm-lock.yaml": "lockfileVersion: 5.4\npackages:\n  file:packages/one:\n    resolution: {directory: packages/one, type: directory}\n"
                "    name: one\n    version: 1.0.0\n",
                "packages/one/package.json": '{"name": "one"}',
            },
            [],
            id="pnpm, injected",
        ),
        pytest.param(
            {
                "conan.lock": '{"version": "0.5", "requires": ["one/1.0", "two/2.0#1"]}',
                "one/conanfile.py": 'class One(ConanFile):\n    name = "one"\n    version = "1.0"\n',
            },
            ["pkg:conan/two@2.0"],
            id="Conan, a recipe of one's own",
        ),
        pytest.param(
            {
                "gradle.lockfile": "org.x:one:1.0=runtimeClasspath\n",
                "gradle/libs.versions.toml": '[libraries]\nguava = "com.google:guava:31.0"\n',
                "tools/pom.xml": "<project><groupId>org.x</groupId><artifactId>one</artifactId><version>1</version></project>",
            },
            ["pkg:maven/com.google/guava@31.0", "pkg:maven/org.x/one@1.0"],
            id="Gradle, beside a version catalogue",
        ),
        pytest.param(
            {
                "bom.json": '{"bomFormat": "CycloneDX", "components": [{"name": "one", "purl": "pkg:npm/one@1.0.0"}]}',
                "package.json": '{"name": "one"}',
            },
            [],
            id="an SBOM has the work itself, too",
        ),
    ],
)  # fmt: skip
def test_a_folder_s_name_hides_no_locked_package_from_elsewhere(files, found):
    """Otherwise a folder of tools named like a package would take the package out of the audit."""
    assert [dependency.purl for dependency in together(files)] == found


def test_a_package_may_depend_on_its_namesake_in_another_registry():
    files = {
        "pyproject.toml": '[project]\nname = "bcrypt"\n',
        "src/Cargo.toml": '[package]\nname = "_bcrypt"\n[dependencies]\nbcrypt = "0.17"\n',
    }
    assert [line.partition(" ")[0] for line in merged(files)] == ["pkg:cargo/bcrypt"]


def test_the_nearest_lock_file_serves_a_manifest():
    lock = '{"packages": {"": {"dependencies": {"a": "1"}}, "node_modules/a": {"version": "1.0.0"}}}'
    manifest = '{"dependencies": {"a": "1"}}'
    said = merged(
        {"x/package-lock.json": lock, "x/y/package.json": manifest, "z/package.json": '{"dependencies": {"b": "1"}}'}
    )

    assert said == ["pkg:npm/a@1.0.0 runtime-import direct :1", "pkg:npm/b runtime-import direct :1"]


def test_packages_of_tests_and_examples_are_not_shipped():
    files = {
        "tests/fixtures/package.json": '{"dependencies": {"a": "1"}}',
        "examples/x/Cargo.lock": '[[package]]\nname="b"\nversion="1"\nsource="r"\n',
    }
    assert merged(files) == ["pkg:npm/a test-only direct :1", "pkg:cargo/b@1 dev-tool :1"]


def test_the_order_of_the_files_does_not_matter():
    files = {"package.json": '{"dependencies": {"b": "1"}}', "requirements.txt": "a==1", "go.mod": "require c v1"}
    assert merged(files) == merged(dict(reversed(files.items())))


def test_an_archive_never_mixes_one_file_s_address_with_another_s_checksum():
    dependency = Dependency(
        name="a", version="1", purl="pkg:npm/a@1", checksums=(Checksum("SHA1", "0a"),), needs=("pkg:npm/c@1",)
    )
    other = replace(
        dependency, download="https://host/a.tgz", checksums=(Checksum("SHA1", "0b"),), needs=("pkg:npm/b@1",)
    )
    lock = Graph(decided=True)
    sources = [
        DependencyFile(f"{at}/package-lock.json", "npm", ParsedFile(dependencies=(each,), graph=lock))
        for at, each in enumerate((dependency, other))
    ]
    assert list(map(origin, merge(sources)[0])) == [
        "pkg:npm/a@1 from https://host/a.tgz SHA1:0b brings pkg:npm/b@1 pkg:npm/c@1"
    ]


def test_one_library_under_many_names_is_one_dependency_with_its_link():
    files = {
        "CMakeLists.txt": "find_package(Luajit)\nfind_package(OpenSSL)\nset(FOO_USE_STATIC_LIBS ON)\nfind_package(foo)",
        "cmake/FindLuajit.cmake": "pkg_check_modules(_L luajit)\nadd_library(LuaJIT::LuaJIT UNKNOWN IMPORTED)",
        "cmake/FindDetours.cmake": "add_library(Detours::Detours INTERFACE IMPORTED)\npkg_check_modules(_D detours)",
        "a/CMakeLists.txt": "find_package(Foo)",
        "b/CMakeLists.txt": "find_package(c-ares)\ntarget_link_libraries(x cares)\ntarget_link_libraries(y libcares)",
        "tests/CMakeLists.txt": "find_package(LUAJIT)",
    }
    assert [f"{dependency.name} {dependency.usage} {len(dependency.places)}" for dependency in together(files)] == [
        "c-ares unknown 3", "Detours unknown 2", "Foo static-link 2", "luajit test-only 1", "luajit unknown 3", "openssl unknown 1",
    ]  # fmt: skip


def test_a_package_of_a_registry_stays_apart_from_a_library_of_its_name():
    files = {"CMakeLists.txt": "find_package(Lua)", "package.json": '{"dependencies": {"lua": "1.0.0"}}'}
    assert [f"{dependency.name} {dependency.usage}" for dependency in together(files)] == [
        "lua unknown",
        "lua runtime-import",
    ]


def test_all_stated_licences_of_one_package_count():
    lock = '{"packages": {"": {"dependencies": {"a": "1"}}, "node_modules/a": {"version": "1.0.0", "license": "LICENSE"DEV}}}'
    strict, other = lock.replace("LICENSE", "GPL-3.0-only").replace("DEV", ""), lock.replace("LICENSE", "MIT")
    for dev in ("", ', "dev": true'):
        files = {"0/package-lock.json": strict, "1/package-lock.json": other.replace("DEV", dev)}
        read = [DependencyFile(path, "npm", ecosystems.read(path, content)) for path, content in files.items()]
        _, stated = merge(read)
        assert {key: [each.expression for each in found] for key, found in stated.items()} == {
            "pkg:npm/a@1.0.0": ["GPL-3.0-only", "MIT"]
        }


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"CMakeLists.txt": "add_library(own own.c)\ntarget_link_libraries(me own)"}, []),
        ({"CMakeLists.txt": "add_executable(own own.c)", "Dockerfile": "FROM scratch\nRUN apt-get install own"}, ["pkg:deb/debian/own"]),
        ({"CMakeLists.txt": "add_library(own own.c)", "conanfile.txt": "[requires]\nown/8.2\n"}, ["pkg:conan/own@8.2"]),
        (
            {"CMakeLists.txt": "add_library(own own.c)\nFetchContent_Declare(own GIT_REPOSITORY https://github.com/g/own GIT_TAG v8)"},
            ["pkg:github/g/own@v8"],
        ),
        (
            {".gitmodules": '[submodule "own"]\n  path = own\n  url = https://github.com/g/own\n', "CMakeLists.txt": "add_library(own own/own.c)"},
            ["pkg:github/g/own"],
        ),
    ],
)  # fmt: skip
def test_a_build_target_hides_no_package_that_comes_from_elsewhere(files, found):
    assert [dependency.purl for dependency in together(files) if "own" in (dependency.purl or "")] == found


def test_a_package_for_tests_takes_no_linked_library_in():
    files = {"conanfile.txt": "[test_requires]\nreadline/8.2\n", "CMakeLists.txt": "target_link_libraries(me readline)"}
    assert merged(files) == [
        "pkg:generic/readline unknown direct :1 GPL-3.0-or-later",
        "pkg:conan/readline@8.2 test-only direct :2",
    ]


MODULE = (
    "module e.com/x\ngo 1.22\nrequire (\n\te.com/a v1.0.0\n\te.com/b v1.0.0\n\te.com/c v1.0.0\n\te.com/d v1.0.0\n)\n"
)
WORK = """go 1.22
use (
\t./x
)
replace e.com/a => e.com/fork v1.5.0
replace (
\te.com/b v1.0.0 => e.com/other v2.0.0
\te.com/c v1.1.0 => e.com/never v1.0.0
\te.com/d => ./d
)
"""


def test_a_replacement_in_go_work_counts_for_all_modules():
    assert merged({"x/go.mod": MODULE, "go.work": WORK}) == [
        "pkg:golang/e.com/c@v1.0.0 static-link direct :6",
        "pkg:golang/e.com/fork@v1.5.0 static-link direct :4",
        "pkg:golang/e.com/other@v2.0.0 static-link direct :5",
    ]


def test_a_replacement_of_one_version_in_go_mod_counts_for_it_alone():
    lines = "replace e.com/b v1.0.0 => e.com/other v2.0.0\nreplace e.com/c v1.1.0 => e.com/never v1.0.0\nreplace e.com/d v1.0.0 => ./d\n"
    assert [line.split()[0] for line in merged({"go.mod": MODULE + lines})] == [
        "pkg:golang/e.com/a@v1.0.0", "pkg:golang/e.com/c@v1.0.0", "pkg:golang/e.com/other@v2.0.0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "content", "lock", "locked", "is_answered"),
    [
        ("Gemfile", "gem NAME", "Gemfile.lock", "GEM\n  specs:\n    a (1)\n", True),
        ("a/Gemfile", "gem NAME", "Gemfile.lock", "GEM\n  specs:\n    a (1)\n", False),
        ("Gemfile", "gem NAME", "Gemfile.lock", "", False),
        ("mix.exs", "defp deps, do: [dep(:a)]", "mix.lock", '%{"a": {:hex, :a, "1"}}', True),
        ("Package.swift", ".package(url: x)", "Package.resolved", '{"pins": [{"location": "https://github.com/a/b"}]}', False),
    ],
)  # fmt: skip
def test_a_lock_file_beside_it_has_what_a_program_computes(path, content, lock, locked, is_answered):
    files = [
        DependencyFile(at, ecosystems.family(at), ecosystems.read(at, text))
        for at, text in ((path, content), (lock, locked))
    ]
    found = [finding for file in settle(files) for finding in file.read.findings if finding.place.path == path]
    assert bool(found) != is_answered
