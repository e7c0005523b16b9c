"""Doubts about a valid rulebook: rules that never match, names without ids, versions that cannot be signed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Final

from agreements.catalog import AgreementText
from agreements.domains.canonical_form import approvable, domain_of
from agreements.domains.masking import masked_text
from agreements.github_server import GitHubServer
from agreements.identity.matching import address_key, noreply_owner
from agreements.moments import text
from agreements.rulebook.path_globs import fits
from agreements.rulebook.rules import AcceptedVersions, DcoRules, ExemptAccount, RepositoryRule, Rules
from agreements.versions import admits, is_empty
from bot.rulebook.patterns import covered, is_plain
from bot.rulebook.yaml_document import Path

Doubt = tuple[Path, str]

_SIGNOFF_RISKS: Final[Mapping[str, str]] = {
    "names": "a sign-off counts under any name if its address is linked to the author's account or verified for it: "
    "the account answers for the certificate, and no name of a person may stand in the history",
    "exempt": "the accounts' own commits need no sign-off where they opened the pull request or pushed to it: whoever has "
    "the token of such an account contributes without one",
    "merged": "commits that a protected branch holds need no sign-off: who can create such a branch, or push to it past "
    "its rules, can bring commits into other branches that nobody signed off",
    "portal": "a sign-off in the portal stands in this server's records, not in the commits: whoever copies the repository "
    "does not get it, so export the records and keep them",
    "reverts": "clean reverts of commits that a protected branch holds need no sign-off: they can bring back what was "
    "removed on purpose, so who reviews them has to know why it was removed",
}
"""The risk of each key of `dco` that allows more than the default."""


def doubts(rules: Rules, now: datetime, server: GitHubServer) -> tuple[Doubt, ...]:
    """Every doubt with the key path that it is about; only what is certain at `now`."""
    people, later = rules.people, "is in the future: no pull request that is open today is checked"
    return (
        *([(("since",), later)] if rules.since is not None and rules.since > now else ()),
        *(doubt for name, entries in rules.accept.items() for doubt in _accept(name, entries, rules, now)),
        *_matches(rules.repositories),
        *_small(rules.repositories),
        *_check(people.check),
        *_accounts(("people", "exempt"), people.exempt),
        *_accounts(("people", "agents", "accounts"), people.agents.accounts),
        *_emails(people.agents.emails, server),
        *_accounts(("dco", "exempt"), rules.dco.exempt),
        *_without_effect(rules),
    )


def templates(rules: Rules, texts: Iterable[AgreementText]) -> tuple[Doubt, ...]:
    """A doubt for each agreement asked for that counsel has not reviewed: `texts` of `Catalog.templates`."""
    languages: dict[tuple[str, str], list[str]] = {}
    for agreement_text in texts:
        languages.setdefault((agreement_text.name, agreement_text.version), []).append(agreement_text.language)
    return tuple(
        (("agreements", role), template(ref.text, ref.version, languages[ref.text, ref.version]))
        for role, ref in (("individual", rules.individual), ("corporate", rules.corporate))
        if (ref.text, ref.version) in languages
    )


def nameless(rules: Rules) -> tuple[Doubt, ...]:
    """A doubt where people are asked to sign, and it is not said with whom."""
    if rules.organization or not any(rule.require in ("cla", "both", "either") for rule in rules.repositories):
        return ()
    said = "is missing, but a CLA is required: whoever signs reads “the project” in its place"
    return ((("organization",), said),)


def loosened(rules: Rules) -> Iterator[Doubt]:
    """The choices of the rulebook that allow more than the default, each with its risk."""
    for index, rule in enumerate(rules.repositories):
        if rule.small is not None:
            yield (
                ("repositories", index, "small"),
                (
                    f"a pull request of {rule.small.lines} lines or fewer in {', '.join(map(masked_text, rule.small.paths))} needs no agreement, "
                    f"up to {rule.small.total} lines for each person: an account costs nothing, so one person may have several"
                ),
            )
    yield from _loosened_signoffs(rules.dco)


def _loosened_signoffs(dco: DcoRules) -> Iterator[Doubt]:
    chosen = {
        "names": dco.names == "free",
        "exempt": dco.exempt,
        "merged": dco.merged == "exempt",
        "portal": dco.portal,
        "reverts": dco.reverts == "exempt",
    }
    yield from ((("dco", name), _SIGNOFF_RISKS[name]) for name, is_chosen in chosen.items() if is_chosen)


def renamed(left_out: Mapping[str, int], line: Callable[[str], str]) -> Iterator[Doubt]:
    """A doubt for each party of agreements that the rulebook does not count; `line` is what makes them count."""
    for party, number in left_out.items():
        were = "1 agreement was" if number == 1 else f"{number} agreements were"
        said = f"{were} made with {masked_text(party)!r}, and this rulebook does not count them"
        yield ("organization",), f"{said}: if that is the same party, add to agreements: {masked_text(line(party))}"


def template(name: str, version: str, languages: Iterable[str]) -> str:
    """The doubt about an agreement that still has the banner of a template."""
    return (
        f"{name} {version} ({', '.join(languages)}) says that it is a template for counsel to review: "
        "release your own version before anyone signs it"
    )


def _accept(name: str, entries: tuple[AcceptedVersions, ...], rules: Rules, now: datetime) -> Iterator[Doubt]:
    at: Path = ("agreements", "accept", name)
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        if is_empty(entry.versions):
            yield (*at, index, "versions"), f"no version matches {entry.versions}"
        elif entry.until is not None and entry.until <= now:
            yield (*at, index, "until"), f"has passed ({text(entry.until)}): these versions no longer count"
        elif entry.versions in seen:
            yield (*at, index, "versions"), f"{entry.versions} appears twice"
        seen.add(entry.versions)
    lasting = [entry for entry in entries if entry.until is None or now < entry.until]
    for current in sorted({ref.version for ref in (rules.individual, rules.corporate) if ref.text == name}):
        if not any(admits(entry.versions, current) for entry in lasting):
            yield at, f"does not accept the current version {current}: people who sign it are not covered"


def _matches(rules: tuple[RepositoryRule, ...]) -> Iterator[Doubt]:
    # Plain names are looked up in a set: there may be thousands of them.
    wild: list[str] = []
    plain: set[str] = set()
    for index, rule in enumerate(rules):
        for place, pattern in enumerate(rule.match):
            at: Path = ("repositories", index, "match", place)
            if covered(pattern, ()):
                said = "can never match: write NAME or OWNER/NAME, with letters, digits, '-', '_' and '.'"
                yield at, f"{masked_text(pattern)!r} {said}"
            elif covered(pattern, [*wild, *_meeting(plain, pattern.casefold())]):
                yield at, f"{masked_text(pattern)!r} can never match: earlier rules match all these repositories"
        if index < len(rules) - 1 and covered("*", [pattern for pattern in rule.match if not is_plain(pattern)]):
            yield ("repositories", index, "match"), "matches everything, so the rules after it never apply: put it last"
        wild += [pattern.casefold() for pattern in rule.match if not is_plain(pattern)]
        plain.update(pattern.casefold() for pattern in rule.match if is_plain(pattern))


def _small(rules: tuple[RepositoryRule, ...]) -> Iterator[Doubt]:
    for index, rule in enumerate(rules):
        at: Path = ("repositories", index, "small")
        if rule.small is None:
            continue
        if rule.require in ("dco", "none"):
            yield at, f"has no effect with require: {rule.require}, which asks for no agreement"
        if rule.small.lines > rule.small.total:
            yield (
                (*at, "lines"),
                f"is more than total, which lets no pull request pass with over {rule.small.total} lines",
            )
        for place, glob in enumerate(rule.small.paths):
            if fits([glob], "src/main.c"):
                yield (*at, "paths", place), f"{masked_text(glob)!r} also names source code"


def _meeting(plain: set[str], pattern: str) -> list[str]:
    """The plain names that match the pattern; none for one with a star, which matches other names, too."""
    name = pattern.rpartition("/")[2]
    if is_plain(pattern):
        return sorted(plain & {pattern, name})
    return (
        []
        if "*" in pattern
        else [plain_name for plain_name in sorted(plain) if fnmatchcase(plain_name.rpartition("/")[2], name)]
    )


def _check(asked: tuple[str, ...]) -> Iterator[Doubt]:
    # A commit says itself who wrote it; GitHub says who opened and who pushed.
    does = {"opener": "opens a pull request", "senders": "pushes to one"}
    for role, deed in does.items():
        if role not in asked:
            said = f"leaves out {role}: whoever {deed} can pass with commits in another person's name"
            yield ("people", "check"), said


def _accounts(at: tuple[str, ...], entries: tuple[ExemptAccount, ...]) -> Iterator[Doubt]:
    seen: set[int] = set()
    for index, entry in enumerate(entries):
        if entry.id is None:
            said = "has no id, so it exempts nobody: add the account id, because logins can change hands"
            yield (*at, index), f"{masked_text(entry.login) or 'this entry'} {said}"
        elif entry.id in seen:
            yield (*at, index, "id"), f"{entry.id} appears twice"
        else:
            seen.add(entry.id)


def _emails(addresses: tuple[str, ...], server: GitHubServer) -> Iterator[Doubt]:
    seen: set[str] = set()
    for index, address in enumerate(addresses):
        at: Path = ("people", "agents", "emails", index)
        domain = domain_of(address)
        if address_key(address) in seen:
            yield at, "appears twice"
        elif domain == server.noreply_domain:
            if noreply_owner(address, server) is None:
                yield at, f"has no id before the login: write ID+LOGIN@{domain}, because logins can change hands"
        elif domain is not None and approvable(domain) in ("free-mail", "disposable"):
            yield at, f"{domain} is a free-mail domain: anyone can have an address there"
        seen.add(address_key(address))


def _without_effect(rules: Rules) -> Iterator[Doubt]:
    """Values of the DCO and of the changelog that other values make void."""
    dco, at = rules.dco, ("changelog", "skip-label")
    if dco.exempt and dco.matching == "exact":
        yield ("dco", "exempt"), "has no effect with matching: exact, which exempts bots alone"
    if dco.names == "free" and dco.matching == "exact":
        yield ("dco", "names"), "has no effect with matching: exact, which compares names as DCO-2 does"
    if dco.merged == "exempt" and dco.matching == "exact":
        yield ("dco", "merged"), "has no effect with matching: exact, which judges every commit as DCO-2 does"
    if dco.portal and dco.matching == "exact":
        yield (
            ("dco", "portal"),
            "has no effect with matching: exact, which reads sign-offs in commits alone as DCO-2 does",
        )
    if dco.reverts == "exempt" and dco.matching == "exact":
        yield ("dco", "reverts"), "has no effect with matching: exact, which judges every commit as DCO-2 does"
    if dco.third_party_remediation and not dco.individual_remediation:
        yield ("dco", "remediation", "third_party"), "has no effect without individual: true"

    for key in ("signed", "required"):
        # To GitHub labels are the same in any case.
        if getattr(rules.labels, key).casefold() == rules.changelog.skip_label.casefold():
            yield at, f"is also labels.{key}: the CLA check's own label would skip the changelog"

    path = rules.changelog.path
    # GitHub names files from the root, without empty parts.
    if any(part in ("", ".", "..") for part in path.split("/")):
        yield ("changelog", "path"), f"{path!r} can never match: write it from the root, like docs/CHANGELOG.md"
