"""The `licenses:` part of the rulebook: how work is delivered, what is known better, and who took responsibility for what."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Final, Protocol

from audit.facts import Delivery, LicenseVerdict, Usage, Waiver
from audit.headers.header_rule import HOLDER, HeaderRule
from audit.licenses.aliases import FAMILIES
from audit.licenses.expression import Atom
from audit.licenses.expression import read as read_expression
from audit.purl_match import divided
from audit.verdict.allow_deny import AllowDenyEntry, AllowDenyLists

RULEBOOK: Final = ".github/countersign.yml"
"""The rulebook in a repository, where no other file was given."""
LISTS: Final = ("allow", "deny", "exceptions")
"""The keys of what is let in and what is not, before the matrix is asked."""
KEYS: Final = ("delivery", "repositories", "dependencies", *LISTS, "waivers", "fail_on", "headers", "issue", "notices")
"""The keys of the part: delivery, overrides for repositories, curated dependencies, allow and deny lists, waivers, what fails,
headers of source files, what is written at GitHub."""
FAILING: Final = (
    LicenseVerdict.OBLIGATIONS,
    LicenseVerdict.CONDITIONAL,
    LicenseVerdict.REVIEW,
    LicenseVerdict.UNKNOWN_LICENSE,
    LicenseVerdict.INCOMPATIBLE,
)
"""Verdicts that may be asked to fail; the other two never do."""
_SAID: Final = ("license", "purl", "usage", "reason")  # An entry that refuses, or lifts a refusal, says why.
_PURL: Final = re.compile(r"pkg:[a-z][a-z0-9.+-]*/[!-~]+")
_MAX_HEADER_CHARACTERS: Final = 10_000  # Characters of a licence header; Apache's has some six hundred.
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratedLicense:
    """The rulebook's entry for one dependency, by its `purl` (any version, unless it names one) or else its `name`.

    `repositories` are those that use it (none: all). `license`, `usage`, `version` and `component` replace what was
    found (None: it is left as it is), `modified` says that its source was changed, `reason` why the entry is there.
    With `sha256`, it counts only where a licence text of these bytes came with the dependency.
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
    sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The choices of the part, defaults filled in. `repositories` gives licences of repositories by name or pattern.

    `delivery` is how the work reaches people, `dependencies` are the corrections of single ones, `lists` the allow and
    deny lists of each rulebook that has some, the organisation's first: all of them count. `waivers` are
    responsibilities taken until a day, `fail_on` the verdicts that are violations.

    `stated`: the rulebook has the part at all; without it a server audits nothing. `issue` and `notices` say whether
    the violations of a repository are told in an issue there, and whether its NOTICE is kept by pull requests.
    `headers` is the licence header that source files are to bear (None: none is asked for). `path` is the file of which
    `repositories`, `dependencies` and `waivers` are: findings about them name it.
    """

    delivery: Delivery = Delivery.BINARY
    repositories: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    dependencies: tuple[CuratedLicense, ...] = ()
    lists: tuple[AllowDenyLists, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    fail_on: tuple[LicenseVerdict, ...] = (LicenseVerdict.INCOMPATIBLE, LicenseVerdict.UNKNOWN_LICENSE)
    headers: HeaderRule | None = None
    issue: bool = True
    notices: bool = False
    stated: bool = False
    path: str = RULEBOOK

    def license_of(self, full_name: str) -> str | None:
        """The licence that the rulebook gives a repository; the first name or pattern that fits."""
        return next((said for name, said in self.repositories.items() if fits((name,), full_name)), None)


def fits(patterns: Sequence[str], full_name: str) -> bool:
    """Whether a pattern fits `owner/name`: with a slash the whole, else the bare name, in any case."""
    # GitHub takes names of owners and repositories in any case.
    whole = full_name.casefold()
    bare = whole.rpartition("/")[2]
    return any(fnmatchcase(whole if "/" in pattern else bare, pattern.casefold()) for pattern in patterns)


class PolicyNode(Protocol):
    """A value at its key path, as the shell's grammar has it; asking for the wrong thing notes a mistake there."""

    @property
    def value(self) -> object:
        """The plain value."""

    def wrong(self, message: str, hint: str = "") -> None:
        """Note a mistake here."""

    def section(self, *keys: str) -> "PolicySection":
        """The value as a mapping with these keys."""

    def items(self) -> "Iterator[PolicyNode]":
        """The items of a list."""

    def text(self) -> str:
        """A text, "" when it is none."""

    def choice(self, options: Sequence[str]) -> str | None:
        """The choice among these options; None for any other value."""

    def flag(self) -> bool:
        """True or false."""

    def moment(self) -> datetime | None:
        """A day or a moment; None when it is none, or null."""


class PolicySection(Protocol):
    """A mapping whose keys are known."""

    def get(self, key: str) -> PolicyNode | None:
        """The value under the key."""

    def needed(self, key: str) -> PolicyNode | None:
        """The value, or a mistake."""

    def items(self, key: str) -> Iterator[PolicyNode]:
        """The items of the list under the key."""

    def text(self, key: str, default: str) -> str:
        """The text under the key."""

    def flag(self, key: str) -> bool:
        """True or false; false when the key is missing."""


def read(part: PolicyNode | None) -> Policy:
    """The policy in the value of `licenses`, every mistake noted at its node; nothing at all is the default."""
    if part is None or part.value is None:
        return Policy()  # Not `stated`: a server audits nothing then.
    section = part.section(*KEYS)
    delivery, fail_on, issue = section.get("delivery"), section.get("fail_on"), section.get("issue")
    chosen = None if delivery is None else delivery.choice(list(Delivery))
    failing = [] if fail_on is None else [item.choice(FAILING) for item in fail_on.items()]
    return Policy(
        delivery=Delivery(chosen) if chosen else Delivery.BINARY,
        repositories=_repositories(section.get("repositories")),
        dependencies=tuple(_curated(item) for item in section.items("dependencies")),
        lists=_lists(section),
        waivers=tuple(waiver for item in section.items("waivers") if (waiver := _waiver(item))),
        # An empty list lets nothing fail; only without the key does the default count.
        fail_on=Policy().fail_on
        if fail_on is None
        else tuple(dict.fromkeys(LicenseVerdict(name) for name in failing if name)),
        headers=_headers(section.get("headers")),
        issue=issue is None or issue.flag(),  # Violations are told unless the rulebook says no.
        notices=section.flag("notices"),
        stated=True,
    )


def _repositories(node: PolicyNode | None) -> Mapping[str, str]:
    if node is None:
        return MappingProxyType({})
    # The keys are names of repositories: any key is allowed.
    names = tuple(map(str, node.value)) if isinstance(node.value, Mapping) else ()
    section = node.section(*names)
    return MappingProxyType({name: _expression(section.get(name)) or "" for name in names})


def _curated(item: PolicyNode) -> CuratedLicense:
    section = item.section(
        "name", "purl", "license", "usage", "reason", "in", "component", "modified", "version", "sha256"
    )
    purl = _purl(section.get("purl"))
    name = section.text("name", "")
    # A value that is no mapping was noted by `section` already.
    if section.get("name") is None and section.get("purl") is None and isinstance(item.value, Mapping):
        item.wrong("names no dependency", "write name: or purl:")
    usage, version = section.get("usage"), section.get("version")
    chosen = None if usage is None else usage.choice(list(Usage))
    return CuratedLicense(
        name=name or divided(purl or "")[0].rpartition("/")[2],
        purl=purl,
        license=_expression(section.get("license")),
        usage=Usage(chosen) if chosen else None,
        reason=section.text("reason", ""),
        repositories=tuple(pattern.text() for pattern in section.items("in")),
        component=_expression(section.get("component")),
        modified=section.flag("modified"),
        version=None if version is None else version.text(),
        sha256=_sha256(section.get("sha256")),
    )


def _lists(section: PolicySection) -> tuple[AllowDenyLists, ...]:
    allow, deny, exceptions = (section.get(key) for key in LISTS)
    if allow is None and deny is None and exceptions is None:
        return ()
    return (
        AllowDenyLists(
            # An empty allow list is one: nothing is allowed then.
            allow=None if allow is None else tuple(_entry(item, "license", "purl", "usage") for item in allow.items()),
            deny=() if deny is None else tuple(_entry(item, *_SAID) for item in deny.items()),
            exceptions=()
            if exceptions is None
            else tuple(_entry(item, *_SAID, needed="reason") for item in exceptions.items()),
        ),
    )


def _entry(item: PolicyNode, *keys: str, needed: str = "") -> AllowDenyEntry:
    """A licence by its id alone, or a mapping that says more; always a mapping where a key is `needed`."""
    if isinstance(item.value, str) and not needed:
        return AllowDenyEntry(license=_one_license(item))
    section = item.section(*keys)
    if needed:  # An exception has to give its reason.
        section.needed(needed)
    said, purl, usage = section.get("license"), section.get("purl"), section.get("usage")
    if said is None and purl is None and isinstance(item.value, Mapping):
        item.wrong("names no licence and no package", "write license: or purl:")
    if usage is not None and usage.value == []:  # Empty would count for every usage.
        usage.wrong("names no usage", "leave it out where the entry counts for all of them")
    chosen = [] if usage is None else [node.choice(list(Usage)) for node in usage.items()]
    return AllowDenyEntry(
        license=None if said is None else _one_license(said),
        purl=_purl(purl),
        usage=tuple(Usage(name) for name in dict.fromkeys(chosen) if name),
        reason=section.text("reason", ""),
    )


def _one_license(node: PolicyNode) -> str | None:
    text = node.text()
    found = read_expression(text)
    if not text:
        return None
    # A list is compared with each licence of an expression: an expression in it would fit nothing.
    if not isinstance(found, Atom):
        node.wrong("is not one licence", "write one SPDX id, and each licence as an entry of its own")
        return None
    if found.license in FAMILIES:
        node.wrong(
            "is not one licence", f"it may be any of {', '.join(FAMILIES[found.license])}: write those that are meant"
        )
        return None
    return str(found)


def _waiver(item: PolicyNode) -> Waiver | None:
    section = item.section("purl", "until", "reason", "by", "sha256")
    purl, until = _purl(section.needed("purl")), _day(section.needed("until"))
    reason, by = section.needed("reason"), section.needed("by")
    said = [node.text() if node is not None else "" for node in (reason, by)]
    digest = _sha256(section.get("sha256"))
    if purl is None or until is None or not all(said):  # A waiver that lacks something waives nothing.
        return None
    return Waiver(purl=purl, until=until, reason=said[0], by=said[1], sha256=digest)


def _headers(node: PolicyNode | None) -> HeaderRule | None:
    if node is None:
        return None
    section = node.section("spdx", "text", "holder", "paths", "exclude", "mode")
    spdx, text, holder, mode = (section.get(key) for key in ("spdx", "text", "holder", "mode"))
    said, words = _expression(spdx), None if text is None else _lines(text)
    name = None if holder is None else holder.text()
    if isinstance(node.value, Mapping) and (spdx is None) == (text is None):
        node.wrong("asks for no header" if spdx is None else "asks for two headers", "write either spdx: or text:")
    if text is not None and words and HOLDER in words and holder is None:
        text.wrong(f"names {HOLDER}, and there is no holder", "write holder: beside it")
    chosen = "fail" if mode is None else mode.choice(("fail", "report"))
    if not said and not words:  # The mistake is noted at its key.
        return None
    return HeaderRule(
        spdx=said if not words else None,  # With both, a mistake is noted.
        text=words,
        holder=name or None,
        paths=tuple(item.text() for item in section.items("paths")),
        exclude=tuple(item.text() for item in section.items("exclude")),
        fails=chosen != "report",
    )


def _lines(node: PolicyNode) -> str | None:
    value = node.value
    if not isinstance(value, str):
        return node.text() or None  # Notes what it is instead.
    if not value.strip() or len(value) > _MAX_HEADER_CHARACTERS or not value.replace("\n", "").isprintable():
        node.wrong("must be lines of text" if value.strip() else "must not be empty")
        return None
    return value


def _sha256(node: PolicyNode | None) -> str | None:
    digest = None if node is None else node.text()
    if node is not None and digest and not _SHA256.fullmatch(digest):
        node.wrong("must be a SHA-256 in hexadecimal", "the 64 digits that sha256sum prints for the licence file")
    return digest


def _day(node: PolicyNode | None) -> date | None:
    if node is None:
        return None
    if node.value is None:  # `null` would be a waiver without an end.
        node.wrong("must be a date: a waiver ends", "write 2027-01-31")
        return None
    moment = node.moment()
    return None if moment is None else moment.date()


def _purl(node: PolicyNode | None) -> str | None:
    text = "" if node is None else node.text()
    if node is not None and text and not _PURL.fullmatch(text):
        node.wrong("is no package URL", "write pkg:type/name, such as pkg:pypi/requests")
        return None
    return text or None


def _expression(node: PolicyNode | None) -> str | None:
    text = "" if node is None else node.text()
    if node is not None and text and read_expression(text) is None:
        node.wrong("is no licence expression", "write SPDX's ids with AND, OR, WITH between them")
        return None
    return text or None
