"""The newer one of two matrices is used, and storing one is whole or nothing."""

import json

import pytest

from audit.licenses import osadl
from audit.licenses.osadl import MatrixInvalid
from bot.licenses import matrix_file
from tests.audit.licenses.test_osadl import RAW


def stored(path, timestamp):
    """A small matrix of that moment, kept there."""
    matrix_file.store(path, osadl.pack({**RAW, "timestamp": timestamp}))
    return path


def test_nothing_is_stored(tmp_path):
    """The shipped one counts."""
    assert matrix_file.current(tmp_path / "x") is osadl.shipped()


def test_the_newer_counts(tmp_path):
    """A stored one that a new Countersign has overtaken does not."""
    assert matrix_file.current(stored(tmp_path / "x", "2026-02-12T10:00:00+0000")).date == "2026-02-12"
    assert matrix_file.current(stored(tmp_path / "x", "2020-02-12T10:00:00+0000")) is osadl.shipped()
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


def test_what_changed(tmp_path):
    """New licences by name, changed answers by number."""
    before = osadl.unpack(osadl.pack(RAW))
    file = tmp_path / "raw.json"
    file.write_text(json.dumps({**RAW, "timestamp": "2026-03-01T10:00:00+0000"}).replace('"No"', '"Yes"'))
    found = matrix_file.read_newer(file, before)
    assert (found.licenses, found.changed, found.matrix.date) == ((), 2, "2026-03-01")


def test_older_is_refused(tmp_path):
    """The moment counts, not the day alone."""
    file = tmp_path / "raw.json"
    file.write_text(json.dumps({**RAW, "timestamp": "2026-02-12T09:59:59+0000"}))
    with pytest.raises(MatrixInvalid, match="older than the data in use"):
        matrix_file.read_newer(file, osadl.unpack(osadl.pack(RAW)))


def test_a_huge_file(tmp_path):
    """Is not read to its end."""
    file = tmp_path / "raw.json"
    with file.open("wb") as out:
        out.truncate(64_000_001)
    with pytest.raises(MatrixInvalid, match="more than"):
        matrix_file.read_newer(file, osadl.shipped())


def test_a_failed_write_leaves_what_was_there(tmp_path):
    """Whole or not at all."""
    path = stored(tmp_path / "x", "2026-02-12T10:00:00+0000")
    with pytest.raises(TypeError):
        matrix_file.store(path, {"timestamp": object()})
    assert matrix_file.current(path).date == "2026-02-12"
    assert [file.name for file in tmp_path.iterdir()] == ["x"]
