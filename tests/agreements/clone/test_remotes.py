"""Addresses of remotes: the repository's name, and no secret."""

import pytest

from agreements.clone import history


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/cann/ops.git", "cann/ops"),
        ("https://ada:secret@github.com/cann/ops", "cann/ops"),
        ("git@github.com:cann/ops.git", "cann/ops"),
        ("ssh://git@github.com:22/cann/ops.git", "cann/ops"),
        ("/srv/git/ops.git", "ops"),
        ("file:///srv/git/ops.git", "ops"),
        ("", ""),
    ],
)
def test_a_repository_is_named_by_owner_and_name_or_by_the_last_part_of_a_path(url, name):
    assert history.repository_name(url) == name


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://ada:secret@github.com/cann/ops.git", "https://github.com/cann/ops.git"),
        ("https://token@github.com/cann/ops.git", "https://github.com/cann/ops.git"),
        ("https://github.com/cann/ops@2.git", "https://github.com/cann/ops@2.git"),
        ("git@github.com:cann/ops.git", "git@github.com:cann/ops.git"),
        ("ssh://git@github.com/cann/ops.git", "ssh://git@github.com/cann/ops.git"),
    ],
)
def test_name_and_password_are_cut_from_an_address_and_the_ssh_user_stays(url, shown):
    assert history.without_login(url) == shown
