"""Every command stands in the answer to a mistyped one, in both languages, and in the documentation."""

from pathlib import Path

import pytest

from bot.report import comment_commands
from bot.webhook import commands

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "comment-commands.md"


def test_every_command_is_shown():
    """Each kind of command but the unknown one; an exemption in its two forms."""
    shown = {commands.command(text) for text in comment_commands.SHOWN.values()}
    assert shown == {name for name, one in comment_commands.COMMANDS.items() if one.handling != "reply"}
    for text in comment_commands.SHOWN.values():
        assert comment_commands.body("both").count(f"`{text}`") == 2


@pytest.mark.parametrize("text", comment_commands.SHOWN.values())
def test_the_documentation_has_it(text):
    """As people are shown it."""
    assert f"`{text}`" in PAGE.read_text(encoding="utf-8")


def test_every_word_that_asks_for_a_check_is_documented():
    """The aliases, too."""
    page = PAGE.read_text(encoding="utf-8")
    alone = [words[0] for one in comment_commands.COMMANDS.values() for words in one.words if len(words) == 1]
    assert [word for word in alone if f"`{word}`" not in page] == []


def test_no_mention():
    """What looks like a login stands in code: nobody is notified."""
    assert "@" not in comment_commands.body("both").replace("`/cla exempt @login reason`", "")


def test_the_marker_is_its_own():
    """The comment about the verdict is never taken for it."""
    assert comment_commands.body("zh").startswith(f"<!-- {comment_commands.MARKER} -->")
