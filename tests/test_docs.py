"""The pages tell the truth: settings, commands, make targets and links are those that exist."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli import COMMANDS, root
from bot.report import comment_commands
from bot.settings import NAMES
from bot.webhook import commands
from docs import generate
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


@pytest.mark.parametrize("page", sorted(generate.REFERENCE.glob("*.md")), ids=lambda page: page.name)
def test_the_reference_is_what_the_code_makes(page):
    text = page.read_text(encoding="utf-8")

    assert generate.whole(text) == text, "make reference"


@pytest.mark.parametrize("name", generate.FILES)
def test_each_table_of_the_reference_is_what_the_code_makes(name):
    assert generate.file(name) == (generate.REFERENCE / name).read_text(encoding="utf-8"), "make reference"


def test_every_generated_part_stands_in_one_page():
    parts = [
        name
        for page in generate.REFERENCE.glob("*.md")
        for name in re.findall(r"<!-- generated: (\S+) -->", page.read_text())
    ]

    assert sorted(parts) == sorted(generate.PARTS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_its_module_and_explains_itself(name):
    command = root.get_command(None, name)

    assert command is not None
    assert command.help, f"{name} has no help"


def test_the_help_of_serve_lists_every_setting():
    shown = subprocess.run(
        [Path(sys.executable).parent / "countersign", "serve", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert [] == [name for name in NAMES if name not in shown]


def test_the_make_targets_that_pages_name_exist():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        name
        for page in PAGES
        for name in re.findall(r"\bmake ([a-z]+)\b", page.read_text())
        if f"`make {name}" in page.read_text() or f"\nmake {name}" in page.read_text()
    }

    assert named <= targets


def test_the_variables_of_make_demo_reach_its_options():
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
def test_every_place_in_the_code_that_a_page_names_exists(page):
    named = re.findall(r"`((?:agreements|audit|bot)/[\w/.]+)`", page.read_text())

    assert len(named) > 10
    assert [] == [name for name in named if not ((ROOT / name).exists() or (ROOT / f"{name}.py").exists())]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_in_a_page_leads_to_a_file(page):
    targets = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text())

    assert [] == [target for target in targets if not (page.parent / target).exists()]


def anchors(page):
    """Where a link into the page may lead: its headings as GitHub names them, and anchors of its own."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", re.sub(r"(?ms)^ *```.*?^ *```", "", text), re.MULTILINE)
    named = re.sub(r"\]\([^)]*\)", "", "\n".join(headings)).lower()
    return {re.sub(r"[^\w -]", "", line).replace(" ", "-") for line in named.splitlines()} | set(
        re.findall(r'id="([^"]+)"', text)
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_into_a_page_names_a_heading(page):
    links = re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)", page.read_text(encoding="utf-8"))

    assert [] == [
        (target, part) for target, part in links
        if (target.endswith(".md") or not target) and part not in anchors(page.parent / target if target else page)
    ]  # fmt: skip


def test_every_comment_command_is_in_its_page():
    table = re.findall(r"^\| (`/.*?) \|", (ROOT / "docs/reference/comment-commands.md").read_text(), re.MULTILINE)
    said = [re.findall(r"`([^`]+)`", cell) for cell in table]
    given = [{commands.command(line) for line in lines} for lines in said]

    assert [{"check"}, {"why"}, {"me"}, {"exempt"}, {"exempt"}, {"for"}, {"vouch"}, {"override"}] == given
    one_word = {
        words[0] for command in comment_commands.COMMANDS.values() for words in command.words if len(words) == 1
    }
    assert {alias for lines in said for alias in lines if len(alias.split()) == 1} == {*one_word, "recheck"}
