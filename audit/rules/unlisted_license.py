"""Pairs that OSADL's matrix does not hold: the review of texts, published answers, like licences, copyleft's reach."""

import re
from collections.abc import Callable
from typing import Final

from audit.facts import LicenseVerdict, Usage
from audit.licenses import license_review, strength
from audit.licenses.aliases import nearest
from audit.licenses.expression import Atom
from audit.licenses.license_review import Grade
from audit.licenses.osadl import Matrix, OsadlAnswer
from audit.licenses.strength import Strength
from audit.rules import closed_work, combined_work, copyleft_reach, published_answer
from audit.rules.ruling import Ruling, permissive

# Rules by an answer of the matrix (`pair_compatibility`).
ByAnswer = Callable[[Atom, Atom, Usage, Matrix, OsadlAnswer], Ruling]
# It stands for permissive licences that the matrix lacks: all permissive rows give copyleft the same answers.
_ANALOG: Final = "MIT"
_PARTS: Final = combined_work.USAGES_PART_OF_WORK | {Usage.SOURCE_MERGED, Usage.DATA_OR_DOC}
_FOR_DOCUMENTS: Final = re.compile(r"(CC-BY-SA|GFDL)-.+")  # Not for programs: what linking means is unclear.


def ruling(outbound: Atom, inbound: Atom, usage: Usage, data: Matrix, by_answer: ByAnswer) -> Ruling:
    """The first rule that fits; review where none does."""
    is_own = "LicenseRef-" in outbound.license or strength.is_closed(outbound.license)
    if not is_own and not strength.is_known(outbound.license):
        reason = f"the work's own licence: {why_unknown(outbound.license)}"
        return Ruling(LicenseVerdict.UNKNOWN_LICENSE, "outbound/unknown", "none", reason)
    if strength.is_permissive(inbound.license) and strength.is_permissive(outbound.license):
        said = f"{inbound} and {outbound} are both permissive; keep the notices"
        return permissive(inbound, "category/permissive", said)
    # What was read or published comes before what is concluded from a likeness or a category.
    return (
        closed_work.unlisted(outbound, inbound, usage)
        or published_answer.ruling(outbound, inbound, usage)
        or published_answer.into_apache(outbound, inbound, usage)
        or _same(outbound, inbound)
        or _like_another(outbound, inbound, usage, data, by_answer)
        or _permissive_into_copyleft(outbound, inbound, data)
        or _copyleft(outbound, inbound, usage)
        or _review(outbound, inbound, data)
    )


def why_unknown(license_id: str) -> str:
    """The words for an id of which nothing is known, with the id it may be a slip of; or for no licence at all."""
    if strength.is_closed(license_id):
        return f"{license_id} names no public licence: ask its owner what is allowed"
    meant = nearest(license_id)
    return f"{license_id} is not a known licence" + (f"; the nearest id is {meant}" if meant else "")


def _same(outbound: Atom, inbound: Atom) -> Ruling | None:
    """One free licence on both sides; licences that restrict use name a licensor or a change date, which may differ."""
    is_free = strength.is_free(inbound.license) and strength.scope(inbound.license) is not Strength.NONE
    if outbound.license != inbound.license or not is_free:
        return None
    reason = f"the work is under {outbound} as well; keep its notices, and provide its source"
    return Ruling(LicenseVerdict.OBLIGATIONS, "category/same", "category", reason)


def _like_another(outbound: Atom, inbound: Atom, usage: Usage, data: Matrix, by_answer: ByAnswer) -> Ruling | None:
    """One of the two asks for as much as another licence, which the matrix holds together with the other."""
    if strength.is_permissive(outbound.license):
        answer = data.answer(_ANALOG, inbound.license)
        if answer is None or outbound.license in data.names:  # The matrix has its own answers for it.
            return None
        found = by_answer(outbound, inbound, usage, data, answer)
        return found._replace(
            basis="category", reason=f"{found.reason} ({outbound} is permissive, so it is judged like {_ANALOG})"
        )
    read = license_review.of(inbound.license)
    answer = None if read is None or not read.like else data.answer(outbound.license, read.like)
    if read is None or answer is None:
        return None
    found = by_answer(outbound, Atom(read.like), usage, data, answer)
    is_fine = found.verdict is LicenseVerdict.COMPATIBLE
    why = (
        f"asks for no more than {read.like}"
        if is_fine
        else f"is judged like {read.like}, whose terms are much the same"
    )
    said = f"{inbound} {why}: {found.reason}"
    if is_fine and read.grade is Grade.CONDITION:
        return Ruling(LicenseVerdict.OBLIGATIONS, "category/condition", "review", f"{said}, and {read.condition}")
    return found._replace(
        basis="review", reason=f"{said}, and {read.condition}" if is_fine and read.condition else said
    )


def _permissive_into_copyleft(outbound: Atom, inbound: Atom, data: Matrix) -> Ruling | None:
    """Copyleft takes permissive parts in; other strong copyleft may forbid the same further restrictions as the GPL."""
    reach = strength.scope(outbound.license)
    if not strength.is_permissive(inbound.license) or reach is Strength.NONE or not strength.is_free(outbound.license):
        return None
    read = license_review.of(inbound.license)
    if reach is Strength.STRONG and outbound.license in data.names and read is not None:
        return None  # No licence of the matrix is like it: it is unclear what this copyleft makes of its conditions.
    adds = _adds_restrictions(inbound, data)
    said = f"{inbound} is permissive and may be included in work under {outbound}; keep its notices"
    if not adds:
        return permissive(inbound, "category/into-copyleft", said)
    if reach is Strength.STRONG and read is None:
        return None
    must = license_review.condition(inbound.license) or "meet its other conditions"
    return Ruling(LicenseVerdict.OBLIGATIONS, "category/condition", "review", f"{said}, and {must}")


def _adds_restrictions(inbound: Atom, data: Matrix) -> bool:
    """Whether version 3 of the GPL, which takes in most, does not take it in."""
    read = license_review.of(inbound.license)
    if read is not None and not read.like:
        return read.grade is Grade.CONDITION
    like = inbound.license if read is None else read.like
    return data.answer("GPL-3.0-only", like) not in (OsadlAnswer.YES, OsadlAnswer.SAME)


def _copyleft(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling | None:
    """The ruling by the strength of the inbound's copyleft; None where that does not decide."""
    reach = strength.scope(inbound.license, inbound.exception)
    is_classed = strength.category(inbound.license) is not None or license_review.of(inbound.license) is not None
    if not is_classed or reach is Strength.NONE or usage not in _PARTS or not strength.is_free(outbound.license):
        return None
    family = _FOR_DOCUMENTS.fullmatch(inbound.license)
    if family is not None:
        is_adapted = usage is Usage.SOURCE_MERGED and not outbound.license.startswith(family[1])
        return _refused(outbound, inbound, "what is adapted from it must be under it") if is_adapted else None
    if reach is Strength.UNCLEAR and not (
        usage is Usage.SOURCE_MERGED and strength.is_copyleft_of_parts(inbound.license)
    ):
        return None
    if reach is Strength.STRONG:
        read = license_review.of(inbound.license)
        why = "its copyleft requires the whole work to be under it" if read is None else f"it {read.condition}"
        return _refused(outbound, inbound, why)
    return None if strength.restricts_use(inbound.license) else _weak(outbound, inbound, usage)


def _weak(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling | None:
    """Copyleft of files or a library: not merged; None where the work's own copyleft takes it in."""
    # Merged source would no longer be in files of its own.
    if usage is Usage.SOURCE_MERGED and strength.scope(outbound.license) is Strength.NONE:
        return _refused(outbound, inbound, "files that contain parts of it must be under it")
    if usage is Usage.SOURCE_MERGED or combined_work.takes_in(outbound, usage):
        return None
    return copyleft_reach.ruling(outbound, inbound, usage, "category")


def _refused(outbound: Atom, inbound: Atom, why: str) -> Ruling:
    reason = f"{inbound} cannot be included in work under {outbound}: {why}"
    return Ruling(LicenseVerdict.INCOMPATIBLE, "category/copyleft", "category", reason)


def _review(outbound: Atom, inbound: Atom, data: Matrix) -> Ruling:
    read = license_review.of(inbound.license)
    if read is not None and read.grade is Grade.UNCLEAR:
        reason = f"{inbound} {read.condition}: ask its owner, or replace it"
        return Ruling(LicenseVerdict.REVIEW, "category/unclear", "review", reason)
    if strength.is_unread(inbound.license):
        reason = f"{inbound} is called permissive in AboutCode's list, but its conditions are not reviewed: read them"
        return Ruling(LicenseVerdict.REVIEW, "category/unclear", "category", reason)
    names = ((str(atom) if str(atom) in data.names else atom.license, str(atom)) for atom in (inbound, outbound))
    unknown = [said for name, said in names if name not in data.names]
    what = " and ".join(dict.fromkeys(unknown))
    reason = f"OSADL's matrix does not contain {what}, and no other rule decides this pair: read the two licences"
    return Ruling(LicenseVerdict.REVIEW, "category/review", "category", reason)
