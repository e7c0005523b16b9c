"""`audit` for people: counts, violations with their reason and what to do, and what was not read."""

import json

import pytest
from click.testing import CliRunner

from audit.licenses.spdx import texts
from bot.cli.licenses.audit import command


@pytest.fixture(name="run")
def _run(tmp_path):
    """`countersign audit --format text`, unless another format is asked for."""
    runner = CliRunner(env={"COUNTERSIGN_LICENSE_DATA": str(tmp_path / "data.json")})
    return lambda *arguments: runner.invoke(command, ["--format", "text", *map(str, arguments)])


def test_files_that_are_not_read_are_counted_and_exit_with_1_if_nothing_was_judged(run, tmp_path):
    root = tmp_path / "work"
    root.mkdir()
    (root / "LICENSE").write_text(texts()["MIT"])
    for number in range(12):
        (root / f"{number}.R").write_text("library(x)\n")
    (root / "SConstruct").write_text("Program('a', LIBS=['readline'])\n")
    alone = run(root, "--offline")
    (root / "package-lock.json").write_text(
        '{"lockfileVersion": 3, "packages": {"": {}, "node_modules/a": {"version": "1.0.0", "license": "ISC"}}}'
    )
    beside = run(root, "--offline", "--format", "json")
    text = run(root, "--offline")

    assert alone.exit_code == 1
    assert "work (MIT): nothing was found in the files that are read; 13 files not read" in alone.output
    assert "R (12 files)" in alone.output
    assert (text.exit_code, json.loads(beside.output)["not_read"]) == (0, 13)
    assert "work (MIT): 1 compatible; 13 files not read" in text.output
    assert "0 violations; 13 files not read\n" in text.output


def test_an_unknown_own_licence_is_one_violation_for_all_packages(run, tmp_path):
    root = tmp_path / "work"
    root.mkdir()
    packages = {f"node_modules/p{number}": {"version": "1.0.0", "license": "Apache-2.0"} for number in range(77)}
    (root / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": {"": {}, **packages}}))
    (root / "LICENSE").write_text(texts()["MIT"].replace("without limitation", "with limitation"))
    result = run(root, "--offline")
    rulebook = tmp_path / "rulebook.yml"
    rulebook.write_text("version: 1\nlicenses:\n  repositories: {work: MIT}\n")

    assert result.exit_code == 1
    assert "violation: license/own-unknown LICENSE: " in result.output
    assert "nearest is MIT, and where that has “without” it has “with”" in result.output
    assert result.output.startswith("1 violation\n")
    assert len(result.output.splitlines()) == 4
    assert run(root, "--offline", "--rulebook", rulebook).exit_code == 0


def test_many_uses_with_one_reason_are_listed_under_it(run, tmp_path):
    root = tmp_path / "tool"
    root.mkdir()
    (root / "package.json").write_text('{"name": "tool", "license": "Apache-2.0"}')
    packages = {f"node_modules/p{number}": {"version": "1.0.0", "license": "GPL-3.0-only"} for number in range(15)}
    (root / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": {"": {}, **packages}}))
    result = run(root, "--offline")
    assert "  incompatible: 15 uses: GPL-3.0-only cannot be imported by work under Apache-2.0" in result.output
    assert "    and 5 more: --out FOLDER writes all" in result.output
    assert "15 violations" in result.output
