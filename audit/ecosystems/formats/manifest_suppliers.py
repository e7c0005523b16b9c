"""The supplier of a work by its own manifest: the authors that it names, else the account that has its repository."""

import re
from typing import Final

from audit import display_text

_MAX_AUTHORS: Final = 20  # The text is a stranger's.
_MAX_NAME_CHARACTERS: Final = 100
_MAX_ADDRESS_CHARACTERS: Final = 500
_ACCOUNT: Final = re.compile(
    r"(?:[a-z+]{1,20}+:(?://)?+)?+(?:[^@/\s:]{1,60}+@)?+(?:www\.)?+(github\.com|gitlab\.com|bitbucket\.org)(?::\d{1,5}+)?+[/:]([A-Za-z0-9_.-]{1,100}+)/",
    re.IGNORECASE,
)
# npm's short form: a repository at GitHub.
_SHORT: Final = re.compile(r"(?:github:)?+([A-Za-z0-9_-]{1,100}+)/[A-Za-z0-9_.-]{1,100}+")


def named(authors: object, *repositories: object) -> tuple[str, ...]:
    """The names of authors (`Ada <ada@example.org> (https://…)`, a mapping with a `name`, or a list of either), without their addresses.

    Where it names none, the account of the first of these addresses of repositories that has one: `github.com/ada`. An author
    who is named by an address alone is left out.
    """
    listed = authors[:_MAX_AUTHORS] if isinstance(authors, list) else [authors]
    # Each once: a workspace may name its authors in several places.
    names = tuple(dict.fromkeys(name for name in map(_name, listed) if name))
    return names or tuple(filter(None, map(_account, repositories)))[:1]


def short(value: object) -> object:
    """An address as npm understands it: `owner/name` is one of GitHub's."""
    found = _SHORT.fullmatch(value) if isinstance(value, str) else None
    return f"github.com/{found[1]}/" if found else value


def _name(value: object) -> str:
    said = value.get("name") if isinstance(value, dict) else value
    if not isinstance(said, str):
        return ""
    plain = said[:500].partition("<")[0].partition("(")[0]  # npm's form: `Ada <address> (site)`.
    # Addresses of people are not kept.
    return "" if "@" in plain or "://" in plain else display_text.line(plain, _MAX_NAME_CHARACTERS).strip()


def _account(value: object) -> str:
    said = value.get("url") if isinstance(value, dict) else value
    found = _ACCOUNT.match(said[:_MAX_ADDRESS_CHARACTERS]) if isinstance(said, str) else None
    # Hosts have no case; accounts stay as they are written.
    return f"{found[1].casefold()}/{found[2]}" if found else ""
