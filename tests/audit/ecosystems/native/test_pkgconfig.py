"""The work's own pkg-config files: the modules that they need, and the library that they describe."""

import pytest

from tests.audit.ecosystems.brief import dependency_lines, merged

ZLIB = "pkg:generic/zlib dynamic-link direct :1 Zlib"
SSL = "pkg:generic/openssl dynamic-link direct :1 Apache-2.0"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Requires: zlib >= 1.2, libssl\n", [ZLIB, SSL]),
        ("Requires.private: zlib @MORE@ ${OTHERS}\n", [ZLIB]),
        ("Libs: -L${libdir} -lown -lm\n", ["pkg:generic/own dynamic-link direct :1"]),
        ("Libs.private: @LIBS@ -lz -l@X@\n", [ZLIB]),
        ("Name: zlib\nDescription: uses -lreadline\nRequires:\n", []),
    ],
)
@pytest.mark.parametrize("path", ["a.pc", "sub/a.pc.in"])
def test_modules_with_versions_and_linker_words_are_read(path, content, expected):
    assert dependency_lines(path, content) == expected


def test_the_library_that_the_file_is_named_after_is_no_dependency():
    assert merged({"libcurl.pc.in": "Libs: -lcurl\nLibs.private: -lz\n"}) == [ZLIB.replace(":1", ":2")]
