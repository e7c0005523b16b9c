"""Names and versions of works in a tree, read from their files."""

import pytest

from audit.scan.installed_packages import InstalledPackage
from audit.scan.package_version import describe, is_header, macros, number, tells


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        ("VERSION", "5.2.1-0-gea6b3e9\n", ("", "5.2.1")),
        ("VERSION", "see git", ("", "")),
        ("configure.ac", "AC_PREREQ(2.69)\nAC_INIT([libfoo], [1.2.3], [bugs@x])\n", ("libfoo", "1.2.3")),
        ("configure.ac", "AC_INIT(foo, 1.2)\n", ("foo", "1.2")),
        ("configure.ac", "AC_INIT([Makefile.in])\n", ("", "")),
        ("configure.ac", "AC_INIT([jemalloc], m4_esyscmd([cat VERSION]))\n", ("jemalloc", "")),
        ("CMakeLists.txt", "cmake_minimum_required(VERSION 3.5)\nproject(spdlog VERSION 1.10.0 LANGUAGES CXX)\n", ("spdlog", "1.10.0")),
        ("CMakeLists.txt", "PROJECT(hiredis\n LANGUAGES C\n VERSION ${VERSION})\n", ("hiredis", "")),
        ("CMakeLists.txt", "project(${NAME})\n", ("", "")),
        ("meson.build", "project('harfbuzz', 'c', version: '5.3.1')\n", ("harfbuzz", "5.3.1")),
        ("zlib.pc.in", "Name: zlib\nVersion: 1.2.13\n", ("", "1.2.13")),
        ("zlib.pc.in", "Name: zlib\nVersion: @VERSION@\n", ("", "")),
        ("conanfile.py", 'class X(ConanFile):\n    name = "fmt"\n    version = "9.1.0"\n', ("fmt", "9.1.0")),
        ("lua.h", '#define LUA_VERSION\t"Lua 5.1"\n#define LUA_RELEASE "Lua 5.1.5"\n#define LUA_VERSION_NUM 501\n', ("", "5.1.5")),
    ],
)  # fmt: skip
def test_name_and_version_are_read_where_they_stand_plainly(file, content, expected):
    package = InstalledPackage("deps/x")
    describe(package, f"deps/x/{file}", content)
    assert (package.name, package.version) == expected


def test_the_first_file_that_says_name_and_version_counts():
    package = InstalledPackage("deps/x", name="y", version="1.0")
    describe(package, "deps/x/CMakeLists.txt", "project(z VERSION 2.0)")
    assert (package.name, package.version) == ("y", "1.0")


@pytest.mark.parametrize(
    ("content", "version"),
    [
        ("#define HIREDIS_MAJOR 1\n#define HIREDIS_MINOR 0\n#define HIREDIS_PATCH 3\n#define HIREDIS_SONAME 1.0.3-dev", "1.0.3"),
        ('#define LUA_VERSION_MAJOR "5"\n#define LUA_VERSION_MINOR "3"\n#define LUA_VERSION_RELEASE "6"\n#define LUA_VERSION "Lua " X', "5.3.6"),
        ("#define SPDLOG_VER_MAJOR 1\n#define SPDLOG_VER_MINOR 10\n#define SPDLOG_VER_PATCH 0", "1.10.0"),
        ('#define ZLIB_VERSION "1.2.13"\n#define ZLIB_VERNUM 0x12d0', "1.2.13"),
        ("#define UTHASH_VERSION 2.1.0", "2.1.0"),
        ("#define X_VERSION 20", ""),
        ("#define A_MAJOR 1\n#define B_MINOR 2", ""),
        ('#define PROTOCOL "1.1.1"', ""),
        ("#define X_MAJOR 1 /* for now */\n#define X_MINOR 2 // too", "1.2"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_version_is_read_from_macros_of_one_prefix(content, version):
    assert macros(content) == version


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("v1.2.3", "1.2.3"),
        ("Lua 5.1", "5.1"),
        ("7", ""),
        ("2.0.0-rc1", "2.0.0-rc1"),
        ("2020.1.2.3.4", ""),
        ("1.2.x", ""),
    ],
)
def test_a_version_number_has_two_to_four_parts(said, version):
    assert number(said) == version


@pytest.mark.parametrize(
    ("name", "folder", "expected"),
    [
        ("lua.h", "deps/lua", True), ("hdr_histogram_version.h", "deps/h", True), ("usb.h", "deps/libusb", True),
        ("libusb.h", "deps/usb", True), ("other.h", "deps/lua", False), ("lua.c", "deps/lua", False),
    ],
)  # fmt: skip
def test_a_version_header_is_named_after_the_work_or_the_version(name, folder, expected):
    assert is_header(name, folder) is expected
    assert tells(name, folder) is expected


@pytest.mark.slow
def test_hostile_files_are_read_in_linear_time():
    for hostile in ("#define " + "A_" * 100_000, "project(" * 50_000, "AC_INIT([" * 50_000, "1." * 100_000):
        assert macros(hostile) == ""
        for file in ("CMakeLists.txt", "configure.ac", "VERSION", "meson.build", "x.pc"):
            package = InstalledPackage("x")
            describe(package, file, hostile)
            assert package.version == ""
