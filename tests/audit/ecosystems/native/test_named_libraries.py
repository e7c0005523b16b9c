"""Words for linkers and pkg-config in a line name libraries, and options of other programs do not."""

import pytest

from audit.ecosystems import read
from audit.ecosystems.native.named_libraries import (
    Line,
    NamedLibraries,
    asks_for_static,
    has_parameter,
    linked,
    module_names,
    modules,
    scripts,
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("-lreadline -lgsl", ["readline", "gsl"]),
        ('LIBS="-lz $LIBS"', ["z"]),
        ("-L/usr/lib -lfoo-2.0", ["foo-2.0"]),
        ("-l:libz.a -l:libm.so.6", ["z static", "m"]),
        ("-lX11 -Wl,-Bstatic -la -lb -Wl,-Bdynamic -lc", ["X11", "a static", "b static", "c"]),
        ("gcc -x-lfoo a-lbar", []),
        ("-l", []),
        ("-lpthread.", ["pthread"]),
    ],
)
def test_each_l_word_names_a_library_and_bstatic_holds_until_bdynamic(words, expected):
    assert [linked_name.name + (" static" if linked_name.static else "") for linked_name in linked(words)] == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("$(shell pkg-config --libs glib-2.0 zlib)", ["glib-2.0", "zlib"]),
        ("`pkg-config --cflags --libs 'gtk+-3.0 >= 3.2'` -lm", ["gtk+-3.0"]),
        ("$(PKG_CONFIG) --libs a 2>/dev/null", ["a"]),
        ("${PKGCONF} --exists x || exit 1", ["x"]),
        ("x86_64-w64-mingw32-pkg-config --static --libs sdl2", ["sdl2 static"]),
        ("pkg-config --variable=completionsdir bash-completion", []),
        ("pkg-config --modversion glib-2.0", []),
        ("$(shell pkg-config --libs $(UNKNOWN))", [""]),
        ("$(PKG_CONFIG) $(FLAGS) --libs zlib", ["zlib"]),
        ("apt-get install pkg-configurable", []),
    ],
)
def test_modules_are_read_from_pkg_config_calls_that_ask_for_flags(words, expected):
    assert [module.name + (" static" if module.static else "") for module in modules(words)] == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("a b", ["a", "b"]),
        ("a >= 1.0 b < 3", ["a", "b"]),
        ("a>=1.0, b", ["a", "b"]),
        ("[a >= 1.0]\n  b", ["a", "b"]),
        ("a >=1.0 b", ["a", "b"]),
        ("a = 1 b != 2", ["a", "b"]),
        ("$X @Y@ -z 1.0", []),
    ],
)
def test_module_names_are_read_without_their_versions(words, expected):
    assert list(module_names(words)) == expected


def test_config_scripts_name_their_one_library():
    assert list(scripts("`sdl2-config --libs` $(CURL_CONFIG) --libs pkg-config --libs x mysql_config --cflags")) == [
        "sdl2",
        "CURL",
        "mysql",
    ]
    assert list(scripts("git config --libs, foo-config")) == []


def test_static_is_asked_for_only_by_a_word_of_its_own():
    assert asks_for_static("LDFLAGS = -static")
    assert not asks_for_static("-static-libgcc -Wl,-static-pie no-static")


def test_several_uses_of_one_library_are_one_and_system_parts_none():
    named = NamedLibraries("a")
    named.words("-lssl -lcrypto -lm -lpthread -lt -lnobody", Line(1, "-lssl -lcrypto -lm -lpthread -lt -lnobody"), "a")
    named.words("-l:libssl.a", Line(2, "-l:libssl.a"), "a")
    assert [(dependency.name, dependency.usage.value) for dependency in named.parsed().dependencies] == [
        ("openssl", "dynamic-link"), ("nobody", "dynamic-link"), ("openssl", "static-link"),
    ]  # fmt: skip


def test_a_computed_name_is_one_finding_with_its_line():
    named = NamedLibraries("a")
    named.words("-l$(X) -l$(Y)", Line(7, "-l$(X) -l$(Y)"), "a")
    (found,) = named.parsed().findings
    assert (found.code, found.place.line) == ("file/unsupported", 7)


def test_a_line_is_searched_once_for_any_number_of_libraries():
    line = " ".join(f"-lx{number}" for number in range(50))
    before = has_parameter.cache_info().misses
    named = NamedLibraries("a")
    named.words(line, Line(1, line), "a")
    assert len(named.found) == 50
    assert has_parameter.cache_info().misses == before + 1


def test_pkg_config_calls_beside_each_other_keep_their_own_arguments():
    words = (
        "`echo $(COPTS) | wrap HAVE_DNSSEC $(PKG_CONFIG) --cflags 'nettle hogweed' HAVE_X_Y $(PKG_CONFIG) --libs gmp`"
    )
    assert [module.name for module in modules(words)] == ["nettle", "hogweed", "gmp"]
    assert list(modules("pkg-config --libs FOO_LIBRARY-NOTFOUND")) == []


def test_a_module_named_by_a_make_function_is_unknown():
    assert [module.name for module in modules("$(shell pkg-config --libs $(addsuffix -3.0,gtk+))")] == [""]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("Makefile", "LDLIBS = $(shell pkg-config --libs {names})\n"),
        ("configure.ac", "PKG_CHECK_MODULES([X], [{names}])\n"),
        ("configure.ac", "AC_SEARCH_LIBS([f], [{names}])\n"),
        ("BUILD", 'cc_library(name = "a", deps = [{quoted}])\n'),
    ],
)
def test_a_too_long_list_of_names_is_a_finding(path, content):
    names = [*(f"x{number}" for number in range(6_000)), "readline"]
    written = content.format(names=" ".join(names), quoted=", ".join(f'"{name}"' for name in names))
    found = read(path, written)
    assert [finding.code for finding in found.findings if finding.code in {"file/unsupported", "file/refused"}]
