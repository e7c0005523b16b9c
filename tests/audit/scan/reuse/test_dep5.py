"""`.reuse/dep5`: paragraphs of paths, and one line for each fault."""

import pytest

from audit.ecosystems.parsed_file import ParseError
from audit.scan.reuse import dep5

HEAD = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: x\n\n"
FILES = "Files: *\nCopyright: 2026 X\nLicense: MIT\n"


def test_paragraphs_of_files_give_the_synopsis_of_their_licence():
    content = f"{HEAD}# comment\n{FILES} Its text\n .\n goes on.\n\nFiles: a/*\n b/?\nCopyright: X\n Y\nLicense: GPL-2.0-or-later or ISC\n\nLicense: MIT\n text\n"
    read = dep5.read(content)
    assert [(len(annotation.patterns), annotation.precedence.value) for annotation in read.annotations] == [
        (1, "aggregate"),
        (2, "aggregate"),
    ]
    assert [f"{said.expression} {said.place}" for annotation in read.annotations for said in annotation.licenses] == [
        "MIT .reuse/dep5:7",
        "GPL-2.0-or-later OR ISC .reuse/dep5:16",
    ]
    assert read.of("b/x").licenses[0].place.line == 16
    assert read.of("b/xy").licenses[0].place.line == 7


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("", 1, "no `Format:`"),
        ("Files: *\n", 1, "no `Format:`"),
        (f"{HEAD} goes on\n", 4, "goes on with no field"),
        (f"{HEAD}Files *\n", 4, "is no field"),
        (f"{HEAD}Files: *\nFiles: a\n", 5, "`Files` stands here twice"),
        (f"{HEAD}Files: *\nLicense: MIT\n", 4, "without `Copyright:`"),
        (f"{HEAD}Files: *\nCopyright: X\n", 4, "without `License:`"),
        (f"{HEAD}Files:\nCopyright: X\nLicense: MIT\n", 4, "names no file"),
        (f"{HEAD}Files: *\nCopyright: X\nLicense: MIT and\n", 6, "`MIT and` is no SPDX licence expression"),
        (f"{HEAD}Comment: x\n", 4, "without `Files:`"),
    ],
)
def test_a_broken_file_gives_the_line_and_the_fault(content, line, words):
    with pytest.raises(ParseError, match=words.replace("`", ".")) as broken:
        dep5.read(content)
    assert broken.value.line == line


def test_too_many_paths_are_refused():
    with pytest.raises(ParseError) as refused:
        dep5.read(HEAD + FILES.replace("*", "a " * 20_001))
    assert refused.value.code == "file/refused"
