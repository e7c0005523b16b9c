"""`.github/dco.yml`, the file of the DCO apps: read as they read it, so that they can be replaced in place."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from agreements.rules import DcoRules, Rules
from bot.documents import Document, DocumentInvalid, Path, read

KEYS: Mapping[Path, Path] = MappingProxyType(
    {
        ("dco", "members"): ("require", "members"),
        ("dco", "remediation", "individual"): ("allowRemediationCommits", "individual"),
        ("dco", "remediation", "third_party"): ("allowRemediationCommits", "thirdParty"),
        ("dco", "override"): ("allowOverrideAction",),
    }
)
"""What of a rulebook this file says, and under which key."""


def is_one(text: str) -> bool:
    """True for a document with keys of this file alone. Raises `DocumentInvalid` for what is no YAML."""
    data = read(text).data
    return isinstance(data, Mapping) and bool(data) and set(data) <= {path[0] for path in KEYS.values()}


def rules(text: str) -> Rules:
    """A DCO for the repository, with this file's choices; unknown keys are ignored, as the DCO apps do.

    Keys: `allowRemediationCommits.{individual,thirdParty}`, `require.members`, `allowOverrideAction`.
    Raises `DocumentInvalid` for what is no YAML or has another type.
    """
    document = read(text)
    choices = _Choices(document)
    individual = choices.flag(("allowRemediationCommits", "individual"), default=False)
    third_party = choices.flag(("allowRemediationCommits", "thirdParty"), default=False)
    members = choices.flag(("require", "members"), default=True)
    override = choices.flag(("allowOverrideAction",), default=True)
    if choices.errors:
        raise DocumentInvalid(tuple(choices.errors))
    return Rules(
        dco=DcoRules(
            members="required" if members else "exempt",
            individual_remediation=individual,
            third_party_remediation=third_party and individual,
            override="maintainers" if override else "nobody",
        )
    )


class _Choices:
    """Reads true or false at a path; a wrong type on the way is a mistake, a missing key the default."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.errors: list[str] = []

    def flag(self, path: Path, *, default: bool) -> bool:
        found: Any = self.document.data
        for depth, key in enumerate(path):
            if found is None:
                return default
            if not isinstance(found, Mapping):
                return self._wrong(path[:depth], "must be a mapping")
            found = found.get(key)
        if found is None:
            return default
        return found if isinstance(found, bool) else self._wrong(path, "must be true or false")

    def _wrong(self, path: Path, said: str) -> bool:
        error = self.document.error(path, f"{'.'.join(map(str, path)) or 'the file'}: {said}")
        if error not in self.errors:
            self.errors.append(error)
        return False
