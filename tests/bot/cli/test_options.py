"""Options of several commands are read and refused in the same way."""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from bot.cli import root
from bot.cli.command_error import CommandError
from bot.cli.options import PORT, form_option, moment_option, print_rows, write_out
from tests.terminal import TerminalRunner


@click.command()
@click.option("--port", type=PORT)
def probe(port):
    """Take a port."""


@pytest.mark.parametrize(
    ("port", "said"),
    [
        ("abc", "'abc' is not a whole number"),
        ("80.5", "'80.5' is not a whole number"),
        ("0", "0 is not between 1 and 65535"),
        ("65536", "65536 is not between 1 and 65535"),
    ],
)
def test_a_port_that_is_no_whole_number_is_refused_in_plain_words(port, said):
    result = CliRunner().invoke(probe, ["--port", port])

    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == f"Error: Invalid value for '--port': {said}"


def path_parameters(command):
    """Each option and argument that takes a path, of the command and of those below it, with its command."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for part in command.list_commands(context):
            yield from path_parameters(command.get_command(context, part))
    yield from ((command, parameter) for parameter in command.params if isinstance(parameter.type, click.Path))


def test_a_dash_is_standard_input_where_the_help_says_so_and_is_refused_elsewhere():
    streams = []
    for command, parameter in path_parameters(root):
        assert parameter.type.convert("./-", parameter, click.Context(command)) == Path("-")
        with suppress(click.BadParameter):
            parameter.type.convert("-", parameter, click.Context(command))
            streams.append((command.name, parameter.name))
            assert "- for standard input" in " ".join(command.get_help(click.Context(command)).split())
    assert sorted(streams) == [("check", "batch"), ("evaluate", "facts")]


def test_a_file_called_dash_is_not_made(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for words in ("backup -", "keys generate --out -", "whitelist --out -", "export --out -", "demo --folder -"):
        with pytest.raises(SystemExit) as ended:
            root(words.split(), prog_name="countersign")
        assert ended.value.code == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "'-' does not stand for standard input or output here: give a path (`countersign " in said
    assert list(tmp_path.iterdir()) == []


@click.command()
@form_option("github")
def shown(form):
    """Print the format."""
    click.echo(form)


@pytest.mark.parametrize(
    ("runner", "arguments", "form"),
    [
        (TerminalRunner, [], "text"),
        (CliRunner, [], "json"),
        (TerminalRunner, ["--format", "json"], "json"),
        (CliRunner, ["--format", "text"], "text"),
        (CliRunner, ["--format", "github"], "github"),
    ],
)
def test_a_format_is_text_on_a_terminal_and_json_elsewhere_unless_one_is_asked_for(runner, arguments, form):
    assert runner().invoke(shown, arguments).stdout == f"{form}\n"


def test_rows_are_printed_for_people_without_words_of_python(capsys):
    row = SimpleNamespace(id="k1", error=None, in_ring=True, gone=False)
    print_rows([row], ("id", "error", "in_ring", "gone"), "text")

    assert capsys.readouterr().out.splitlines() == ["id\terror\tin_ring\tgone", "k1\t\tyes\tno"]


def test_a_full_disk_leaves_the_file_that_was_there(tmp_path, monkeypatch):
    kept = tmp_path / "checkpoint"
    write_out(b"of yesterday\n", kept)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o644  # A web server may read it.
    kept.chmod(0o640)

    def full(_file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(CommandError, match="No space left on device"):
            write_out(b"of today\n", kept)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"of yesterday\n"]

    write_out(b"of today\n", kept)
    assert (kept.read_bytes(), stat.S_IMODE(kept.stat().st_mode)) == (b"of today\n", 0o640)


@click.command()
@moment_option("--since", default=None, help="")
def since(since):
    """Say the moment."""
    click.echo(since.isoformat())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-11-21T08:00+08:00", "2026-11-21T00:00:00+00:00\n"),
        ("2026-11-21", "2026-11-21T00:00:00+00:00\n"),
        ("0001-01-01", "0001-01-01T00:00:00+00:00\n"),
    ],
)
def test_a_moment_is_in_utc(text, said):
    assert CliRunner().invoke(since, ["--since", text]).stdout == said


@pytest.mark.parametrize("text", ["0001-01-01T00:00+08:00", "yesterday", "2026-02-30", "9999-12-31T23:59-08:00"])
def test_a_moment_that_is_none_is_refused(text):
    result = CliRunner().invoke(since, ["--since", text])

    assert result.exit_code == 2
    assert f"{text!r} is not a time such as 90m, 12h, 3d or 2026-11-21T08:00Z" in result.stderr
