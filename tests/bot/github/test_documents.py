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
    """Names, arguments and types as in GitHub's schema."""
    assert contract.check_graphql(document) == []


def test_the_contract_sees_a_wrong_field(contract):
    """A planted mistake is found, so the test above can fail."""
    assert contract.check_graphql(SNAPSHOT_QUERY.replace("headRefOid", "headOid")) != []


@pytest.mark.parametrize(
    "needed", ["totalCount", "hasNextPage endCursor", "authors(first: 20)", "headRefOid", "databaseId"]
)
def test_every_page_carries_what_must_not_change(needed):
    """Total, head and repository are asked for on the first page and on each further one."""
    assert needed in SNAPSHOT_QUERY
    assert needed in MORE_COMMITS_QUERY


def test_the_organisations_file_does_not_follow_a_rename():
    """`.github` under this owner, not where it once was."""
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
def test_label_slots_are_always_filled(names, slots):
    """The variables are not null, so an unused slot repeats a name."""
    assert list(label_variables(names).values()) == slots


def test_more_labels_than_slots_are_our_mistake():
    """Said, not cut."""
    with pytest.raises(ValueError, match=f"{LABEL_SLOTS} labels"):
        label_variables(("a",) * (LABEL_SLOTS + 1))
