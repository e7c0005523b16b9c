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


def test_without_a_stored_matrix_the_shipped_one_counts(tmp_path):
    assert matrix_file.current(tmp_path / "x") is osadl.shipped()


def test_the_newer_of_two_matrices_counts(tmp_path):
    assert matrix_file.current(stored(tmp_path / "x", "2026-02-12T10:00:00+0000")).date == "2026-02-12"
    assert matrix_file.current(stored(tmp_path / "x", "2020-02-12T10:00:00+0000")) is osadl.shipped()
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


def test_new_licences_are_told_by_name_and_changed_answers_by_number(tmp_path):
    before = osadl.unpack(osadl.pack(RAW))
    file = tmp_path / "raw.json"
    file.write_text(json.dumps({**RAW, "timestamp": "2026-03-01T10:00:00+0000"}).replace('"No"', '"Yes"'))
    found = matrix_file.read_newer(file, before)
    assert (found.licenses, found.changed, found.matrix.date) == ((), 2, "2026-03-01")


def test_an_older_matrix_is_refused_by_its_moment(tmp_path):
    file = tmp_path / "raw.json"
    file.write_text(json.dumps({**RAW, "timestamp": "2026-02-12T09:59:59+0000"}))
    with pytest.raises(MatrixInvalid, match="older than the data in use"):
        matrix_file.read_newer(file, osadl.unpack(osadl.pack(RAW)))


def test_a_huge_file_is_not_read_to_its_end(tmp_path):
    file = tmp_path / "raw.json"
    with file.open("wb") as out:
        out.truncate(64_000_001)
    with pytest.raises(MatrixInvalid, match="more than"):
        matrix_file.read_newer(file, osadl.shipped())


def test_a_failed_write_leaves_the_old_file_whole(tmp_path):
    path = stored(tmp_path / "x", "2026-02-12T10:00:00+0000")
    with pytest.raises(TypeError):
        matrix_file.store(path, {"timestamp": object()})
    assert matrix_file.current(path).date == "2026-02-12"
    assert [file.name for file in tmp_path.iterdir()] == ["x"]
