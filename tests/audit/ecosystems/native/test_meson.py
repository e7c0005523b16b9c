"""Meson: calls and wraps."""

from tests.audit.ecosystems.brief import dependency_lines, origins

BUILD = """project('shop', 'c')
cc = meson.get_compiler('c')
zlib = dependency('zlib', static: true)
ssl = dependency('openssl', static: false, required: false)
dependency('threads')
usb = cc.find_library('usb-1.0')
gen = dependency('protoc', native: true)
sub = subproject('inih')  # dependency('no')
"""


def test_build_file():
    """The arguments say how it is linked."""
    assert dependency_lines("meson.build", BUILD) == [
        "pkg:generic/zlib static-link direct :3",
        "pkg:generic/openssl dynamic-link direct optional :4",
        "pkg:generic/protoc build-tool direct :7",
        "pkg:generic/usb-1.0 unknown direct :6",
        "pkg:generic/inih static-link direct :8",
    ]


def test_wraps():
    """A repository or an archive, built in."""
    git = "[wrap-git]\nurl = https://github.com/benhoyt/inih.git\nrevision = r58\n"
    archive = "[wrap-file]\ndirectory = zlib-1.3\nsource_url = https://zlib.net/zlib-1.3.tar.gz\n"
    assert dependency_lines("subprojects/inih.wrap", git) == ["pkg:github/benhoyt/inih@r58 static-link direct :2"]
    assert dependency_lines("subprojects/zlib.wrap", archive) == ["pkg:generic/zlib@1.3 static-link direct :3"]
    assert dependency_lines("subprojects/x.wrap", "[wrap-redirect]\n") == []


def test_archives():
    """A wrap says where it is from, and what it hashes to."""
    git = "[wrap-git]\nurl = https://ada@github.com/benhoyt/inih.git\nrevision = r58\n"
    archive = f"[wrap-file]\nsource_url = https://zlib.net/zlib-1.3.tar.gz\nsource_hash = {'2c' * 32}\n"
    assert origins({"subprojects/inih.wrap": git}) == [
        "pkg:github/benhoyt/inih@r58 from git+https://github.com/benhoyt/inih.git@r58"
    ]
    assert origins({"subprojects/zlib.wrap": archive}) == [
        "pkg:generic/zlib@1.3 from https://zlib.net/zlib-1.3.tar.gz SHA256:2c2c2c2c"
    ]
