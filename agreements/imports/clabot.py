"""cla-bot's `.clabot`, or the list that it points to: logins, and addresses and @domains, which name no account.

Source: finos/cla-bot, src/contributionVerifier.js (`contributors` as a list, or as the address of one) and
spec/lambdaSpec.js. It has neither dates nor versions: the importer gives both.
"""

from agreements.imports.entries import ImportDefaults, ImportFile, RawEntry, RejectedEntry, UnreadableImport, shown
from agreements.imports.files import json_of

_KEY = "contributors"


def read(content: bytes, defaults: ImportDefaults) -> ImportFile:
    """The people of the list. Raises UnreadableImport, also for a file that only says where the list is."""
    found = json_of(content)
    if isinstance(found, dict):
        found = found.get(_KEY)
    if isinstance(found, str):
        # The host alone: the rest may hold a token.
        place = shown(found.partition("//")[2].partition("/")[0]) or "another place"
        raise UnreadableImport(f"{_KEY}: the list is not here but at {place}: fetch that and import it")
    if not isinstance(found, list):
        raise UnreadableImport(f"there is neither a list nor an object with {_KEY}")
    return ImportFile.of((_person(item, f"{_KEY}.{number}") for number, item in enumerate(found)), defaults)


def _person(item: object, where: str) -> RawEntry | RejectedEntry:
    if not isinstance(item, str):
        return RejectedEntry(where, "", "this is not a login")
    text = item.strip()
    if text.startswith("@") and "." in text:  # cla-bot's form of a domain
        return RejectedEntry(
            where, text[1:61], "a domain covers through a company's agreement: let the company ask for one"
        )
    if "@" in text.removeprefix("@"):
        return RejectedEntry(
            where, "(an address)", "an address is not an account: ask its owner to sign, or their company to list it"
        )
    return RawEntry(where=where, login=text)
