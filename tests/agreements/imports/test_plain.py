"""The plain JSON of Countersign itself."""

import json

import pytest

from agreements.imports.entries import Domain, RejectedEntry, UnreadableImport
from agreements.imports.plain import read

ADA = {
    "github": "ada",
    "id": 11,
    "name": "Ada",
    "email": "ada@x.org",
    "signed_at": "2024-01-01",
    "signed_version": "1.0",
}


def test_people_with_and_without_numbers_and_domains_are_read(defaults):
    bob = {"github": "bob", "id": None, "signed_at": "2024-01-02T00:00:00Z", "signed_version": "1.0"}
    content = {"individuals": [ADA, bob], "corporate_domains": ["huawei.com", 7], "last_updated": "2024-01-01"}
    found = read(json.dumps(content).encode(), defaults())

    assert [(entry.where, entry.login, entry.account_id) for entry in found.entries] == [
        ("individuals.0", "ada", 11), ("individuals.1", "bob", None),
    ]  # fmt: skip
    assert found.domains == (Domain("corporate_domains.0", "huawei.com"),)
    assert found.refused == (RejectedEntry("corporate_domains.1", "", "it is not a domain"),)
    assert found.remarks == ("last_updated: not looked at",)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"signed_at": None}, "signed_at is missing"),
        ({"signed_version": ""}, "signed_version is missing"),
        ({"signed_version": 1}, "must be text"),
        ({"signed_att": "2024-01-01"}, "'signed_att' is not a key of a person: did you mean signed_at"),
        ({"id": 11.0}, "not an account number"),
    ],
)
def test_an_entry_without_its_own_day_and_version_is_refused_despite_defaults(defaults, changed, reason):
    content = {"individuals": [ADA | changed, "ada"]}
    found = read(json.dumps(content).encode(), defaults(version="1.0", signed_at=defaults().now))

    assert found.entries == ()
    assert reason in found.refused[0].reason
    assert found.refused[1] == RejectedEntry("individuals.1", "", "it is not an object")


@pytest.mark.parametrize("content", [b"[]", b"{}", b'"x"', b'{"individuals": {}}', b'{"people": []}'])
def test_a_file_of_another_form_is_refused(defaults, content):
    with pytest.raises(UnreadableImport):
        read(content, defaults())
