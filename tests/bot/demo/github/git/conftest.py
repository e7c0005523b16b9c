"""A repository with one file in one commit."""

from datetime import UTC, datetime

import pytest

from bot.demo.github.git import bare_repository

BY = bare_repository.GitIdentity("GitHub", "noreply@github.com", datetime(2026, 11, 21, 9, 0, tzinfo=UTC))


@pytest.fixture(name="folder")
def _folder(tmp_path):
    bare_repository.initialise(tmp_path / "a.git", "main")
    bare_repository.write(tmp_path / "a.git", "refs/heads/main", {"a.txt": "a\n"}, message="First", by=BY)
    return tmp_path / "a.git"
