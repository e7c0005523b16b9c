"""Only repositories that may have changed are asked for their newest commit."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from audit.store.repositories import Row
from bot.flows.licenses.changed_repositories import PUSH_OVERLAP, among
from bot.github.ports import InstallationRepository, RepositoryPlace
from bot.licenses import remote_repository

AT = datetime(2026, 11, 22, 3, tzinfo=UTC)
HEAD = InstallationRepository(
    place=RepositoryPlace(5, "cann", "ops", 70), node="R", branch="main", pushed_at=AT - timedelta(days=1), private=False, archived=False,
    fork=False,
)  # fmt: skip


def row(**changed):
    """The repository as it was read an hour ago."""
    usual = {
        "repository_id": 70, "branch": "main", "pushed_at": AT - timedelta(days=1), "looked_at": AT - timedelta(hours=1),
        "head_sha": "a" * 40, "fingerprint": f"{remote_repository.reader()}:read:1", "wanted_sha": None, "why": "",
    }  # fmt: skip
    return Row(**{**usual, **changed})


def test_an_unchanged_repository_is_not_asked_for_its_commit():
    assert among([HEAD], {70: row()}) == []


@pytest.mark.parametrize(
    "before",
    [
        {}, {70: row(branch="master")}, {70: row(pushed_at=AT - timedelta(days=2))}, {70: row(pushed_at=None)},
        {70: row(looked_at=HEAD.pushed_at + PUSH_OVERLAP / 2)}, {70: row(wanted_sha="b" * 40)}, {70: row(why="GitHub says no")},
        {70: row(fingerprint="0.0.1-older:read:1")}, {70: row(fingerprint="")},
    ],
)  # fmt: skip
def test_a_repository_that_may_have_changed_is_asked_for_its_commit(before):
    assert among([HEAD], before) == [HEAD]


def test_an_empty_repository_is_not_asked_again():
    empty = replace(HEAD, pushed_at=None)
    assert among([empty], {70: row(pushed_at=None, head_sha=None, fingerprint="")}) == []
