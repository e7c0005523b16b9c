"""The work's own files and parts that name a licence which the work's does not: another author's file may be among them.

A file names it by an SPDX tag or a notice in its head (audit/scan/file_licenses.py), a part of the work by its manifest. What a file
says is compared with the nearest licence above it: that of its folder, else the work's own.

Data, documents and weights of models that a sidecar or an annotation of REUSE puts under another licence are uses of their own.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import commonpath
from typing import Final

from audit import display_text
from audit.ecosystems import purls
from audit.ecosystems.parsed_file import ParsedFile
from audit.facts import Dependency, Finding, Learned, Place, Source, Text, Usage
from audit.licenses import strength
from audit.licenses.aliases import FAMILIES
from audit.licenses.expression import NOTHING, And, Atom, Expression, atoms, is_unread, read
from audit.scan.decoding import shown
from audit.scan.file_licenses import SOURCE_FILE, FileLicense
from audit.scan.reuse import dep5
from audit.texts import spdx_tags
from audit.texts.identification import family
from audit.texts.work_license import Detect
from audit.usage import FOLDERS, usage_by_folder

SOURCE_LICENSE_CODE: Final = "license/source"
ATTRIBUTION_CODE: Final = "license/attribution"
NESTED_LICENSE_CODE: Final = "license/nested"
MAX_COMPARED_HEADERS: Final = 200  # Different texts of licences in heads that are compared word by word.
_DEDICATED: Final = "Public Domain"
_Key = tuple[str, Place, Usage]


@dataclass(frozen=True, slots=True)
class TaggedSource:
    """A file, or the manifest of a part (`path`), its `expression`, said at `place`, and the `code` of the finding."""

    path: str
    place: Place
    expression: Expression
    code: str = SOURCE_LICENSE_CODE


def stated(manifests: Mapping[str, ParsedFile], texts: Iterable[Text]) -> Iterator[TaggedSource]:
    """Manifests that state no permissive licence; not what lies aside, nor beside a licence text in a folder of its own.

    So do the copyright files of Debian among the texts.
    """
    texts = list(texts)
    for text in texts:
        for statement in dep5.of_package(text.path, text.text) if text.path.endswith(dep5.OF_PACKAGE) else ():
            if binds(statement.expression) and _is_listed(statement.expression):
                yield TaggedSource(text.path, statement.place, statement.expression, NESTED_LICENSE_CODE)
    # A text in a folder tells more than the manifest beside it.
    folders = {text.path.rpartition("/")[0] for text in texts}
    for path, manifest in manifests.items():
        said = manifest.license
        expression = None if usage_by_folder(path) or path.rpartition("/")[0] in folders else read(said.expression)
        if expression is not None and binds(expression):
            place = Place(shown(path), said.place.line if said.place else None)
            yield TaggedSource(path, place, expression, NESTED_LICENSE_CODE)


def sources(
    found: Iterable[FileLicense], own: Expression | None, detect: Detect, beyond: list[str]
) -> Iterator[TaggedSource]:
    """Files that speak of themselves, and code of which another file does: of data that is a use (`uses`).

    `beyond` takes the paths of files whose notices are not compared.
    """
    families = tuple(atom.license for atom in atoms(own))
    known: dict[str, Expression | None] = {}
    for file in found:
        expression = file.expression
        if expression is None and file.notice is not None:
            # A text that may be the work's own licence by its first words is not compared.
            if any(each.startswith(file.notice.families) for each in families):
                continue
            # Lines on copyright differ from file to file.
            lines = (
                line for line in file.notice.text.split("\n") if not re.search(r"copyright|\(c\)", line, re.IGNORECASE)
            )
            words = " ".join(" ".join(lines).split())
            if words not in known and len(known) >= MAX_COMPARED_HEADERS:
                beyond.append(file.path)
                continue
            if words not in known:
                known[words] = read(detect(file.notice.text, file.path))
            expression = known[words]
        # An unknown licence may ask for anything.
        is_bound = expression is not None and (binds(expression) or not _is_known(expression))
        if expression is not None and (file.own or SOURCE_FILE.fullmatch(file.path)):
            yield TaggedSource(file.path, file.place, expression, SOURCE_LICENSE_CODE if is_bound else ATTRIBUTION_CODE)


def uncompared(paths: Sequence[str]) -> list[Finding]:
    """The finding for files whose notices are not compared."""
    if not paths:
        return []
    what = display_text.count(len(paths), "file has a licence notice that was", "files have licence notices that were")
    said = f"{what} not compared: no more than {MAX_COMPARED_HEADERS} different ones are"
    return [Finding("license/remark", Place(shown(min(paths))), said, len(paths))]


def binds(said: Expression) -> bool:
    """Whether it is copyleft, restricts its use, or is private terms, by all branches of an `OR`."""
    if isinstance(said, Atom):
        is_own = said.license.startswith(("LicenseRef-", "DocumentRef-"))  # Private terms.
        members = FAMILIES.get(said.license, (said.license,))
        return is_own or any(strength.is_known(member) and not strength.is_permissive(member) for member in members)
    return (any if isinstance(said, And) else all)(binds(part) for part in said.parts)


def _is_known(said: Expression) -> bool:
    return all(atom.license in FAMILIES or spdx_tags.is_known(atom) for atom in atoms(said))


def _is_listed(said: Expression) -> bool:
    return not any(atom.license.startswith(("LicenseRef-", "DocumentRef-")) for atom in atoms(said))


def _is_dedicated(said: Expression) -> bool:
    """Whether nothing is asked for, not even a notice: the public domain, by one branch of an `OR`."""
    if isinstance(said, Atom):
        return strength.category(said.license) == _DEDICATED
    return (all if isinstance(said, And) else any)(_is_dedicated(part) for part in said.parts)


def findings(
    found: Iterable[TaggedSource],
    own: Expression | None,
    is_ours: Callable[[str], bool],
    folders: Mapping[str, Expression] | None = None,
) -> list[Finding]:
    """A finding for each licence, at the first of its files; none where the work's own licence is not known.

    `is_ours` tells of a file whether it belongs to no work by others, which has a verdict of its own; `folders` are parts of
    the work with a licence of their own.
    """
    if own is None:
        return []
    others: dict[tuple[str, str, str], list[TaggedSource]] = {}
    for source in found:
        above, nearest = _nearest(source, own, folders or {})
        if is_named(source.expression, nearest) or not is_ours(source.path):
            continue
        # The public domain asks for no attribution.
        if source.code != ATTRIBUTION_CODE or not _is_dedicated(source.expression):
            others.setdefault((str(source.expression), source.code, above), []).append(source)
    return [
        _finding(*said, listed, _nearest(listed[0], own, folders or {})[1]) for said, listed in sorted(others.items())
    ]


def _nearest(source: TaggedSource, own: Expression, folders: Mapping[str, Expression]) -> tuple[str, Expression]:
    # A part is compared with the work.
    folder = "" if source.code == NESTED_LICENSE_CODE else source.path.rpartition("/")[0]
    while folder and folder not in folders:
        folder = folder.rpartition("/")[0]
    return folder, folders.get(folder, own) if folder else own


def _finding(expression: str, code: str, folder: str, listed: list[TaggedSource], nearest: Expression) -> Finding:
    first = min(listed, key=lambda source: (source.path, source.place.line or 0))
    count = len({source.path for source in listed})
    kind = "manifest" if code == NESTED_LICENSE_CODE else "source file"
    many = f"{count:,} {kind}s say" if count > 1 else f"a {kind} says"
    if first.place.path != shown(first.path):
        many = f"{count:,} files are said to be under" if count > 1 else f"{shown(first.path)} is said to be under"
    whose = f"their folder {shown(folder)}" if folder else "the work"
    if is_unread(listed[0].expression):
        no_license = expression.strip("“”").casefold() in NOTHING
        cannot = "names no licence" if no_license else "cannot be read as a licence"
        return Finding(
            code, first.place, f"{many} {expression}, which {cannot}: if it is somebody else's, list it in the rulebook"
        )
    if not _is_known(listed[0].expression):
        expression += " (not a known licence)"
    message = f"{many} {expression}, which the licence of {whose}, {nearest}, does not name: "
    if code == ATTRIBUTION_CODE:
        return Finding(code, first.place, f"{message}if it is somebody else's, keep its notices with the work")
    return Finding(code, first.place, f"{message}if it is somebody else's, list it in the rulebook")


def is_named(said: Expression, own: Expression | None) -> bool:
    """Whether a file may be had under these licences: by one branch of an `OR`, by all parts of an `AND`."""
    return _is_named(said, {family(atom.license) for atom in atoms(own)})


def _is_named(said: Expression, known: set[str]) -> bool:
    if isinstance(said, Atom) and strength.is_closed(said.license) and any(map(strength.is_closed, known)):
        return True  # By any of the words for it.
    if isinstance(said, Atom):
        return family(said.license) in known or any(_may_be(said.license, known_family) for known_family in known)
    return (all if isinstance(said, And) else any)(_is_named(part, known) for part in said.parts)


def _may_be(said: str, own: str) -> bool:
    """Whether a GNU licence allows this other one: a later version, or the GPL instead of the LGPL (its section 3)."""
    kind, version, own_kind, own_version = (*_gnu(said), *_gnu(own))
    if kind == own_kind:
        return kind != "" and said.endswith("-or-later") and own_version >= version
    return (kind, own_kind) == ("LGPL", "GPL") and own_version >= ("2.0" if version < "3" else version)


def _gnu(name: str) -> tuple[str, str]:
    kind, _, rest = name.partition("-")
    return (kind, rest[:3]) if kind in {"GPL", "LGPL", "AGPL"} else ("", "")


def uses(
    found: Iterable[FileLicense],
    own: Expression | None,
    is_ours: Callable[[str], bool],
    texts: Sequence[Text],
    kinds: Mapping[str, Usage],
) -> list[Dependency]:
    """One use for each licence that the work's own does not name, and for each statement of it.

    Of weights any licence counts, wherever they lie: their terms are their own. Of all else one that binds counts; code is left to
    findings, and what only tests, examples and documentation have is left out. `texts` are those in `LICENSES`, `kinds` the usages
    of files of weights and of data by their paths.
    """
    others: dict[_Key, list[FileLicense]] = {}
    for file in found:
        said = file.expression
        if said is None or file.own or is_named(said, own):
            continue
        kind, aside = kinds.get(file.path, Usage.DATA_OR_DOC), usage_by_folder(file.path)
        is_weights = kind is Usage.MODEL_WEIGHTS
        # Code is left to findings; data of tests and examples is not delivered.
        if is_weights or (binds(said) and not aside and not SOURCE_FILE.fullmatch(file.path) and is_ours(file.path)):
            others.setdefault((str(said), file.place, aside or kind), []).append(file)
    ordered = sorted(others, key=lambda key: (key[1].path, key[1].line or 0, key[0], key[2]))
    return [_use(key, others[key], texts, kinds) for key in ordered]


def _use(key: _Key, listed: Sequence[FileLicense], texts: Sequence[Text], kinds: Mapping[str, Usage]) -> Dependency:
    expression, place, usage = key
    paths = [shown(file.path) for file in listed]
    name = paths[0] if len(paths) == 1 else commonpath(paths) or f"files under {expression}"
    wanted = {atom.license for atom in atoms(listed[0].expression) if not atom.license.startswith("LicenseRef-")}
    of_weights = " of weights" if kinds.get(listed[0].path) is Usage.MODEL_WEIGHTS else ""
    many = f"{len(paths):,} files{of_weights}" if len(paths) > 1 else f"a file{of_weights}"
    aside = f", in {FOLDERS[usage]}" if usage in FOLDERS else ""
    return Dependency(
        name=name,
        purl=purls.purl("generic", name.lower().replace(" ", "-")),
        usage=usage,
        why=f"{many} that {place.path} puts under this licence{aside}",
        license=Learned(expression, Source.METADATA, place),
        places=tuple(Place(path) for path in paths[:10]),  # A few are enough to find the files.
        direct=True,
        licenses=tuple(text for text in texts if text.path.rpartition("/")[2].removesuffix(".txt") in wanted),
    )
