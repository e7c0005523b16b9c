"""CLA Assistant Lite's file of signatures: `{"signedContributors": [{"name", "id", "comment_id", "created_at", …}]}`.

Source: contributor-license/cla-action, SPEC.md and __tests__/fixtures/cla.{small,extrakeys}.json, which keep the form of
contributor-assistant/github-action. `name` is the login, `id` the account's number. The version of the agreement is not
in it: the importer says which one it was.
"""

from agreements.imports.entries import ImportDefaults, ImportFile, RawEntry, RejectedEntry
from agreements.imports.files import json_of, listed

_NOTES = ("repoId", "pullRequestNo", "comment_id")


def read(content: bytes, defaults: ImportDefaults) -> ImportFile:
    """The signatures of the file; keys beside the list are left alone. Raises UnreadableImport."""
    found = listed(json_of(content), "signedContributors")
    signatures = (_signature(item, f"signedContributors.{number}") for number, item in enumerate(found))
    return ImportFile.of(signatures, defaults)


def _signature(item: object, where: str) -> RawEntry | RejectedEntry:
    if not isinstance(item, dict):
        return RejectedEntry(where, "", "it is not an object")
    return RawEntry(
        where=where,
        login=item.get("name"),
        account_id=item.get("id"),
        signed_at=item.get("created_at"),
        notes=[f"{key}: {item[key]}" for key in _NOTES if isinstance(item.get(key), int)],
    )
