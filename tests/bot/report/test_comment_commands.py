"""Every command stands in the answer to a mistyped one, in both languages, and in the documentation."""

from pathlib import Path

import pytest

from bot.report import command_help
from bot.webhook import commands

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "comment-commands.md"


def test_every_command_is_shown():
    """Each kind of command but the unknown one; an exemption in its two forms."""
    shown = {commands.command(text) for text in command_help.SHOWN.values()}
    assert shown == set(commands.COMMANDS.values())
    for text in command_help.SHOWN.values():
        assert command_help.body("both").count(f"`{text}`") == 2


@pytest.mark.parametrize("text", command_help.SHOWN.values())
def test_the_documentation_has_it(text):
    """As people are shown it."""
    assert f"`{text}`" in PAGE.read_text(encoding="utf-8")


def test_every_word_that_asks_for_a_check_is_documented():
    """The aliases, too."""
    page = PAGE.read_text(encoding="utf-8")
    assert [words for words in commands.COMMANDS if len(words) == 1 and f"`{words[0]}`" not in page] == []


def test_no_mention():
    """What looks like a login stands in code: nobody is notified."""
    assert "@" not in command_help.body("both").replace("`/cla exempt @login reason`", "")


def test_the_marker_is_its_own():
    """The comment about the verdict is never taken for it."""
    assert command_help.body("zh").startswith(f"<!-- {command_help.MARKER} -->")
