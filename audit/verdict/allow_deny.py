"""Allow and deny lists, as `cargo deny` has them: what an organisation lets in by licence or package, on top of the matrix.

They only make a verdict stricter. What the licences forbid stays forbidden, also where it is allowed here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from audit.facts import Dependency, Judgement, LicenseVerdict, Usage
from audit.licenses.aliases import FAMILIES
from audit.licenses.expression import And, Atom, Expression, all_of, any_of, read
from audit.purl_match import meanings, pattern, sourced
from audit.usage import NOT_SHIPPED

DENIED: Final = "policy/denied"
NOT_ALLOWED: Final = "policy/not-allowed"
BASIS: Final = "policy"  # The rulebook answered, not the licences.
USAGES_LISTS_IGNORE: Final = NOT_SHIPPED | {Usage.SEPARATE_PROCESS, Usage.NETWORK_SERVICE}
"""Usages that bring nothing into the work: lists of licences leave them alone, unless an entry names them."""
USAGES_LISTS_COVER: Final = frozenset(Usage) - USAGES_LISTS_IGNORE
_MAX_NAMED_BRANCHES: Final = 5  # Branches of an `OR` that a reason names.


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowDenyEntry:
    """One line of a list: a `license` as SPDX spells it, a `purl`, or both at once, with a `reason` in words.

    The package is meant in any version and from any registry, unless its URL names one. `usage` are the usages for
    which the entry counts. Without any, `deny` of a licence counts for what comes into the work; all other entries
    count for every usage.
    """

    license: str | None = None
    purl: str | None = None
    usage: tuple[Usage, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        return " of ".join(filter(None, (self.license, self.purl)))


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowDenyLists:
    """The lists of one rulebook. Without `allow` (None), `deny` alone refuses; `exceptions` lift a refusal."""

    allow: tuple[AllowDenyEntry, ...] | None = None
    deny: tuple[AllowDenyEntry, ...] = ()
    exceptions: tuple[AllowDenyEntry, ...] = ()


class Index:
    """Entries by what they name, so that a list of any length is asked at once. `denies`: they are those of a deny list."""

    def __init__(self, entries: Iterable[AllowDenyEntry] = (), *, denies: bool = False) -> None:
        self._denies = denies
        self._found: dict[tuple[str | None, str | None], list[tuple[str, AllowDenyEntry]]] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: AllowDenyEntry) -> None:
        """Adds one entry."""
        package, version = (None, "") if entry.purl is None else pattern(entry.purl)
        self._found.setdefault((entry.license, package), []).append((version, entry))

    def meant(self, name: str | None, package: str, version: str) -> Iterator[AllowDenyEntry]:
        """The entries that fit, by the licence's name, by both, by package; "" stands for no package and no version."""
        # A package is meant by an entry for it from anywhere, and by one for it from its repository.
        origin = meanings(package)
        keys = [(name, None), *((name, meaning) for meaning in origin)] if name else []
        for key in [*keys, *((None, meaning) for meaning in origin)]:
            for of, entry in self._found.get(key, ()):
                if of in ("", version):  # An entry without a version is for all.
                    yield entry

    def usages(self, entry: AllowDenyEntry) -> frozenset[Usage]:
        """The usages for which an entry of this list counts."""
        # A tool under a denied licence brings nothing into the work; a denied package is refused however it is used.
        return frozenset(entry.usage) or (
            USAGES_LISTS_COVER if self._denies and entry.purl is None else frozenset(Usage)
        )

    def covers(self, other: AllowDenyEntry, usages: Iterable[Usage] = frozenset(Usage)) -> bool:
        """Whether an entry here is for all that this one is for, where it is used as it says, else as `usages` say."""
        package, version = ("", "") if other.purl is None else pattern(other.purl)
        wanted = frozenset(other.usage or usages)
        return any(wanted <= self.usages(entry) for entry in self.meant(other.license, package, version))


class Denial(NamedTuple):
    """The reason why something is not let in: the id of a `rule`, and a clause in words (`reason`)."""

    rule: str
    reason: str


class AllowDeny:
    """The lists of all rulebooks that count; each has to let a thing in."""

    def __init__(self, levels: Sequence[AllowDenyLists]) -> None:
        self._levels = tuple(map(_ListLevel, levels))

    def judged(self, dependency: Dependency, ask: Callable[[str | None], Judgement]) -> Judgement:
        """The answer of `ask` about a dependency's licence expression, made stricter by the lists."""
        said = dependency.license.expression
        found, whole = ask(said), read(said)
        asked = _BranchReview(self._levels, *sourced(dependency.purl or ""), dependency.usage)
        kept = asked.kept(whole)
        if kept == whole and not asked.refused:
            return _and(found, asked.lifted)
        reasons = list(dict.fromkeys(denial.reason for denial in asked.refused))
        if kept is None:
            # The licences themselves say no: no entry of a list would change that, so it stays the reason.
            if found.verdict is LicenseVerdict.INCOMPATIBLE:
                return _and(found, [f"besides, {reasons[0]}"])
            no = replace(
                found, verdict=LicenseVerdict.INCOMPATIBLE, rule=asked.refused[0].rule, basis=BASIS, branch=None
            )
            return replace(no, reason="; ".join(reasons[:_MAX_NAMED_BRANCHES]))
        # Of an `OR`, only the branches that are not refused are asked about.
        again = ask(str(kept))
        again = replace(again, branch=again.branch or str(kept))
        # A refused branch is told only where the answer is worse without it.
        return _and(
            again,
            [*reasons[:_MAX_NAMED_BRANCHES], *asked.lifted]
            if again.verdict.rank > found.verdict.rank
            else asked.lifted,
        )


def _and(found: Judgement, more: Sequence[str]) -> Judgement:
    return replace(found, reason="; ".join((found.reason, *more))) if more else found


class _ListLevel:
    def __init__(self, lists: AllowDenyLists) -> None:
        self._allow = None if lists.allow is None else Index(lists.allow)
        self._deny, self._exceptions = Index(lists.deny, denies=True), Index(lists.exceptions)
        # Usages that lists of licences leave alone, unless an entry here names them.
        self._allowed_outside = frozenset(usage for entry in lists.allow or () for usage in entry.usage)

    def refusal(self, atom: Atom | None, package: str, version: str, usage: Usage) -> Denial | None:
        """The reason why it is not let in, exceptions left aside; None when it is."""
        name = None if atom is None else str(atom)
        for entry in self._deny.meant(name, package, version):
            counts = self._deny.usages(entry)
            # A dependency whose usage is not known may be used in a way that is denied.
            unsure = usage is Usage.UNKNOWN and usage not in counts and not USAGES_LISTS_COVER.isdisjoint(counts)
            if usage in counts or unsure:
                return Denial(DENIED, _denied(entry, usage, unsure=unsure))
        # Lists of licences do not ask about tools and services, unless an entry names such a usage.
        is_asked = usage not in USAGES_LISTS_IGNORE or usage in self._allowed_outside
        if self._allow is None or atom is None or not is_asked:
            return None
        found = list(self._allow.meant(name, package, version))
        if any(usage in self._allow.usages(entry) for entry in found):
            return None
        where = f" when used as {usage}" if found else ""
        return Denial(NOT_ALLOWED, f"{name} is not in the allow list of the rulebook{where}")

    def exception(self, atom: Atom | None, package: str, version: str, usage: Usage) -> AllowDenyEntry | None:
        """The exception that lets it in."""
        meant = self._exceptions.meant(None if atom is None else str(atom), package, version)
        return next((entry for entry in meant if usage in self._exceptions.usages(entry)), None)


def _denied(entry: AllowDenyEntry, usage: Usage, *, unsure: bool) -> str:
    # A licence that is denied for some usages only is not denied as such.
    where = f" when used as {' or '.join(entry.usage) if unsure else usage}" if entry.usage else ""
    how = ", and it is not known how this one is used" if unsure else ""
    return f"the rulebook denies {entry}{where}{how}{': ' if entry.reason else ''}{entry.reason}"


class _BranchReview:
    """The review of one dependency: `refused` and `lifted` say which branches are closed, and what exceptions open."""

    def __init__(self, levels: Sequence[_ListLevel], package: str, version: str, usage: Usage) -> None:
        self._levels = levels
        self._of = package, version, usage
        self.refused: list[Denial] = []
        self.lifted: list[str] = []

    def kept(self, what: Expression | None) -> Expression | None:
        """The expression without the branches that are refused; None when nothing is left, or nothing was known."""
        if what is None or isinstance(what, Atom):
            refusal = self._refusal(what)
            if refusal is not None:
                self.refused.append(refusal)
            return what if refusal is None else None
        found = [self.kept(part) for part in what.parts]
        left = tuple(part for part in found if part is not None)
        if isinstance(what, And):
            return all_of(left) if len(left) == len(found) else None  # Every part has to be let in.
        return any_of(left) if left else None

    def _refusal(self, atom: Atom | None) -> Denial | None:
        # A name that several licences share may mean any of them: all have to be let in.
        if atom is not None and atom.license in FAMILIES:
            for member in FAMILIES[atom.license]:
                denial = self._refusal(replace(atom, license=member))
                if denial is not None:
                    return Denial(denial.rule, f"{atom} may be {member}, and {denial.reason}")
            return None
        for level in self._levels:
            refusal = level.refusal(atom, *self._of)
            if refusal is None:
                continue
            exception = level.exception(atom, *self._of)
            if exception is None:
                return refusal
            self.lifted.append(f"an exception in the rulebook allows {exception}: {exception.reason}")
        return None
