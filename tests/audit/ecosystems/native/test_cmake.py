"""CMake: every command that names somebody else's work."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines, merged, origins

CASES = {
    "find_package(OpenSSL 3.0 REQUIRED)": ["pkg:generic/openssl unknown direct :1"],
    "find_package(Foo 1.2 EXACT)": ["pkg:generic/foo@1.2 unknown direct :1"],
    "set(OPENSSL_USE_STATIC_LIBS ON)\nfind_package(OpenSSL)": ["pkg:generic/openssl static-link direct :2"],
    "find_package(Threads)\nfind_package(${X})": [],
    "find_package(Git)\nfind_package(GTest)\nfind_package(Eigen3)": [
        "pkg:generic/git build-tool direct :1",
        "pkg:generic/gtest test-only direct :2",
        "pkg:generic/eigen3 header-only direct :3",
    ],
    "find_package(Python3 COMPONENTS Interpreter)": ["pkg:generic/python3 build-tool direct :1"],
    "find_package(Python3 COMPONENTS Interpreter Development)": ["pkg:generic/python3 unknown direct :1"],
    "FetchContent_Declare(\n  fmt # why\n  GIT_REPOSITORY https://github.com/fmtlib/fmt.git\n  GIT_TAG 10.1.0)": [
        "pkg:github/fmtlib/fmt@10.1.0 static-link direct :1"
    ],
    "FetchContent_Declare(googletest URL https://x.org/googletest-1.14.zip)": [
        "pkg:generic/googletest test-only direct :1"
    ],
    "ExternalProject_Add(zstd GIT_REPOSITORY https://github.com/facebook/zstd)": [
        "pkg:github/facebook/zstd unknown direct :1"
    ],
    "CPMAddPackage(NAME spdlog GITHUB_REPOSITORY gabime/spdlog VERSION 1.12.0)": [
        "pkg:github/gabime/spdlog@1.12.0 static-link direct :1"
    ],
    "add_subdirectory(${ROOT}/third_party/zlib)\nadd_subdirectory(src)": ["pkg:generic/zlib vendored direct :1"],
    "add_library(usb SHARED IMPORTED)\nadd_library(z STATIC IMPORTED)\nadd_library(h INTERFACE IMPORTED)": [
        "pkg:generic/usb dynamic-link direct :1",
        "pkg:generic/z static-link direct :2",
        "pkg:generic/h unknown direct :3",
    ],
    "target_link_libraries(app PRIVATE usb-1.0 m ${X} -lfoo Qt5::Core /usr/lib/libssl.so.3 libcrypto.a $<A:b>)": [
        "pkg:generic/usb-1.0 unknown direct :1",
        "pkg:generic/ssl dynamic-link direct :1",
        "pkg:generic/crypto static-link direct :1",
    ],
    "target_link_libraries(app d3d11 Dwmapi WS2_32 shell32.lib objc x264)": ["pkg:generic/x264 unknown direct :1"],
    "pkg_check_modules(USB REQUIRED IMPORTED_TARGET libusb-1.0>=1.0)": ["pkg:generic/libusb-1.0 unknown direct :1"],
    '# find_package(No)\n#[[ find_package(No) ]]\nmessage("find_package(No)")\n[==[find_package(No)]==]': [],
    'list(APPEND x --config \\"${config}\\")\nfind_package(A)': ["pkg:generic/a unknown direct :2"],
    "find_package(": ["! file/broken :1"],
    "find_package()": [],
    "))((find_package(A)": ["! file/broken :1"],
    "find_package(A)\nfind_package(B\nfind_package(C)": ["pkg:generic/a unknown direct :1", "! file/broken :2"],
}


@pytest.mark.parametrize(("content", "expected"), CASES.items(), ids=lambda value: repr(value)[:40])
def test_commands(content, expected):
    """What each command says."""
    assert dependency_lines("CMakeLists.txt", content) == expected


def test_own_targets():
    """What any file of the repository builds is no dependency of it."""
    files = {"CMakeLists.txt": "target_link_libraries(app core z)", "core/CMakeLists.txt": "add_library(core a.c)"}
    assert merged(files) == ["pkg:generic/z unknown direct :1"]
    assert ecosystems.read("x.cmake", "add_library(My::core ALIAS core)").own == {"My::core", "My"}


def test_folders_of_tests():
    """What they name is for tests."""
    assert dependency_lines("tests/CMakeLists.txt", "find_package(ZLIB)") == ["pkg:generic/zlib test-only direct :1"]


def test_find_modules():
    """`FindX.cmake` says how X is found: its targets and pkg-config modules are X, not further packages."""
    module = "pkg_check_modules(_X264 QUIET x264)\nadd_library(LIBX264::LIBX264 UNKNOWN IMPORTED)\nfind_package(ZLIB)"
    assert merged({"cmake/FindLibx264.cmake": module, "CMakeLists.txt": "find_package(Libx264)"}) == [
        "pkg:generic/libx264 unknown direct :1",
        "pkg:generic/zlib unknown direct :3",
    ]


def test_conan_says_more():
    """A package that Conan brings and CMake finds is one dependency."""
    said = merged({"CMakeLists.txt": "find_package(ZLIB)", "conanfile.txt": "[requires]\nzlib/1.3\n"})
    assert said == ["pkg:conan/zlib@1.3 static-link direct :2"]


def test_archives():
    """Where the sources come from, and what they hash to; a variable is no address."""
    content = f"""
FetchContent_Declare(zlib URL https://zlib.net/zlib-1.3.tar.gz URL_HASH SHA256={"2c" * 32})
FetchContent_Declare(fmt GIT_REPOSITORY https://github.com/fmtlib/fmt.git GIT_TAG 10.1.0)
FetchContent_Declare(own GIT_REPOSITORY ${{BASE}}/own.git GIT_TAG main)
"""
    found = {one.split()[0]: one for one in origins({"CMakeLists.txt": content})}
    assert found["pkg:generic/zlib"].endswith(" from https://zlib.net/zlib-1.3.tar.gz SHA256:2c2c2c2c")
    assert found["pkg:github/fmtlib/fmt@10.1.0"].endswith(" from git+https://github.com/fmtlib/fmt.git@10.1.0")
    assert not any("own" in one and "from" in one for one in found.values())


def test_short_forms_of_cpm():
    """A repository of a known host, or an address, with its tag or version."""
    content = 'CPMAddPackage("gh:fmtlib/fmt#10.0.0")\nCPMAddPackage("gl:o/x@1.2")\nCPMAddPackage("https://e.com/o/y.git#v3")\nCPMAddPackage(gh:o/z)\n'
    assert [one.split(" static-link")[0] for one in dependency_lines("CMakeLists.txt", content)] == [
        "pkg:github/fmtlib/fmt@10.0.0", "pkg:gitlab/o/x@1.2", "pkg:generic/y@v3", "pkg:github/o/z",
    ]  # fmt: skip
    assert dependency_lines("CMakeLists.txt", "CPMAddPackage()\nCPMAddPackage(gh:)\n") == []
