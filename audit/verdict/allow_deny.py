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
BASIS: Final = "policy"
"""Who answered: the rulebook, not the licences."""
USAGES_LISTS_IGNORE: Final = NOT_SHIPPED | {Usage.SEPARATE_PROCESS, Usage.NETWORK_SERVICE}
"""Usages that bring nothing into the work: lists of licences leave them alone, unless an entry names them."""
USAGES_LISTS_COVER: Final = frozenset(Usage) - USAGES_LISTS_IGNORE
_MAX_NAMED_BRANCHES: Final = 5
"""Branches of an `OR` that a reason names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowDenyEntry:
    """One line of a list: a licence as SPDX spells it, a package URL (of any version and from any registry, unless it names one), or both at once.

    `usage` are the usages for which it counts. Without any, `deny` of a licence counts for what comes into the work; all
    other entries count for every usage.
    """

    license: str | None = None
    purl: str | None = None
    usage: tuple[Usage, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        return " of ".join(filter(None, (self.license, self.purl)))


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowDenyLists:
    """The lists of one rulebook; `allow` None: there is none, and all is allowed that is not denied."""

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
        """One more."""
        package, version = (None, "") if entry.purl is None else pattern(entry.purl)
        self._found.setdefault((entry.license, package), []).append((version, entry))

    def meant(self, name: str | None, package: str, version: str) -> Iterator[AllowDenyEntry]:
        """Those that fit, by the licence's name, by both, by package; "" stands for no package and no version."""
        origin = meanings(package)
        keys = [(name, None), *((name, one) for one in origin)] if name else []
        for key in [*keys, *((None, one) for one in origin)]:
            for of, entry in self._found.get(key, ()):
                if of in ("", version):
                    yield entry

    def usages(self, entry: AllowDenyEntry) -> frozenset[Usage]:
        """Those for which an entry of this list counts."""
        return frozenset(entry.usage) or (
            USAGES_LISTS_COVER if self._denies and entry.purl is None else frozenset(Usage)
        )

    def covers(self, one: AllowDenyEntry, usages: Iterable[Usage] = frozenset(Usage)) -> bool:
        """Whether an entry here is for all that this one is for, where it is used as it says, else as `usages` say."""
        package, version = ("", "") if one.purl is None else pattern(one.purl)
        wanted = frozenset(one.usage or usages)
        return any(wanted <= self.usages(entry) for entry in self.meant(one.license, package, version))


class Denial(NamedTuple):
    """Why something is not let in: a rule's id, and a clause in words."""

    rule: str
    reason: str


class AllowDeny:
    """The lists of all rulebooks that count; each has to let a thing in."""

    def __init__(self, levels: Sequence[AllowDenyLists]) -> None:
        self._levels = tuple(map(_ListLevel, levels))

    def judged(self, one: Dependency, ask: Callable[[str | None], Judgement]) -> Judgement:
        """What `ask` says of a licence expression, made stricter by the lists.

        Of an `OR` the branches that are not refused are asked about, of an `AND` every part has to be let in. Where
        the licences themselves say no, that stays the reason: no entry in a list would change it.
        """
        said = one.license.expression
        found, whole = ask(said), read(said)
        asked = _BranchReview(self._levels, *sourced(one.purl or ""), one.usage)
        kept = asked.kept(whole)
        if kept == whole and not asked.refused:
            return _and(found, asked.lifted)
        reasons = list(dict.fromkeys(one.reason for one in asked.refused))
        if kept is None:
            if found.verdict is LicenseVerdict.INCOMPATIBLE:
                return _and(found, [f"besides, {reasons[0]}"])
            no = replace(
                found, verdict=LicenseVerdict.INCOMPATIBLE, rule=asked.refused[0].rule, basis=BASIS, branch=None
            )
            return replace(no, reason="; ".join(reasons[:_MAX_NAMED_BRANCHES]))
        again = ask(str(kept))
        again = replace(again, branch=again.branch or str(kept))
        return _and(
            again,
            [*reasons[:_MAX_NAMED_BRANCHES], *asked.lifted]
            if again.verdict.rank > found.verdict.rank
            else asked.lifted,
        )


def _and(found: Judgement, more: Sequence[str]) -> Judgement:
    return replace(found, reason="; ".join((found.reason, *more))) if more else found


class _ListLevel:
    """One rulebook's lists, indexed."""

    def __init__(self, lists: AllowDenyLists) -> None:
        self._allow = None if lists.allow is None else Index(lists.allow)
        self._deny, self._exceptions = Index(lists.deny, denies=True), Index(lists.exceptions)
        self._allowed_outside = frozenset(usage for one in lists.allow or () for usage in one.usage)

    def refusal(self, atom: Atom | None, package: str, version: str, usage: Usage) -> Denial | None:
        """Why it is not let in, exceptions left aside; None when it is."""
        name = None if atom is None else str(atom)
        for entry in self._deny.meant(name, package, version):
            counts = self._deny.usages(entry)
            unsure = usage is Usage.UNKNOWN and usage not in counts and not USAGES_LISTS_COVER.isdisjoint(counts)
            if usage in counts or unsure:
                return Denial(DENIED, _denied(entry, usage, unsure=unsure))
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
        return next((one for one in meant if usage in self._exceptions.usages(one)), None)


def _denied(entry: AllowDenyEntry, usage: Usage, *, unsure: bool) -> str:
    """Who says so, of what, and why; a licence that is denied for some usages only is not denied as such."""
    where = f" when used as {' or '.join(entry.usage) if unsure else usage}" if entry.usage else ""
    how = ", and it is not known how this one is used" if unsure else ""
    return f"the rulebook denies {entry}{where}{how}{': ' if entry.reason else ''}{entry.reason}"


class _BranchReview:
    """One dependency, asked about; `refused` and `lifted` gather why branches are closed, and what exceptions opened."""

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
            return all_of(left) if len(left) == len(found) else None
        return any_of(left) if left else None

    def _refusal(self, atom: Atom | None) -> Denial | None:
        """Of a name that several licences share, any of them may be meant: all have to be let in."""
        if atom is not None and atom.license in FAMILIES:
            for member in FAMILIES[atom.license]:
                one = self._refusal(replace(atom, license=member))
                if one is not None:
                    return Denial(one.rule, f"{atom} may be {member}, and {one.reason}")
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
