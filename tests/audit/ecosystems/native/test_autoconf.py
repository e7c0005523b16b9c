"""configure.ac: each macro that looks for a library; and configure scripts that are written by hand."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines, merged

READLINE = "pkg:generic/readline dynamic-link direct :1 GPL-3.0-or-later"
GSL = "pkg:generic/gsl dynamic-link direct :1 GPL-3.0-or-later"
GLIB = "pkg:generic/glib dynamic-link direct :1 LGPL-2.1-or-later"
ZLIB = "pkg:generic/zlib dynamic-link direct :1 Zlib"

CASES = [
    ("PKG_CHECK_MODULES([READLINE],[readline])\n", [READLINE]),
    ("PKG_CHECK_MODULES(GLIB, glib-2.0 >= 2.40 gsl, [], [AC_MSG_ERROR([no])])\n", [GLIB, GSL]),
    ("PKG_CHECK_MODULES([A], [\n  glib-2.0 >= 2.40\n  [zlib]\n])\n", [GLIB, ZLIB]),
    ("PKG_CHECK_MODULES_STATIC([Z], [zlib])\n", [ZLIB.replace("dynamic", "static")]),
    ("PKG_CHECK_EXISTS([zlib >= 1.2], [x], [y])\n", [ZLIB]),
    ('MODS="glib-2.0 zlib"\nPKG_CHECK_MODULES(A, $MODS)\n', [GLIB.replace(":1", ":2"), ZLIB.replace(":1", ":2")]),
    ("AC_CHECK_LIB([gsl],[gsl_sf_bessel_J0])\n", [GSL]),
    ("AC_CHECK_LIB(gsl, main, , , -lgslcblas -lz)\n", [GSL, ZLIB]),
    ("AC_SEARCH_LIBS([tgetent], [tinfo gsl nobody m])\n",
     ["pkg:generic/ncurses dynamic-link direct :1 X11-distribute-modifications-variant", GSL, "pkg:generic/nobody dynamic-link direct :1"]),
    ("AC_ARG_WITH([x], [], [\n  AC_CHECK_LIB([readline], [rl])\n])\n", [READLINE.replace(":1", ":2")]),
    ("AC_CHECK_LIB([m], [sqrt])\nAC_CHECK_LIB(pthread, x)\nAC_SEARCH_LIBS(dlopen, dl dld)\n", []),
    ("AC_CHECK_LIB([$1], [x])\nAC_CHECK_LIB($NAME, x)\n", ["! file/unsupported :2"]),
    ("NAME=no\nAC_CHECK_LIB($NAME, x)\n", []),
    ("dnl AC_CHECK_LIB([readline],[x])\n# AC_CHECK_LIB([readline],[x])\n", []),
    ('LIBS="$LIBS -lreadline"\n', [READLINE]),
    ("AC_MSG_WARN([use -lreadline])\n", []),
    ("AX_LIB_READLINE\n", [READLINE]),
    ("AM_PATH_GTK_2_0([2.10.0])\n", ["pkg:generic/gtk dynamic-link direct :1 LGPL-2.1-or-later"]),
    ("AM_PATH_CHECK(0.9)\n", ["pkg:generic/check test-only direct :1 LGPL-2.1-or-later"]),
    ("AM_PATH_PYTHON([3.6])\nAM_ICONV\nAM_GNU_GETTEXT([external])\nAX_CHECK_COMPILE_FLAG([-W])\n", []),
    ("AC_DEFUN([AX_LIB_READLINE], [x])\n", []),
    ("AC_PATH_XTRA\n", ["pkg:generic/libx11 dynamic-link direct :1 MIT"]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected"), CASES)
@pytest.mark.parametrize("path", ["configure.ac", "src/configure.in"])
def test_each_macro_gives_its_dependencies_in_order(path, content, expected):
    assert dependency_lines(path, content) == expected


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("AC_SEARCH_LIBS([f], [gsl readline])", "AC_SEARCH_LIBS looks for it, one of gsl, readline"),
        ("L='gsl readline'\nAC_SEARCH_LIBS(f, $L, , , -lz)", "AC_SEARCH_LIBS looks for it, one of gsl, readline"),
        ("AC_SEARCH_LIBS([f], [gsl])", "AC_SEARCH_LIBS looks for it"),
        ("PKG_CHECK_MODULES([X], [gsl readline])", "PKG_CHECK_MODULES looks for it"),
    ],
)
def test_libraries_of_which_the_first_is_taken_say_so(call, why):
    found = ecosystems.read("configure.ac", call + "\n").dependencies
    assert {dependency.why for dependency in found if dependency.name != "zlib"} == {f"configure.ac: {why}"}


def test_own_m4_macros_count_and_those_that_come_with_the_tools_do_not():
    assert dependency_lines("m4/own.m4", "AC_CHECK_LIB([readline], [x])\n") == [READLINE]
    assert dependency_lines("m4/libtool.m4", "AC_CHECK_LIB([readline], [x])\n") == []
    made = "# generated automatically by aclocal 1.16.5 -*- Autoconf -*-\n"
    assert dependency_lines("aclocal.m4", f"{made}AC_CHECK_LIB([readline], [x])\n") == []
    assert dependency_lines("aclocal.m4", "AC_CHECK_LIB([readline], [x])\n") == [READLINE]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("m4_define([rl_req], [readline >= 8])\nPKG_CHECK_MODULES([R], [rl_req])\n", "readline"),
        ("for l in readline history; do\nAC_CHECK_LIB([$l], [x])\ndone\n", "readline"),
        ('L=readline\nLIBS="$LIBS -l$L"\n', "readline"),
        ('LIBS="/opt/lib/libreadline.a $LIBS"\n', "readline"),
        ("AC_HAVE_LIBRARY(readline)\n", "readline"),
        ("AC_HAVE_LIBRARY([libreadline.a])\n", "readline"),
        ("AC_HAVE_LIBRARY(-lreadline, x)\n", "readline"),
        ("AC_HAVE_LIBRARY(z, [x], [y], [-lm -lreadline $X])\n", "readline"),
        ("PHP_ADD_LIBRARY_WITH_PATH(readline, $D/lib, X)\n", "readline"),
        ("TEA_ADD_LIBS([-lreadline])\n", "readline"),
    ],
)
def test_names_from_m4_definitions_variables_and_loops_are_completed(content, name):
    assert name in {dependency.name for dependency in ecosystems.read("configure.ac", content).dependencies}


def test_libs_set_in_an_own_m4_macro_count():
    assert [
        dependency.name for dependency in ecosystems.read("m4/own.m4", 'LIBS="$LIBS -lreadline"\n').dependencies
    ] == ["readline"]


def test_files_that_m4_includes_are_named_unless_they_lie_outside_the_tree():
    content = "m4_include([build/libs.inc])\nsinclude(../x.m4)\nm4_sinclude([/etc/y])\n"
    found = ecosystems.read("configure.ac", content).includes
    assert [(include.path, include.family, include.optional) for include in found] == [
        ("build/libs.inc", "autoconf", True)
    ]


def test_the_library_that_the_script_is_for_is_not_its_dependency():
    files = {"configure.ac": "AC_INIT([curl], [8.0])\nAC_CHECK_LIB([z], [x])\n", "tool/Makefile": "LIBS = -lcurl\n"}
    assert merged(files) == [ZLIB.replace(":1", ":2")]


def test_the_reason_names_the_macro_that_looks_for_the_library():
    (dependency,) = ecosystems.read("configure.ac", "AC_CHECK_LIB([z], [x])\n").dependencies
    assert dependency.why == "configure.ac: AC_CHECK_LIB looks for it"


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("configure", '#!/bin/sh\nLIBS="-lz"\n', [ZLIB.replace(":1", ":2")]),
        ("configure", 'enabled a && require_pkg_config liba "glib-2.0 >= 2" glib.h g_x\n', [GLIB]),
        ("configure", "enabled a && require a a.h a_x -lreadline\n", [READLINE]),
        ("configure", 'echo "use -lreadline"\n# -lreadline\nif test $? -lt 3; then\n', []),
        ("configure", "#!/bin/sh\n# Generated by GNU Autoconf 2.71.\nLIBS=-lreadline\n", []),
        ("auto/lib/zlib/conf", 'ngx_feature_libs="-lz"\n', [ZLIB]),
    ],
)
def test_configure_scripts_written_by_hand_name_their_libraries(path, content, expected):
    assert dependency_lines(path, content) == expected


def test_endlessly_nested_calls_are_refused():
    assert dependency_lines("configure.ac", "AC_CHECK_LIB(a(" * 50_000) == ["! file/refused"]


@pytest.mark.parametrize("macro", ["AC_DEFUN", "AU_DEFUN"])
def test_own_macros_hand_their_parameters_on_to_library_checks(macro):
    content = f"{macro}([NEED],\n [AC_SEARCH_LIBS([$1], [$2])])\nNEED([x], [readline])\n"
    assert [dependency.name for dependency in ecosystems.read("configure.ac", content).dependencies] == ["readline"]


@pytest.mark.parametrize(
    "call", ["AC_CHECK_LIB($MYLIB, x)", "AC_SEARCH_LIBS([x], [$LIBS_OF_X])", "PKG_CHECK_MODULES([X], [$X_MODULES])"]
)
def test_a_computed_name_is_a_finding_unless_an_own_macro_gets_it(call):
    assert dependency_lines("configure.ac", f"AC_INIT([x])\n{call}\n") == ["! file/unsupported :2"]
    assert dependency_lines("m4/x.m4", call) == []


@pytest.mark.parametrize(
    "before",
    ["MYLIB=readline", "case $os in\n*) MYLIB=readline;;\nesac", "x=1; MYLIB=readline", "for MYLIB in readline; do"],
)
def test_a_variable_set_anywhere_in_the_file_gives_the_name(before):
    found = ecosystems.read("configure.ac", f"{before}\nAC_CHECK_LIB($MYLIB, x)\n")
    assert [dependency.name for dependency in found.dependencies] == ["readline"]
    assert found.findings == ()


def test_each_value_added_to_a_variable_counts():
    content = 'REQS="glib-2.0 >= 2.4"\nREQS="$REQS libsoup-2.4"\nPKG_CHECK_MODULES(X, $REQS)\n'
    assert {dependency.name for dependency in ecosystems.read("configure.ac", content).dependencies} == {
        "glib",
        "libsoup",
    }


def test_a_test_for_a_file_does_not_link_it():
    found = ecosystems.read("configure.ac", 'test -f /usr/lib/libgsl.a && LIBS="$LIBS -lreadline"\n').dependencies
    assert [dependency.name for dependency in found] == ["readline"]


def test_long_lists_of_parts_and_loop_names_are_read_whole():
    parts = [f"m4/part{number}.inc" for number in range(300)]
    names = " ".join(f"some{number}" for number in range(200))
    content = (
        "".join(f"m4_include([{part}])\n" for part in parts) + f"for l in {names}; do\nAC_CHECK_LIB($l, main)\ndone\n"
    )
    read = ecosystems.read("configure.ac", content)
    assert [(include.path, include.place.line) for include in read.includes] == [
        (value, at) for at, value in enumerate(parts, 1)
    ]
    assert len(read.dependencies) == 200


@pytest.mark.parametrize("call", ["AC_HAVE_LIBRARY(z, , , , -lreadline)", "AC_CHECK_LIB(z, x, , -lreadline)"])
def test_the_action_beside_the_other_libraries_names_none(call):
    assert [dependency.name for dependency in ecosystems.read("configure.ac", f"{call}\n").dependencies] == ["zlib"]
