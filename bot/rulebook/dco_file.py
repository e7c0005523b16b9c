"""`.github/dco.yml`, the file of the DCO apps: read as they read it, so that they can be replaced in place."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from agreements.rulebook.grammar import Node
from agreements.rulebook.rules import DcoRules, Rules
from agreements.rulebook.rules_reader import RuleError
from bot.rulebook.yaml_document import DocumentInvalid, Path, YamlDocument, read

KEYS: Mapping[Path, Path] = MappingProxyType(
    {
        ("dco", "members"): ("require", "members"),
        ("dco", "remediation", "individual"): ("allowRemediationCommits", "individual"),
        ("dco", "remediation", "third_party"): ("allowRemediationCommits", "thirdParty"),
        ("dco", "override"): ("allowOverrideAction",),
    }
)
"""The rules of a rulebook that this file can say, each with the key under which it says it."""


_NAMES = ("dco.yml", "dco.yaml")


def is_one(text: str, name: str = "") -> bool:
    """Whether a file called `name` is meant as this one, by its name or keys. Raises `DocumentInvalid`."""
    data = read(text).data
    keys = set(data) if isinstance(data, Mapping) else set()
    return "version" not in keys and (name in _NAMES or not keys.isdisjoint(path[0] for path in KEYS.values()))


def unknown_keys(text: str) -> tuple[str, ...]:
    """A line for each key that is ignored, with what was probably meant. Raises `DocumentInvalid`."""
    document = read(text)
    root = Node({} if document.data is None else document.data)
    keys: dict[str, list[str]] = {}
    for top, *below in KEYS.values():
        keys.setdefault(str(top), []).extend(map(str, below))
    known = root.section(*keys)
    for key, inner in keys.items():
        node = known.get(key)
        if inner and node is not None and node.value is not None:
            node.section(*inner)
    found = (RuleError(path, f"{message} and ignored", hint) for path, message, hint in root.mistakes)
    return tuple(document.error(error.path, error.line) for error in found)


def rules(text: str) -> Rules:
    """A DCO for the repository, with this file's choices; unknown keys are ignored, as the DCO apps do.

    Keys: `allowRemediationCommits.{individual,thirdParty}`, `require.members`, `allowOverrideAction`.
    Raises `DocumentInvalid` for what is no YAML or has another type.
    """
    # A key that is left out means what it means to the DCO apps.
    document, mistakes = read(text), dict[str, None]()
    individual = _flag(document, mistakes, ("allowRemediationCommits", "individual"), default=False)
    third_party = _flag(document, mistakes, ("allowRemediationCommits", "thirdParty"), default=False)
    members = _flag(document, mistakes, ("require", "members"), default=True)
    override = _flag(document, mistakes, ("allowOverrideAction",), default=True)
    if mistakes:
        raise DocumentInvalid(tuple(mistakes))
    return Rules(
        dco=DcoRules(
            members="required" if members else "exempt",
            individual_remediation=individual,
            third_party_remediation=third_party and individual,  # The apps take it only with the other.
            override="maintainers" if override else "nobody",
        )
    )


def _flag(document: YamlDocument, mistakes: dict[str, None], path: Path, *, default: bool) -> bool:
    """True or false at a path; a wrong type on the way is a mistake, a missing key the default."""
    found: Any = document.data
    for depth, key in enumerate(path):
        if found is not None and not isinstance(found, Mapping):
            # By its line, so that two keys below it tell of it once.
            mistakes[_mistake(document, path[:depth], "must be a mapping")] = None
            return False
        found = None if found is None else found.get(key)
    if found is not None and not isinstance(found, bool):
        mistakes[_mistake(document, path, "must be true or false")] = None
    return default if found is None else found is True


def _mistake(document: YamlDocument, path: Path, said: str) -> str:
    return document.error(path, f"{'.'.join(map(str, path)) or 'the file'}: {said}")
