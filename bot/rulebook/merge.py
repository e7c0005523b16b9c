"""A repository's rulebook may only be stricter than its organisation's: the two become one, or each looser value is named."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, Final, TypeVar

from agreements.rulebook.rules import ROLES, Agents, DcoRules, People, RepositoryRule, Rules, for_repository
from audit.facts import LicenseVerdict
from audit.headers.header_rule import HeaderRule
from audit.verdict.allow_deny import AllowDenyLists, Index
from audit.verdict.policy import Policy
from bot.rulebook.yaml_document import Path

Looser = tuple[Path, str]
E = TypeVar("E")

# What each choice accepts, as the set of ways to pass; asking for two choices accepts what both accept.
_ACCEPTS: Final[Mapping[str, frozenset[str]]] = {
    "none": frozenset({"", "c", "d", "cd"}),
    "either": frozenset({"c", "d", "cd"}),
    "cla": frozenset({"c", "cd"}),
    "dco": frozenset({"d", "cd"}),
    "both": frozenset({"cd"}),
}
_ORDER: Final[Mapping[str, tuple[str | bool, ...]]] = {
    "members": ("exempt", "required"),
    "names": ("free", "required"),
    "merged": ("exempt", "required"),
    "reverts": ("exempt", "required"),
    "domains": ("linked", "enrolled"),
    "policy": ("ignore", "responsible", "block"),
    "override": ("maintainers", "admins", "nobody"),
    "delivery": ("internal", "hosted", "binary", "source"),
    "individual": (True, False),
    "third_party": (True, False),
    "portal": (True, False),
    "issue": (False, True),
}
"""From loose to strict."""
_ONLY_ABOVE = ("agreements", "organization")  # A repository speaks for no party.
NOT_HERE: Final = "only the organisation's rulebook may set this"
_NOT_LISTED: Final = "is not on the organisation's list; a repository may only be stricter"


def merge(ours: Rules, theirs: Rules, written: Mapping[str, Any], full_name: str) -> tuple[Rules, tuple[Looser, ...]]:
    """The organisation's rules tightened by the repository's, and every value that is looser or not the repository's.

    `written` is the repository's file as data: only what stands there counts. The two labels, the comment and the
    changelog are the repository's to choose; agreements, matching and mode are the organisation's; all else may only
    get stricter. A demand of each file holds; a list of people who are let off is what stands in both.
    """
    merging = _RulebookMerge(written)
    for key in _ONLY_ABOVE:
        if key in written:
            merging.refuse((key,), NOT_HERE)
    merged = replace(
        ours,
        since=merging.since(ours, theirs),
        repositories=merging.repositories(ours, theirs, full_name),
        people=merging.people(ours.people, theirs.people),
        dco=merging.dco(ours.dco, theirs.dco),
        labels=merging.free("labels", ours.labels, theirs.labels),
        changelog=merging.free("changelog", ours.changelog, theirs.changelog),
        comment_language=theirs.comment_language if merging.wrote("comment", "language") else ours.comment_language,
    )
    # Each alone may be as it should.
    if merged.labels.signed.casefold() == merged.labels.required.casefold():
        merging.refuse(("labels",), "both labels would be the same")
    return merged, tuple(merging.looser)


def merge_policies(ours: Policy, theirs: Policy, written: object) -> tuple[Policy, tuple[Looser, ...]]:
    """The organisation's licence policy tightened by the repository's, and all that it may not set.

    What a thing's licence is, how it is used and who took responsibility is the organisation's to say; a repository may
    be judged as delivered to more people, allow fewer licences, deny more, and fail on more verdicts. Where the
    organisation wants an issue for violations it is written; pull requests for a NOTICE are the repository's own
    choice.
    """
    merging = _RulebookMerge({"licenses": written})
    for key in ("repositories", "dependencies", "waivers", "exceptions"):
        if merging.wrote("licenses", key):
            merging.refuse(("licenses", key), NOT_HERE)
    fail_on = merging.fail_on(ours, theirs)
    delivery = merging.strictest(("licenses", "delivery"), ours.delivery, theirs.delivery)
    merged = replace(
        ours,
        delivery=delivery,
        lists=merging.lists(ours, theirs),
        headers=merging.headers(ours, theirs),
        fail_on=fail_on,
        issue=merging.strictest(("licenses", "issue"), ours.issue, theirs.issue),
        notices=theirs.notices if merging.wrote("licenses", "notices") else ours.notices,
        stated=ours.stated or theirs.stated,
    )
    return merged, tuple(merging.looser)


@dataclass(slots=True)
class _RulebookMerge:
    """One merge under way: what the repository wrote (`written`), and what of it is `looser`."""

    written: Mapping[str, Any]
    looser: list[Looser] = field(default_factory=list)

    def wrote(self, *path: str) -> bool:
        found: Any = self.written
        for key in path:
            if not isinstance(found, Mapping) or key not in found:
                return False
            found = found[key]
        return True

    def refuse(self, path: Path, said: str) -> None:
        self.looser.append((path, said))

    def since(self, ours: Rules, theirs: Rules) -> Any:
        # The earlier moment judges more pull requests; without one, all are judged.
        if not self.wrote("since"):
            return ours.since
        if theirs.since is not None and (ours.since is None or theirs.since > ours.since):
            said = (
                "is later than the organisation's"
                if ours.since
                else "leaves out pull requests that the organisation's judges"
            )
            self.refuse(("since",), f"{said}; a repository may only be stricter")
            return ours.since
        return theirs.since

    def repositories(self, ours: Rules, theirs: Rules, full_name: str) -> tuple[RepositoryRule, ...]:
        if not self.written.get("repositories"):
            return ours.repositories
        above = for_repository(ours, full_name)
        rule = for_repository(theirs, full_name)
        at: Path = ("repositories",)
        if rule not in theirs.repositories:
            self.refuse(at, "no pattern here matches this repository")
            return ours.repositories
        at = ("repositories", theirs.repositories.index(rule))
        # Enforcement is the organisation's to switch on and off, and small changes are its to let pass.
        for index, entry in enumerate(self.written["repositories"]):
            for key in ("mode", "small"):
                if key in entry:
                    self.refuse(("repositories", index, key), NOT_HERE)
        both = _ACCEPTS[above.require] & _ACCEPTS[rule.require]
        # A repository's rule that says something else and asks for nothing more asks for less.
        if both == _ACCEPTS[above.require] != _ACCEPTS[rule.require]:
            self._is_looser((*at, "require"), rule.require, above.require)
        require = next(name for name, accepted in _ACCEPTS.items() if accepted == both)
        return (RepositoryRule(("*",), require, above.mode, above.small),)  # type: ignore[arg-type]  # a key of _ACCEPTS

    def people(self, ours: People, theirs: People) -> People:
        check = ours.check
        if self.wrote("people", "check"):
            if set(theirs.check) < set(ours.check):
                self._is_looser(("people", "check"), ", ".join(theirs.check), ", ".join(ours.check))
            check = tuple(role for role in ROLES if role in {*ours.check, *theirs.check})
        return People(
            check=check,
            exempt=self._shared(("people", "exempt"), ours.exempt, theirs.exempt, attrgetter("id")),
            members=self.strictest(("people", "members"), ours.members, theirs.members),
            domains=self.strictest(("people", "domains"), ours.domains, theirs.domains),
            agents=self._agents(ours.agents, theirs.agents),
            override=self.strictest(("people", "override"), ours.override, theirs.override),
        )

    def _agents(self, ours: Agents, theirs: Agents) -> Agents:
        emails = self._shared(("people", "agents", "emails"), ours.emails, theirs.emails, str.lower)
        accounts = self._shared(("people", "agents", "accounts"), ours.accounts, theirs.accounts, attrgetter("id"))
        policy = self.strictest(("people", "agents", "policy"), ours.policy, theirs.policy)
        shipped = self._known(ours, theirs, policy)
        if policy == "block":  # There a shorter list would let more pass, not less.
            return replace(ours, policy=policy, known=shipped)
        # The organisation's longer list goes along: what its agents sign off certifies nothing.
        shorter = len(accounts) < len(ours.accounts) or len(emails) < len(ours.emails)
        return Agents(policy, accounts, emails, ours if shorter else None, shipped)

    def _known(self, ours: Agents, theirs: Agents, policy: str) -> bool:
        """Whether the shipped list counts: to let agents off both must want it, to block them one is enough."""
        at = ("people", "agents", "known")
        if not self.wrote(*at):
            return ours.known
        ignores_more = policy != "block" and theirs.known and not ours.known
        blocks_fewer = ours.policy == "block" and ours.known and not theirs.known
        if ignores_more or blocks_fewer:
            self._is_looser(at, theirs.known, ours.known)
        return ours.known or theirs.known if policy == "block" else ours.known and theirs.known

    def _shared(
        self, at: tuple[str, ...], ours: tuple[E, ...], theirs: tuple[E, ...], key: Callable[[E], object]
    ) -> tuple[E, ...]:
        if not self.wrote(*at):
            return ours
        known = {key(entry) for entry in ours} - {None}  # An entry without an id is on no list.
        for index, entry in enumerate(theirs):
            if key(entry) not in known:
                self.refuse((*at, index), _NOT_LISTED)
        return tuple(entry for entry in theirs if key(entry) in known)

    def fail_on(self, ours: Policy, theirs: Policy) -> tuple[LicenseVerdict, ...]:
        at = ("licenses", "fail_on")
        if not self.wrote(*at):
            return ours.fail_on
        # A repository can add verdicts, and take none away.
        if dropped := [verdict for verdict in ours.fail_on if verdict not in theirs.fail_on]:
            said = "which the organisation's rulebook has; a repository may only be stricter"
            self.refuse(at, f"leaves out {', '.join(dropped)}, {said}")
        return tuple(dict.fromkeys((*ours.fail_on, *theirs.fail_on)))

    def lists(self, ours: Policy, theirs: Policy) -> tuple[AllowDenyLists, ...]:
        if not theirs.lists:
            return ours.lists
        (lists,) = theirs.lists
        # What the repository allows has to be on the organisation's list: it only makes that shorter.
        for above in ours.lists:
            allowed = None if above.allow is None else Index(above.allow)
            for index, entry in enumerate(lists.allow or ()):
                if allowed is not None and not allowed.covers(entry):
                    self.refuse(("licenses", "allow", index), _NOT_LISTED)
        # An exception is the organisation's word about its own lists: what the repository forbids itself stays forbidden.
        return (*ours.lists, replace(lists, exceptions=()))

    def headers(self, ours: Policy, theirs: Policy) -> HeaderRule | None:
        # The organisation's are for all its repositories; where it asks for none a repository may.
        if ours.headers is not None and self.wrote("licenses", "headers"):
            self.refuse(("licenses", "headers"), "the organisation's rulebook already sets headers, and those apply")
        return ours.headers or theirs.headers

    def dco(self, ours: DcoRules, theirs: DcoRules) -> DcoRules:
        if self.wrote("dco", "matching"):
            self.refuse(("dco", "matching"), NOT_HERE)
        at, above, below = ("dco", "remediation"), ours.third_party_remediation, theirs.third_party_remediation
        alone = self.strictest((*at, "individual"), ours.individual_remediation, theirs.individual_remediation)
        return DcoRules(
            matching=ours.matching,
            names=self.strictest(("dco", "names"), ours.names, theirs.names),
            merged=self.strictest(("dco", "merged"), ours.merged, theirs.merged),
            reverts=self.strictest(("dco", "reverts"), ours.reverts, theirs.reverts),
            members=self.strictest(("dco", "members"), ours.members, theirs.members),
            individual_remediation=alone,
            third_party_remediation=self.strictest((*at, "third_party"), above, below),
            portal=self.strictest(("dco", "portal"), ours.portal, theirs.portal),
            exempt=self._shared(("dco", "exempt"), ours.exempt, theirs.exempt, attrgetter("id")),
            override=self.strictest(("dco", "override"), ours.override, theirs.override),
        )

    def free(self, section: str, ours: Any, theirs: Any) -> Any:
        # Keys that are written are the repository's own choice.
        names = [
            rules_field.name for rules_field in fields(ours) if self.wrote(section, rules_field.name.replace("_", "-"))
        ]
        return replace(ours, **{name: getattr(theirs, name) for name in names})

    def strictest(self, at: tuple[str, ...], ours: Any, theirs: Any) -> Any:
        """The stricter of two choices; a looser one of the repository's is refused."""
        if not self.wrote(*at):
            return ours
        order = _ORDER[at[-1]]
        if order.index(theirs) < order.index(ours):
            self._is_looser(at, theirs, ours)
            return ours
        return theirs

    def _is_looser(self, at: Path, theirs: object, ours: object) -> None:
        # True and false as YAML writes them.
        said, wanted = (str(choice).lower() if isinstance(choice, bool) else choice for choice in (theirs, ours))
        self.refuse(at, f"{said} is looser than the organisation's {wanted}; a repository may only be stricter")
