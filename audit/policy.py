"""The `licenses:` part of the rulebook: how work is delivered, what is known better, and who took responsibility for what."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Final, Protocol

from audit.expression import read as read_expression
from audit.facts import Delivery, Usage, Verdict, Waiver

KEYS: Final = ("delivery", "repositories", "dependencies", "waivers", "fail_on", "issue", "notices")
"""The keys of the part: delivery, overrides for repositories, curated dependencies, waivers, what fails, what is written at GitHub."""
FAILING: Final = (
    Verdict.OBLIGATIONS,
    Verdict.CONDITIONAL,
    Verdict.REVIEW,
    Verdict.UNKNOWN_LICENSE,
    Verdict.INCOMPATIBLE,
)
"""Verdicts that may be asked to fail; the other two never do."""
_PURL: Final = re.compile(r"pkg:[a-z][a-z0-9.+-]*/[!-~]+")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Curated:
    """What the rulebook says of one dependency, by its package URL (any version, unless it names one) or else its name.

    `repositories` are those that use it (none: all). What is None is left as it is found.
    """

    name: str
    purl: str | None = None
    license: str | None = None
    usage: Usage | None = None
    reason: str = ""
    repositories: tuple[str, ...] = ()
    component: str | None = None
    modified: bool = False
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The choices of the part, defaults filled in. `repositories` gives the licence of a repository, by name or pattern.

    `stated`: the rulebook has the part at all; without it a server audits nothing. `issue` and `notices` say whether the
    violations of a repository are told in an issue there, and whether its NOTICE is kept by pull requests.
    """

    delivery: Delivery = Delivery.BINARY
    repositories: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    dependencies: tuple[Curated, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    fail_on: tuple[Verdict, ...] = (Verdict.INCOMPATIBLE, Verdict.UNKNOWN_LICENSE)
    issue: bool = True
    notices: bool = False
    stated: bool = False

    def license_of(self, full_name: str) -> str | None:
        """The licence that the rulebook gives a repository; the first name or pattern that fits."""
        return next((said for name, said in self.repositories.items() if fits((name,), full_name)), None)


def fits(patterns: Sequence[str], full_name: str) -> bool:
    """Whether one fits `owner/name`: with a slash the whole, else the bare name; any case, as in `repositories`."""
    whole = full_name.casefold()
    bare = whole.rpartition("/")[2]
    return any(fnmatchcase(whole if "/" in one else bare, one.casefold()) for one in patterns)


class Node(Protocol):
    """A value at its key path, as the shell's grammar has it; asking for the wrong thing notes a mistake there."""

    @property
    def value(self) -> object:
        """The plain value."""

    def wrong(self, message: str, hint: str = "") -> None:
        """Note a mistake here."""

    def section(self, *keys: str) -> "Section":
        """The value as a mapping with these keys."""

    def items(self) -> "Iterator[Node]":
        """The items of a list."""

    def text(self) -> str:
        """A text, "" when it is none."""

    def choice(self, options: Sequence[str]) -> str | None:
        """One of these."""

    def flag(self) -> bool:
        """True or false."""

    def moment(self) -> datetime | None:
        """A day or a moment; None when it is none, or null."""


class Section(Protocol):
    """A mapping whose keys are known."""

    def get(self, key: str) -> Node | None:
        """The value under the key."""

    def needed(self, key: str) -> Node | None:
        """The value, or a mistake."""

    def items(self, key: str) -> Iterator[Node]:
        """The items of the list under the key."""

    def text(self, key: str, default: str) -> str:
        """The text under the key."""

    def flag(self, key: str) -> bool:
        """True or false; false when the key is missing."""


def read(part: Node | None) -> Policy:
    """The policy in the value of `licenses`, every mistake noted at its node; nothing at all is the default."""
    if part is None or part.value is None:
        return Policy()
    section = part.section(*KEYS)
    delivery, fail_on, issue = section.get("delivery"), section.get("fail_on"), section.get("issue")
    chosen = None if delivery is None else delivery.choice(list(Delivery))
    failing = [] if fail_on is None else [item.choice(FAILING) for item in fail_on.items()]
    return Policy(
        delivery=Delivery(chosen) if chosen else Delivery.BINARY,
        repositories=_repositories(section.get("repositories")),
        dependencies=tuple(_curated(item) for item in section.items("dependencies")),
        waivers=tuple(waiver for item in section.items("waivers") if (waiver := _waiver(item))),
        fail_on=Policy().fail_on if fail_on is None else tuple(dict.fromkeys(Verdict(one) for one in failing if one)),
        issue=issue is None or issue.flag(),
        notices=section.flag("notices"),
        stated=True,
    )


def _repositories(node: Node | None) -> Mapping[str, str]:
    if node is None:
        return MappingProxyType({})
    names = tuple(map(str, node.value)) if isinstance(node.value, Mapping) else ()
    section = node.section(*names)
    return MappingProxyType({name: _expression(section.get(name)) or "" for name in names})


def _curated(item: Node) -> Curated:
    section = item.section("name", "purl", "license", "usage", "reason", "in", "component", "modified", "version")
    purl = _purl(section.get("purl"))
    name = section.text("name", "")
    if section.get("name") is None and section.get("purl") is None and isinstance(item.value, Mapping):
        item.wrong("names no dependency", "write name: or purl:")
    usage, version = section.get("usage"), section.get("version")
    chosen = None if usage is None else usage.choice(list(Usage))
    return Curated(
        name=name or (purl or "").partition("@")[0].rpartition("/")[2],
        purl=purl,
        license=_expression(section.get("license")),
        usage=Usage(chosen) if chosen else None,
        reason=section.text("reason", ""),
        repositories=tuple(pattern.text() for pattern in section.items("in")),
        component=_expression(section.get("component")),
        modified=section.flag("modified"),
        version=None if version is None else version.text(),
    )


def _waiver(item: Node) -> Waiver | None:
    """A waiver that is whole; one that lacks something waives nothing."""
    section = item.section("purl", "until", "reason", "by", "sha256")
    purl, until = _purl(section.needed("purl")), _day(section.needed("until"))
    reason, by = section.needed("reason"), section.needed("by")
    said = [node.text() if node is not None else "" for node in (reason, by)]
    sha256 = section.get("sha256")
    digest = None if sha256 is None else sha256.text()
    if sha256 is not None and digest and not _SHA256.fullmatch(digest):
        sha256.wrong("must be a SHA-256 in hexadecimal", "the 64 digits that sha256sum prints for the licence file")
    if purl is None or until is None or not all(said):
        return None
    return Waiver(purl=purl, until=until, reason=said[0], by=said[1], sha256=digest)


def _day(node: Node | None) -> date | None:
    if node is None:
        return None
    if node.value is None:
        node.wrong("must be a date: a waiver ends", "write 2027-01-31")
        return None
    moment = node.moment()
    return None if moment is None else moment.date()


def _purl(node: Node | None) -> str | None:
    text = "" if node is None else node.text()
    if node is not None and text and not _PURL.fullmatch(text):
        node.wrong("is no package URL", "write pkg:type/name, such as pkg:pypi/requests")
        return None
    return text or None


def _expression(node: Node | None) -> str | None:
    text = "" if node is None else node.text()
    if node is not None and text and read_expression(text) is None:
        node.wrong("is no licence expression", "write SPDX's ids with AND, OR, WITH between them")
        return None
    return text or None
