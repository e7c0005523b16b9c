"""What belongs to a system or a compiler, and what only looks so."""

import time

import pytest

from audit.ecosystems.native import known_libraries
from audit.ecosystems.native.platform_libraries import is_framework, is_system


@pytest.mark.parametrize(
    "name",
    ["c", "m", "pthread", "dl", "rt", "stdc++", "gcc_s", "atomic", "ws2_32", "WS2_32", "socket", "user32", "icucore", "msvcr70",
     "msvcp140d", "vcruntime140", "scf", "api-ms-win-core-path-l1-1-0"],
)  # fmt: skip
def test_parts_of_the_system(name):
    """No work brings them along; and none of them is a library of the table."""
    assert is_system(name)
    assert known_libraries.by_link_name(name.lower()) is None


def test_a_library_is_no_part_of_the_system():
    """Also one whose name is short, or one for threads that a system does not bring."""
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
def test_names_of_two(name, beside, expected):
    """What stands beside it tells which of the two is meant."""
    assert is_system(name, beside) is expected


def test_one_line_is_looked_through_once():
    """However many names on it are asked for."""
    line = "-luuid " * 100_000
    before = time.process_time()
    assert not any(is_system("uuid", "a.go", line) for _ in range(1_000))
    assert time.process_time() - before < 4


def test_frameworks():
    """Some of Apple's are called like others' libraries: behind the option alone they are Apple's."""
    assert is_framework("Cocoa")
    assert is_framework("OpenAL", by_option=True)
    assert not is_framework("OpenAL")
    assert not is_framework("SDL2", by_option=True)
