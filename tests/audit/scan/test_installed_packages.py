"""Packages in the tree: metadata, legal texts, and the dependencies that they belong to."""

from dataclasses import replace

import pytest

from audit.facts import Dependency, Learned, Place, Source, Text, Usage
from audit.scan.assembly import assemble
from audit.scan.installed_packages import (
    MAX_LIBRARIES,
    InstalledPackage,
    attach,
    is_library,
    legal,
    metadata,
    unlisted,
    vendored,
    with_libraries,
)
from audit.scan.python_metadata import ONE_OF_THEM
from audit.scan.walk import walk
from audit.scan.walk_limits import Limits
from tests.audit.scan.test_walk import Memory, unnamed


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("LICENSE", "license"), ("LICENCE.txt", "license"), ("COPYING.LESSER", "license"), ("license.md", "license"),
        ("LICENSE-MIT", "license"), ("UNLICENSE", "license"), ("MIT-LICENSE.txt", "license"), ("apache-2.0.LICENSE", "license"),
        ("NOTICE", "notice"), ("NOTICE.txt", "notice"), ("third-party-notice.txt", "notice"),
        ("license.py", ""), ("licenses.json", ""), ("README", ""), ("licensee", ""), ("x" * 500, ""),
        ("copyright.pm", ""), ("LICENSE.tmpl", ""), ("license.tsx", ""), ("LICENSE.apache2", "license"), ("COPYING.v3", "license"),
        ("COPYING3", "license"), ("COPYING3.LIB", "license"), ("GPLv3.txt", "license"), ("agpl-3.0.txt", "license"), ("gplay.txt", ""),
    ],
)  # fmt: skip
def test_a_legal_text_is_told_by_its_name(name, role):
    assert legal(name) == role


KIWISOLVER = """License: =========================
         The Kiwi licensing terms
        =========================
        Kiwi is licensed as follows:
       \x20
        Copyright (c) 2013-2026, somebody
Classifier: License :: OSI Approved :: BSD License"""
MATPLOTLIB = """License: License agreement for versions 1.3.0 and later
         ======================================================
        \x20
         1. This agreement is between …
        \x20
         License: of something that is shipped with it
Classifier: Framework :: Matplotlib
Classifier: License :: OSI Approved :: Python Software Foundation License"""
DATEUTIL = """License: Dual License
Classifier: License :: OSI Approved :: BSD License
Classifier: License :: OSI Approved :: Apache Software License"""
"""The fields that matter of kiwisolver 1.5.1, matplotlib 3.11.2 and python-dateutil 2.9.0.post0, cut down."""


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("License-Expression: MIT\nLicense: x", "MIT"),
        ("License: BSD-3-Clause", "BSD-3-Clause"),
        ("License: UNKNOWN\nClassifier: License :: OSI Approved :: MIT License", "MIT"),
        (KIWISOLVER, "BSD License"),
        (MATPLOTLIB, "PSF-2.0"),
        (DATEUTIL, "BSD OR Apache"),
        ("License: Copyright 2010 somebody", None),
        ("Classifier: License :: OSI Approved :: A\nClassifier: License :: OSI Approved :: B", None),
        ("\nLicense: in the description", None),
    ],
)
def test_python_metadata_declares_a_licence_in_the_order_of_pypi(fields, expected):
    package = InstalledPackage("x.dist-info")
    metadata(package, "x.dist-info/METADATA", f"Name: A_b\nVersion: 1.0\n{fields}\n")

    assert (package.name, package.version, package.license.expression) == ("A_b", "1.0", expected)


@pytest.mark.parametrize(
    ("fields", "line", "said"),
    [
        ("License-Expression: MIT\nLicense: x", 3, "MIT"),
        (f"Summary: s\n{MATPLOTLIB}", 11, "License :: OSI Approved :: Python Software Foundation License"),
        ("License: BSD-3-Clause\nClassifier: License :: OSI Approved :: BSD License", 3, "BSD-3-Clause"),
        (DATEUTIL, 3, ONE_OF_THEM),
    ],
)
def test_the_field_that_decided_is_named_by_its_line(fields, line, said):
    package = InstalledPackage("x.dist-info")
    metadata(package, "x.dist-info/METADATA", f"Name: a\nVersion: 1\n{fields}\n\nLicense: GPL\n")

    assert package.license.source is Source.METADATA
    assert package.license.place == Place("x.dist-info/METADATA", line, said)


def test_metadata_of_npm_and_cargo_is_read():
    package = InstalledPackage("p")
    metadata(package, "p/package.json", '{"name": "@s/a", "version": "1.0.0", "license": "MIT"}')
    crate = InstalledPackage("c")
    metadata(crate, "c/Cargo.toml", '[package]\nname = "c"\nlicense = "ISC"\n')
    broken = InstalledPackage("b")
    metadata(broken, "b/package.json", "{")

    assert [(installed_package.kind, installed_package.name, installed_package.license.expression) for installed_package in (package, crate, broken)] == [
        ("npm", "@s/a", "MIT"), ("cargo", "c", "ISC"), ("", "", None),
    ]  # fmt: skip


def package_of(version="1.0.0", spdx="MIT"):
    """An installed package with a text."""
    stated = Learned(spdx, Source.METADATA, Place("node_modules/a/package.json", 3))
    return InstalledPackage(
        "node_modules/a", "npm", "a", version, stated, [Text("node_modules/a/LICENSE", "text", "00")]
    )


def test_texts_go_to_the_dependency_and_the_installed_version_is_taken():
    found, findings = attach(
        [Dependency(name="a", purl="pkg:npm/a"), Dependency(name="b", purl="pkg:npm/b")], [package_of()], {}
    )

    assert (found[0].purl, found[0].license.expression, len(found[0].licenses)) == ("pkg:npm/a@1.0.0", "MIT", 1)
    assert found[1].licenses == ()
    assert findings == ()


@pytest.mark.parametrize(("listed", "there"), [("ruamel-yaml", "ruamel.yaml"), ("zope-interface", "zope_Interface")])
def test_names_of_the_python_index_are_compared_normalized(listed, there):
    package = InstalledPackage("x.dist-info")
    metadata(package, "x.dist-info/METADATA", f"Name: {there}\nVersion: 1.0\nLicense: MIT\n")
    found, _ = attach([Dependency(name=listed, version="1.0", purl=f"pkg:pypi/{listed}@1.0")], [package], {})
    assert found[0].license.expression == "MIT"


def test_an_installed_version_from_elsewhere_stays_from_elsewhere():
    """The registry would tell of another package of that name."""
    asked = Dependency(name="a", purl="pkg:npm/a?repository_url=dl.example.org")
    found, _ = attach([asked], [package_of()], {})
    assert found[0].purl == "pkg:npm/a@1.0.0?repository_url=dl.example.org"


def test_a_package_installed_in_another_version_is_not_meant():
    found, _ = attach([Dependency(name="a", version="2.0.0", purl="pkg:npm/a@2.0.0")], [package_of()], {})
    assert found[0].licenses == ()


def test_a_contradicting_licence_counts_beside_the_other_with_a_finding():
    dependency = Dependency(name="a", version="1.0.0", purl="pkg:npm/a@1.0.0", license=Learned("ISC", Source.LOCK_FILE))
    found, findings = attach([dependency], [package_of()], {})

    assert found[0].license.expression == "ISC AND MIT"
    assert [(each.code, str(each.place)) for each in findings] == [
        ("license/contradiction", "node_modules/a/package.json:3")
    ]
    assert attach([dependency], [package_of(spdx="isc")], {})[1] == ()


def test_a_contradiction_of_three_files_is_one_finding():
    [first, other] = [
        Learned(spdx, Source.LOCK_FILE, Place(f"{spdx}/package-lock.json", 1)) for spdx in ("ISC", "0BSD")
    ]
    known = Dependency(name="a", version="1.0.0", purl="pkg:npm/a@1.0.0", license=first)
    found, findings = attach([known], [package_of()], {"pkg:npm/a@1.0.0": [first, other]})
    assert found[0].license.expression == "0BSD AND ISC AND MIT"
    [finding] = findings
    assert finding.message.startswith(
        "pkg:npm/a@1.0.0: 0BSD/package-lock.json says 0BSD, ISC/package-lock.json says ISC, node_modules/a/package.json says MIT; "
    )


def test_installed_packages_that_no_file_lists_are_dependencies():
    assert [dependency.purl for dependency in unlisted([], [package_of(), InstalledPackage("x")])] == [
        "pkg:npm/a@1.0.0"
    ]
    assert unlisted([Dependency(name="a", purl="pkg:npm/a")], [package_of()]) == []
    assert unlisted([Dependency(name="a", version="1.0.0", purl="pkg:npm/a@1.0.0")], [package_of()]) == []
    other = [Dependency(name="a", version="2.0.0", purl="pkg:npm/a@2.0.0")]
    deeper = replace(package_of(), folder="node_modules/b/node_modules/a")
    assert [dependency.purl for dependency in unlisted(other, [package_of(), deeper])] == ["pkg:npm/a@1.0.0"]
    assert vendored(InstalledPackage("third_party/Zlib"), "third_party").purl == "pkg:generic/zlib"
    assert vendored(InstalledPackage("src/_vendor/tomli"), "src/_vendor").purl == "pkg:pypi/tomli"


def test_needs_of_bundled_packages_are_bundled_and_fixtures_are_left_out():
    listed = Dependency(name="b", purl="pkg:npm/b@1", usage=Usage.BUNDLED)

    assert [dependency.usage for dependency in unlisted([listed], [package_of()])] == [Usage.BUNDLED]
    assert [dependency.usage for dependency in unlisted([], [package_of()])] == [Usage.RUNTIME_IMPORT]
    fixture = replace(package_of(), folder="tests/data/node_modules/a")
    assert [dependency.usage for dependency in unlisted([listed], [fixture])] == [Usage.TEST_ONLY]
    found = vendored(InstalledPackage("tests/data/vendor/zlib"), "tests/data/vendor")
    assert (found.usage, found.why) == (Usage.TEST_ONLY, "sources in tests/data/vendor/, a folder of tests")
    assert vendored(InstalledPackage("vendor/zlib"), "vendor").usage is Usage.VENDORED


@pytest.mark.parametrize(
    "name",
    [
        "x.jar",
        "libx.so",
        "libx.so.1.2.3",
        "x.DLL",
        "x.pyd",
        "x.node",
        "libx.jnilib",
        "libx.dylib",
        "libx.a",
        "x-1.0-py3-none-any.whl",
        "x.aar",
    ],
)
def test_binary_libraries_are_told_by_their_endings(name):
    assert is_library(name)


@pytest.mark.parametrize("name", ["x.java", "x.so.conf", "x.sol", "x.jar.md5", ".a", "a", "x.json", "x.so.1.txt"])
def test_other_endings_are_no_libraries(name):
    assert not is_library(name)


def found(*paths, files=()):
    """The dependencies of a tree with these libraries, in one line each."""
    tree = {"src/main.py": b"", **dict.fromkeys(paths, b"\x7fELF"), **dict(files)}
    repository = assemble(walk(Memory(tree), Limits()), "n", unnamed)
    return [
        f"{dependency.name} {dependency.version or '-'} {dependency.usage.value} {' '.join(map(str, dependency.places))}"
        for dependency in repository.dependencies
    ]


def test_each_binary_library_is_one_dependency_for_all_platforms():
    assert found("libs/arm64/libx.so", "libs/x86/libx.so", "lib/y-1.2.3.jar", "z.dll", "lib/libw.a") == [
        "w - static-link lib/libw.a",
        "x - dynamic-link libs/arm64/libx.so libs/x86/libx.so",
        "y 1.2.3 dynamic-link lib/y-1.2.3.jar",
        "z - dynamic-link z.dll",
    ]


def test_the_licence_of_a_binary_library_is_unknown():
    (dependency,) = assemble(
        walk(Memory({"lib/y-1.2.3.jar": b"PK"}), Limits()), "n", lambda _text, _path: "MIT"
    ).dependencies
    assert (dependency.license.expression, dependency.purl) == (None, "pkg:generic/y@1.2.3")


def test_libraries_in_tests_are_test_only_and_wrappers_build_tools():
    assert found(
        "src/test/resources/x.jar", "gradle/wrapper/gradle-wrapper.jar", "a/.mvn/wrapper/maven-wrapper.jar"
    ) == [
        "gradle-wrapper - build-tool gradle/wrapper/gradle-wrapper.jar",
        "maven-wrapper - build-tool a/.mvn/wrapper/maven-wrapper.jar",
        "x - test-only src/test/resources/x.jar",
    ]


def test_a_library_inside_a_work_by_others_is_no_second_dependency():
    files = {"deps/w/LICENSE": b"its terms", "third_party/v/LICENSE": b"its terms"}
    names = [
        line.split(" ", 1)[0]
        for line in found("third_party/v/libv.so", "node_modules/n/n.node.so", "deps/w/libw.so", files=files.items())
    ]
    assert names == ["v", "w"]


def test_a_library_that_a_build_names_is_a_place_of_that_dependency():
    files = {
        "CMakeLists.txt": b"add_library(x SHARED IMPORTED)\nset_target_properties(x PROPERTIES IMPORTED_LOCATION libs/libx.so)\n",
        "requirements.txt": b"./wheels/w-1.0-py3-none-any.whl\n",
    }
    assert [
        line.partition(" ")[0] for line in found("libs/libx.so", "wheels/w-1.0-py3-none-any.whl", files=files.items())
    ] == ["w", "x"]


def test_a_library_is_not_the_registry_s_package_of_its_name():
    known = Dependency(name="y", version="1.2.3", purl="pkg:npm/y@1.2.3", usage=Usage.RUNTIME_IMPORT)
    assert [library.purl for library in with_libraries([known], ["y-1.2.3.jar"])] == [
        "pkg:npm/y@1.2.3",
        "pkg:generic/y@1.2.3",
    ]


def test_a_link_to_a_library_is_no_second_file():
    tree = Memory({"lib/libx.so": b"", "lib/liby.so.1": b""}, links=("lib/libx.so",))
    tree.astray = lambda _link: None
    assert [dependency.name for dependency in assemble(walk(tree, Limits()), "n", unnamed).dependencies] == ["y"]


def test_more_libraries_than_the_bound_are_a_finding():
    walked = walk(Memory({f"lib/x{at}.jar": b"" for at in range(MAX_LIBRARIES + 2)}), Limits())
    assert [finding.code for finding in walked.findings] == ["tree/cut-short"]
    assert len(assemble(walked, "n", unnamed).dependencies) == MAX_LIBRARIES


def test_a_library_that_tests_look_for_is_not_the_one_in_the_tree():
    tests = {"tests/CMakeLists.txt": b"find_package(readline)"}
    assert found("lib/libreadline.a", files=tests) == [
        "readline - static-link lib/libreadline.a",
        "readline - test-only tests/CMakeLists.txt:1 (find_package(readline))",
    ]


SITE = "env/lib/python3.11/site-packages"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, ["2 Python packages installed in the tree, and no file lists them: list in the rulebook what goes out with the work"]),
        ({"requirements.txt": b"foo==1.0\nBar_Baz==2.0\n"}, []),
        ({"requirements.txt": b"foo==1.0\n"}, ["1 Python package installed in the tree, and no file lists them: list in the rulebook what goes out with the work"]),
        ({"env/pyvenv.cfg": b"home = /usr/bin\n"}, []),
        ({"pyvenv.cfg": b"home = /usr/bin\n"}, []),
    ],
)  # fmt: skip
def test_python_packages_that_no_file_lists_are_told_unless_of_an_environment(more, said):
    files = {
        f"{SITE}/{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\n\n".encode()
        for name in ("foo", "bar-baz")
    }
    found = assemble(walk(Memory({**files, **more}), Limits()), "n", lambda _text, _path: None).findings

    assert [finding.message for finding in found if finding.code == "file/unsupported"] == said
