"""Doubts about a valid licence part of a rulebook that surely does not mean what it says: waivers that are over, unknown licences."""

from collections.abc import Iterator
from datetime import datetime

from audit.facts import LicenseVerdict, Usage
from audit.headers.header_rule import HOLDER
from audit.licenses import strength
from audit.licenses.aliases import FAMILIES
from audit.licenses.expression import And, atoms, read
from audit.licenses.strength import is_closed
from audit.rules.unlisted_license import why_unknown
from audit.verdict.allow_deny import USAGES_LISTS_COVER, AllowDenyEntry, AllowDenyLists, Index
from audit.verdict.policy import Policy, fits
from bot.rulebook.yaml_document import Path

Doubt = tuple[Path, str]


def doubts(policy: Policy, now: datetime) -> tuple[Doubt, ...]:
    """Every doubt with the key path that it is about; only what is certain at `now`."""
    lists = (doubt for allow_deny in policy.lists for doubt in _lists(allow_deny, policy))
    return (*_repositories(policy), *_dependencies(policy), *lists, *_waivers(policy, now), *_headers(policy))


def _repositories(policy: Policy) -> Iterator[Doubt]:
    names: list[str] = []
    for name, said in policy.repositories.items():
        at: Path = ("licenses", "repositories", name)
        if any(fits((earlier,), name) for earlier in names):
            yield at, "has no effect: an earlier entry already matches it"
        names.append(name)
        yield from _unknown(at, said, is_own=True)


def _dependencies(policy: Policy) -> Iterator[Doubt]:
    seen: set[tuple[object, ...]] = set()
    for index, dependency in enumerate(policy.dependencies):
        at: Path = ("licenses", "dependencies", index)
        same = (dependency.purl or dependency.name.casefold(), dependency.repositories)
        if (*same, None) in seen or (*same, dependency.sha256) in seen:
            yield at, "has no effect: an earlier entry is for the same dependency"
        seen.add((*same, dependency.sha256))
        yield from _unknown((*at, "license"), dependency.license)
        own = [read(said) for said in policy.repositories.values()]
        part = read(dependency.component)
        if part is not None and not any(isinstance(whole, And) and part in whole.parts for whole in own):
            said = "is not part of an AND in repositories above; it counts only where the files say so"
            yield (*at, "component"), said


def _lists(lists: AllowDenyLists, policy: Policy) -> Iterator[Doubt]:
    for key, entries in (("allow", lists.allow or ()), ("deny", lists.deny), ("exceptions", lists.exceptions)):
        yield from _entries(("licenses", key), entries, denies=key == "deny")
    denied = Index(lists.deny, denies=True)
    for index, entry in enumerate(lists.allow or ()):
        if denied.covers(entry, USAGES_LISTS_COVER):
            yield ("licenses", "allow", index), "is also denied, and deny wins"
    if lists.allow is None and not lists.deny:
        for index, _ in enumerate(lists.exceptions):
            yield ("licenses", "exceptions", index), "has no effect: there is no allow or deny list"
    if lists.allow == ():
        yield ("licenses", "allow"), "is empty: every licence is refused"
    if lists.allow is not None and LicenseVerdict.UNKNOWN_LICENSE not in policy.fail_on:
        said = "leaves out unknown-license: dependencies without a known licence pass, whatever allow says"
        yield ("licenses", "fail_on"), said
    if (lists.deny or lists.allow is not None) and LicenseVerdict.INCOMPATIBLE not in policy.fail_on:
        yield ("licenses", "fail_on"), "leaves out incompatible: dependencies that allow and deny refuse still pass"


def _entries(at: Path, entries: tuple[AllowDenyEntry, ...], *, denies: bool) -> Iterator[Doubt]:
    before = Index(denies=denies)
    for index, entry in enumerate(entries):
        yield from _unknown((*at, index, "license"), entry.license)
        if before.covers(entry, USAGES_LISTS_COVER if denies and entry.purl is None else frozenset(Usage)):
            yield (*at, index), "has no effect: an earlier entry says the same"
        before.add(entry)


def _waivers(policy: Policy, now: datetime) -> Iterator[Doubt]:
    for index, waiver in enumerate(policy.waivers):
        if waiver.until <= now.date():  # That day no longer counts.
            yield ("licenses", "waivers", index, "until"), f"has expired ({waiver.until}): it waives nothing"


def _headers(policy: Policy) -> Iterator[Doubt]:
    header, at = policy.headers, ("licenses", "headers")
    if header is None:
        return
    yield from _unknown((*at, "spdx"), header.spdx)
    if header.text is not None and header.holder is not None and HOLDER not in header.text:
        yield (*at, "holder"), f"has no effect: the text does not contain {HOLDER}"
    if header.text is not None and not header.wanted:
        yield (*at, "text"), "contains no words to look for"


def _unknown(at: Path, said: str | None, *, is_own: bool = False) -> Iterator[Doubt]:
    for atom in atoms(read(said)):
        # A repository's own work may be closed: then no list has its licence.
        if is_own and is_closed(atom.license):
            continue
        if atom.license not in FAMILIES and not strength.is_known(atom.license):
            yield at, why_unknown(atom.license)
