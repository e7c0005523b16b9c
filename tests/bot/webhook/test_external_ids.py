"""The external id of a run tells its pull request, and a foreign one is never taken for ours."""

import pytest

from bot.webhook.external_ids import is_about_licenses, is_same_run, number, of_licenses, of_merge_group, of_pull


@pytest.mark.parametrize(
    ("external_id", "expected"),
    [
        (of_pull(11, 5), (5, False)),
        (of_licenses(11, 5), (5, True)),
        (of_merge_group(11), (None, False)),
        ("countersign:11:5:other", (None, False)),
        ("countersign:11:0", (None, False)),
        ("countersign:11:5\n", (None, False)),
        ("other:11:5:licenses", (None, False)),
        ("", (None, False)),
        (None, (None, False)),
    ],
)
def test_an_external_id_names_the_pull_request_and_the_kind_of_run(external_id, expected):
    assert (number(external_id), is_about_licenses(external_id)) == expected


@pytest.mark.parametrize(
    ("external_id", "other", "is_same"),
    [
        (of_pull(11, 5), of_pull(11, 6), True),
        (of_licenses(11, 5), of_licenses(11, 60), True),
        (of_merge_group(11), of_merge_group(11), True),
        (of_pull(11, 5), of_pull(12, 5), False),
        (of_pull(11, 5), of_pull(115, 5), False),
        (of_pull(11, 5), of_licenses(11, 5), False),
        (of_pull(11, 5), of_merge_group(11), False),
        (of_pull(11, 5), "countersign:11:", False),
        (of_pull(11, 5), "", False),
    ],
)
def test_runs_of_one_head_are_the_same_only_within_repository_and_kind(external_id, other, is_same):
    assert is_same_run(external_id, other) is is_same
