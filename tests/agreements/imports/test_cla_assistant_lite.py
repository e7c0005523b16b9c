"""CLA Assistant Lite's JSON."""

import json

import pytest

from agreements.imports.cla_assistant_lite import read
from agreements.imports.entries import UnreadableImport

ONE = {
    "name": "ada",
    "id": 459282,
    "comment_id": 1,
    "created_at": "2023-01-30T23:11:47Z",
    "repoId": 5,
    "pullRequestNo": 38,
}


def test_logins_and_numbers_are_read_and_other_keys_are_ignored(defaults):
    content = json.dumps({"schemaVersion": 1, "signedContributors": [ONE, {**ONE, "id": None}, 7], "note": "x"})
    found = read(content.encode(), defaults(version="1.0"))

    assert [(entry.login, entry.account_id, entry.notes) for entry in found.entries] == [
        ("ada", 459282, ("repoId: 5", "pullRequestNo: 38", "comment_id: 1")),
        ("ada", None, ("repoId: 5", "pullRequestNo: 38", "comment_id: 1")),
    ]
    assert [rejected_entry.where for rejected_entry in found.refused] == ["signedContributors.2"]


@pytest.mark.parametrize("content", [b"[]", b"{}", b'{"signedContributors": 1}'])
def test_a_file_without_the_list_of_signers_is_refused(defaults, content):
    with pytest.raises(UnreadableImport, match="signedContributors"):
        read(content, defaults())


def test_a_signature_with_an_end_is_refused(defaults):
    signer = {"name": "ada", "id": 11, "created_at": "2024-01-01T00:00:00Z"}
    listed = {"signedContributors": [signer, {**signer, "revoked": True}, {**signer, "revoked": False}]}
    found = read(json.dumps(listed).encode(), defaults(version="1.0"))
    assert [entry.where for entry in found.entries] == ["signedContributors.0", "signedContributors.2"]
    assert [refused.who for refused in found.refused] == ["ada"]
