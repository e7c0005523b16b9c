"""The plain JSON of this program: people with their account, date and version, and companies' domains.

Its form (docs/reference/imports.md): `{"individuals": [{"github", "id", "name", "email", "signed_at", "signed_version",
"party"}], "corporate_domains": ["…"]}`.
"""

from dataclasses import replace
from difflib import get_close_matches

from agreements.imports.entries import (
    Domain,
    ImportDefaults,
    ImportEntry,
    ImportFile,
    RawEntry,
    RejectedEntry,
    UnreadableImport,
    judge,
    shown,
)
from agreements.imports.files import json_of, listed

_PERSON = ("github", "id", "name", "email", "signed_at", "signed_version", "party")
_WHOLE = ("individuals", "corporate_domains")


def read(content: bytes, defaults: ImportDefaults) -> ImportFile:
    """The people and domains of the file. Raises UnreadableImport."""
    found = json_of(content)
    if not isinstance(found, dict) or not any(key in found for key in _WHOLE):
        raise UnreadableImport("it is not an object with individuals, corporate_domains or both")
    people = listed(found, "individuals") if "individuals" in found else []
    domains = listed(found, "corporate_domains") if "corporate_domains" in found else []
    without = ImportDefaults(now=defaults.now)  # This form has a place for each value: the importer adds none.
    judged = [_person(item, f"individuals.{number}", without) for number, item in enumerate(people)]
    named = [_domain(item, f"corporate_domains.{number}") for number, item in enumerate(domains)]
    return ImportFile.of(
        [*judged, *named], without, (f"{shown(key)}: not looked at" for key in found if key not in _WHOLE)
    )


def _person(item: object, where: str, defaults: ImportDefaults) -> ImportEntry | RejectedEntry:
    if not isinstance(item, dict):
        return RejectedEntry(where, "", "it is not an object")
    for key in item:
        if key not in _PERSON:
            close = get_close_matches(key, _PERSON, n=1)
            meant = f": did you mean {close[0]}?" if close else ""
            # A misspelled key would lose what it holds.
            return RejectedEntry(where, "", f"{key[:60]!r} is not a key of a person{meant}")
    claim = RawEntry(
        where=where,
        login=item.get("github"),
        account_id=item.get("id"),
        name=item.get("name"),
        email=item.get("email"),
        signed_at=item.get("signed_at"),
        version=item.get("signed_version"),
        party=item.get("party"),
    )
    judged = judge(claim, defaults)
    # The general reason names an option of the command, which this form does not take.
    for missing in ("signed_at", "signed_version"):
        if isinstance(judged, RejectedEntry) and item.get(missing) in (None, ""):
            return replace(judged, reason=f"{missing} is missing")
    return judged


def _domain(item: object, where: str) -> Domain | RejectedEntry:
    return Domain(where, item.strip()) if isinstance(item, str) else RejectedEntry(where, "", "it is not a domain")
