"""Every command stands in the answer to a mistyped one, in both languages, and in the documentation."""

from pathlib import Path

import pytest

from bot.report import comment_commands
from bot.webhook import commands

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "comment-commands.md"


def test_every_command_is_shown():
    known = {commands.command(text) for text in comment_commands.shown("en").values()}
    assert known == {name for name, command in comment_commands.COMMANDS.items() if command.handling != "reply"}
    for language in ("en", "zh"):
        for text in comment_commands.shown(language).values():
            assert f"| `{text}` |" in comment_commands.body(language)


def test_a_chinese_reader_is_shown_the_blanks_of_a_command_in_chinese():
    for text in comment_commands.shown("zh").values():
        assert not {"login", "address", "reason", "domain"} & set(text.replace("@", " ").split()), text
    assert comment_commands.shown("zh")["exempt"] == "/cla exempt @用户名 理由"


@pytest.mark.parametrize("text", comment_commands.shown("en").values())
def test_the_documentation_has_every_command(text):
    assert f"`{text}`" in PAGE.read_text(encoding="utf-8")


def test_every_word_that_asks_for_a_check_is_documented():
    page = PAGE.read_text(encoding="utf-8")
    alone = [words[0] for command in comment_commands.COMMANDS.values() for words in command.words if len(words) == 1]
    assert [word for word in alone if f"`{word}`" not in page] == []


def test_an_example_login_mentions_no_account():
    """GitHub notifies an account that is mentioned outside code."""
    assert "@" not in comment_commands.body("both").replace("`/cla exempt @login reason`", "").replace(
        "`/cla exempt @用户名 理由`", ""
    )


def test_the_answer_begins_with_a_marker_of_its_own():
    assert comment_commands.body("zh").startswith(f"<!-- {comment_commands.MARKER} -->")
