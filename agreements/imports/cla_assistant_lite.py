"""CLA Assistant Lite's file of signatures: `{"signedContributors": [{"name", "id", "comment_id", "created_at", …}]}`.

Source: contributor-license/cla-action, SPEC.md and __tests__/fixtures/cla.{small,extrakeys}.json, which keep the form of
contributor-assistant/github-action.
"""

from agreements.imports.entries import ImportDefaults, ImportFile, RawEntry, RejectedEntry, ended_by, shown
from agreements.imports.files import json_of, listed

_NOTES = ("repoId", "pullRequestNo", "comment_id")


def read(content: bytes, defaults: ImportDefaults) -> ImportFile:
    """The signatures of the file; other keys are ignored, but for those that name an end. Raises UnreadableImport."""
    found = listed(json_of(content), "signedContributors")
    signatures = (_signature(item, f"signedContributors.{number}") for number, item in enumerate(found))
    return ImportFile.of(signatures, defaults)


def _signature(item: object, where: str) -> RawEntry | RejectedEntry:
    if not isinstance(item, dict):
        return RejectedEntry(where, "", "it is not an object")
    if reason := ended_by(item):
        return RejectedEntry(where, shown(item.get("name")), reason)
    # The file has no version of the agreement: the importer says which one it was.
    return RawEntry(
        where=where,
        login=item.get("name"),  # `name` is the login, not a person's name.
        account_id=item.get("id"),
        signed_at=item.get("created_at"),
        notes=[f"{key}: {item[key]}" for key in _NOTES if isinstance(item.get(key), int)],
    )
