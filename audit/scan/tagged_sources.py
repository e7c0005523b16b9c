"""The work's own sources and parts that name a licence which the work's does not: somebody else's file may be among them.

A source names it by an SPDX tag, or in the words of the GNU licences' notices.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from audit.ecosystems.parsed_file import ParsedFile
from audit.facts import Finding, Place, Text
from audit.licenses import strength
from audit.licenses.expression import And, Atom, Expression, atoms, read
from audit.scan.decoding import shown
from audit.texts.grants import of_prose
from audit.texts.identification import family
from audit.texts.source_header import legal_text
from audit.texts.spdx_tags import tags
from audit.usage import usage_by_folder

SOURCE_LICENSE_CODE: Final = "license/source"
NESTED_LICENSE_CODE: Final = "license/nested"
_NOTICE: Final = re.compile(r"General[\s*/#]{1,8}Public[\s*/#]{1,8}Licen[cs]e", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TaggedSource:
    """A source, and what its first tag, or its header, says; or the manifest of a part of the work, and what that states."""

    path: str
    line: int | None
    expression: Expression
    code: str = SOURCE_LICENSE_CODE


def tagged(path: str, content: str) -> TaggedSource | None:
    """The tag of a source, else its header; None without one, and for what lies in folders of tests, examples and documentation."""
    if usage_by_folder(path):
        return None
    said = tags(content)
    if said:
        return TaggedSource(path, said[0].line, said[0].expression)
    notice = _NOTICE.search(content)
    prose = of_prose(legal_text(content)) if notice else None
    return TaggedSource(path, content.count("\n", 0, notice.start()) + 1, prose) if notice and prose else None


def stated(manifests: Mapping[str, ParsedFile], texts: Iterable[Text]) -> Iterator[TaggedSource]:
    """Manifests that state no permissive licence; not what lies aside, nor beside a licence text in a folder of its own."""
    folders = {one.path.rpartition("/")[0] for one in texts}
    for path, manifest in manifests.items():
        said = manifest.license
        expression = None if usage_by_folder(path) or path.rpartition("/")[0] in folders else read(said.expression)
        if expression is not None and _binds(expression):
            yield TaggedSource(path, said.place.line if said.place else None, expression, NESTED_LICENSE_CODE)


def _binds(said: Expression) -> bool:
    """Whether it is copyleft, or restricts its use, by all branches of an `OR`."""
    if isinstance(said, Atom):
        return strength.is_known(said.license) and not strength.is_permissive(said.license)
    return (any if isinstance(said, And) else all)(_binds(part) for part in said.parts)


def findings(found: Iterable[TaggedSource], own: Expression | None, is_ours: Callable[[str], bool]) -> list[Finding]:
    """A finding for each licence, at the first of its files; none where the work's own licence is not known.

    `is_ours` tells of a folder whether it belongs to no work by others, which has a verdict of its own.
    """
    if own is None:
        return []
    known = {family(one.license) for one in atoms(own)}
    others: dict[tuple[str, str], list[TaggedSource]] = {}
    for one in found:
        if not _is_named(one.expression, known) and is_ours(one.path.rpartition("/")[0]):
            others.setdefault((str(one.expression), one.code), []).append(one)
    return [_finding(*said, listed, own) for said, listed in sorted(others.items())]


def _finding(expression: str, code: str, listed: list[TaggedSource], own: Expression) -> Finding:
    first = min(listed, key=lambda one: one.path)
    kind = "source file" if code == SOURCE_LICENSE_CODE else "manifest"
    many = f"{len(listed):,} {kind}s say" if len(listed) > 1 else f"a {kind} says"
    message = f"{many} {expression}, which the licence of the work, {own}, does not name: if it is somebody else's, list it in the rulebook"
    return Finding(code, Place(shown(first.path), first.line), message)


def _is_named(said: Expression, known: set[str]) -> bool:
    """Whether a file may be had under the work's licences: by one branch of an `OR`, by all parts of an `AND`."""
    if isinstance(said, Atom):
        return family(said.license) in known or any(_may_be(said.license, one) for one in known)
    return (all if isinstance(said, And) else any)(_is_named(part, known) for part in said.parts)


def _may_be(said: str, own: str) -> bool:
    """Whether what is under a GNU licence may be had under this other one: a later version, or the GPL instead of the LGPL (its section 3)."""
    kind, version, own_kind, own_version = (*_gnu(said), *_gnu(own))
    if kind == own_kind:
        return kind != "" and said.endswith("-or-later") and own_version >= version
    return (kind, own_kind) == ("LGPL", "GPL") and own_version >= ("2.0" if version < "3" else version)


def _gnu(name: str) -> tuple[str, str]:
    kind, _, rest = name.partition("-")
    return (kind, rest[:3]) if kind in {"GPL", "LGPL", "AGPL"} else ("", "")
