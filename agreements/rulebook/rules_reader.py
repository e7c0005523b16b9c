"""The rulebook but for licences: plain data in, rules out, every mistake named by its key path."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from agreements.domains.masking import masked_text
from agreements.rulebook import path_globs
from agreements.rulebook.grammar import Node, Section
from agreements.rulebook.rules import (
    MAX_SMALL_LINES,
    ROLES,
    AcceptedVersions,
    Agents,
    AgreementRef,
    Changelog,
    DcoRules,
    ExemptAccount,
    Labels,
    People,
    RepositoryRule,
    Rules,
    SmallChange,
)
from agreements.versions import is_pattern, parts

_DEFAULTS = Rules()
_SMALL_EXAMPLE = 'write {lines: 15, paths: ["*.md"]}'
_DCO_KEYS = ("matching", "names", "merged", "reverts", "members", "remediation", "portal", "exempt", "override")
_MAX_LABEL_CHARACTERS = 50  # Code points: GitHub creates no label with a longer name.


@dataclass(frozen=True, slots=True)
class RuleError:
    """One mistake: its `path` (`people.exempt.0.id`, as written), the `message`, and the `hint` what to do."""

    path: tuple[str | int, ...]
    message: str
    hint: str = ""

    @property
    def line(self) -> str:
        """The mistake in one line, such as `people.exmpt: unknown key, did you mean exempt?`."""
        where = ".".join(masked_text(str(key)) for key in self.path)  # A key may be an address by mistake.
        return f"{where or 'rulebook'}: {self.message}{self.hint and ', ' + self.hint}"


class RulesInvalid(Exception):
    """The rulebook breaks its own grammar; `errors` names each place."""

    def __init__(self, errors: tuple[RuleError, ...]) -> None:
        self.errors = errors
        super().__init__("; ".join(error.line for error in errors))


def parse(data: object) -> Rules:
    """The rules in a rulebook's plain data, with defaults, without `licenses`. Raises RulesInvalid (all mistakes)."""
    root = Node(data)
    book = root.section("version", "organization", "since", "agreements", "repositories", "people", "dco", "labels",
                        "comment", "changelog", "licenses",
                        renamed={"licences": "licenses", "organisation": "organization"})  # fmt: skip
    node = book.get("version")
    if node is not None and (node.value != 1 or isinstance(node.value, bool)):  # `True == 1`
        node.wrong("is not known", "this program reads version: 1")
    since = book.get("since")
    agreements = book.inside("agreements", "individual", "corporate", "parties", "accept")
    corporate = agreements.inside("corporate", "text", "version", "employees")
    individual_ref = _reference(agreements.inside("individual", "text", "version"), _DEFAULTS.individual)
    corporate_ref = _reference(corporate, _DEFAULTS.corporate)
    rules = Rules(
        organization=_organization(book),
        parties=tuple(item.folded_text() for item in agreements.items("parties")),
        since=None if since is None else since.moment(),
        individual=individual_ref,
        corporate=corporate_ref,
        employees=corporate.choice("employees", ("covered", "sign-too"), "covered"),
        accept=_accept(agreements.get("accept"), (individual_ref.text, corporate_ref.text)),
        repositories=_repositories(book),
        people=_people(book.inside("people", "check", "exempt", "members", "domains", "agents", "override")),
        dco=_dco(book.inside("dco", *_DCO_KEYS)),
        labels=_labels(book.inside("labels", "signed", "required")),
        comment_language=book.inside("comment", "language").choice("language", ("auto", "en", "zh", "both"), "auto"),
        changelog=_changelog(book.inside("changelog", "require", "path", "skip-label")),
    )
    if root.mistakes:
        raise RulesInvalid(tuple(RuleError(*mistake) for mistake in root.mistakes))
    return rules


def _organization(book: Section) -> str:
    # `github:1` stands for an account: such a name would claim what was agreed with that account.
    node = book.get("organization")
    name = "" if node is None else node.folded_text()
    # NFKC: wide letters read the same.
    if node is not None and unicodedata.normalize("NFKC", name).strip().casefold().startswith("github:"):
        node.wrong(
            "must be a name", "github: stands for accounts; leave organization out to make agreements with the owner"
        )
    return name


def _reference(section: Section, default: AgreementRef) -> AgreementRef:
    node = section.get("version")
    version = default.version if node is None else node.text()
    if node is not None and version and parts(version) is None:  # YAML reads 2.10 as the number 2.1.
        node.wrong("must be numbers with points between them", 'write "2.0"')
    return AgreementRef(section.text("text", default.text), version)


def _accept(node: Node | None, names: tuple[str, str]) -> Mapping[str, tuple[AcceptedVersions, ...]]:
    if node is None:
        return MappingProxyType({})
    section = node.section(*names)  # `accept` for an unknown agreement would silently admit nothing.
    accepted = {
        name: tuple(_accepted(item.section("versions", "until")) for item in section.items(name))
        for name in section.values
    }
    return MappingProxyType(accepted)


def _accepted(section: Section) -> AcceptedVersions:
    node, until = section.needed("versions"), section.get("until")
    pattern = "" if node is None else node.text()
    if node is not None and pattern and not is_pattern(pattern):
        node.wrong("is not a version pattern", 'write ">=2.0", "1.x" or "2.0"')
    return AcceptedVersions(pattern, None if until is None else until.moment())


def _repositories(book: Section) -> tuple[RepositoryRule, ...]:
    rules = []
    for item in book.items("repositories"):
        section = item.section("match", "require", "mode", "small")
        match = section.needed("match")
        patterns = () if match is None else tuple(pattern.text() for pattern in match.items())
        if match is not None and not patterns:  # A rule for no repository would look as if it protected one.
            match.wrong("names no repository", 'write ["*"] for all')
        rules.append(
            RepositoryRule(
                match=patterns,
                require=section.choice("require", ("dco", "cla", "both", "either", "none"), "dco"),
                mode=section.choice("mode", ("enforce", "shadow"), "enforce"),
                small=None if (small := section.get("small")) is None else _small(small),
            )
        )
    return tuple(rules) or _DEFAULTS.repositories


def _small(node: Node) -> SmallChange | None:
    section = node.section("lines", "paths", "total")
    lines, total = (_limit(section.get(key)) for key in ("lines", "total"))
    paths = tuple(_glob(item) for item in section.items("paths"))
    if missing := [key for key in ("lines", "paths") if key not in section.values]:
        # One limit alone would let large changes pass, or any file.
        node.wrong(f"needs both limits, lines and paths: {' and '.join(missing)} missing", _SMALL_EXAMPLE)
    elif not paths:
        node.wrong("names no files under paths", _SMALL_EXAMPLE)
    return None if lines is None else SmallChange(lines, paths, MAX_SMALL_LINES if total is None else total)


def _limit(node: Node | None) -> int | None:
    if node is not None and node.value is None:  # `number` takes null as an id that is not known.
        node.wrong("must be a whole number above zero")
    return None if node is None else node.number()


def _glob(item: Node) -> str:
    glob = item.text()
    if glob and not path_globs.is_valid(glob):
        item.wrong("can never match", "write *.md for any folder, docs/*.md for one, or docs/** for all below it")
    return glob


def _people(section: Section) -> People:
    check = section.get("check")
    roles = tuple(role for item in check.items() if (role := item.choice(ROLES))) if check is not None else ROLES
    if check is not None and not roles:
        check.wrong("must name somebody", f"known here: {', '.join(ROLES)}")
    agents = section.inside("agents", "policy", "known", "accounts", "emails")
    known = agents.get("known")
    return People(
        check=roles,
        exempt=tuple(_exempt(item) for item in section.items("exempt")),
        members=section.choice("members", ("required", "exempt"), "required"),
        domains=section.choice("domains", ("linked", "enrolled"), "linked"),
        agents=Agents(
            policy=agents.choice("policy", ("ignore", "responsible", "block"), "ignore"),
            accounts=tuple(_exempt(item) for item in agents.items("accounts")),
            emails=tuple(_address(item) for item in agents.items("emails")),
            known=known is None or known.flag(),
        ),
        override=section.choice("override", ("nobody", "admins", "maintainers"), "nobody"),
    )


def _exempt(item: Node) -> ExemptAccount:
    section = item.section("id", "login")
    account = section.get("id")
    return ExemptAccount(None if account is None else account.number(), section.text("login", ""))


def _address(item: Node) -> str:
    text = item.text()
    if "*" in text or (text and "@" not in text):  # A pattern would let strangers choose an address that fits.
        item.wrong("must be a whole address", "patterns are not read here")
    return text


def _dco(section: Section) -> DcoRules:
    remediation = section.inside("remediation", "individual", "third_party")
    return DcoRules(
        matching=section.choice("matching", ("evidence", "exact"), "evidence"),
        names=section.choice("names", ("required", "free"), "required"),
        merged=section.choice("merged", ("required", "exempt"), "required"),
        reverts=section.choice("reverts", ("required", "exempt"), "required"),
        members=section.choice("members", ("required", "exempt"), "required"),
        individual_remediation=remediation.flag("individual"),
        third_party_remediation=remediation.flag("third_party"),
        portal=section.flag("portal"),
        exempt=tuple(_exempt(item) for item in section.items("exempt")),
        override=section.choice("override", ("nobody", "admins", "maintainers"), "maintainers"),
    )


def _labels(section: Section) -> Labels:
    labels = Labels(_label(section, "signed", "cla-signed"), _label(section, "required", "cla-required"))
    for key in section.values:
        # One label cannot tell two things apart.
        if (node := section.get(key)) and labels.signed.casefold() == labels.required.casefold():
            node.wrong("must differ from the other label")
    return labels


def _changelog(section: Section) -> Changelog:
    return Changelog(
        require=section.flag("require"),
        path=section.text("path", "CHANGELOG.md"),
        skip_label=_label(section, "skip-label", "no-changelog"),
    )


def _label(section: Section, key: str, default: str) -> str:
    node = section.get(key)
    name = default if node is None else node.text()
    # GitHub would refuse a longer label at every write.
    if node is not None and len(name) > _MAX_LABEL_CHARACTERS:
        node.wrong(f"has {len(name)} characters", f"a label at GitHub has {_MAX_LABEL_CHARACTERS} at most")
    return name
