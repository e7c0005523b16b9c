"""Data under another licence by REUSE's statements: each statement is one use; code is left to findings."""

import pytest

from audit.facts import Place, Text, Usage
from audit.licenses.expression import read
from audit.scan.file_licenses import FileLicense
from audit.scan.licensed_data import uses

AT = Place("REUSE.toml", 7)


def of(*paths, said="CC-BY-NC-4.0", own=False):
    """Statements about files."""
    return [FileLicense(path, AT, read(said), own=own) for path in paths]


def test_one_use_for_each_statement():
    """Named after the folder that holds all of its files."""
    texts = [Text("LICENSES/CC-BY-NC-4.0.txt", "x", "00"), Text("LICENSES/MIT.txt", "y", "01")]
    (one,) = uses(of("weights/a.bin", "weights/b/c.bin"), read("MIT"), lambda _path: True, texts, {})
    assert (one.name, one.purl, one.usage.value, one.license.expression, one.license.place) == (
        "weights", "pkg:generic/weights", "data-or-doc", "CC-BY-NC-4.0", AT,
    )  # fmt: skip
    assert (one.why, one.licenses) == ("2 files that REUSE.toml puts under this licence", (texts[0],))
    assert [str(place) for place in one.places] == ["weights/a.bin", "weights/b/c.bin"]


def test_one_file():
    """It is its own name."""
    (one,) = uses(of("weights/a.bin"), read("MIT"), lambda _path: True, [], {})
    assert (one.name, one.why) == ("weights/a.bin", "a file that REUSE.toml puts under this licence")


def test_files_without_a_folder_in_common():
    """The licence is the name."""
    (one,) = uses(of("a.bin", "weights/b.bin"), read("MIT"), lambda _path: True, [], {})
    assert (one.name, one.purl) == ("files under CC-BY-NC-4.0", "pkg:generic/files-under-cc-by-nc-4.0")


@pytest.mark.parametrize(
    ("found", "own"),
    [
        (of("a.py"), "MIT"),
        (of("a.bin", own=True), "MIT"),
        (of("docs/a.png"), "MIT"),
        (of("a.png", said="CC0-1.0"), "GPL-3.0-only"),
        (of("a.png", said="MIT"), "Apache-2.0"),
        (of("a.bin", said="GPL-3.0-or-later"), "GPL-3.0-or-later"),
        (of("theirs/a.bin"), "MIT"),
        ([FileLicense("a.bin", AT, None, own=False)], "MIT"),
    ],
)
def test_what_is_no_use(found, own):
    """Code, what a file says itself, documentation, permissive terms, the work's own, what is in a work by others."""
    assert uses(found, read(own), lambda path: not path.startswith("theirs"), [], {}) == []


@pytest.mark.parametrize("said", ["CC-BY-SA-4.0", "LicenseRef-Mine", "OFL-1.1", "GPL-3.0-only"])
def test_terms_that_bind(said):
    """Copyleft, restrictions, and what nobody knows."""
    assert [
        one.license.expression for one in uses(of("a.bin", said=said), read("MIT"), lambda _path: True, [], {})
    ] == [said]


def test_weights_and_data_of_models():
    """Weights count under any other licence and wherever they lie; data have a usage of their own."""
    kinds = {"tests/a.pt": Usage.MODEL_WEIGHTS, "theirs/b.pt": Usage.MODEL_WEIGHTS, "w.csv": Usage.TRAINING_DATA}
    found = of("tests/a.pt", "theirs/b.pt", said="Apache-2.0") + of("w.csv", "tests/w.csv")
    listed = uses(found, read("MIT"), lambda path: not path.startswith("theirs"), [], kinds)
    assert [(one.name, one.usage.value, one.why) for one in listed] == [
        ("theirs/b.pt", "model-weights", "a file of weights that REUSE.toml puts under this licence"),
        ("tests/a.pt", "test-only", "a file of weights that REUSE.toml puts under this licence, in tests"),
        ("w.csv", "training-data", "a file that REUSE.toml puts under this licence"),
    ]
    assert uses(found[:2], read("Apache-2.0"), lambda _path: True, [], kinds) == []


def test_an_unknown_licence_of_the_work():
    """The data are listed nevertheless."""
    assert len(uses(of("a.bin"), None, lambda _path: True, [], {})) == 1
