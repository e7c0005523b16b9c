"""cla-bot's lists."""

from datetime import UTC, datetime

import pytest

from agreements.imports.clabot import read
from agreements.imports.entries import UnreadableImport

DAY = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("content", [b'{"contributors": %s, "label": "cla"}', b"%s"])
def test_listed_logins_get_the_importer_s_day_and_version_and_addresses_are_refused(defaults, content):
    found = read(content % b'["ada", "bob@x.org", "@huawei.com", "@cyd", 7]', defaults(version="1.0", signed_at=DAY))

    assert [(entry.login, entry.signed_at, entry.dated) for entry in found.entries] == [
        ("ada", DAY, False),
        ("cyd", DAY, False),
    ]
    assert [(rejected_entry.where, rejected_entry.who) for rejected_entry in found.refused] == [
        ("contributors.1", "(an address)"), ("contributors.2", "huawei.com"), ("contributors.4", ""),
    ]  # fmt: skip


def test_a_list_is_not_taken_without_a_day(defaults):
    assert "--signed-at" in read(b'["ada"]', defaults(version="1.0")).refused[0].reason


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'{"contributors": "https://raw.example.org/list.json?x=1"}', "not here but at raw.example.org"),
        (b'{"label": "cla"}', "neither a list"),
        (b"7", "neither a list"),
    ],
)
def test_a_file_that_points_elsewhere_is_refused_and_says_where(defaults, content, line):
    with pytest.raises(UnreadableImport, match=line):
        read(content, defaults())
