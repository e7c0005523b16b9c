"""Roles: ids or a team, asked of GitHub at most every five minutes, nobody when nothing is set."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.access.roles import NO_MEMBERS, RoleMembers, Roles
from bot.github.ports import Unreachable


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", NO_MEMBERS),
        ("1, 34,", RoleMembers(ids=frozenset({1, 34}))),
        ("cann/legal", RoleMembers(team=("cann", "legal"))),
        (" cann / legal ", RoleMembers(team=("cann", "legal"))),
    ],
)
def test_what_may_be_appointed(text, meant):
    """Ids or one team."""
    assert RoleMembers.parse(text) == meant


@pytest.mark.parametrize(
    "text", ["ada", "12, ada", "-1", "0", "cann/", "/legal", "a/b/c", "12,cann/legal", "cann/legal,12", "１２"]
)
def test_what_may_not(text):
    """A login never decides, nor does half a team."""
    with pytest.raises(ValueError, match=r"^must be organisation/team, or account ids separated by commas"):
        RoleMembers.parse(text)


def test_a_team_is_asked_once_in_five_minutes():
    """Then again; and while GitHub does not answer nobody is believed."""
    at = [datetime(2026, 1, 1, tzinfo=UTC)]
    answers = [frozenset({1}), frozenset({2})]

    def team(organization, name):
        assert (organization, name) == ("cann", "legal")
        if not answers:
            raise Unreachable("GitHub is not responding")
        return answers.pop(0)

    roles = Roles(RoleMembers.parse("cann/legal"), NO_MEMBERS, team, lambda: at[0])
    assert [roles.administrators(), roles.administrators()] == [{1}, {1}]
    at[0] += timedelta(minutes=5)
    assert roles.administrators() == {2}
    assert roles.auditors() == frozenset()
    at[0] += timedelta(minutes=5)
    with pytest.raises(Unreachable):
        roles.administrators()
