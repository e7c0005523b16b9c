"""The result of a walk becomes one Repository."""

import pytest

from audit.facts import Text
from audit.scan.assembly import assemble
from audit.scan.gathering import ScanResult
from audit.scan.walk import walk
from audit.scan.walk_limits import Limits
from tests.audit.scan.test_walk import Memory, unnamed


def of_files(detect, *names, manifest=""):
    """A repository with these licence texts, the text being the name."""
    gathered = ScanResult()
    for name in names:
        gathered.legal(name, "license", Text(name, name, "00"))
    if manifest:
        gathered.take("package.json", manifest, "")
    return assemble(gathered, "x", detect)


GPL = "gpl"


COPIED = {"third_party/readline/COPYING": GPL, "third_party/readline/rl.c": ""}


def test_the_own_licence_is_a_manifest_s_or_else_that_of_all_known_texts():
    known = {"LICENSE": "MIT", "LICENSE-2": "ISC OR X"}.get
    detect = lambda text, _path: known(text)  # noqa: E731 - a table as a function

    assert of_files(detect, "LICENSE").license.expression == "MIT"
    assert of_files(detect, "LICENSE", "LICENSE-2").license.expression == "MIT AND (ISC OR X)"
    assert of_files(detect, "LICENSE", "COPYING").license.expression is None
    assert of_files(detect, "LICENSE", manifest='{"license": "BSD"}').license.expression == "BSD"
    assert of_files(unnamed, "LICENSE").license.expression is None


def test_the_first_of_contradicting_root_manifests_counts_with_a_finding():
    gathered = ScanResult()
    gathered.legal("LICENSE", "license", Text("LICENSE", "text", "00"))
    gathered.take("package.json", '{"license": "MIT"}', "")
    gathered.take("Cargo.toml", '[package]\nlicense = "GPL-3.0-only"\n', "")
    gathered.take("a/Cargo.toml", '[package]\nlicense = "ISC"\n', "")
    found = assemble(gathered, "x", lambda _text, _path: "MIT")

    assert found.license.expression == "GPL-3.0-only"
    assert [(finding.code, finding.message) for finding in found.findings] == [
        ("license/contradiction", "the repository itself: Cargo.toml says GPL-3.0-only, package.json says MIT; Cargo.toml counts")
    ]  # fmt: skip

    gathered.take("Cargo.toml", '[package]\nlicense = "MIT"\n', "")
    gathered.take("package.json", '{"license": "SEE LICENSE IN LICENSE"}', "")
    assert assemble(gathered, "x", lambda _text, _path: "MIT").findings == ()


@pytest.mark.parametrize(
    ("names", "expression"),
    [
        (["LICENSES/MIT.txt"], "MIT"),
        (["LICENSES/MIT.txt", "LICENSES/GPL-3.0-or-later.txt"], "MIT AND GPL-3.0-or-later"),
        (["LICENSES/GPL-3.0-or-later.txt", "LICENSE"], "ISC"),
        (["LICENSES/GPL-2.0-or-later.txt"], "MIT"),
        (["LICENSES/MIT.txt", "LICENSES/LicenseRef-Own.txt"], None),
        (["a/LICENSES/MIT.txt"], None),
    ],
)
def test_texts_in_a_licenses_folder_count_where_the_root_has_none(names, expression):
    known = {
        "LICENSES/MIT.txt": "MIT", "LICENSES/GPL-3.0-or-later.txt": "GPL-3.0-only", "LICENSE": "ISC",
        "LICENSES/GPL-2.0-or-later.txt": "MIT", "a/LICENSES/MIT.txt": "MIT",
    }  # fmt: skip
    assert of_files(lambda text, _path: known.get(text), *names).license.expression == expression


def test_a_vendored_folder_gives_its_texts_to_the_dependency_of_its_name():
    gathered = ScanResult()
    gathered.take("CMakeLists.txt", "add_subdirectory(third_party/zlib)", "")
    for name in ("zlib", "other"):
        gathered.role(f"third_party/{name}/a.c", "")
        gathered.legal(f"third_party/{name}/LICENSE", "license", Text(f"third_party/{name}/LICENSE", name, "00"))
    found = assemble(gathered, "x", lambda text, _path: {"zlib": "Zlib"}.get(text)).dependencies

    assert [
        (dependency.name, dependency.usage.value, dependency.license.expression, len(dependency.licenses))
        for dependency in found
    ] == [
        ("other", "vendored", None, 1),
        ("zlib", "vendored", "Zlib", 1),
    ]


def test_settings_that_name_a_registry_list_no_packages_themselves():
    gathered = ScanResult()
    gathered.take("package.json", '{"dependencies": {"@corp/a": "^1", "b": "^1"}}', "")
    gathered.take(".npmrc", "@corp:registry=https://npm.corp.example/\n", "")

    assert [dependency.purl for dependency in assemble(gathered, "x", unnamed).dependencies] == [
        "pkg:npm/%40corp/a?repository_url=npm.corp.example",
        "pkg:npm/b",
    ]


def test_a_bundler_in_a_build_file_bundles_the_packages_of_the_lock_beside_it():
    gathered = ScanResult()
    gathered.take("build.gradle", "plugins {\n  id 'com.gradleup.shadow' version '8.0'\n}\n", "")
    gathered.take("gradle.lockfile", "com.google.guava:guava:31.1-jre=runtimeClasspath\n", "")
    (dependency,) = assemble(gathered, "x", unnamed).dependencies

    assert (dependency.name, dependency.usage.value) == ("com.google.guava:guava", "bundled")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"requirements-dev.txt": "readline==1.0"}, ["pkg:generic/readline vendored 1", "pkg:pypi/readline@1.0 dev-tool 0"]),
        ({".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: apt-get install readline\n"},
         ["pkg:deb/debian/readline build-tool 0", "pkg:generic/readline vendored 1"]),
        ({"tests/CMakeLists.txt": "find_package(readline)"}, ["pkg:generic/readline test-only 0", "pkg:generic/readline vendored 1"]),
        ({"CMakeLists.txt": "find_package(readline)"}, ["pkg:generic/readline unknown 1"]),
        ({"requirements.txt": "readline==1.0"}, ["pkg:pypi/readline@1.0 runtime-import 1"]),
    ],
)  # fmt: skip
def test_a_package_for_tests_or_builds_takes_no_vendored_work_out(files, expected):
    tree = Memory({path: text.encode() for path, text in (COPIED | files).items()})
    found = assemble(walk(tree, Limits()), "x", unnamed).dependencies
    assert (
        sorted(f"{dependency.purl} {dependency.usage} {len(dependency.licenses)}" for dependency in found) == expected
    )


def test_a_vendored_folder_is_not_a_package_whose_text_is_known():
    installed = {
        "node_modules/zz/package.json": '{"name": "zz", "version": "1.0.0", "license": "MIT"}',
        "node_modules/zz/LICENSE": "mit",
    }
    tree = installed | {
        "third_party/zz/COPYING": GPL,
        "third_party/zz/z.c": "",
        "package.json": '{"dependencies": {"zz": "1.0.0"}}',
    }
    found = assemble(walk(Memory({path: text.encode() for path, text in tree.items()}), Limits()), "x", unnamed)
    assert [(dependency.purl, [text.text for text in dependency.licenses]) for dependency in found.dependencies] == [
        ("pkg:generic/zz", [GPL]), ("pkg:npm/zz@1.0.0", ["mit"]),
    ]  # fmt: skip


NAMED = {
    "Cargo's file of another name": ({"Cargo.toml": '[package]\nname = "a"\nlicense-file = "terms/LIC"\n', "terms/LIC": "ISC"}, "ISC"),
    "npm's in a folder": ({"package.json": '{"license": "SEE LICENSE IN legal/EULA.txt"}', "legal/EULA.txt": "BUSL-1.1", "LICENSE": "MIT"}, "BUSL-1.1"),
    "Python's": ({"pyproject.toml": '[project]\nname = "a"\nlicense = {file = "TERMS"}\n', "TERMS": "Zlib"}, "Zlib"),
    "Python's, with a classifier": ({"pyproject.toml": '[project]\nlicense = {file = "TERMS"}\nclassifiers = ["License :: OSI Approved :: MIT License"]\n', "TERMS": ""}, "MIT"),
    "a page that says more": ({"pyproject.toml": '[project]\nlicense = {file = "README.md"}\n', "LICENSE": "MIT", "README.md": "x"}, "MIT"),
    "one that is not there": ({"package.json": '{"license": "SEE LICENSE IN EULA.txt"}', "LICENSE": "MIT"}, "SEE LICENSE IN EULA.txt"),
    "a family with its classifier": ({"setup.cfg": "[metadata]\nlicense = GPL\nclassifiers =\n  License :: OSI Approved :: GNU General Public License v3 (GPLv3)\n"}, "GPL-3.0-only"),
    "a licence with another classifier": ({"setup.cfg": "[metadata]\nlicense = MIT\nclassifiers =\n  License :: OSI Approved :: Apache Software License\n"}, "MIT"),
    "several classifiers": ({"setup.cfg": "[metadata]\nlicense = GPL\nclassifiers =\n  License :: OSI Approved :: GNU General Public License v3 (GPLv3)\n  License :: OSI Approved :: MIT License\n"}, "GPL"),
    "the only text is called after a model": ({"MODEL_LICENSE": "MIT"}, "MIT"),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_the_licence_file_that_a_manifest_names_is_read(name):
    files, license_ = NAMED[name]
    ground = Memory({path: content.encode() for path, content in files.items()})
    found = assemble(
        walk(ground, Limits()), "x", lambda text, _path: text if text in {"MIT", "ISC", "Zlib", "BUSL-1.1"} else None
    )
    assert found.license.expression == license_


@pytest.mark.parametrize(("code", "names"), [({}, []), ({"license/third_party/tea/a.c": b"int a;"}, ["tea"])])
def test_a_folder_of_third_party_texts_holds_works_only_if_it_has_code(code, names):
    files = {"license/third_party/tea/LICENSE": b"theirs", **code}
    found = assemble(walk(Memory(files), Limits()), "o/r", lambda text, _path: "MIT" if text == "theirs" else None)
    assert [dependency.name for dependency in found.dependencies] == names
    told = [finding.message for finding in found.findings if finding.code == "license/nested"]
    assert told == (
        []
        if names
        else ["a text of MIT in a folder of texts: if the work contains what it belongs to, list that in the rulebook"]
    )


@pytest.mark.parametrize(("manifest", "codes"), [("{}", set()), ('{"name": "o"}', set()), (None, {"file/unsupported"})])
def test_a_manifest_that_a_podfile_counts_on_is_looked_for(manifest, codes):
    files = {"ios/Podfile": b"target 'App' do\n  use_react_native!\nend\n"}
    files |= {} if manifest is None else {"package.json": manifest.encode()}
    assert {found.code for found in assemble(walk(Memory(files), Limits()), "o/r", unnamed).findings} == codes
