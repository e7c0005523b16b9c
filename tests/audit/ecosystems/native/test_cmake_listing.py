"""What one file of CMake's has said so far."""

from audit.ecosystems.native import known_libraries
from audit.ecosystems.native.cmake_listing import Listing
from audit.facts import Place

PLACE = Place("CMakeLists.txt", 1)


def test_libraries():
    """How it is linked where that is said; by the table's name where that has it."""
    listing = Listing("CMakeLists.txt")
    listing.library("readline", known_libraries.by_name("readline"), "", "CMake: x", PLACE)
    listing.library("tea", None, "shared", "CMake: x", PLACE, target="tea::tea")
    assert [(one.name, one.is_linked, one.dependency.usage.value, one.dependency.why) for one in listing.asked] == [
        ("readline", False, "unknown", "CMake: x, no word on how it is linked"),
        ("tea::tea", True, "dynamic-link", "CMake: x"),
    ]


def test_find_modules():
    """Within FindX.cmake all is X, under the known name of what it looks for."""
    listing = Listing("cmake/FindTea.cmake")
    listing.library("gsl", known_libraries.by_link_name("gsl"), "", "CMake: x", PLACE)
    assert [(one.name, one.dependency.name) for one in listing.asked] == [("Tea", "gsl")]


def test_tests():
    """What a folder of tests asks for is for tests."""
    listing = Listing("tests/CMakeLists.txt")
    listing.library("tea", None, "static", "CMake: x", PLACE)
    assert [one.dependency.usage.value for one in listing.asked] == ["test-only"]
