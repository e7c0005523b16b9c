"""`REUSE.toml`: its annotations, and one line for each fault."""

import pytest

from audit.ecosystems.parsed_file import ParseError
from audit.scan.reuse import reuse_toml

GOOD = """version = 1
SPDX-PackageName = "x"

[[annotations]]
path = "**"
SPDX-License-Identifier = "MIT"

[[annotations]]
path = ["a/*", "b"]
precedence = "aggregate"
SPDX-FileCopyrightText = "2026 X"
SPDX-License-Identifier = ["ISC", "MIT OR Zlib"]
"""


def test_annotations_have_patterns_precedence_and_licences_with_lines():
    read = reuse_toml.read("sub/REUSE.toml", GOOD)
    assert (read.path, read.folder) == ("sub/REUSE.toml", "sub")
    assert [(len(annotation.patterns), annotation.precedence.value) for annotation in read.annotations] == [
        (1, "closest"),
        (2, "aggregate"),
    ]
    assert [
        (str(said.expression), str(said.place)) for annotation in read.annotations for said in annotation.licenses
    ] == [
        ("MIT", "sub/REUSE.toml:6"),
        ("ISC", "sub/REUSE.toml:12"),
        ("MIT OR Zlib", "sub/REUSE.toml:12"),
    ]


def test_a_file_without_annotations_has_none():
    assert reuse_toml.read("REUSE.toml", "version = 1\n").annotations == ()


TABLE = 'version = 1\n\n[[annotations]]\npath = "x"\n'


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("version = 1\n[[annotations\n", 2, "this is not TOML"),
        ('[[annotations]]\npath = "x"\n', 1, "`version` is missing"),
        ("version = true\n", 1, "`version` is missing"),
        ("\nversion = 2\n", 2, "version 2 is not known"),
        ("version = 1\nannotations = 3\n", 2, "no array of tables"),
        ("version = 1\n\n[[annotations]]\nSPDX-License-Identifier = 'MIT'\n", 3, "without `path`"),
        ("version = 1\n[[annotations]]\npath = 3\n", 3, "neither a string nor a list"),
        ('version = 1\n[[annotations]]\npath = ["a", ""]\n', 3, "neither a string nor a list"),
        (TABLE + 'precedence = "first"\n', 5, "none of `closest`"),
        (TABLE + "precedence = 1\n", 5, "none of `closest`"),
        (TABLE + 'SPDX-License-Identifier = "MIT OR"\n', 5, "`MIT OR` is no SPDX licence expression"),
        (TABLE + 'SPDX-License-Identifier = ""\n', 5, "neither a string nor a list"),
        (TABLE + "SPDX-License-Identifier = 1\n", 5, "neither a string nor a list"),
        (TABLE + 'SPDX-License-Identifier = "MIT"\n[[annotations]]\npath = "y"\nSPDX-License-Identifier = ["NONE"]\n', 8, "`NONE`"),
    ],
)  # fmt: skip
def test_a_broken_file_gives_the_line_and_the_advice(content, line, words):
    with pytest.raises(ParseError, match=words.replace("`", ".")) as broken:
        reuse_toml.read("REUSE.toml", content)
    assert (broken.value.line, broken.value.code) == (line, "file/broken")


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("SPDX-License-Identifier-Note = 1\n", 6),
        ("SPDX-License-IdentifierX='x'\n", 6),
        ('"SPDX-License-Identifier 2" = 1\n', 6),
        ("other = [\n  'SPDX-License-Identifier',\n]\n", 8),
        ('other = [\n  "SPDX-License-Identifier = 1",\n]\n', 8),
        ("# SPDX-License-Identifier = 1\n", 6),
        ("", 5),
    ],
)
@pytest.mark.parametrize(
    "key",
    [
        "SPDX-License-Identifier = ",
        "SPDX-License-Identifier=",
        "'SPDX-License-Identifier' =",
        '  "SPDX-License-Identifier"\t= ',
    ],
)
@pytest.mark.parametrize("value", ["'MIT'", "'MIT OR'", "1"])
def test_a_key_is_not_found_where_another_one_or_a_text_begins_alike(before, line, key, value):
    content = f"{TABLE}{before}{key}{value}\n"
    if value == "'MIT'":
        (found,) = reuse_toml.read("REUSE.toml", content).annotations
        assert [statement.place.line for statement in found.licenses] == [line]
    else:
        with pytest.raises(ParseError) as broken:
            reuse_toml.read("REUSE.toml", content)
        assert broken.value.line == line


def test_too_many_paths_are_refused():
    listed = ", ".join(['"x"'] * (reuse_toml.MAX_PATTERNS + 1))
    with pytest.raises(ParseError) as refused:
        reuse_toml.read("REUSE.toml", f"version = 1\n[[annotations]]\npath = [{listed}]\n")
    assert refused.value.code == "file/refused"
