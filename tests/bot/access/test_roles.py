"""Roles are ids or a team, asked of GitHub at most every five minutes; without a setting no person has a role."""

from datetime import UTC, datetime, timedelta

import pytest

from agreements.facts import Account
from bot.access import roles
from bot.access.roles import NO_MEMBERS, ReadPermission, RoleMembers, Roles
from bot.github.ports import RepositoryPlace, Unreachable


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", NO_MEMBERS),
        ("1, 34,", RoleMembers(ids=frozenset({1, 34}))),
        ("cann/legal", RoleMembers(team=("cann", "legal"))),
        (" cann / legal ", RoleMembers(team=("cann", "legal"))),
    ],
)
def test_administrators_are_ids_or_one_team(text, meant):
    assert RoleMembers.parse(text) == meant


@pytest.mark.parametrize(
    "text", ["ada", "12, ada", "-1", "0", "cann/", "/legal", "a/b/c", "12,cann/legal", "cann/legal,12", "１２"]
)
def test_a_login_or_half_a_team_is_refused(text):
    with pytest.raises(ValueError, match=r"^must be organisation/team, or account ids separated by commas"):
        RoleMembers.parse(text)


def test_a_team_is_asked_once_in_five_minutes():
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


HERE, THERE = RepositoryPlace(5, "cann", "a", 1), RepositoryPlace(5, "cann", "b", 2)


def test_answers_are_kept_for_five_minutes():
    at, asked = [datetime(2026, 1, 1, tzinfo=UTC)], []
    allowed = {(11, 1)}

    def ask(place, account):
        asked.append((account.id, place.repository_id))
        return (account.id, place.repository_id) in allowed

    readers = ReadPermission(ask, lambda: at[0])
    answers = [readers.may_read(place, Account(who, "x")) for place in (HERE, THERE) for who in (11, 12)] * 2
    assert answers[:4] == [True, False, False, False]
    assert [readers.may_read(HERE, Account(11, "x")), len(asked)] == [True, 4]
    at[0] += timedelta(minutes=5)
    allowed.clear()
    assert [readers.may_read(HERE, Account(11, "x")), len(asked)] == [False, 5]


def test_a_failure_is_not_kept_and_lets_no_person_in():
    answers = [Unreachable("away"), True]

    def ask(_place, _account):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    readers = ReadPermission(ask, lambda: datetime(2026, 1, 1, tzinfo=UTC))
    with pytest.raises(Unreachable):
        readers.may_read(HERE, Account(11, "x"))
    assert readers.may_read(HERE, Account(11, "x"))


def test_the_oldest_answers_are_forgotten(monkeypatch):
    monkeypatch.setattr(roles, "_CACHE_ENTRIES", 2)
    at, asked = [datetime(2026, 1, 1, tzinfo=UTC)], []
    readers = ReadPermission(lambda _place, account: not asked.append(account.id), lambda: at[0])

    def new(*accounts):
        del asked[:]
        for account in accounts:
            readers.may_read(HERE, Account(account, "x"))
        return asked

    assert new(11, 12, 11, 12) == [11, 12], "both fit"
    at[0] += timedelta(minutes=5)
    assert new(12, 11) == [12, 11]
    assert new(13, 11, 13, 12) == [13, 12], "12 had been asked before 11"
