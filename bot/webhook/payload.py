"""Reading a webhook's JSON without trusting its shape: ask by path, get the right type or one clear line.

Also whether a webhook is about rule files: a push that may change one, or the repository that holds the organisation's.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agreements.facts import Account

Payload = Mapping[str, Any]

MAX_ID = 2**63 - 1  # The largest number in a database's big integer.
MAX_NUMBER = 2**31 - 1  # GitHub's GraphQL has an `Int` for a pull request's number.

RULE_FILES: Final = frozenset({".github/countersign.yml", ".github/dco.yml"})
ORGANIZATION_REPOSITORY: Final = ".github"  # It has the organisation's rulebook.
GROUP_BRANCHES: Final = "gh-readonly-queue/"  # Temporary branches of merge groups begin so.
# GitHub's documentation has named 20, later 2,048 commits as the most that a push lists; the smaller is the safe one.
_LISTED_COMMITS = 20


class BadPayload(Exception):
    """An event that we handle lacks something we need; the message is one line without personal data."""


def dig(payload: object, *path: str) -> Any:
    """The value at the path, None when any part of it is missing, null or no object."""
    for key in path:
        if not isinstance(payload, Mapping):
            return None
        payload = payload.get(key)
    return payload


def number(payload: object, *path: str, most: int = MAX_ID) -> int:
    """The positive whole number at the path (GitHub's ids and numbers), at most `most`. Raises `BadPayload`."""
    found = dig(payload, *path)
    if not isinstance(found, int) or isinstance(found, bool) or found <= 0:  # `True` is an int in Python.
        raise BadPayload(f"{'.'.join(path)}: a positive number is needed")
    if found > most:
        raise BadPayload(f"{'.'.join(path)}: the number is too large")
    return found


def text(payload: object, *path: str) -> str:
    """The non-empty text at the path, fit to be stored. Raises `BadPayload`."""
    found = label(payload, *path)
    if not found:
        raise BadPayload(f"{'.'.join(path)}: text is needed")
    return found


def label(payload: object, *path: str) -> str:
    """The text at the path; "" for none, and for what no database stores (NUL, half of a surrogate pair)."""
    found = dig(payload, *path)
    if not isinstance(found, str) or "\0" in found or any("\ud800" <= letter <= "\udfff" for letter in found):
        return ""
    return found


def account(payload: object, *path: str) -> Account:
    """The account at the path: the id must be there, login and type are labels. Raises `BadPayload`."""
    return Account(
        number(payload, *path, "id"), label(payload, *path, "login"), label(payload, *path, "type") or "User"
    )


def may_change_rules(payload: Payload) -> bool:
    """Whether a rule file changed, or may have."""
    commits = payload.get("commits")
    # Commits thrown away by force, or too many to be listed, may have changed one.
    if not isinstance(commits, Sequence) or not 0 < len(commits) < _LISTED_COMMITS or payload.get("forced") is True:
        return True
    paths = (dig(commit, kind) for commit in commits for kind in ("added", "modified", "removed"))
    return any(rules in listed for listed in paths if isinstance(listed, list) for rules in RULE_FILES)


def is_rules_repository(payload: Payload) -> bool:
    """Whether the repository is, or was until this rename, the one with the organisation's rulebook."""
    former = label(payload, "changes", "repository", "name", "from")
    # GitHub ignores the case of names.
    return ORGANIZATION_REPOSITORY in (label(payload, "repository", "name").lower(), former.lower())
