"""The command line finds its commands late and answers a mistake with one line."""

import importlib
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bot import cli
from bot.cli import COMMANDS, MODULES, main, root

ROOT = Path(__file__).parents[2]


def test_help_names_every_command():
    output = CliRunner().invoke(root, ["--help"]).output
    places = [output.index(f"  {name} ") for name in sorted(COMMANDS)]

    assert places == sorted(places)
    words = " ".join(output.split())  # a line may be broken
    assert all(text.split(":")[0] in words for text in COMMANDS.values())
    assert "Exit codes: 0 fine, 1 problems found, 2 wrong usage or input." in output


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_there(name):
    command = importlib.import_module(f"bot.cli.{MODULES.get(name, name)}").command
    assert isinstance(command, click.Command)
    assert command.name == name

    result = CliRunner().invoke(root, [name, "--help"])
    assert (result.exit_code, result.stderr) == (0, "")


def single(command):
    """The command, or those of its group."""
    if not isinstance(command, click.Group):
        return [command]
    context = click.Context(command)
    return [command.get_command(context, name) for name in command.list_commands(context)]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_commands_help_has_its_exit_codes_and_defaults(name):
    command = importlib.import_module(f"bot.cli.{MODULES.get(name, name)}").command
    for subcommand in single(command):
        assert "Exit code" in subcommand.help, subcommand.name
        choices = [
            option
            for option in subcommand.params
            if isinstance(option.type, click.Choice) and isinstance(option.default, str)
        ]
        assert all(option.show_default for option in choices), subcommand.name
    assert "..." not in CliRunner().invoke(root, [name, "--help"]).output.replace("[OPTIONS] COMMAND [ARGS]...", "")


def test_every_file_of_a_command_is_in_the_table():
    folder = Path(cli.__file__).parent
    found = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if "\ndef command(" in path.read_text(encoding="utf-8")
    }

    assert found == {MODULES.get(name, name) for name in COMMANDS}


def test_the_version_is_the_packages():
    result = CliRunner().invoke(root, ["--version"])

    assert result.exit_code == 0
    assert result.output.startswith("countersign, version ")


@pytest.mark.parametrize("arguments", [["frobnicate"], ["--frobnicate"], ["evaluate", "--frobnicate"]])
def test_a_mistake_is_exit_code_2_and_no_traceback(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert "frobnicate" in error.splitlines()[-1]
    assert "Traceback" not in error


HELP_OF_ALL = """
import sys, click
from bot.cli import root
known = {*sys.stdlib_module_names, *(name.partition('.')[0] for name in sys.modules), 'agreements', 'audit', '__mp_main__'}
def ask(command, context):
    command.get_help(context)
    # zoneinfo loads a module of the standard library whose name is the platform's.
    if loaded := sorted({name.partition('.')[0] for name in sys.modules if not name.startswith('_sysconfigdata')} - known):
        print(context.command_path, *loaded)
    known.update(loaded)
    for name in command.list_commands(context) if isinstance(command, click.Group) else ():
        found = command.get_command(context, name)
        ask(found, click.Context(found, parent=context, info_name=name))
ask(root, click.Context(root, info_name='countersign'))
"""


@pytest.mark.slow
def test_the_help_of_no_command_loads_a_library_beside_click():
    ran = subprocess.run([sys.executable, "-c", HELP_OF_ALL], cwd=ROOT, capture_output=True, text=True, check=True)

    assert ran.stdout.splitlines() == [], "import it in the function that needs it"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", ["--help", "check --help", "rulebook schema", "rulebook check"])
def test_an_output_that_is_full_is_one_line_and_exit_code_2(words, tmp_path):
    book = tmp_path / "countersign.yml"
    book.write_text("version: 1\n", encoding="utf-8")
    command = (
        f"{shlex.quote(sys.executable)} -m bot {words} {shlex.quote(str(book)) if words == 'rulebook check' else ''}"
    )
    done = subprocess.run(["/bin/sh", "-c", f"{command} > /dev/full"], capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr == "countersign: cannot write: No space left on device\n"
