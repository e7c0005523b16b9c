"""Python's core metadata: folded header fields, and the order in which they declare a licence."""

import pytest

from audit.licenses.declared_license import NOTHING_STATED, UNREADABLE
from audit.licenses.expression import atoms, read
from audit.scan.python_metadata import _TROVE, ONE_OF_THEM, MetadataHeader, declared, headers

OSI = "License :: OSI Approved :: "


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", []),
        ("Name: a\nVersion:1", [("Name", "a", 1), ("Version", "1", 2)]),
        ("Name: a\r\nVersion: 1\r\n\r\nLicense: GPL\r\n", [("Name", "a", 1), ("Version", "1", 2)]),
        ("License: a\n        b\n        \n\tc\nName: n", [("License", "a\nb\n\nc", 1), ("Name", "n", 5)]),
        ("License:\n MIT\nName: n\n", [("License", "MIT", 1), ("Name", "n", 3)]),
        ("no field\n  of it\nName: n", [("Name", "n", 3)]),
        (" Name: n\nVersion: 1", [("Version", "1", 2)]),
        ("License: a\nLicense: b", [("License", "a", 1), ("License", "b", 2)]),
        ("License: x\n\nName: in the description", [("License", "x", 1)]),
    ],
)
def test_header_fields_end_at_the_first_empty_line(content, expected):
    assert list(headers(content)) == [MetadataHeader(*line) for line in expected]


def test_a_hostile_file_is_read_in_linear_time():
    assert len(next(headers("License: x\n" + " y\n" * 200_000)).value) == 400_001
    assert list(headers("-" * 1_000_000 + "\n" + ":\n" * 200_000)) == []


@pytest.mark.parametrize(
    ("free", "classifiers", "note"),
    [
        ("", [], ""),
        ("UNKNOWN", [], ""),
        (None, ["Topic :: Software"], ""),
        ("see the file LICENSE", [], UNREADABLE),
        ("Permission is hereby granted " * 90, [], UNREADABLE),
        (None, [f"{OSI}Zope Public License"], UNREADABLE),
        ("Dual License", [f"{OSI}BSD License", f"{OSI}MIT License"], ONE_OF_THEM),
    ],
)
def test_nothing_stated_and_nothing_readable_are_told_apart(free, classifiers, note):
    assert declared(None, free, classifiers).note == note
    assert (declared(None, free, classifiers) == NOTHING_STATED) is (not note)


def test_every_classifier_of_the_table_is_one_known_licence():
    for meant in filter(None, _TROVE.values()):
        found = read(meant)
        assert found is not None
        assert [str(atom) for atom in atoms(found)] == [meant]
