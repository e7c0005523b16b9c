"""The rulebook but for licences: plain data in, rules out, every mistake named by its key path."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Literal


@dataclass(frozen=True, slots=True)
class AgreementRef:
    """Which text is current: its name in the catalog and its version."""

    text: str
    version: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """Signed versions that still count: `1.x`, `2.0` or `>=2.0`, until a moment (exclusive) or for good."""

    versions: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class RepositoryRule:
    """What repositories matching one of the shell patterns must have."""

    match: tuple[str, ...]
    require: Literal["cla", "dco", "both", "either", "none"] = "dco"
    mode: Literal["enforce", "shadow"] = "enforce"


@dataclass(frozen=True, slots=True)
class Exempt:
    """An account that needs no cover: the id decides, the login is a label; without an id it is nobody."""

    id: int | None
    login: str = ""


@dataclass(frozen=True, slots=True)
class Agents:
    """AI co-authors, by exact account id or exact address."""

    policy: Literal["ignore", "block"] = "ignore"
    accounts: tuple[Exempt, ...] = ()
    emails: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class People:
    """Who must be covered under a CLA."""

    check: tuple[str, ...] = ("opener", "senders", "authors", "coauthors")
    exempt: tuple[Exempt, ...] = ()
    members: Literal["required", "exempt"] = "required"
    domains: Literal["linked", "enrolled"] = "linked"
    agents: Agents = field(default_factory=Agents)
    override: Literal["nobody", "admins", "maintainers"] = "nobody"


@dataclass(frozen=True, slots=True)
class DcoRules:
    """How sign-offs are compared."""

    matching: Literal["evidence", "exact"] = "evidence"
    members: Literal["required", "exempt"] = "required"
    individual_remediation: bool = False
    third_party_remediation: bool = False
    override: Literal["nobody", "admins", "maintainers"] = "maintainers"


@dataclass(frozen=True, slots=True)
class Labels:
    """The label pair."""

    signed: str = "cla-signed"
    required: str = "cla-required"


@dataclass(frozen=True, slots=True)
class Changelog:
    """Whether a pull request must touch the changelog."""

    require: bool = False
    path: str = "CHANGELOG.md"
    skip_label: str = "no-changelog"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Every choice of product.md section 1 but licences, defaults filled in."""

    organization: str = ""
    since: datetime | None = None
    individual: AgreementRef = AgreementRef("icla", "2.0")
    corporate: AgreementRef = AgreementRef("ccla", "2.0")
    employees: Literal["covered", "sign-too"] = "covered"
    accept: Mapping[str, tuple[Accepted, ...]] = field(default_factory=lambda: MappingProxyType({}))
    repositories: tuple[RepositoryRule, ...] = (RepositoryRule(("*",), "dco"),)
    people: People = field(default_factory=People)
    dco: DcoRules = field(default_factory=DcoRules)
    labels: Labels = field(default_factory=Labels)
    comment_language: Literal["en", "zh", "both", "auto"] = "auto"
    changelog: Changelog = field(default_factory=Changelog)


@dataclass(frozen=True, slots=True)
class RuleError:
    """One mistake: where (`people.exempt.0.id`), what, and what to do."""

    path: tuple[str | int, ...]
    message: str
    hint: str = ""


class RulesInvalid(Exception):  # noqa: N818 - reads as what happened
    """The rulebook breaks its own grammar; `errors` names each place."""

    def __init__(self, errors: tuple[RuleError, ...]) -> None:
        self.errors = errors
        super().__init__("; ".join(f"{'.'.join(map(str, e.path)) or 'rulebook'}: {e.message}" for e in errors))
