"""Includes of a known library's header are dependencies unless a build file or the tree has the library."""

import pytest

from audit import ecosystems
from audit.ecosystems.dependency_merge import DependencyFile, merge
from audit.ecosystems.native.library_includes import is_header, names_library
from tests.audit.ecosystems.brief import brief

READLINE = "pkg:generic/readline unknown direct :1 GPL-3.0-or-later"
INCLUDE = "#include <readline/readline.h>\n"


def found(files, headers=()):
    """What they say together, in a tree with these headers."""
    sources = [
        DependencyFile(path, ecosystems.family(path), ecosystems.read(path, content)) for path, content in files.items()
    ]
    return list(map(brief, merge(sources, headers)[0]))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (INCLUDE, [READLINE]),
        ('  #  include "readline/history.h"\n', [READLINE]),
        ("#include <Eigen/Dense>\n", ["pkg:generic/eigen header-only direct :1 MPL-2.0"]),
        ('#include <stdio.h>\n#include <sys/types.h>\n#include "own.h"\n#include <vector>\n', []),
        ("// #include <readline/readline.h>\n/* #include <zlib.h> */\n", []),
        ("/*\n#include <readline/readline.h>\n * x\n */\n", []),
        ("/* one\n */ int a;\n" + INCLUDE, ["pkg:generic/readline unknown direct :3 GPL-3.0-or-later"]),
        ('char *a = "/*";\n' + INCLUDE, ["pkg:generic/readline unknown direct :2 GPL-3.0-or-later"]),
        ("// all of src/*\n" + INCLUDE, ["pkg:generic/readline unknown direct :2 GPL-3.0-or-later"]),
        ("#include <boost/asio.hpp>\n", ["pkg:generic/boost unknown direct :1 BSL-1.0"]),
        (
            "#include <mysql/mysql.h>\n",
            ["pkg:generic/mysql-client unknown direct :1 GPL-2.0-only WITH Universal-FOSS-exception-1.0"],
        ),
        ('char *a = "#include <zlib.h>";\n', []),
    ],
)
@pytest.mark.parametrize("path", ["a.c", "src/a.hpp", "b.cc", "a.C", "scan.l", "parse.yy", "k.cu", "x.ipp", "m.ixx"])
def test_an_included_header_of_a_known_library_is_a_dependency(path, content, expected):
    assert found({path: content}) == expected


def test_a_header_that_lies_in_the_tree_is_no_dependency():
    files = {"a.c": "#include <zlib.h>\n#include <readline/readline.h>\n"}
    assert found(files, ["deps/zlib/zlib.h"]) == [READLINE.replace(":1", ":2")]
    assert found(files, ["x/zlib.h.in", "lib/readline/readline.h"]) == []
    assert len(found(files, ["other.h", "zlib.hpp", "x/notzlib.h"])) == 2


def test_an_include_adds_nothing_to_a_library_of_a_build_file():
    assert found({"a.c": INCLUDE, "Makefile": "LIBS = -lreadline\n"}) == [READLINE.replace("unknown", "dynamic-link")]
    assert found({"a.c": INCLUDE, "conanfile.txt": "[requires]\nreadline/8.2\n"}) == [
        "pkg:conan/readline@8.2 static-link direct :2 GPL-3.0-or-later"
    ]


def test_a_header_of_two_libraries_is_the_one_that_a_build_file_names():
    named = found({"a.c": "#include <mysql.h>\n", "Makefile": "LDLIBS = -lmariadb\n"})
    assert [line.split()[0] for line in named] == ["pkg:generic/mariadb-connector-c"]


def test_a_library_s_own_installed_headers_are_no_dependency():
    assert found({"a.c": INCLUDE, "Makefile": "libreadline.a: a.o\n"}) == []


def test_an_include_in_tests_is_test_only():
    assert found({"tests/a.c": INCLUDE}) == [READLINE.replace("unknown", "test-only")]


def test_includes_in_many_sources_are_one_dependency_with_at_most_fifty_places():
    sources = [DependencyFile(f"{n}.c", "linux", ecosystems.read(f"{n}.c", INCLUDE)) for n in range(200)]
    assert [len(dependency.places) for dependency in merge(sources)[0]] == [50]


def test_only_sources_that_include_a_known_header_are_read():
    assert names_library(b"int a;\n#include <zlib.h>\n")
    assert not names_library(b'#include <stdio.h>\n#include "zlib_own.h"\n')


@pytest.mark.parametrize(
    ("name", "expected"), [("a.h", True), ("a.hpp", True), ("zconf.h.in", True), ("a.c", False), ("h", False)]
)
def test_headers_are_told_by_their_names(name, expected):
    assert is_header(name) is expected


def test_every_loaded_library_of_a_source_counts():
    content = "".join(f'void *h{number} = dlopen("libsome{number}.so.1", 1);\n' for number in range(150))
    found = ecosystems.read("a.c", content).dependencies
    assert [dependency.places[0].line for dependency in found] == [*range(1, 151)]
