"""The GraphQL documents."""

import pytest

from bot.github.documents import (
    AUTHOR_SLOTS,
    BLOB_SLOTS,
    FORCE_PUSHES_QUERY,
    HEADS_QUERY,
    LABEL_SLOTS,
    LOGIN_SLOTS,
    MERGE_QUEUE,
    MORE_COMMITS_QUERY,
    SNAPSHOT_QUERY,
    authors_query,
    blobs_query,
    label_variables,
    logins_query,
)


@pytest.mark.parametrize(
    "document",
    [
        SNAPSHOT_QUERY,
        MORE_COMMITS_QUERY,
        HEADS_QUERY,
        FORCE_PUSHES_QUERY,
        MERGE_QUEUE,
        blobs_query(1),
        blobs_query(BLOB_SLOTS),
        authors_query(1),
        authors_query(AUTHOR_SLOTS),
        logins_query(1),
        logins_query(LOGIN_SLOTS),
    ],
)
def test_github_would_take_the_document(contract, document):
    assert contract.check_graphql(document) == []


def test_the_contract_rejects_a_wrong_field(contract):
    assert contract.check_graphql(SNAPSHOT_QUERY.replace("headRefOid", "headOid")) != []


@pytest.mark.parametrize(
    "needed", ["totalCount", "hasNextPage endCursor", "authors(first: 20)", "headRefOid", "databaseId"]
)
def test_every_page_asks_for_the_total_the_head_and_the_repository(needed):
    assert needed in SNAPSHOT_QUERY
    assert needed in MORE_COMMITS_QUERY


def test_the_organisations_file_does_not_follow_a_rename():
    assert 'name: ".github", followRenames: false' in SNAPSHOT_QUERY


@pytest.mark.parametrize(
    ("names", "slots"),
    [
        ((), ["-", "-", "-", "-"]),
        (("a",), ["a", "a", "a", "a"]),
        (("a", "b"), ["a", "b", "a", "a"]),
        (("a", "b", "c", "d"), list("abcd")),
    ],
)
def test_unused_label_slots_repeat_a_name(names, slots):
    assert list(label_variables(names).values()) == slots


def test_more_labels_than_slots_are_an_error():
    with pytest.raises(ValueError, match=f"{LABEL_SLOTS} labels"):
        label_variables(("a",) * (LABEL_SLOTS + 1))
