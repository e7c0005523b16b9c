"""Licences that files state themselves: the files that are read, and the statement that counts."""

import pytest

from audit.licenses.expression import read
from audit.scan import file_licenses
from audit.scan.file_licenses import SOURCE_FILE, FileLicenseList, FileLicenses, may_hold_text, of_code, states_licenses

TAG = b"# SPDX-License-Identifier: %s\n"


def reuse(annotation, expression):
    """A REUSE.toml."""
    return f'version = 1\n[[annotations]]\npath = "{annotation}"\nSPDX-License-Identifier = "{expression}"\n'.encode()


def said(files):
    """`path expression place own` of all."""
    return [f"{file.path} {file.expression} {file.place} {file.own}" for file in FileLicenseList.of(files).files]


@pytest.mark.parametrize(
    ("path", "text", "source"),
    [
        ("a.py", True, True), ("a/b.jsx", True, True), ("a.kt", True, True), ("Makefile", True, True), ("a/Dockerfile", True, True), ("a.sv", True, True),
        ("README.md", True, False), ("a.json", True, False), ("a.yml", True, False), ("x", True, False), ("a.png", False, False), ("m.safetensors", False, False),
        ("poetry.lock", False, False), ("a.JPG", False, False), ("fix.patch", False, False), (".reuse/dep5", False, False), ("a.ipynb", True, True),
    ],
)  # fmt: skip
def test_files_of_text_and_of_source_are_told_by_name(path, text, source):
    assert (may_hold_text(path), SOURCE_FILE.fullmatch(path) is not None) == (text, source)


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("a.py", TAG % b"MIT", ["a.py MIT a.py:1 True"]),
        ("a.py", TAG % b"MIT" + TAG % b"ISC", ["a.py MIT a.py:1 True", "a.py ISC a.py:2 True"]),
        ("tests/a.py", TAG % b"MIT", []),
        ("a.py", b"\0" + TAG % b"MIT", []),
        ("a.py", "# SPDX-License-Identifier: MIT\n".encode("utf-16"), ["a.py MIT a.py:1 True"]),
        ("a.py", b"# no word of it\n", []),
        ("a.py", b"# Released under the MIT license.\n", ["a.py MIT a.py:1 True"]),
        ("a.py", TAG % b"ISC" + b"# Released under the MIT license.\n", ["a.py ISC a.py:1 True"]),
        ("a.ipynb", b'{"cells": [{"source": [\n"# Released under the MIT license.\\n",\n"x"\n]}]}', []),
        ("a.ipynb", b'[\n"# SPDX-License-Identifier: ISC\\n",\n"x"\n]', ["a.ipynb ISC a.ipynb:2 True"]),
    ],
)  # fmt: skip
def test_tags_in_a_head_count_before_notices(path, data, expected):
    files = FileLicenses()
    files.head(path, data)
    assert said(files) == expected


def test_a_sidecar_comes_before_the_file_s_own_words():
    files = FileLicenses()
    for path in ("a.py", "b.py"):
        files.head(path, TAG % b"MIT")
    files.read("a.py.license", TAG % b"ISC")
    files.read("b.py.license", b"SPDX-FileCopyrightText: X\n")
    assert said(files) == ["a.py ISC a.py.license:1 False"]


def test_annotations_cover_files_that_say_nothing_themselves():
    files = FileLicenses(is_reuse=True)
    files.read("REUSE.toml", reuse("**", "MIT"))
    files.head("a.py", TAG % b"ISC")
    for path in ("a.py", "b.bin", "LICENSE"):
        files.cover(path)
    assert said(files) == ["a.py ISC a.py:1 True", "b.bin MIT REUSE.toml:4 False"]


def test_no_file_is_covered_without_annotations():
    files = FileLicenses()
    files.enter(["a"])
    files.cover("a")
    assert files.covered == []
    files.enter(["REUSE.toml"])
    files.cover("a")
    assert files.covered == ["a"]


@pytest.mark.parametrize(
    ("path", "data", "told"),
    [
        ("REUSE.toml", b"version = 2\n", "file/broken REUSE.toml:1"),
        ("a/REUSE.toml", reuse("**", "MIT AND"), "file/broken a/REUSE.toml:4"),
        (".reuse/dep5", b"x\n", "file/broken .reuse/dep5:1"),
        ("a.bin.license", b"\n" + TAG % b"Nobody-1.0", "file/broken a.bin.license:2"),
        ("a.bin.license", TAG % b"MIT" + TAG % b"MIT OR", "file/broken a.bin.license:2"),
        ("a.bin.license", TAG % b"MIT # SPDX-License-Identifier: MIT", "file/broken a.bin.license:1"),
        ("a.bin.license", TAG % b"ISC" + TAG % b"MIT, spdx-license-identifier: ISC", "file/broken a.bin.license:2"),
        ("a.bin.license", b"SPDX-License-Identifier: MIT\rSPDX-License-Identifier: Nobody-1.0", "file/broken a.bin.license:2"),
        ("a.bin.license", TAG % b"MIT" * 101, "file/broken a.bin.license:101"),
    ],
)  # fmt: skip
def test_a_broken_statement_is_one_finding_and_does_not_count(path, data, told):
    files = FileLicenses(is_reuse=True)
    files.read(path, data)
    found = FileLicenseList.of(files)
    assert [f"{finding.code} {finding.place}" for finding in found.findings] == [told]
    assert (found.files, files.annotations.names) == ((), set())


def test_both_kinds_of_annotations_at_once_are_a_finding():
    files = FileLicenses(is_reuse=True)
    files.read("REUSE.toml", b"version = 1\n")
    files.read(".reuse/dep5", b"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n")
    assert [finding.message for finding in FileLicenseList.of(files).findings] == [
        "REUSE allows this file or REUSE.toml, not both: remove one"
    ]


def test_files_with_tags_beyond_the_bound_are_counted(monkeypatch):
    monkeypatch.setattr(file_licenses, "MAX_SAID", 2)
    found = FileLicenses()
    for name in "abcd":
        found.head(f"{name}.c", b"// SPDX-License-Identifier: MIT\n")
    found.head("e.c", b"int x;\n")
    assert (sorted(found.said), found.left_out) == (["a.c", "b.c"], 2)


def test_files_left_out_are_one_finding_with_their_number():
    (finding,) = FileLicenseList.of(FileLicenses(left_out=2)).findings
    assert (finding.code, finding.message.partition(":")[0]) == (
        "scope/tags",
        "2 text files were not looked at for licence tags and notices",
    )


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        ({}, None),
        ({"a.md": b"MIT", "b.json": b"ISC"}, None),
        ({"a.py": b"MIT", "b.py": b"MIT", "c.py": b"ISC"}, "MIT"),
        ({"a.py": b"MIT", "b.py": b"ISC"}, "ISC AND MIT"),
        ({"a.py": b"MIT", "tests/b.py": b"ISC", "doc.md": b"ISC"}, "MIT"),
    ],
)
def test_the_licence_of_the_code_is_that_of_more_than_half_of_its_files(heads, expected):
    files = FileLicenses()
    for path, words in heads.items():
        files.head(path, TAG % words)
    found = of_code(FileLicenseList.of(files).files)
    assert (found and read(found.expression)) == read(expected)


def test_files_that_state_licences_of_others_are_told_by_name():
    assert [path for path in ("REUSE.toml", "a/REUSE.toml", ".reuse/dep5", "a/.reuse/dep5", "a.license") if states_licenses(path)] == [
        "REUSE.toml", "a/REUSE.toml", ".reuse/dep5",
    ]  # fmt: skip
