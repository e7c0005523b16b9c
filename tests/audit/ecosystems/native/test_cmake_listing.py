"""The dependencies that one CMake file asks for."""

import pytest

from audit.ecosystems.native import known_libraries
from audit.ecosystems.native.cmake_listing import Listing, conan, fetched
from audit.facts import Place

PLACE = Place("CMakeLists.txt", 1)


def test_a_library_has_the_table_s_name_and_its_kind_of_link():
    listing = Listing("CMakeLists.txt")
    listing.library("readline", known_libraries.by_name("readline"), "", "CMake: x", PLACE)
    listing.library("tea", None, "shared", "CMake: x", PLACE, target="tea::tea")
    assert [
        (library.name, library.is_linked, library.dependency.usage.value, library.dependency.why)
        for library in listing.asked
    ] == [
        ("readline", False, "unknown", "CMake: x, no word on how it is linked"),
        ("tea::tea", True, "dynamic-link", "CMake: x"),
    ]


def test_every_library_in_a_find_module_belongs_to_its_package():
    listing = Listing("cmake/FindTea.cmake")
    listing.library("gsl", known_libraries.by_link_name("gsl"), "", "CMake: x", PLACE)
    assert [(library.name, library.dependency.name) for library in listing.asked] == [("Tea", "gsl")]


def test_libraries_asked_for_in_a_folder_of_tests_are_test_only():
    listing = Listing("tests/CMakeLists.txt")
    listing.library("tea", None, "static", "CMake: x", PLACE)
    assert [library.dependency.usage.value for library in listing.asked] == ["test-only"]


def said(does, *words):
    """What one command adds, as `name version usage`."""
    listing = Listing("CMakeLists.txt")
    does(listing, PLACE, list(words))
    return [
        f"{library.dependency.name} {library.dependency.version} {library.dependency.usage}"
        for library in listing.asked
    ]


def test_fetched_sources_are_dependencies_unless_they_are_of_this_tree():
    declare = fetched("fetchcontent_declare")
    assert said(declare, "tea", "URL", "https://example.org/tea-1.tgz") == ["tea 1 static-link"]
    assert said(fetched("externalproject_add"), "tea", "URL", "https://example.org/tea-1.tgz") == ["tea 1 unknown"]
    assert said(fetched("cpmfindpackage"), "NAME", "tea", "VERSION", "2", "GITHUB_REPOSITORY", "o/tea") == [
        "tea 2 static-link"
    ]
    assert said(declare, "tea", "GIT_REPOSITORY", "${PROJECT_SOURCE_DIR}/x") == []
    apart = fetched("externalproject_add")
    assert said(apart, "samples", "SOURCE_DIR", "${HERE}/samples", "PREFIX", "x") == []
    assert said(apart, "tea", "SOURCE_DIR", "${HERE}/third_party/tea") == ["tea None unknown"]
    assert said(declare, "${NAME}", "URL", "https://example.org/tea-1.tgz") == []
    assert said(declare, "openssl", "GIT_REPOSITORY", "https://github.com/openssl/openssl", "GIT_TAG", "1.1.1") == [
        "openssl 1.1.1 static-link"
    ]


@pytest.mark.parametrize(
    ("name", "address", "expected"),
    [
        ("json", "https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz", "nlohmann-json pkg:github/nlohmann/json@3.11.3 MIT"),
        ("log", "https://github.com/gabime/spdlog/archive/refs/tags/v1.14.1.tar.gz", "spdlog pkg:github/gabime/spdlog@1.14.1 MIT"),
        ("eigen", "https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.gz", "eigen pkg:gitlab/libeigen/eigen@3.4.0 MPL-2.0"),
        ("zl", "https://zlib.net/zlib-1.3.1.tar.gz", "zlib pkg:generic/zlib@1.3.1 Zlib"),
        ("tea", "https://example.org/tea/tea-latest.zip", "tea pkg:generic/tea None"),
    ],
)  # fmt: skip
def test_an_archive_is_the_library_by_its_repository_and_by_its_own_name(name, address, expected):
    listing = Listing("CMakeLists.txt")
    fetched("fetchcontent_declare")(listing, PLACE, [name, "URL", address])
    (found,) = (library.dependency for library in listing.asked)
    assert f"{found.name} {found.purl} {found.license.expression}" == expected


def test_a_repository_tells_more_than_the_name_that_the_build_gives_it():
    listing = Listing("CMakeLists.txt")
    fetched("fetchcontent_declare")(listing, PLACE, ["yaml", "GIT_REPOSITORY", "https://github.com/jbeder/yaml-cpp"])
    assert [library.dependency.name for library in listing.asked] == ["yaml-cpp"]


def test_an_older_version_does_not_have_the_licence_of_the_table():
    """OpenSSL 1.1 was not under OpenSSL 3's licence."""
    listing = Listing("CMakeLists.txt")
    for tag in ("1.1.1", "3.0", "0f113f3ee4d629ef9a4a30911b22b224772085e5"):
        fetched("fetchcontent_declare")(listing, PLACE, ["openssl", "URL", "https://example.org/o.tgz", "VERSION", tag])
    assert [library.dependency.license.expression for library in listing.asked] == [None, "Apache-2.0", "Apache-2.0"]


def test_conan_references_are_read_behind_their_keywords():
    assert said(conan, "REQUIRES", "tea/1", "cup/2@a/b", "OPTIONS", "x/1", "BUILD_REQUIRES", "maker/3") == [
        "tea 1 static-link", "cup 2 static-link", "maker 3 build-tool",
    ]  # fmt: skip
