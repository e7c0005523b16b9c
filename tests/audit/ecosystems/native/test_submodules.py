""".gitmodules: submodules and their addresses."""

from tests.audit.ecosystems.brief import dependency_lines, origins

CONTENT = """[submodule "z"]
\tpath = third_party/zlib
\turl = https://github.com/madler/zlib.git
[submodule "t"]
\tpath = third_party/gt
\turl = git@github.com:google/googletest.git
[submodule "own"]
\tpath = own
\turl = ../own.git
[submodule "broken"]
"""


def test_a_submodule_is_vendored_or_test_only_and_needs_an_address():
    assert dependency_lines(".gitmodules", CONTENT) == [
        "pkg:github/madler/zlib vendored direct :1",
        "pkg:github/google/googletest test-only direct :4",
        "own vendored direct :7",
        "! dependency/unreadable :10",
    ]
    assert dependency_lines(".gitmodules", "") == []
    assert dependency_lines(".gitmodules", "[submodule z\n\tpath = z\n") == ["! file/broken :1"]


def test_a_submodule_s_origin_is_its_address_without_a_commit():
    content = '[submodule "a"]\n path = a\n url = git@github.com:o/a.git\n[submodule "b"]\n path = b\n url = ../b\n'
    assert origins({".gitmodules": content}) == ["pkg:github/o/a from git+ssh://github.com/o/a.git", "b"]
