"""The work's own sources whose SPDX tag names a licence that the work's does not: somebody else's file may be among them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from audit.facts import Finding, Place
from audit.licenses.expression import All, Atom, Expression, atoms
from audit.scan.decoding import shown
from audit.texts.spdx_tags import tags
from audit.usage import aside

CODE: Final = "license/source"


@dataclass(frozen=True, slots=True)
class TaggedSource:
    """A source, and what its first tag says."""

    path: str
    line: int
    expression: Expression


def tagged(path: str, content: str) -> TaggedSource | None:
    """The tag of a source; None without one, and for what lies in folders of tests, examples and documentation."""
    said = () if aside(path) else tags(content)
    return TaggedSource(path, said[0].line, said[0].expression) if said else None


def findings(found: Iterable[TaggedSource], own: Expression | None, is_ours: Callable[[str], bool]) -> list[Finding]:
    """A finding for each licence, at the first of its files; none where the work's own licence is not known.

    `is_ours` tells of a folder whether it belongs to no work by others, which has a verdict of its own.
    """
    if own is None:
        return []
    known = {_family(one) for one in atoms(own)}
    others: dict[str, list[TaggedSource]] = {}
    for one in found:
        if not _is_named(one.expression, known) and is_ours(one.path.rpartition("/")[0]):
            others.setdefault(str(one.expression), []).append(one)
    return [_finding(expression, listed, own) for expression, listed in sorted(others.items())]


def _finding(expression: str, listed: list[TaggedSource], own: Expression) -> Finding:
    first = min(listed, key=lambda one: one.path)
    many = f"{len(listed):,} source files say" if len(listed) > 1 else "a source file says"
    message = f"{many} {expression}, which the licence of the work, {own}, does not name: if it is somebody else's, list it in the rulebook"
    return Finding(CODE, Place(shown(first.path), first.line), message)


def _is_named(said: Expression, known: set[str]) -> bool:
    """Whether a file may be had under the work's licences: by one branch of an `OR`, by all parts of an `AND`."""
    if isinstance(said, Atom):
        return _family(said) in known
    return (all if isinstance(said, All) else any)(_is_named(part, known) for part in said.parts)


def _family(one: Atom) -> str:
    return one.license.removesuffix("-only").removesuffix("-or-later")
