"""Pairs on which OSADL's matrix has no answer, and on which the keeper of one of the two licences has published one: yes or no."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from audit.facts import LicenseVerdict, Usage
from audit.licenses import license_review, model_terms, strength
from audit.licenses.expression import Atom
from audit.licenses.model_terms import TermsKind
from audit.licenses.spdx import data_file
from audit.licenses.strength import Strength
from audit.rules import outbound_exception
from audit.rules.combined_work import USAGES_PART_OF_WORK, upgrade
from audit.rules.ruling import Ruling

FILE: Final = "published-answers.json"
_CC: Final = "https://wiki.creativecommons.org/wiki/ShareAlike_compatibility:_GPLv3"
_GPL: Final = ("GPL-", "LGPL-", "AGPL-")
_INCLUDED: Final = USAGES_PART_OF_WORK | {Usage.SOURCE_MERGED}

# Beside the FSF's list: MIT-0 is MIT without its only condition, so it goes into GPL, LGPL and AGPL of every version.
OTHER_YES: Final[Mapping[str, str]] = {"MIT-0": "https://opensource.org/license/mit-0"}
FONT_LICENSES: Final = ("OFL-1.0", "OFL-1.0-RFN", "OFL-1.0-no-RFN", "OFL-1.1", "OFL-1.1-RFN", "OFL-1.1-no-RFN")
_CREATIVE_COMMONS: Final = re.compile(r"CC-BY-(SA-)?[1-9][0-9.]*(?:-[A-Z]+)?")
_SHARE_ALIKE: Final = re.compile(r"CC-BY-SA-([1-4]\.[0-9])")
_ASK_FONTS: Final = "include its copyright line and its text, and do not sell the font by itself (openfontlicense.org, conditions 1 and 2)"
_ASK_BY: Final = "credit its authors, name its licence, and say what was changed (creativecommons.org/faq)"
_ASK_SA: Final = (
    "credit its authors, name its licence, and keep adaptations under it; code next to it keeps its own licence "
    "(creativecommons.org/faq)"
)
_COLLECTED: Final[Mapping[str, str]] = {  # By how ids begin. They leave the larger work alone in which they lie.
    "GFDL-": "include its text and notices, and keep its invariant parts (section 7, aggregation)",
    "LAL-1.3": "include its text, name its authors, say where the original is, and keep it to be had by itself (section 4)",
}
_DATA_KINDS: Final = (TermsKind.ATTRIBUTION, TermsKind.SHARE_ALIKE)

_CECILL: Final = "its article 5.3.4 lets code under it be distributed with GPL code under the terms of the GPL"
_LILIQ: Final = "its section 4.2 offers it under this licence to those who combine the two"
# By their own text, work that contains them may be distributed under these.
NAMED: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "CECILL-1.0": (("GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later"), _CECILL),
    "CECILL-1.1": (("GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later"), _CECILL),
    "CECILL-2.0": (("GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later"), _CECILL),
    "CECILL-2.1": (
        ("AGPL-3.0-only", "AGPL-3.0-or-later", "EUPL-1.1", "EUPL-1.2", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later"),
        "its article 5.3.4 lets code under it be distributed with code under the GNU GPL, the GNU Affero GPL or the EUPL under their terms",
    ),
    "CC-BY-SA-4.0": (("LAL-1.3",), "Creative Commons lists the two as compatible, both ways (creativecommons.org/compatiblelicenses)"),
    "CECILL-B": (("CECILL-2.0", "CECILL-2.1", "CECILL-C"), "its article 5.3.5 makes its credits optional under the CeCILL and the CeCILL-C"),
    "EUPL-1.0": (("CECILL-2.0", "CPL-1.0", "EPL-1.0", "GPL-2.0-only", "GPL-2.0-or-later", "OSL-2.1", "OSL-3.0"), "its appendix lists it"),
    "EUPL-1.1": (("CECILL-2.0", "OSL-2.1"), "its appendix lists it"),
    "EUPL-1.2": (("CECILL-2.0", "CECILL-2.1", "LiLiQ-R-1.1", "LiLiQ-Rplus-1.1", "OSL-2.1"), "its appendix lists it"),
    "LAL-1.3": (("CC-BY-SA-4.0",), "Creative Commons lists the two as compatible, both ways (creativecommons.org/compatiblelicenses)"),
    "LiLiQ-R-1.1": (
        ("CDDL-1.0", "CECILL-2.1", "CECILL-C", "CPL-1.0", "EPL-1.0", "EUPL-1.1", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later",
         "LGPL-2.1-only", "LGPL-2.1-or-later", "LGPL-3.0-only", "LGPL-3.0-or-later", "LiLiQ-Rplus-1.1", "MPL-2.0"), _LILIQ,
    ),
    "LiLiQ-Rplus-1.1": (("CECILL-2.1", "CPL-1.0", "EPL-1.0", "EUPL-1.1", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later"), _LILIQ),
}  # fmt: skip


@cache
def published() -> Mapping[str, Any]:
    """The answers of the FSF and the ASF, each with its address and date (audit/data/README.md)."""
    found: Mapping[str, Any] = data_file(FILE)
    return found


def beside(inbound: Atom, usage: Usage) -> Ruling | None:
    """Data, documents and fonts that stand beside the code: a collection, which these licences leave alone."""
    # A font may also be bundled with any software, or lie in its tree (OFL, condition 2).
    is_font = inbound.license in FONT_LICENSES
    if usage is not Usage.DATA_OR_DOC and not (is_font and usage in (Usage.BUNDLED, Usage.VENDORED)):
        return None
    said = f"{inbound} may be kept next to code under any licence"
    shared = _CREATIVE_COMMONS.fullmatch(inbound.license)
    if shared is None and not is_font:
        return _collected(inbound, said)
    if shared is not None and not shared[1]:
        return Ruling(LicenseVerdict.COMPATIBLE, "data/attribution", "published", f"{said}: {_ASK_BY}")
    reason = f"{said}: {_ASK_FONTS if shared is None else _ASK_SA}"
    return Ruling(LicenseVerdict.OBLIGATIONS, "data/beside", "published", reason)


def _collected(inbound: Atom, said: str) -> Ruling | None:
    """Data, documents and art under licences of their own."""
    terms = model_terms.terms(inbound.license)
    if terms is not None and terms.kind in _DATA_KINDS:
        reason = f"{said}; if you pass it on, {terms.duties} ({terms.source.removeprefix('https://')})"
        if terms.kind is TermsKind.ATTRIBUTION:
            return Ruling(LicenseVerdict.COMPATIBLE, "data/attribution", "published", reason)
        return Ruling(LicenseVerdict.OBLIGATIONS, "data/beside", "published", reason)
    ask = next((ask for begin, ask in _COLLECTED.items() if inbound.license.startswith(begin)), None)
    return None if ask is None else Ruling(LicenseVerdict.OBLIGATIONS, "data/beside", "published", f"{said}: {ask}")


def ruling(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling | None:
    """The published answer for a pair; None where no published one is known."""
    return _by_own_words(outbound, inbound) or _into_gnu(outbound, inbound, usage) or _share_alike(outbound, inbound)


def where_osadl_knows_none(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling | None:
    """The answer of the FSF or the ASF for a pair on which OSADL's is Unknown; None where they have published none."""
    return _into_gnu(outbound, inbound, usage) or into_apache(outbound, inbound, usage)


def _by_own_words(outbound: Atom, inbound: Atom) -> Ruling | None:
    named, why = NAMED.get(inbound.license, ((), ""))
    if outbound.license in named:
        reason = f"{inbound} may be included in work under {outbound}: {why}"
        return Ruling(LicenseVerdict.OBLIGATIONS, "published/obligations", "published", reason)
    # The other way round: the work's own text lets the whole be under the inbound's licence.
    named, why = NAMED.get(outbound.license, ((), ""))
    if inbound.license not in named or strength.scope(inbound.license, inbound.exception) is not Strength.STRONG:
        return None
    reason = f"{inbound} cannot be included in work under {outbound}, but {why}: release the whole work under {inbound}"
    return Ruling(LicenseVerdict.CONDITIONAL, "copyleft/upgrade", "published", reason)


def _into_gnu(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling | None:
    """The FSF's answer on a licence and its own."""
    if not outbound.license.startswith(_GPL):
        return None
    fsf = published()["fsf"]
    answer, anchor = fsf["gpl"].get(inbound.license, ("", ""))
    source = OTHER_YES.get(inbound.license) or f"{fsf['url']}#{anchor}"
    if answer in ("no", "nonfree"):
        return _fsf_no(outbound, inbound, usage, source, answer)
    version = "3" if "-3.0" in outbound.license else "2"
    reach = strength.scope(inbound.license, inbound.exception)
    # The list is about the GPL: by it, copyleft goes into that alone.
    if not answer or (reach is not Strength.NONE and not outbound.license.startswith("GPL-")):
        return None
    if version in answer.split():
        return _fsf_yes(outbound, inbound, source, reach)
    # Without "or later" the work may not move to version 3, which takes it in.
    if not outbound.license.endswith("-or-later"):
        return None
    return upgrade(outbound, inbound, f"{outbound.license.partition('-')[0]}-3.0-or-later", "published")


def _fsf_yes(outbound: Atom, inbound: Atom, source: str, reach: Strength) -> Ruling:
    said = f"{inbound} may be included in work under {outbound}, according to {source.removeprefix('https://')}; keep its notices"
    must = license_review.of(inbound.license)
    if must is not None and must.grade is license_review.Grade.CONDITION:
        return Ruling(LicenseVerdict.OBLIGATIONS, "published/obligations", "published", f"{said}, and {must.condition}")
    if reach is Strength.NONE:
        return Ruling(LicenseVerdict.COMPATIBLE, "published/compatible", "published", said)
    reason = f"{said}, and provide its source"
    return Ruling(LicenseVerdict.OBLIGATIONS, "published/obligations", "published", reason)


def _fsf_no(outbound: Atom, inbound: Atom, usage: Usage, source: str, answer: str) -> Ruling | None:
    if usage not in _INCLUDED or (outbound.license.startswith("LGPL-") and usage is not Usage.SOURCE_MERGED):
        return None
    lifted = outbound_exception.lifted(outbound, inbound, usage)
    if lifted is not None:
        return lifted
    kind = "is not a free licence" if answer == "nonfree" else "is incompatible with the GPL"
    reason = f"{inbound} cannot be included in work under {outbound}: it {kind}, according to {source.removeprefix('https://')}"
    return Ruling(LicenseVerdict.INCOMPATIBLE, "published/incompatible", "published", reason)


def into_apache(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling | None:
    """The answer of the Apache Software Foundation for its own works: its categories A, B and X."""
    if outbound.license != "Apache-2.0" or usage not in _INCLUDED:
        return None
    # Its policy is stricter than the licence: it counts only where the matrix does not answer.
    asf = published()["asf"]
    category = next((name for name, ids in asf["categories"].items() if inbound.license in ids), None)
    source = asf["url"].removeprefix("https://")
    if category == "X":
        reason = f"{inbound} may not be included in work under {outbound}, according to the Apache Software Foundation (category X, {source})"
        return Ruling(LicenseVerdict.INCOMPATIBLE, "published/incompatible", "published", reason)
    if category == "A":
        reason = f"{inbound} may be included in work under {outbound}, according to the Apache Software Foundation (category A, {source}); follow its terms"
        return Ruling(LicenseVerdict.OBLIGATIONS, "published/obligations", "published", reason)
    if category != "B" or usage is Usage.SOURCE_MERGED:
        return None  # Category B stays apart from the work's sources.
    reason = (
        f"{inbound} may be included with work under {outbound} if it is not changed and its licence is named prominently, "
        f"according to the Apache Software Foundation (category B, {source})"
    )
    return Ruling(LicenseVerdict.OBLIGATIONS, "published/obligations", "published", reason)


def _share_alike(outbound: Atom, inbound: Atom) -> Ruling | None:
    """Creative Commons' answer on CC-BY-SA-4.0 and GPL version 3, and on later versions of its own licence."""
    before, after = (_SHARE_ALIKE.fullmatch(atom.license) for atom in (inbound, outbound))
    # Version 1.0 does not allow later ones.
    if before and after and before[1] < after[1] and before[1] != "1.0":
        reason = f"{inbound} may be adapted in work under {outbound}, a later version of it; credit its authors"
        return Ruling(LicenseVerdict.OBLIGATIONS, "published/obligations", "published", reason)
    if inbound.license != "CC-BY-SA-4.0":
        return None
    if outbound.license == "GPL-3.0-only":
        reason = f"{inbound} may be included in work under {outbound}, according to {_CC.removeprefix('https://')}; credit its authors"
        return Ruling(LicenseVerdict.OBLIGATIONS, "published/obligations", "published", reason)
    # Creative Commons has found it compatible with version 3 alone.
    if outbound.license in ("GPL-1.0-or-later", "GPL-2.0-or-later", "GPL-3.0-or-later"):
        return upgrade(outbound, inbound, "GPL-3.0-only", "published")
    return None
