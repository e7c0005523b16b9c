"""Options of several commands are read and refused in the same way."""

from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from bot.cli.options import PORT, form_option, print_rows
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
