"""Words for a linker: the libraries that they name."""

import pytest

from audit.ecosystems.native.link_words import LinkItem, names, without_marks


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("-lreadline", ["readline"]),
        ("-l:libgsl.a", ["gsl static"]),
        ("-lfoo -lbar -L/opt -Wl,-z,now", ["foo", "bar"]),
        ("/usr/lib/libssl.so.3", ["ssl shared"]),
        ("C:/x/libcrypto.lib", ["crypto"]),
        ("usb-1.0", ["usb-1.0"]),
        ("Foo::Bar", ["Foo"]),
        ("unofficial::sqlite3::sqlite3", ["sqlite3"]),
        ("zlibstatic", ["zlibstatic static"]),
        ("zstd::libzstd_shared", ["zstd shared"]),
        ("static", ["static"]),
        ("$<BUILD_INTERFACE:a;b>", ["a", "b"]),
        ("$<$<AND:$<BOOL:x>,1>:a>", ["a"]),
        ("$<IF:$<CONFIG:Debug>,a,b>", ["a", "b"]),
        ("$<LINK_LIBRARY:WHOLE_ARCHIVE,a,b>", ["a", "b"]),
        ("$<$<BOOL:x>:Foo::Bar>", ["Foo"]),
        ("$<TARGET_OBJECTS:a>", []),
        ("$<TARGET_PROPERTY:a,b>", []),
        ("$<", []),
        ("-l${X}", []),
        ("${X}::y", []),
        ("@X@", []),
        ("Qt${QT_VERSION_MAJOR}::Core", ["Qt"]),
        ("-pthread", []),
        ("", []),
    ],
)
def test_a_linker_word_gives_its_libraries_and_how_they_are_linked(word, expected):
    assert [" ".join(filter(None, (name.name, name.link))) for name in names(word)] == expected


def test_an_imported_target_keeps_its_written_form_beside_its_package():
    assert list(names("Foo::Bar")) == [LinkItem("Foo", "", "Foo::Bar")]
    assert without_marks("zstd_shared") == without_marks("zstdstatic") == without_marks("zstd") == "zstd"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("pcre2d-8", "pcre2-8"), ("dbus-1d", "dbus-1"), ("curldll", "curl"), ("zlib_d", "zlib"), ("x64", "x"), ("fmt", "fmt"),
     ("glmd", "glmd"), ("lua", "lua"), ("openal32", "openal"), ("foo-mt", "foo")],
)  # fmt: skip
def test_suffixes_for_debugging_windows_or_64_bits_are_ignored(name, expected):
    assert without_marks(name) == expected


@pytest.mark.parametrize("word", ["invalidcontinue.obj", "x.o", "libx.def", "x.map"])
def test_object_and_definition_files_are_no_libraries(word):
    assert list(names(word)) == []
