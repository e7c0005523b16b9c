"""`check` refuses options that say nothing, and loads only what it needs."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from bot.cli.verdicts.check import command


def run(*arguments):
    return CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.mark.parametrize(
    "opener",
    [
        "ada",
        "11",
        ":ada",
        "x:ada",
        "-1:ada",
        "1" * 30 + ":ada",
        "１:ada",
        "11:ada:",
        "11:ada:user",
        "11:ada:Bot:x",
        "11::Bot",
    ],
)
@pytest.mark.parametrize("option", ["--opener", "--sender"])
def test_an_account_that_is_not_id_login_and_type_is_refused(desk, option, opener):
    result = run(desk.folder, f"{option}={opener}")
    assert result.exit_code == 2
    assert "is not ID:LOGIN" in result.stderr


@pytest.mark.parametrize("name", ["bad", "a/b/c", "/x", "a/", "", "a b/c", "a/b\n"])
def test_a_repository_that_is_not_owner_and_name_is_refused(desk, name):
    result = run(desk.folder, f"--repository={name}")
    assert result.exit_code == 2
    assert "is not OWNER/REPO" in result.stderr


@pytest.mark.slow
def test_the_command_loads_no_heavy_module(desk):
    desk.signed()
    code = (
        "import sys, bot.cli\n"
        f"try: bot.cli.main(['check', {str(desk.folder)!r}, '--format', 'text'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'flask', 'github', 'sqlmodel', 'sqlalchemy', 'dbos', 'requests', 'ruamel.yaml', 'cryptography'} & sys.modules.keys()))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "success: DCO success" in shown
    assert shown.splitlines()[-1] == "[]"


def test_the_help_loads_none_of_the_rules():
    code = (
        "import sys, bot.cli\n"
        "try: bot.cli.main(['check', '--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'agreements.judge', 'agreements.facts', 'bot.settings', 'bot.local_check'} & sys.modules.keys()))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "--range A..B" in shown
    assert shown.splitlines()[-1] == "[]"
