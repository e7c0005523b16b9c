"""The pages tell the truth: settings, commands, make targets and links are those that exist."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from bot.cli import COMMANDS, root
from bot.settings import NAMES
from bot.webhook import commands
from tests.conftest import missing

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    path
    for path in [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").rglob("*.md"),
        *(ROOT / "workflows").rglob("*.md"),
    ]
)


def test_every_setting_is_in_the_operating_page():
    """docs/how-to/operating.md has a row for each setting, and none for another."""
    rows = re.findall(r"^\| `(COUNTERSIGN_\w+)` \|", (ROOT / "docs/how-to/operating.md").read_text(), re.MULTILINE)

    assert sorted(NAMES) == sorted(rows)


def test_every_command_is_in_the_operating_page():
    """docs/how-to/operating.md has a row for each command, and none for another."""
    rows = re.findall(r"^\| `countersign (\w+)", (ROOT / "docs/how-to/operating.md").read_text(), re.MULTILINE)

    assert sorted(COMMANDS) == sorted(set(rows))


def plain_commands(command, name):
    """The command itself, or those of its group, each with its whole name."""
    if not isinstance(command, click.Group):
        return {name: command}
    return {
        full: one
        for part, sub in command.commands.items()
        for full, one in plain_commands(sub, f"{name} {part}").items()
    }


def test_every_option_is_in_the_operating_page():
    """The row of a command, a group's one by one, has all of its options, and no other."""
    rows = re.findall(r"^\| `countersign (.*?)` \|", (ROOT / "docs/how-to/operating.md").read_text(), re.MULTILINE)
    commands = {
        full: one for name in COMMANDS for full, one in plain_commands(root.get_command(None, name), name).items()
    }
    known = {
        name: {option for one in command.params if isinstance(one, click.Option) for option in one.opts}
        for name, command in commands.items()
    }

    assert known == {
        next(name for name in known if f"{row} ".startswith(f"{name} ")): set(re.findall(r"--[a-z-]+", row))
        for row in rows
    }


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_its_module_and_explains_itself(name):
    """`--help` of every command works and says what it does."""
    command = root.get_command(None, name)

    assert command is not None
    assert command.help, f"{name} has no help"


def test_serve_lists_the_settings():
    """`serve --help` names every setting."""
    shown = subprocess.run(
        [Path(sys.executable).parent / "countersign", "serve", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert [] == [name for name in NAMES if name not in shown]


def test_the_make_targets_that_pages_name_exist():
    """A `make X` in a page is a target of the Makefile."""
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        name
        for page in PAGES
        for name in re.findall(r"\bmake ([a-z]+)\b", page.read_text())
        if f"`make {name}" in page.read_text() or f"\nmake {name}" in page.read_text()
    }

    assert named <= targets


def test_the_variables_of_make_demo():
    """Those that the README names reach the demo as the options of the same name."""
    if shutil.which("make") is None:
        missing("make", "not found")
    said = re.search(r"`make demo (.*?)`", (ROOT / "README.md").read_text())
    ran = subprocess.run(
        ["make", "--dry-run", "--assume-old=.venv/ready", "demo", *said[1].split()],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert said[1] == "PORT=9000 FOLDER=.other"
    assert '--port "9000" --folder ".other"' in ran.stdout


@pytest.mark.parametrize(
    "page", [ROOT / "docs/explanation/architecture.md", ROOT / ".github/CONTRIBUTING.md"], ids=lambda page: page.name
)
def test_places_in_the_code_are_there(page):
    """Whoever looks where these pages send them finds it."""
    named = re.findall(r"`((?:agreements|audit|bot)/[\w/.]+)`", page.read_text())

    assert len(named) > 10
    assert [] == [one for one in named if not ((ROOT / one).exists() or (ROOT / f"{one}.py").exists())]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Every relative link in a page points at a file that exists."""
    targets = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text())

    assert [] == [target for target in targets if not (page.parent / target).exists()]


def test_every_comment_command_is_in_its_page():
    """docs/reference/comment-commands.md has a row for each command and alias, and each gives just that command."""
    table = re.findall(r"^\| (`/.*?) \|", (ROOT / "docs/reference/comment-commands.md").read_text(), re.MULTILINE)
    said = [re.findall(r"`([^`]+)`", cell) for cell in table]
    given = [{commands.command(line) for line in lines} for lines in said]

    assert [{"check"}, {"why"}, {"exempt"}, {"override"}] == given
    assert {alias for lines in said for alias in lines if len(alias.split()) == 1} == commands.CHECKS
