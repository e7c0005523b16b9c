"""`license headers` finds files without the header and adds it, with the documented exit codes."""

import json

import pytest

from bot.cli.licenses.headers import headers as command
from tests.terminal import TerminalRunner

BOOK = "version: 1\nlicenses:\n  headers: {spdx: MIT}\n"


@pytest.fixture(name="run")
def _run(tmp_path):
    """The command on a checkout with two files that lack the header and one with another."""
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github/countersign.yml").write_text(BOOK)
    (tmp_path / "a.py").write_text("x\n")
    (tmp_path / "b.php").write_text("<p>\n")
    (tmp_path / "c.py").write_text("# SPDX-License-Identifier: ISC\n")
    return lambda *more: TerminalRunner().invoke(command, [str(tmp_path), *more])


def test_the_text_format_names_each_file_to_mend_and_the_counts(run):
    result = run()
    assert result.output.splitlines() == [
        "a.py: missing: lacks SPDX-License-Identifier: MIT",
        "b.php: missing: lacks SPDX-License-Identifier: MIT",
        "c.py:1: other: its header says ISC",
        "countersign: 0 with the header, 2 without, 1 with another; `--fix` adds it",
    ]
    assert result.exit_code == 1


def test_fix_adds_headers_once_and_names_the_files_to_mend_by_hand(run, tmp_path):
    result = run("--fix")
    by_hand = "b.php: missing: lacks SPDX-License-Identifier: MIT; add it by hand, because its place is unclear"
    assert result.output.splitlines()[:2] == ["a.py: added", by_hand]
    assert result.exit_code == 1
    assert (tmp_path / "a.py").read_text() == "# SPDX-License-Identifier: MIT\n\nx\n"
    for name in ("b.php", "c.py"):
        (tmp_path / name).unlink()
    again = run("--fix")
    assert (again.output, again.exit_code) == ("countersign: 1 with the header, 0 without, 0 with another\n", 0)


def test_the_json_and_github_formats_say_the_same(run):
    lines = [json.loads(line) for line in run("--format", "json").output.splitlines()]
    assert lines[2] == {"path": "c.py", "state": "other", "line": 1, "message": "its header says ISC"}
    assert [json.loads(line)["state"] for line in run("--format", "json", "--fix").output.splitlines()] == [
        "added",
        "missing",
        "other",
    ]
    assert (
        run("--format", "github").output.splitlines()[1]
        == "::error file=c.py,line=1,title=licence header other::its header says ISC"
    )


@pytest.mark.parametrize(
    ("book", "more", "said"),
    [
        ("version: 1\n", [], "the rulebook requires no licence header: set licenses.headers"), ("version: 2\n", [], "version"),
        (BOOK, ["--rulebook", "nowhere.yml"], "cannot read nowhere.yml"),
    ],
)  # fmt: skip
def test_wrong_input_exits_with_2_in_one_line(run, tmp_path, book, more, said):
    (tmp_path / ".github/countersign.yml").write_text(book)
    result = run(*more)
    assert said in result.output
    assert result.exit_code == 2
    assert TerminalRunner().invoke(command, [str(tmp_path / "a.py")]).exit_code == 2
