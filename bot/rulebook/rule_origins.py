"""The origin of each rule in force for a repository: which of its files says so, and on which line."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

from agreements import moments
from agreements.rulebook.rules import AcceptedVersions, ExemptAccount, People, RepositoryRule, Rules, for_repository
from audit.verdict.allow_deny import AllowDenyEntry, AllowDenyLists
from audit.verdict.policy import Policy
from bot.github.ports import RuleFiles
from bot.rulebook import dco_file, effective
from bot.rulebook.effective import RulebookProblem
from bot.rulebook.text_files import Texts, shipped
from bot.rulebook.yaml_document import Path, YamlDocument
from bot.rulebook.yaml_document import read as read_document

ORGANIZATION, REPOSITORY, BOTH, DEFAULT = "organisation", "repository", "both", "default"
_RULE: Path = ("repositories", 0)
"""The path at which `plain` has the one rule that names the repository."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The file that sets a rule (`said_by`), and its `line`; `both` also has the repository's `own_line`, `default` no line."""

    said_by: str
    line: int | None = None
    own_line: int | None = None

    @property
    def words(self) -> str:
        """`organisation, line 12`."""
        if self.said_by == BOTH:
            return f"{ORGANIZATION}, line {self.line}; {REPOSITORY}, line {self.own_line}"
        return self.said_by if self.line is None else f"{self.said_by}, line {self.line}"


@dataclass(frozen=True, slots=True)
class EffectiveRules:
    """The rules in force as a rulebook's `data` for `full_name` alone, and the `origins` of the values in it.

    `matched`: the patterns by which the files' rules name the repository; none by default. `rule` is in force, from `sources`.
    """

    full_name: str
    rule: RepositoryRule
    matched: tuple[str, ...]
    sources: tuple[str, ...]
    data: Mapping[str, Any]
    origins: Mapping[Path, Origin]


def in_force(
    files: RuleFiles, organization_file: tuple[str, str] | None, full_name: str, *, texts: Texts | None = shipped
) -> EffectiveRules | RulebookProblem:
    """The result of `effective.read`, with its origins."""
    found = effective.read(files, organization_file, full_name, texts=texts)
    if isinstance(found, RulebookProblem):
        return found
    levels = tuple(_levels(effective.counting(files, organization_file, full_name), full_name))
    data = plain(found.rules, full_name, found.policy)
    return EffectiveRules(
        full_name=full_name,
        rule=for_repository(found.rules, full_name),
        matched=tuple(level.matched for level in levels if level.matched is not None),
        sources=found.sources,
        data=data,
        origins={path: _origin(path, value, levels) for path, value in leaves(data)},
    )


def plain(rules: Rules, full_name: str, policy: Policy | None = None) -> dict[str, Any]:
    """A rulebook's data that says these rules for this repository; what only a missing key can say is missing."""
    dco, rule = rules.dco, for_repository(rules, full_name)
    accept = {name: [_accepted(entry) for entry in entries] for name, entries in rules.accept.items()}
    corporate = {"text": rules.corporate.text, "version": rules.corporate.version, "employees": rules.employees}
    return {
        "version": 1,
        **({"organization": rules.organization} if rules.organization else {}),
        "since": _moment(rules.since),
        "agreements": {
            "individual": {"text": rules.individual.text, "version": rules.individual.version},
            "corporate": corporate,
            **({"parties": list(rules.parties)} if rules.parties else {}),
            **({"accept": accept} if accept else {}),
        },
        "repositories": [{"match": [full_name], "require": rule.require, "mode": rule.mode, **_small(rule)}],
        "people": _people(rules.people),
        "dco": {
            "matching": dco.matching,
            "names": dco.names,
            "merged": dco.merged,
            "reverts": dco.reverts,
            "members": dco.members,
            "remediation": {"individual": dco.individual_remediation, "third_party": dco.third_party_remediation},
            "portal": dco.portal,
            "exempt": [_account(entry) for entry in dco.exempt],
            "override": dco.override,
        },
        "labels": {"signed": rules.labels.signed, "required": rules.labels.required},
        "comment": {"language": rules.comment_language},
        "changelog": {
            "require": rules.changelog.require,
            "path": rules.changelog.path,
            "skip-label": rules.changelog.skip_label,
        },
        **({"licenses": _licenses(policy)} if policy and policy.stated else {}),
    }


def leaves(data: Mapping[str, Any], at: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value with its key path; a list is one value, but for the one rule."""
    for key, value in data.items():
        path = (*at, key)
        if path == _RULE[:1]:
            yield from leaves(value[0], _RULE)
        elif isinstance(value, Mapping):
            yield from leaves(value, path)
        else:
            yield path, value


def _small(rule: RepositoryRule) -> dict[str, Any]:
    if rule.small is None:
        return {}
    return {"small": {"lines": rule.small.lines, "paths": list(rule.small.paths), "total": rule.small.total}}


def _people(people: People) -> dict[str, Any]:
    agents = people.agents
    return {
        "check": list(people.check),
        "exempt": [_account(entry) for entry in people.exempt],
        "members": people.members,
        "domains": people.domains,
        "agents": {
            "policy": agents.policy,
            "known": agents.known,
            "accounts": [_account(entry) for entry in agents.accounts],
            "emails": list(agents.emails),
        },
        "override": people.override,
    }


def _licenses(policy: Policy) -> dict[str, Any]:
    lists: dict[str, Any] = {
        "repositories": dict(policy.repositories),
        "dependencies": [_written(entry, repositories="in") for entry in policy.dependencies],
        "waivers": [_written(entry) for entry in policy.waivers],
    }
    # Lists that only the organisation may have are there when something is in them.
    said = {key: value for key, value in lists.items() if value} | _allow_deny(policy.lists)
    headers = {}
    if policy.headers is not None:
        mode = "fail" if policy.headers.fails else "report"
        headers = {"headers": _written(replace(policy.headers, fails=False)) | {"mode": mode}}
    fail_on = [str(verdict) for verdict in policy.fail_on]
    output = {"issue": policy.issue, "notices": policy.notices}
    return {"delivery": str(policy.delivery), **said, "fail_on": fail_on, **headers, **output}


def _written(entry: Any, **named: str) -> dict[str, Any]:
    """The fields of an entry under the names that they have in a rulebook; `named` are those of other names."""
    said = {named.get(field.name, field.name): getattr(entry, field.name) for field in fields(entry)}
    return {key: _value(value) for key, value in said.items() if value}


def _value(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(map(_value, value))
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, str) else value  # A StrEnum as plain text.


def _allow_deny(lists: Sequence[AllowDenyLists]) -> dict[str, Any]:
    # Of several allow lists the last is the shortest; what is denied adds up.
    allow = [file_lists.allow for file_lists in lists if file_lists.allow is not None]
    deny = dict.fromkeys(entry for file_lists in lists for entry in file_lists.deny)
    exceptions = [entry for file_lists in lists for entry in file_lists.exceptions]
    said = {
        "allow": [_entry(entry) for entry in allow[-1]] if allow else None,
        "deny": [_entry(entry) for entry in deny] or None,
        "exceptions": [_entry(entry) for entry in exceptions] or None,
    }
    return {key: value for key, value in said.items() if value is not None}


def _entry(entry: AllowDenyEntry) -> Any:
    said = _written(entry)
    return entry.license if list(said) == ["license"] else said  # As people write it.


def _account(entry: ExemptAccount) -> dict[str, Any]:
    return {"id": entry.id, **({"login": entry.login} if entry.login else {})}


def _accepted(entry: AcceptedVersions) -> dict[str, Any]:
    return {"versions": entry.versions, **({"until": _moment(entry.until)} if entry.until else {})}


def _moment(when: Any) -> str | None:
    return None if when is None else moments.text(when)


@dataclass(frozen=True, slots=True)
class _RuleLevel:
    """One file: its `name` for people, `document` and `values`; the rule at `rule_at` `matched` the repository by that pattern.

    `keys`: under which names it says what, where these are not the rulebook's.
    """

    name: str
    document: YamlDocument
    values: Mapping[Path, Any]
    rule_at: Path = ()
    matched: str | None = None
    keys: Mapping[Path, Path] | None = None

    def line(self, path: Path) -> int | None:
        """The line at which the file says it; None when it is silent."""
        at = self.keys.get(path, ()) if self.keys is not None else path
        # `plain` has one rule alone; in the file it is the one that names the repository.
        if path[:2] == _RULE:
            at = (*self.rule_at, *path[2:]) if self.rule_at else ()
            # A rule that is there asks for a sign-off when it says no more.
            at = self.rule_at if path[2:] == ("require",) and at not in self.document.lines else at
        return self.document.line(at) if at in self.document.lines and at else None


def _levels(files: RuleFiles, full_name: str) -> Iterator[_RuleLevel]:
    silent = True
    for name, file in ((ORGANIZATION, files.organization), (REPOSITORY, files.repository)):
        if file is not None and file.text is not None:
            # The texts that it names were checked with the rules.
            parsed, silent = effective.parse_rulebook(file.text, None), False
            written = parsed.rules.repositories if parsed.document.data.get("repositories") else ()
            at, matched = _matching(written, full_name)
            yield _RuleLevel(
                name, parsed.document, dict(leaves(plain(parsed.rules, full_name, parsed.policy))), at, matched
            )
    if silent and files.dco.text is not None:
        values = dict(leaves(plain(dco_file.rules(files.dco.text), full_name)))
        yield _RuleLevel(files.dco.path, read_document(files.dco.text), values, keys=dco_file.KEYS)


def _matching(rules: Sequence[RepositoryRule], full_name: str) -> tuple[Path, str | None]:
    for index, rule in enumerate(rules):
        for pattern in rule.match:
            alone = RepositoryRule((pattern,))
            # By the function that judges, so that patterns are read in one way.
            if for_repository(Rules(repositories=(alone,)), full_name) is alone:
                return ("repositories", index), pattern
    return (), None


def _origin(path: Path, value: Any, levels: Sequence[_RuleLevel]) -> Origin:
    said = [(level, line) for level in levels if (line := level.line(path)) is not None]
    # Of two files that say different things the one whose value is in force says it.
    decisive = [(level, line) for level, line in said if level.values.get(path) == value]
    if len(decisive) == 1 or len(said) == 1:
        level, line = (decisive or said)[0]
        return Origin(level.name, line)
    return Origin(BOTH, said[0][1], said[1][1]) if said else Origin(DEFAULT)
