"""The commands on licences are found by name, and `license refresh` takes only newer data."""

import copy
import json

import click
import pytest
from click.testing import CliRunner

from bot.cli.licenses.license import command
from tests.audit.licenses.test_osadl import RAW


def test_every_subcommand_is_found_by_its_name():
    context = click.Context(command)
    names = command.list_commands(context)
    assert names == ["check", "detect", "headers", "outbound", "refresh"]
    assert [command.get_command(context, name).name for name in names] == names
    assert command.get_command(context, "frobnicate") is None


def raw(tmp_path, timestamp, **changed):
    """A file as OSADL's, of that moment."""
    file = tmp_path / "matrixseqexpl.json"
    file.write_text(json.dumps({**copy.deepcopy(RAW), "timestamp": timestamp, **changed}))
    return str(file)


def test_newer_data_is_written_and_used_and_older_data_refused(run, tmp_path):
    result = run("refresh", raw(tmp_path, "2026-02-12T10:00:00+0000"))
    assert result.exit_code == 0
    assert result.stdout == (
        f"wrote {tmp_path / 'data.json'}: OSADL's matrix of 2026-02-12, 2 licences, new: A, A-B; 13225 answers changed since 2024-11-04\n"
    )
    found = json.loads(run("check", "--outbound", "MIT", "--inbound", "MIT").stdout)
    assert (found["data_version"], found["basis"]) == ("2026-02-12", "category")
    assert run("refresh", raw(tmp_path, "2026-02-12T10:00:00+0000")).exit_code == 0
    older = run("refresh", raw(tmp_path, "2025-02-12T10:00:00+0000"))
    assert (older.exit_code, older.stdout) == (2, "")
    assert older.stderr.endswith("it is of 2025-02-12, older than the data in use, which is of 2026-02-12\n")


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 100_000, b"\xff", b"{}", b"[]", json.dumps(RAW).encode()[:-1]])
def test_a_file_that_is_no_matrix_is_refused_and_nothing_written(run, tmp_path, content):
    file = tmp_path / "x.json"
    file.write_bytes(content)
    result = run("refresh", str(file))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert not (tmp_path / "data.json").exists()
    file.rename(tmp_path / "data.json")
    used = run("check", "--outbound", "MIT", "--inbound", "MIT")
    assert (used.exit_code, used.stdout, used.stderr.count("\n")) == (2, "", 1)
    assert "license refresh" in used.stderr
    assert run("refresh", raw(tmp_path, "2026-02-12T10:00:00+0000")).exit_code == 0


def test_data_that_cannot_be_written_exits_with_2_in_one_line(tmp_path):
    environ = {"COUNTERSIGN_LICENSE_DATA": str(tmp_path / "no" / "data.json")}
    result = CliRunner(env=environ).invoke(command, ["refresh", raw(tmp_path, "2026-02-12T10:00:00+0000")])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
