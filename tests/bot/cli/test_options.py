"""Options of several commands are read and refused in the same way."""

import click
import pytest
from click.testing import CliRunner

from bot.cli.options import PORT


@click.command()
@click.option("--port", type=PORT)
def probe(port):
    """Take a port."""


@pytest.mark.parametrize(
    ("port", "said"),
    [
        ("abc", "'abc' is not a whole number"),
        ("80.5", "'80.5' is not a whole number"),
        ("0", "0 is not in the range 1<=x<=65535."),
        ("65536", "65536 is not in the range 1<=x<=65535."),
    ],
)
def test_a_port_that_is_no_whole_number_is_refused_in_plain_words(port, said):
    result = CliRunner().invoke(probe, ["--port", port])

    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == f"Error: Invalid value for '--port': {said}"
