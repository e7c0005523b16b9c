"""A repository's present place, and our own texts there: by the account that wrote them, with our mark in them."""

import pytest

from bot.github.ports import AppIdentity, Missing, Moved, RepositoryPlace
from bot.github.renames import RepositoryClient, current, same_name

HERE = RepositoryPlace(77, "cann", "ops", 900)


class Board:
    """A line to GitHub that answers where repository 900 is, or that it is gone."""

    def __init__(self, answer=None):
        self.answer = answer

    def installation(self, number):
        assert number == 77
        return self

    def read(self, path):
        assert path == "/repositories/900"
        if self.answer is None:
            raise Missing("gone")
        return self.answer


KERNELS = {"id": 900, "name": "kernels", "owner": {"login": "newcann"}}


def test_the_id_tells_the_present_name():
    assert current(Board(KERNELS), HERE) == RepositoryPlace(77, "newcann", "kernels", 900)


def test_a_moved_repository_is_asked_about_once_more():
    asked = []

    def ask(_transport, place):
        asked.append(place.full_name)
        if place.name == "ops" and len(asked) > 1:
            raise Moved("elsewhere")
        return place.name

    assert RepositoryClient(Board(KERNELS))._following(HERE, ask) == "ops"
    assert RepositoryClient(Board(KERNELS))._following(HERE, ask) == "kernels"
    assert asked == ["cann/ops", "cann/ops", "newcann/kernels"]


def test_a_repository_that_moves_again_and_again_is_moved():
    def ask(_transport, _place):
        raise Moved("elsewhere")

    with pytest.raises(Moved):
        RepositoryClient(Board(KERNELS))._following(HERE, ask)
    with pytest.raises(Missing):
        RepositoryClient(Board())._following(HERE, ask)


def test_repository_names_are_compared_whole_and_in_any_case():
    assert same_name(HERE, RepositoryPlace(1, "CANN", "Ops", 2))
    assert not same_name(HERE, RepositoryPlace(77, "cann", "ops2", 900))


BOT = {"type": "Bot", "login": "countersign[bot]"}
MARK = "<!-- countersign:1 -->"


class OurPool:
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
def test_only_a_text_written_by_our_own_account_is_ours(item, ours):
    assert RepositoryClient(OurPool())._is_ours({**item, "body": f"x {MARK}"}, MARK) is ours
    assert not RepositoryClient(OurPool())._is_ours({**item, "body": None}, MARK)


def test_the_login_of_our_account_is_the_slug_with_bot():
    assert RepositoryClient(OurPool())._bot_login() == "countersign[bot]"
