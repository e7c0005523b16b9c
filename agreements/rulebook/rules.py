"""The nouns of the rulebook but for licences, with their defaults, and the rule of a repository."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class AgreementRef:
    """The current text of an agreement: its name in the catalog (`text`) and its `version`."""

    text: str
    version: str


@dataclass(frozen=True, slots=True)
class AcceptedVersions:
    """Signed `versions` that still count: `1.x`, `2.0` or `>=2.0`, `until` a moment (exclusive; None: for good)."""

    versions: str
    until: datetime | None = None


MAX_SMALL_LINES: Final = 100
"""The lines that a person may have in small changes, where the rulebook does not say how many."""


@dataclass(frozen=True, slots=True)
class SmallChange:
    """The limits of a pull request that needs no agreement: all its files are in `paths` (globs), and it changes `lines` at most.

    One person may have `total` lines so, in all repositories of the organisation.
    """

    lines: int
    paths: tuple[str, ...]
    total: int = MAX_SMALL_LINES


@dataclass(frozen=True, slots=True)
class RepositoryRule:
    """The checks (`require`) of repositories that `match` one of the shell patterns; in the `mode` `shadow` nothing is written at GitHub.

    `small` changes need no agreement; None: there are none.
    """

    match: tuple[str, ...]
    require: Literal["cla", "dco", "both", "either", "none"] = "dco"
    mode: Literal["enforce", "shadow"] = "enforce"
    small: SmallChange | None = None

    @property
    def enforced(self) -> Literal["cla", "dco", "both", "either", "none"]:
        """The checks that contributors have to pass: in shadow mode none, since nothing keeps a pull request from its merge."""
        return "none" if self.mode == "shadow" else self.require


@dataclass(frozen=True, slots=True)
class ExemptAccount:
    """An account that needs no cover: the `id` decides, the `login` is a label; without an id it means no account."""

    id: int | None
    login: str = ""


@dataclass(frozen=True, slots=True)
class Agents:
    """AI co-authors, by exact account id (`accounts`) or exact address (`emails`), and the `policy` for them.

    `listed` holds the organisation's where a repository's file is shorter: none of those certifies anything.
    `known`: the shipped list counts for co-authors, too; what an agent of it signs off certifies nothing either way.
    """

    policy: Literal["ignore", "responsible", "block"] = "ignore"
    accounts: tuple[ExemptAccount, ...] = ()
    emails: tuple[str, ...] = ()
    listed: "Agents | None" = None
    known: bool = True


ROLES: Final = ("opener", "senders", "authors", "coauthors")
"""The roles that a CLA check may ask for; a person is judged once, in the first of them."""


@dataclass(frozen=True, slots=True)
class People:
    """The people who must be covered under a CLA: those in a role of `check`, but for the `exempt`.

    `members` of the organisation may be exempt; addresses at a company's `domains` count once linked, or once enrolled.
    `agents` are AI co-authors; `override`: who may let a head pass.
    """

    check: tuple[str, ...] = ROLES
    exempt: tuple[ExemptAccount, ...] = ()
    members: Literal["required", "exempt"] = "required"
    domains: Literal["linked", "enrolled"] = "linked"
    agents: Agents = field(default_factory=Agents)
    # Each override weakens the evidence: an organisation must want it.
    override: Literal["nobody", "admins", "maintainers"] = "nobody"


@dataclass(frozen=True, slots=True)
class DcoRules:
    """The rules of sign-offs: `matching` compares them; `members` may be exempt, as `exempt` is; `override`: who may set them aside.

    `names` `free`: the name may be any where the address is the account's. `merged` `exempt`: commits that a protected
    branch holds already need no sign-off; `reverts` `exempt`: nor do clean reverts of these. `individual_remediation`,
    `third_party_remediation`: later commits sign off for earlier ones. `portal`: signing off in the portal counts.
    """

    matching: Literal["evidence", "exact"] = "evidence"
    names: Literal["required", "free"] = "required"
    merged: Literal["required", "exempt"] = "required"
    reverts: Literal["required", "exempt"] = "required"
    members: Literal["required", "exempt"] = "required"
    individual_remediation: bool = False
    third_party_remediation: bool = False
    portal: bool = False
    exempt: tuple[ExemptAccount, ...] = ()
    override: Literal["nobody", "admins", "maintainers"] = "maintainers"


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels that tell if all have `signed`, or a signature is `required`."""

    signed: str = "cla-signed"
    required: str = "cla-required"


@dataclass(frozen=True, slots=True)
class Changelog:
    """The rule about the changelog: if it must be touched (`require`), its `path`, and the label (`skip_label`) that lets a pull request off."""

    require: bool = False
    path: str = "CHANGELOG.md"
    skip_label: str = "no-changelog"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Every choice of the rulebook but licences, defaults filled in.

    `organization` is the party of agreements ("": the owner's account), `parties` others that count, too; `since`:
    earlier pull requests are not checked (None: all are). `individual` and `corporate` are the current texts, `accept`
    older versions that count, by agreement; `employees` of a company are covered, or sign, too. `repositories` name the
    checks, `people`, `dco`, `changelog` and `labels` their rules, `comment_language` the comment's.
    """

    organization: str = ""
    parties: tuple[str, ...] = ()
    since: datetime | None = None
    individual: AgreementRef = AgreementRef("icla", "2.0")
    corporate: AgreementRef = AgreementRef("ccla", "2.0")
    employees: Literal["covered", "sign-too"] = "covered"
    accept: Mapping[str, tuple[AcceptedVersions, ...]] = field(default_factory=lambda: MappingProxyType({}))
    # Without a rulebook the DCO is asked for: it needs no text of the organisation.
    repositories: tuple[RepositoryRule, ...] = (RepositoryRule(("*",), "dco"),)
    people: People = field(default_factory=People)
    dco: DcoRules = field(default_factory=DcoRules)
    labels: Labels = field(default_factory=Labels)
    comment_language: Literal["en", "zh", "both", "auto"] = "auto"
    changelog: Changelog = field(default_factory=Changelog)


def for_repository(rules: Rules, full_name: str) -> RepositoryRule:
    """The first rule that matches `owner/name`; without one, a DCO sign-off is required.

    A pattern with a slash is compared with owner/name, any other with the bare name; whole strings, any case.
    """
    whole = full_name.casefold()  # GitHub tells no two repositories apart by case.
    bare = whole.rpartition("/")[2]
    for rule in rules.repositories:
        if any(fnmatchcase(whole if "/" in pattern else bare, pattern.casefold()) for pattern in rule.match):
            return rule
    return RepositoryRule(("*",))


def enforced_rules(rules: Rules) -> list[RepositoryRule]:
    """The rules for repositories with the checks that are enforced; the last one, without patterns, is for all others."""
    found: list[RepositoryRule] = []
    for rule in rules.repositories:
        enforced = replace(rule, require=rule.enforced)
        if "*" in rule.match:  # No later rule is reached.
            return [*found, replace(enforced, match=())]
        found.append(enforced)
    return [*found, RepositoryRule(())]
