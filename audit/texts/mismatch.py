"""Declared licences beside the texts that come with them: "declares X, ships the text of Y" is a finding."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from audit import display_text
from audit.facts import Finding, Learned, Place, Repository, Text
from audit.licenses.expression import Atom, atoms, read
from audit.licenses.spdx import lists
from audit.licenses.strength import is_closed
from audit.texts.identification import DetectedText, family

Detector = Callable[[str, str], DetectedText]
# Names that metadata say without a version; any version of theirs is no contradiction.
_FAMILIES = ("BSD", "GPL", "LGPL", "AGPL", "Apache", "MPL", "CC-BY", "EPL", "AFL", "Artistic")
_MAX_REMARK_CHARACTERS = 400


def mismatches(declared: Learned, texts: Iterable[Text], detector: Detector) -> tuple[Finding, ...]:
    """The findings of one package or repository: `license/mismatch`, or `license/altered`, or none."""
    wanted = atoms(read(declared.expression))
    if not wanted:
        return ()
    said = "" if declared.place is None else f"declared in {declared.place}"
    altered: list[Finding] = []
    others: list[Finding] = []
    for text in texts:
        found = detector(text.text, text.path)
        shipped = atoms(read(found.spdx))
        # One branch of an `OR` is enough, and texts of others that are part of the package may lie beside it.
        if any(_fits(atom, other) for atom in wanted for other in shipped):
            return ()
        if shipped:
            message = f"declares {declared.expression}, ships the text of {found.spdx}"
            line = found.found[0].start_line if found.found else None
            others.append(Finding("license/mismatch", Place(text.path, line, said), message))
        elif found.method == "altered" and any(_fits(atom, Atom(found.nearest or "")) for atom in wanted):
            message = f"declares {declared.expression}, ships an altered text of {found.nearest}"
            altered.append(Finding("license/altered", Place(text.path, None, said), message))
    return tuple(altered or others)  # The altered text is the one that is declared.


def remarks(texts: Iterable[Text], detector: Detector) -> Iterator[Finding]:
    """The sentences of a work's own texts beside the licence, as `license/remark`: a person should read them."""
    for text in texts:
        for remark in detector(text.text, text.path).remarks:
            message = f"says beside the licence: {display_text.line(remark.text, _MAX_REMARK_CHARACTERS)}"
            yield Finding("license/remark", Place(text.path, remark.start_line), message)


def contradicted(found: Repository, detector: Detector) -> Repository:
    """The repository with a finding for each licence that its texts contradict, and for what its own texts say more."""
    findings = [*mismatches(found.license, found.licenses, detector), *remarks(found.licenses, detector)]
    for dependency in found.dependencies:
        findings += mismatches(dependency.license, dependency.licenses, detector)
    return replace(found, findings=tuple(dict.fromkeys((*found.findings, *findings)))) if findings else found


def _fits(declared: Atom, shipped: Atom) -> bool:
    # `-only` and `-or-later` have one text, and the LGPL comes with that of the GPL.
    declared_family, shipped_family = family(declared.license), family(shipped.license)
    is_of_family = declared_family in _FAMILIES and shipped_family.startswith(f"{declared_family}-")
    # What ships may be what a name means that is not on SPDX's list.
    is_own = declared.license not in _FAMILIES and declared.license not in lists().licenses
    is_own = is_own and not is_closed(declared.license)  # A closed work's terms are no public licence.
    return declared_family in {shipped_family, f"L{shipped_family}"} or is_of_family or is_own
