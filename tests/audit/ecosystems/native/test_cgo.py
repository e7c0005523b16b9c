"""Native libraries that Go files link."""

import pytest

from tests.audit.ecosystems.brief import dependency_lines, merged

ZLIB = "pkg:generic/zlib dynamic-link direct :{} Zlib"
READLINE = "pkg:generic/readline dynamic-link direct :{} GPL-3.0-or-later"


@pytest.mark.parametrize(
    ("preamble", "expected"),
    [
        ("// #cgo LDFLAGS: -lreadline -lz -lm\n", [READLINE.format(2), ZLIB.format(2)]),
        ("/*\n#cgo CFLAGS: -I.\n#cgo pkg-config: zlib >= 1.2 readline\n*/\n", [ZLIB.format(4), READLINE.format(4)]),
        ("//#cgo linux,amd64 LDFLAGS: -L${SRCDIR}/lib -lz\n", [ZLIB.format(2)]),
        ("// #cgo LDFLAGS: -Wl,-Bstatic -lz\n", [ZLIB.format(2).replace("dynamic", "static")]),
        ("// #cgo windows LDFLAGS: -lws2_32 -lunheard\n", ["pkg:generic/unheard dynamic-link direct :2"]),
        ("// #cgo CFLAGS: -lz\n// it used #cgo LDFLAGS: -lz\n", []),
        ("// #cgo noescape f\n", []),
    ],
)
def test_lines(preamble, expected):
    """Of the linker and of pkg-config, in both kinds of comments, for all systems or some."""
    assert dependency_lines("a.go", f'package a\n{preamble}import "C"\n') == expected


def test_without_c():
    """Without that import they are comments like any other."""
    assert dependency_lines("a.go", "package a\n// #cgo LDFLAGS: -lz\n") == []


def test_beside_modules():
    """They are uses of the repository like its modules; the library that it makes itself is none, and tests link for tests."""
    mod = "module example.org/a\nrequire x.org/b v1.0.0\n"
    source = 'package a\n// #cgo LDFLAGS: -lz -lown\nimport "C"\nimport "x.org/b"\n'
    test = 'package a\n// #cgo LDFLAGS: -lreadline\nimport "C"\n'

    found = merged({"go.mod": mod, "a.go": source, "a_test.go": test, "own.pc.in": "Libs: -lown\n"})

    assert found == [
        "pkg:generic/readline test-only direct :2 GPL-3.0-or-later",
        "pkg:golang/x.org/b@v1.0.0 static-link direct :2",
        ZLIB.format(2),
    ]
