"""Whether a webhook is about rule files: a push that may change one, or the repository that holds the organisation's."""

from collections.abc import Sequence
from typing import Final

from bot.webhook.payload import Payload, dig, label

PATHS: Final = frozenset({".github/countersign.yml", ".github/dco.yml"})
ORGANIZATION_REPOSITORY: Final = ".github"
"""The name of the repository with the organisation's rulebook; GitHub ignores the case of names."""
# GitHub's documentation has named 20, later 2,048 commits as the most that a push lists; the smaller is the safe one.
_LISTED_COMMITS = 20


def may_change(payload: Payload) -> bool:
    """Whether a rule file changed. Commits thrown away by force, or too many to be listed, may have changed one."""
    commits = payload.get("commits")
    if not isinstance(commits, Sequence) or not 0 < len(commits) < _LISTED_COMMITS or payload.get("forced") is True:
        return True
    paths = (dig(commit, kind) for commit in commits for kind in ("added", "modified", "removed"))
    return any(rules in listed for listed in paths if isinstance(listed, list) for rules in PATHS)


def is_organizations(payload: Payload) -> bool:
    """Whether the repository is, or was until this rename, the one with the organisation's rulebook."""
    former = label(payload, "changes", "repository", "name", "from")
    return ORGANIZATION_REPOSITORY in (label(payload, "repository", "name").lower(), former.lower())
