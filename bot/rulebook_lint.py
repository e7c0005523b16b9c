"""What a valid rulebook says but surely does not mean: rules that never match, names without ids, free-mail addresses."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from agreements.domains import approvable, domain_of
from agreements.rules import Exempt, RepositoryRule, Rules
from bot.documents import Path

Doubt = tuple[Path, str]


def doubts(rules: Rules) -> tuple[Doubt, ...]:
    """Every doubt with the key path that it is about."""
    people = rules.people
    return (
        *_matches(rules.repositories),
        *_without_id(("people", "exempt"), people.exempt),
        *_without_id(("people", "agents", "accounts"), people.agents.accounts),
        *_free_mail(people.agents.emails),
    )


def _matches(rules: tuple[RepositoryRule, ...]) -> Iterator[Doubt]:
    earlier: list[str] = []
    for index, rule in enumerate(rules):
        for place, pattern in enumerate(rule.match):
            at: Path = ("repositories", index, "match", place)
            if pattern.count("/") > 1 or any(char.isspace() for char in pattern):
                yield at, f"{pattern!r} can never match: a repository is a name or owner/name"
            elif any(_takes(before, pattern.casefold()) for before in earlier):
                yield at, f"{pattern!r} can never match: an earlier rule takes every such repository"
        if "*" in rule.match and index < len(rules) - 1:
            yield ("repositories", index, "match"), "catches everything, so the rules after it never match: put it last"
        earlier += [pattern.casefold() for pattern in rule.match]


def _takes(before: str, pattern: str) -> bool:
    """Whether everything that `pattern` matches is matched by `before`; only said when it is certain."""
    if before == pattern:
        return True
    if "?" in before or "[" in before or ("[" in pattern and before != "*"):
        return False
    if "/" not in before:
        return fnmatchcase(pattern.rpartition("/")[2], before)
    return "/" in pattern and fnmatchcase(pattern, before)


def _without_id(at: tuple[str, ...], entries: tuple[Exempt, ...]) -> Iterator[Doubt]:
    for index, entry in enumerate(entries):
        if entry.id is None:
            yield (*at, index), f"{entry.login or 'this entry'} has no id and so means nobody: logins change hands"


def _free_mail(addresses: tuple[str, ...]) -> Iterator[Doubt]:
    for index, address in enumerate(addresses):
        domain = domain_of(address)
        if domain is not None and approvable(domain) == "free-mail":
            yield (
                ("people", "agents", "emails", index),
                f"{domain} is a free-mail domain: anybody can have an address there",
            )
