"""Whose something is: by the account that wrote it, with our mark in it."""

import pytest

from bot.github import authorship
from bot.github.ports import AppIdentity

BOT = {"type": "Bot", "login": "countersign[bot]"}
MARK = "<!-- countersign:1 -->"


class Board:
    """We are App 7."""

    app_id = 7

    def identity(self):
        """Our name."""
        return AppIdentity(7, "countersign")


@pytest.mark.parametrize(("item", "ours"), [
    ({"user": BOT}, True),
    ({"user": BOT, "performed_via_github_app": {"id": 7}}, True),
    ({"user": BOT, "performed_via_github_app": {"id": 8}}, False),
    ({"user": {"type": "User", "login": "ada"}, "performed_via_github_app": {"id": 7}}, False),
    ({"user": {"type": "User", "login": "countersign[bot]"}}, False),
    ({"user": {"type": "Bot", "login": "other[bot]"}}, False),
    ({"user": None}, False),
    ({}, False),
])  # fmt: skip
def test_ours_is_what_our_own_account_wrote(item, ours):
    """A person who writes through our App is a person; another App's bot is not ours; a ghost is nobody."""
    assert authorship.is_ours(Board(), item) is ours
    assert authorship.has_mark(Board(), {**item, "body": f"x {MARK}"}, MARK) is ours
    assert not authorship.has_mark(Board(), {**item, "body": None}, MARK)


def test_the_login_of_our_account():
    """As lists are filtered by it."""
    assert authorship.login(Board()) == "countersign[bot]"
