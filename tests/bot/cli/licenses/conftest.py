"""Fixtures of the tests of commands on licences."""

import pytest
from click.testing import CliRunner

from bot.cli.licenses.license import command


@pytest.fixture(name="run")
def _run(tmp_path):
    """`countersign license` with its data file in a folder of the test's."""
    environ = {"COUNTERSIGN_LICENSE_DATA": str(tmp_path / "data.json")}
    return lambda *arguments, **more: CliRunner(env=environ).invoke(command, arguments, **more)
