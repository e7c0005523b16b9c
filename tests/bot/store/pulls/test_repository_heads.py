"""Heads of branches: kept as pushes tell them, compared at a moment, of one repository each."""

import pytest

from bot.store.pulls import repository_heads
from tests.bot.store.pulls.test_red_pulls import NOON


@pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
def test_a_push_changes_the_head_of_its_branch_and_a_comparison_all(sessions):
    with sessions() as session:
        assert repository_heads.find(session, 11).heads == {}
        for branch, sha in [("main", "a"), ("topic", "b"), ("main", "c")]:
            repository_heads.saw(session, 11, branch, sha)
        assert repository_heads.find(session, 11).heads == {"main": "c", "topic": "b"}
        assert repository_heads.compared_at(session, [11, 12]) == {11: None}
        repository_heads.compared(session, 11, {"main": "d"}, at=NOON)
    with sessions() as session:
        assert repository_heads.find(session, 11).heads == {"main": "d"}
        assert repository_heads.compared_at(session, [11, 12]) == {11: NOON}
        repository_heads.saw(session, 11, "main", "e")
    with sessions() as session:
        assert repository_heads.find(session, 11).compared_at == NOON
