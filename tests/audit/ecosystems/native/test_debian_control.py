"""debian/control: libraries by their package names, and findings for unknown packages."""

import pytest

from audit import ecosystems
from audit.ecosystems.dependency_merge import DependencyFile, settle
from audit.ecosystems.native.debian_control import library_of
from tests.audit.ecosystems.brief import dependency_lines


@pytest.mark.parametrize(
    ("package", "library"),
    [
        ("libreadline-dev", "readline"),
        ("libreadline8", "readline"),
        ("zlib1g-dev", "zlib"),
        ("libcurl4-gnutls-dev", "curl"),
        ("libgtk-3-dev", "gtk"),
        ("libpam0g-dev", "linux-pam"),
        ("libssl3t64", "openssl"),
        ("default-libmysqlclient-dev", "mysql-client"),
        ("libpython3-all-dev", "python"),
        ("uuid-dev", "libuuid"),
        ("libc6-dev", None),
        ("libnobody-knows-dev", None),
        ("dev", None),
    ],
)
def test_a_library_is_found_by_the_name_of_its_debian_package(package, library):
    found = library_of(package)
    assert (found.name if found else None) == library


def test_relations_are_read_with_alternatives_and_without_own_packages():
    content = """Source: tea
Build-Depends: debhelper-compat (= 13), dpkg-dev, libreadline-dev (>= 8) | libedit-dev,
# libxml2-dev,
 libxml2-dev:native [linux-any], libgtest-dev <!nocheck>, libz-dev
Standards-Version: 4.6

Package: libz-dev
Depends: ${shlibs:Depends}, libssl3 (>= 3), libc6
"""
    assert dependency_lines("debian/control", content) == [
        "pkg:generic/readline unknown direct :2 GPL-3.0-or-later",
        "pkg:generic/libxml2 unknown direct :4 MIT",
        "pkg:generic/googletest test-only direct :4 BSD-3-Clause",
        "pkg:generic/openssl unknown direct :8 Apache-2.0",
    ]
    assert ecosystems.read("debian/control", content).findings == ()


def told(files):
    """The findings of a tree's files, in few words."""
    sources = [
        DependencyFile(path, ecosystems.family(path), ecosystems.read(path, text)) for path, text in files.items()
    ]
    return [
        (finding.code, finding.message.partition(":")[0])
        for source in settle(sources)
        for finding in source.read.findings
    ]


CONTROL = "Build-Depends: libunheard-dev, python3-yaml, node-tea-dev, cmake\n\nPackage: a\nDepends: bash, perl\n"
LIBRARIES = ("file/unsupported", "names libraries of Debian that are not known here (libunheard-dev)")
PACKAGES = ("file/unsupported", "names packages of Debian that are not known here (node-tea-dev, bash, perl)")


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({}, [LIBRARIES, PACKAGES]),
        ({"package.json": '{"name": "tea"}'}, [LIBRARIES]),
        ({"tests/package.json": '{"name": "tea"}'}, [LIBRARIES, PACKAGES]),
        ({".travis.yml": "script: apt-get install x\n"}, [LIBRARIES, PACKAGES]),
    ],
)
def test_unknown_packages_are_told_unless_a_manifest_names_their_content(others, expected):
    assert told({"debian/control": CONTROL} | others) == expected
    assert told({"examples/debian/control": CONTROL}) == []


def test_many_unknown_names_are_told_as_the_first_five_and_a_number():
    [(_, said), _] = told(
        {"debian/control": "Build-Depends: " + ", ".join(f"libx{at}y-dev" for at in range(9)) + "\n\nDepends: a1\n"}
    )
    assert said.endswith("(libx0y-dev, libx1y-dev, libx2y-dev, libx3y-dev, libx4y-dev and 4 more)")


def test_more_packages_than_are_read_is_a_finding():
    names = [f"libsome{number}-dev" for number in range(2_001)]
    for count, is_said in ((2_000, False), (2_001, True)):
        read = ecosystems.read("debian/control", f"Build-Depends: {', '.join(names[:count])}\n")
        assert any("only the first are read" in finding.message for finding in read.findings) is is_said
