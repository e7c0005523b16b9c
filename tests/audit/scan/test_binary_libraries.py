"""Libraries in binary form: each is a dependency, of which nobody says the licence; none that belongs to something known."""

import pytest

from audit.facts import Dependency, Usage
from audit.scan.assembly import assemble
from audit.scan.binary_libraries import MAX_LIBRARIES, is_library, with_libraries
from audit.scan.walk import Limits, walk
from tests.audit.scan.test_walk import Memory, unnamed


@pytest.mark.parametrize(
    "name", ["x.jar", "libx.so", "libx.so.1.2.3", "x.DLL", "libx.dylib", "libx.a", "x-1.0-py3-none-any.whl", "x.aar"]
)
def test_names(name):
    """By their endings."""
    assert is_library(name)


@pytest.mark.parametrize("name", ["x.java", "x.so.conf", "x.sol", "x.jar.md5", ".a", "a", "x.json", "x.so.1.txt"])
def test_other_names(name):
    """Anything else."""
    assert not is_library(name)


def found(*paths, files=()):
    """The dependencies of a tree with these libraries, in one line each."""
    tree = {"src/main.py": b"", **dict.fromkeys(paths, b"\x7fELF"), **dict(files)}
    repository = assemble(walk(Memory(tree), Limits()), "n", unnamed)
    return [
        f"{one.name} {one.version or '-'} {one.usage.value} {' '.join(map(str, one.places))}"
        for one in repository.dependencies
    ]


def test_each_is_a_dependency():
    """One for all platforms; name and version by the file's name; static libraries are linked as such."""
    assert found("libs/arm64/libx.so", "libs/x86/libx.so", "lib/y-1.2.3.jar", "z.dll", "lib/libw.a") == [
        "w - static-link lib/libw.a",
        "x - dynamic-link libs/arm64/libx.so libs/x86/libx.so",
        "y 1.2.3 dynamic-link lib/y-1.2.3.jar",
        "z - dynamic-link z.dll",
    ]


def test_their_licence_is_not_known():
    """Nothing inside is looked at, so nothing passes for a licence."""
    (one,) = assemble(walk(Memory({"lib/y-1.2.3.jar": b"PK"}), Limits()), "n", lambda _text, _path: "MIT").dependencies
    assert (one.license.expression, one.purl) == (None, "pkg:generic/y@1.2.3")


def test_fixtures_and_wrappers():
    """In tests they are for tests; what starts Gradle and Maven helps to build."""
    assert found(
        "src/test/resources/x.jar", "gradle/wrapper/gradle-wrapper.jar", "a/.mvn/wrapper/maven-wrapper.jar"
    ) == [
        "gradle-wrapper - build-tool gradle/wrapper/gradle-wrapper.jar",
        "maven-wrapper - build-tool a/.mvn/wrapper/maven-wrapper.jar",
        "x - test-only src/test/resources/x.jar",
    ]


def test_what_belongs_to_a_work_is_its_own():
    """A vendored folder, an installed package, a folder with its own licence text: no second dependency."""
    files = {"deps/w/LICENSE": b"its terms", "third_party/v/LICENSE": b"its terms"}
    names = [
        one.split(" ", 1)[0]
        for one in found("third_party/v/libv.so", "node_modules/n/n.node.so", "deps/w/libw.so", files=files.items())
    ]
    assert names == ["v", "w"]


def test_a_library_that_a_build_names_is_that_one():
    """The file is one more place of it, also a wheel that a list of requirements names."""
    files = {
        "CMakeLists.txt": b"add_library(x SHARED IMPORTED)\nset_target_properties(x PROPERTIES IMPORTED_LOCATION libs/libx.so)\n",
        "requirements.txt": b"./wheels/w-1.0-py3-none-any.whl\n",
    }
    assert [
        one.partition(" ")[0] for one in found("libs/libx.so", "wheels/w-1.0-py3-none-any.whl", files=files.items())
    ] == ["w", "x"]


def test_the_registrys_package_of_that_name_is_another():
    """Its licence says nothing of a file that somebody put there."""
    known = Dependency(name="y", version="1.2.3", purl="pkg:npm/y@1.2.3", usage=Usage.RUNTIME_IMPORT)
    assert [one.purl for one in with_libraries([known], ["y-1.2.3.jar"])] == ["pkg:npm/y@1.2.3", "pkg:generic/y@1.2.3"]


def test_a_link_is_no_second_file():
    """`libx.so` leads to `libx.so.1`, which comes by itself."""
    tree = Memory({"lib/libx.so": b"", "lib/liby.so.1": b""}, links=("lib/libx.so",))
    tree.astray = lambda _link: None
    assert [one.name for one in assemble(walk(tree, Limits()), "n", unnamed).dependencies] == ["y"]


def test_only_so_many():
    """Beyond that the audit says that it is not complete."""
    walked = walk(Memory({f"lib/x{at}.jar": b"" for at in range(MAX_LIBRARIES + 2)}), Limits())
    assert [one.code for one in walked.findings] == ["tree/cut-short"]
    assert len(assemble(walked, "n", unnamed).dependencies) == MAX_LIBRARIES


def test_what_tests_look_for_is_not_what_lies_in_the_tree():
    """A library that a build of tests names is another use than the file that the work links."""
    tests = {"tests/CMakeLists.txt": b"find_package(readline)"}
    assert found("lib/libreadline.a", files=tests) == [
        "readline - static-link lib/libreadline.a",
        "readline - test-only tests/CMakeLists.txt:1 (find_package(readline))",
    ]
