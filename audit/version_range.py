"""The newest published version that fits a range, by each ecosystem's own notation; none where that is not understood.

PyPI's by packaging (PEP 440) with Poetry's carets and tildes, npm's and Cargo's by semantic-version, the intervals of
Maven and NuGet, Gradle's plus, RubyGems' `~>` and Composer's here: those are about numbers alone.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import Final, TypeVar

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from semantic_version import NpmSpec  # type: ignore[import-untyped]  # it has no types
from semantic_version import Version as Semantic

MAX_RANGE_CHARACTERS: Final = 200
"""Characters of a range; those of a version have half of it."""
_MAX_VERSIONS: Final = 20_000  # Versions that are looked through; a registry may list any number.
_Key = TypeVar("_Key")
_Numbers = tuple[int, ...]
_Test = Callable[[_Numbers], bool]
_EITHER: Final = re.compile(r"\|\|?")  # Composer takes one stroke and two for the same.
_HYPHEN: Final = re.compile(r"(\S{1,60})\s{1,8}-\s{1,8}(\S{1,60})")  # Bounded: strangers write the range.
_SIGN: Final = re.compile(r"(<=|>=|!=|<>|==|[<>=^~])\s{1,8}")  # Blanks behind a sign do not separate constraints.
_OPERATOR: Final = re.compile(r"(<=|>=|!=|==|[<>=^~])[ \t]+")
# Releases are also called `5.6.15.Final` (Hibernate), `2.0.1.RELEASE` (Spring) and `32.1.2-jre` (Guava).
_FINAL: Final = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){0,9})(?:[.-](?:final|release|ga|jre))?", re.IGNORECASE)
_SIGNS: Final = {">=": ge, "<=": le, ">": gt, "<": lt, "!=": ne, "=": eq, "": eq}
_INTERVAL: Final = re.compile(r"([\[(])([^\[\]()]*)([\])])")


def newest(kind: str, wanted: str, versions: Iterable[str]) -> str | None:
    """The newest of these versions that fits; `kind` is the type of the package URL (`pypi`).

    None where none fits, where the range cannot be read, and for kinds that have no ranges. What comes before a release
    (`2.0.0-rc.1`) fits only where the range asks for it; on PyPI also where nothing else is there.

    >>> newest("npm", "^1.2", ["1.1.0", "1.9.0", "2.0.0"])
    '1.9.0'
    """
    way = _WAYS.get(kind)
    if way is None or not wanted or len(wanted) > MAX_RANGE_CHARACTERS:
        return None
    listed = [
        version
        for version, _ in zip(versions, range(_MAX_VERSIONS), strict=False)
        if len(version) <= MAX_RANGE_CHARACTERS // 2
    ]
    return way(wanted.strip(), listed)


def _python(wanted: str, versions: list[str]) -> str | None:
    """PEP 440, with Poetry's `^1.2`, `~1.2`, `1.2` and `*`, and `||` between alternatives."""
    # A generator: what is no version raises where it is caught.
    alternatives = ([_specifier(clause.strip()) for clause in part.split(",")] for part in wanted.split("||"))
    try:
        specs = [SpecifierSet(",".join(filter(None, some))) for some in alternatives]
    except (InvalidSpecifier, InvalidVersion):
        return None
    known = _sorted(versions, pep440)
    # PEP 440 takes a pre-release where no final release fits.
    for before_releases in (False, True):
        for version, written in known:
            fits = any(spec.contains(version, prereleases=True) for spec in specs)
            asked_for = any(spec.prereleases for spec in specs)
            if fits and (before_releases or asked_for or not version.is_prerelease):
                return written
    return None


def _specifier(clause: str) -> str:
    if clause in ("", "*", "latest"):
        return ""
    if clause[0] == "^" or (clause[0] == "~" and clause[1:2] != "="):
        low = Version(clause[1:].strip())
        release = [*low.release, 0, 0][:3]
        last = len(low.release) - 1
        # Poetry's `^` keeps all up to the first number that is not zero, its `~` the first two numbers.
        at = min(1, last) if clause[0] == "~" else next((at for at in range(last + 1) if release[at]), last)
        high = [*release[:at], release[at] + 1]
        return f">={low},<{'.'.join(map(str, high))}"
    return f"=={clause}" if clause[0].isdigit() else clause  # Poetry's bare `1.2` is that version.


@lru_cache(maxsize=_MAX_VERSIONS)
def pep440(written: str) -> Version | None:
    """The version; None for what is none."""
    try:
        return Version(written)
    except InvalidVersion:
        return None


def _npm(wanted: str, versions: list[str]) -> str | None:
    return _semantic("*" if wanted in ("latest", "x") else _OPERATOR.sub(r"\1", wanted), versions)


def _cargo(wanted: str, versions: list[str]) -> str | None:
    parts = [_OPERATOR.sub(r"\1", part.strip()) for part in wanted.split(",") if part.strip()]
    # Cargo reads a version without a sign as one with a caret, and all parts between commas have to hold.
    return _semantic(
        " ".join(f"^{part}" if part[0].isdigit() and "*" not in part else part for part in parts), versions
    )


def _semantic(wanted: str, versions: list[str]) -> str | None:
    try:
        spec = NpmSpec(wanted)
    except ValueError:
        return None
    return next((written for version, written in _sorted(versions, _semver) if spec.match(version)), None)


@lru_cache(maxsize=_MAX_VERSIONS)
def _semver(written: str) -> Semantic | None:
    try:
        return Semantic(written)
    except ValueError:
        return None


def _archive(wanted: str, versions: list[str]) -> str | None:
    """Maven's, Gradle's and NuGet's: `[1.0,2.0)`, several of them, `1.+`, `1.*`, `latest.release`."""
    if wanted in ("+", "*", "latest.release", "latest.integration", "RELEASE", "LATEST"):
        return _first(versions, lambda _one: True)
    if wanted.endswith((".+", ".*")):
        return _first(versions, _begins(wanted[:-2]))
    spans = (_span(*found.groups()) for found in _INTERVAL.finditer(wanted))
    # Words beside the intervals may narrow them: then the range is not understood.
    return None if _INTERVAL.sub("", wanted).strip(" ,") else _first(versions, _joined(spans, any))


def _joined(tests: Iterable[_Test | None], join: Callable[[Iterable[bool]], bool]) -> _Test | None:
    """All or any of these tests as one; None where there is none, or one of them could not be read."""
    some = list(tests)
    known = [test for test in some if test is not None]
    return (lambda numbers: join(test(numbers) for test in known)) if some and len(known) == len(some) else None


def _span(opens: str, words: str, closes: str) -> _Test | None:
    low, comma, high = (part.strip() for part in words.partition(","))
    bottom, top = (_numbers(part) if part else None for part in (low, high if comma else low))  # `[1.0]`: one version.
    if (low and bottom is None) or (high and top is None) or (not comma and not low):
        return None
    first, last = (None if bound is None else _bare(bound) for bound in (bottom, top))
    return lambda numbers: (
        (first is None or numbers > first or (opens == "[" and numbers == first))
        and (last is None or numbers < last or (closes == "]" and numbers == last))
    )


def _gem(wanted: str, versions: list[str]) -> str | None:
    """RubyGems': `~> 1.4`, `>= 1.0, < 3`; `~>` lets the last number that is given grow."""
    return _first(versions, _joined((_requirement(part.strip()) for part in wanted.split(",")), all))


def _requirement(requirement: str) -> _Test | None:
    sign = requirement[: len(requirement) - len(requirement.lstrip("~<>=!"))]
    numbers = _numbers(requirement[len(sign) :].strip())
    if numbers is None:
        return None
    # `~>` lets the last number that is given grow: `~> 1.4.2` ends before 1.5.
    low, high = _bare(numbers), _bare((*numbers[:-2], numbers[-2] + 1) if len(numbers) > 1 else (numbers[0] + 1,))
    if sign == "~>":
        return lambda it: low <= it < high
    compare = _SIGNS.get(sign)
    return None if compare is None else lambda it: compare(it, low)


def _composer(wanted: str, versions: list[str]) -> str | None:
    """Composer's (getcomposer.org/doc/articles/versions.md): `^1.2 || ~2.1`, `1.0 - 2.0`, `1.2.*`, `>=1.0 <3`."""
    return _first(versions, _joined((_constraints(part.strip()) for part in _EITHER.split(wanted)), any))


def _constraints(words: str) -> _Test | None:
    span = _HYPHEN.fullmatch(words)
    if span:
        top = _numbers(span[2])
        # Composer: `1.0 - 2.0` includes 2.0.5, `1.0 - 2.0.0` does not.
        end = f"<={span[2]}" if top is None or len(top) > 2 else f"<{'.'.join(map(str, (*top[:-1], top[-1] + 1)))}"
        words = f">={span[1]} {end}"
    return _joined((_constraint(part) for part in re.split(r"[\s,]+", _SIGN.sub(r"\1", words)) if part), all)


def _constraint(constraint: str) -> _Test | None:
    constraint = constraint.partition("@")[0] or "*"  # A stability flag (`@dev`) names no version.
    if constraint in {"*", "x"}:
        return lambda _it: True
    if constraint.endswith((".*", ".x")):
        return _begins(constraint[:-2])
    if constraint[0] == "~":
        return _requirement(f"~>{constraint[1:]}")
    if constraint[0] != "^":
        return _requirement(constraint.replace("==", "=").replace("<>", "!="))
    numbers = _numbers(constraint[1:])
    if numbers is None:
        return None
    at = next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)
    low, high = _bare(numbers), _bare((*numbers[:at], numbers[at] + 1))
    return lambda it: low <= it < high


def _begins(written: str) -> _Test | None:
    front = _numbers(written)
    # Numbers come without zeros at the end.
    return None if front is None else lambda it: (*it, *[0] * 9)[: len(front)] == front


def _numbers(written: str) -> _Numbers | None:
    """The numbers of a release; None for what comes before one, and what has no numbers."""
    found = _FINAL.fullmatch(written)
    return tuple(map(int, found[1].split("."))) if found else None


def _bare(numbers: _Numbers) -> _Numbers:
    while numbers and not numbers[-1]:  # 1.0 is 1.
        numbers = numbers[:-1]
    return numbers


def _first(versions: list[str], fits: _Test | None) -> str | None:
    """The newest release whose numbers fit; None where nothing says which do."""
    if fits is None:
        return None
    known = _sorted(versions, lambda version: None if (found := _numbers(version)) is None else _bare(found))
    return next((written for numbers, written in known if fits(numbers)), None)


def _sorted(versions: list[str], key: Callable[[str], _Key | None]) -> list[tuple[_Key, str]]:
    known = [(found, version) for version in versions if (found := key(version)) is not None]
    return sorted(known, key=lambda each: each[0], reverse=True)  # type: ignore[arg-type, return-value]  # keys of one kind


_WAYS: Final[Mapping[str, Callable[[str, list[str]], str | None]]] = {
    "pypi": _python, "npm": _npm, "cargo": _cargo, "maven": _archive, "nuget": _archive, "gem": _gem, "composer": _composer,
}  # fmt: skip
