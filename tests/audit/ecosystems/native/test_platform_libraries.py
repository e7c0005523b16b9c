"""Libraries of a system or a compiler, and others that only look like them."""

import time

import pytest

from audit.ecosystems.native import known_libraries
from audit.ecosystems.native.platform_libraries import is_framework, is_system


@pytest.mark.parametrize(
    "name",
    ["c", "m", "pthread", "dl", "rt", "stdc++", "gcc_s", "atomic", "ws2_32", "WS2_32", "socket", "user32", "icucore", "msvcr70",
     "msvcp140d", "vcruntime140", "scf", "api-ms-win-core-path-l1-1-0"],
)  # fmt: skip
def test_system_and_compiler_parts_are_no_libraries_of_the_table(name):
    assert is_system(name)
    assert known_libraries.by_link_name(name.lower()) is None


def test_a_library_with_a_short_or_thread_name_is_no_system_part():
    assert not any(map(is_system, ("z", "aio", "net", "psl", "uuid", "readline", "pthreadGC2", "msvcrt-helper")))


@pytest.mark.parametrize(
    ("name", "beside", "expected"),
    [
        ("uuid", "$(CC) -o x x.o -lole32 -luuid", True),
        ("uuid", "src/Make_mingw.mak LIBS = -luuid", True),
        ("net", "LDFLAGS = -mcrt=clib2 -lauto -lm -lnet", True),
        ("uuid", "LIBS = -luuid -lblkid", False),
        ("uuid", "LIBS = -luuid -lsocket", False),
        ("net", "LIBS = -lnet -lnsl", True),
        ("z", "-lole32 -lz", False),
    ],
)
def test_an_ambiguous_name_is_told_by_its_neighbours(name, beside, expected):
    assert is_system(name, beside) is expected


def test_one_line_is_searched_once_for_any_number_of_names():
    line = "-luuid " * 100_000
    before = time.process_time()
    assert not any(is_system("uuid", "a.go", line) for _ in range(1_000))
    assert time.process_time() - before < 4


def test_a_framework_named_like_a_library_is_apple_s_only_behind_the_option():
    assert is_framework("Cocoa")
    assert is_framework("OpenAL", by_option=True)
    assert not is_framework("OpenAL")
    assert not is_framework("SDL2", by_option=True)
