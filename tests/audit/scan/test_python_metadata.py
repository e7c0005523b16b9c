"""Python's core metadata: header fields that go over several lines, and the order in which they declare a licence."""

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
def test_headers(content, expected):
    """Up to the first empty line; a line of spaces alone is none."""
    assert list(headers(content)) == [MetadataHeader(*one) for one in expected]


def test_a_hostile_file_takes_linear_time():
    """A million lines that go on with one field, and as many that are none."""
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
def test_what_is_not_stated_and_what_cannot_be_read(free, classifiers, note):
    """Two different things: only the first says that there is no licence."""
    assert declared(None, free, classifiers).note == note
    assert (declared(None, free, classifiers) == NOTHING_STATED) is (not note)


def test_the_table_names_licences_that_are_known():
    """Every classifier that the table translates is one licence of SPDX's."""
    for meant in filter(None, _TROVE.values()):
        found = read(meant)
        assert found is not None
        assert [str(atom) for atom in atoms(found)] == [meant]
