"""`countersign rulebook check` prints every mistake with its line."""

from click.testing import CliRunner

from bot import shipped
from bot.cli.rulebook import command


def run(*arguments):
    """Run `rulebook check`."""
    return CliRunner().invoke(command, ["check", *map(str, arguments)])


def test_ok():
    """The rulebook that we ship is right and leaves no doubt."""
    ran = run(shipped.path("cann") / "countersign.yml")
    assert (ran.exit_code, ran.output) == (0, "ok\n")


def test_mistakes(tmp_path):
    """Every mistake has its line; exit code 1."""
    file = tmp_path / "countersign.yml"
    file.write_text("version: 1\npeople:\n  exmpt: []\nlicenses: {fail_on: []}\n", encoding="utf-8")
    ran = run(file)
    assert ran.exit_code == 1
    assert ran.output.splitlines() == [
        "line 3: people.exmpt: unknown key, did you mean exempt?",
        "line 4: licenses.fail_on: not available in this version",
    ]


def test_doubts(tmp_path):
    """A valid rulebook that surely means something else is not ok either."""
    file = tmp_path / "countersign.yml"
    file.write_text(
        'version: 1\nrepositories:\n  - {match: ["*"], require: dco}\n  - {match: [ge], require: cla}\n', "utf-8"
    )
    ran = run(file)
    assert ran.exit_code == 1
    assert [line.partition(":")[0] for line in ran.output.splitlines()] == ["line 3", "line 4"]


def test_unreadable(tmp_path):
    """A file that cannot be read is wrong usage: one line, exit code 2."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for file in (tmp_path / "missing", tmp_path, tmp_path / "binary"):
        ran = run(file)
        assert ran.exit_code == 2
        assert f"cannot read {file}" in ran.output
