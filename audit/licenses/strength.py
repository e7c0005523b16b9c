"""The reach of a licence's duties, and whether it restricts mere use: our tables over OSADL's and AboutCode's."""

from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from typing import Final

from audit.licenses import aliases, license_review, model_terms, osadl, spdx
from audit.licenses.license_review import Grade


class Strength(IntEnum):
    """The reach of a licence's copyleft, from nothing to use over a network."""

    NONE = 0
    FILE = 1
    """Its own files: what stands beside them keeps its licence."""
    WEAK = 2
    """The library: what only links to it keeps its licence."""
    UNCLEAR = 3
    """OSADL calls it questionable, or its text has not been read for how far it goes: a person has to read it."""
    STRONG = 4
    """The whole work that is distributed."""
    NETWORK = 5
    """The whole work, also when people only use it over a network."""


# Read by us, one by one, for counsel to confirm: these tables come before OSADL's word and the category.
# OSADL calls EPL-1.0, CPL-1.0 and IPL-1.0 full copyleft; they let separate modules keep their licence (their
# definition of "Contribution").
FILE_LEVEL: Final = frozenset((
    "APSL-1.0", "APSL-1.1", "APSL-1.2", "Artistic-1.0-cl8", "Artistic-dist", "CATOSL-1.1", "CDDL-1.0", "CDDL-1.1", "ClArtistic", "CPL-1.0",
    "CUA-OPL-1.0", "EPL-1.0", "EPL-2.0", "ErlPL-1.1", "FreeImage", "gnuplot", "gSOAP-1.3b", "Imlib2", "Interbase-1.0", "IPA", "IPL-1.0",
    "LiLiQ-R-1.1", "LPL-1.0", "LPL-1.02", "LPPL-1.0", "LPPL-1.1", "LPPL-1.2", "LPPL-1.3a", "LPPL-1.3c", "MPL-1.0", "MPL-1.1", "MPL-2.0",
    "MPL-2.0-no-copyleft-exception", "MS-RL", "NASA-1.3", "Nokia", "NOSL", "NPL-1.0", "NPL-1.1", "OFL-1.0", "OFL-1.0-RFN", "OFL-1.0-no-RFN",
    "OFL-1.1", "OFL-1.1-RFN", "OFL-1.1-no-RFN", "OGTSL", "OLDAP-1.1", "OLDAP-1.2", "OLDAP-1.3", "OLDAP-1.4", "OPL-1.0", "OSET-PL-2.1", "RSCPL",
    "Ruby", "SISSL", "SNIA", "SPL-1.0", "SugarCRM-1.1.3", "TPL-1.0", "Ubuntu-font-1.0", "Vim",
))  # fmt: skip
# APSL-2.0, CPAL, OSL, RPL and RPSL call it deployment or distribution when others use the work over a network, EUPL
# counts access to its functions as communication, AGPL section 13 and SSPL section 13 ask for the source then.
NETWORK: Final = frozenset((
    "AGPL-1.0-only", "AGPL-1.0-or-later", "AGPL-3.0-only", "AGPL-3.0-or-later", "APSL-2.0", "CAL-1.0", "CAL-1.0-Combined-Work-Exception",
    "CPAL-1.0", "EUPL-1.0", "EUPL-1.1", "EUPL-1.2", "LicenseRef-scancode-mulanpubl-1.0", "LicenseRef-scancode-mulanpubl-2.0", "NPOSL-3.0", "OSL-1.0", "OSL-1.1", "OSL-2.0", "OSL-2.1", "OSL-3.0", "Parity-6.0.0",
    "Parity-7.0.0", "RPL-1.1", "RPL-1.5", "RPSL-1.0", "SSPL-1.0", "Watcom-1.0",
))  # fmt: skip
"""Licences whose duties also reach people who only use the work over a network."""
_OSADL: Final[Mapping[str, Strength]] = {
    "No": Strength.NONE,
    "Yes (restricted)": Strength.WEAK,
    "Questionable": Strength.UNCLEAR,
    "Yes": Strength.STRONG,
}
# AboutCode's "limited" may be a file's copyleft, a library's, or one of all that links with it (QPL): the text decides.
_BY_CATEGORY: Final[Mapping[str, Strength]] = {"Copyleft Limited": Strength.UNCLEAR, "Copyleft": Strength.STRONG}
_BY_GRADE: Final[Mapping[Grade, Strength]] = {
    Grade.COPYLEFT_FILE: Strength.FILE,
    Grade.COPYLEFT_STRONG: Strength.STRONG,
}
# By the text, where AboutCode's category says "limited": CeCILL, NetHack's licence, RPL and RPSL take in all of the
# work, CeCILL-C and the others are like the LGPL.
_SCOPES: Final[Mapping[str, Strength]] = {
    **dict.fromkeys(("CECILL-1.1", "CECILL-2.0", "CECILL-2.1", "NGPL", "RPL-1.1", "RPL-1.5", "RPSL-1.0"), Strength.STRONG),
    **dict.fromkeys(
        (
            "CAL-1.0-Combined-Work-Exception", "CDLA-Sharing-1.0", "CECILL-C", "CERN-OHL-W-2.0", "ESA-PL-weak-copyleft-2.4", "LGPLLR", "OCCT-PL",
        ),
        Strength.WEAK,
    ),
}  # fmt: skip
_PERMISSIVE: Final = frozenset({"Permissive", "Public Domain"})
_RESTRICTED: Final = frozenset(
    {"Source-available", "Proprietary Free", "Commercial", "Free Restricted", "Unstated License"}
)
# Our own categories: of licences that are newer than AboutCode's list, and where we read one differently.
_CATEGORIES: Final[Mapping[str, str]] = {
    "BSD-3-Clause-Tso": "Permissive",
    "BSD-Mark-Modifications": "Permissive",
    "BSD-2-Clause-pos-unchanged": "Permissive",
    "Buddy": "Permissive",
    "CC-BY-NC-3.0-IGO": "Source-available",
    "ESA-PL-permissive-2.4": "Permissive",
    "ESA-PL-strong-copyleft-2.4": "Copyleft",
    "ESA-PL-weak-copyleft-2.4": "Copyleft Limited",
    "FDK-MPEG-H": "Free Restricted",
    "Hippocratic-3.0-core": "Free Restricted",
    "JSON": "Free Restricted",  # "Shall be used for Good, not Evil" restricts use.
    "MIT-STK": "Permissive",
    "MPL-2.0-no-copyleft-exception": "Copyleft Limited",
    "OFL-1.0-RFN": "Copyleft Limited",
    "OpenMDW-1.0": "Permissive",
    "ParaType-Free-Font-1.3": "Free Restricted",
    "UnRAR": "Free Restricted",
    "WTFNMFPL": "Public Domain",
}


_CLOSED: Final = frozenset(  # For a work that others may not pass on; `UNLICENSED` is npm's word.
    {
        "all-rights-reserved", "commercial", "licenseref-all-rights-reserved", "licenseref-closed-source", "licenseref-commercial",
        "licenseref-proprietary", "licenseref-scancode-commercial-license", "licenseref-scancode-proprietary-license",
        "proprietary", "unlicensed",
    }
)  # fmt: skip


def is_closed(license_id: str) -> bool:
    """Whether a work's own licence is one of the words for "others may not pass this on"."""
    return license_id.casefold() in _CLOSED


@cache
def category(license_id: str) -> str | None:
    """AboutCode's category of a licence, or our own; None where neither has one."""
    found = _CATEGORIES.get(license_id) or spdx.lists().categories.get(license_id)
    # Terms of models that AboutCode does not list are not taken for a free licence.
    return found or ("Proprietary Free" if license_id in model_terms.ids() else None)


@cache
def of(license_id: str, exception: str | None = None) -> Strength:
    """The strength of a licence that is known, the network considered."""
    return Strength.NETWORK if license_id in NETWORK else scope(license_id, exception)


@cache
def scope(license_id: str, exception: str | None = None) -> Strength:
    """The part of a work handed on that its copyleft takes in: never NETWORK; STRONG where no source says it."""
    # A licence with its exception has a strength of its own where OSADL gives it one.
    if exception is not None and (said := osadl.copyleft().get(f"{license_id} WITH {exception}")) is not None:
        return _OSADL[said]
    # Our own reading counts before OSADL's word, and that before AboutCode's category.
    if license_id in FILE_LEVEL:
        return Strength.FILE
    read = license_review.of(license_id)
    if read is not None:
        return _BY_GRADE.get(read.grade, Strength.NONE)
    if (ours := _SCOPES.get(license_id)) is not None:
        return ours
    if (said := osadl.copyleft().get(license_id)) is not None:
        return _OSADL[said]
    found = category(license_id)
    return Strength.STRONG if found is None else _BY_CATEGORY.get(found, Strength.NONE)  # The strictest.


@cache
def is_copyleft_of_parts(license_id: str) -> bool:
    """Whether at least what is taken out of it stays under it, however far the rest of its copyleft goes."""
    reach = scope(license_id)
    return reach in (Strength.FILE, Strength.WEAK) or (
        reach is Strength.UNCLEAR and license_id not in osadl.copyleft() and category(license_id) == "Copyleft Limited"
    )


@cache
def is_permissive(license_id: str) -> bool:
    """Whether it asks for little more than keeping its notices, and is free for every use."""
    read = license_review.of(license_id)
    if read is not None:
        return read.grade in license_review.PERMISSIVE
    # A category alone is not enough: OSADL's lawyers say so of it, or a person has read its text for our review.
    return osadl.copyleft().get(license_id) == "No" and category(license_id) in _PERMISSIVE


@cache
def is_unread(license_id: str) -> bool:
    """Whether its category calls it permissive, and its text was not read."""
    is_called = category(license_id) in _PERMISSIVE and of(license_id) is Strength.NONE
    return is_called and license_review.of(license_id) is None and not is_permissive(license_id)


@cache
def restricts_use(license_id: str) -> bool:
    """Whether even using the thing needs a look: noncommercial, proprietary, unstated, or of no category at all."""
    read = license_review.of(license_id)
    if read is not None and read.grade in (Grade.USE, *license_review.PERMISSIVE):
        return read.grade is Grade.USE
    found = category(license_id)
    return found is None or found in _RESTRICTED  # Without any category, a person looks at it.


def is_free(license_id: str) -> bool:
    """Whether something is known of the licence, and it lets all people use the work for everything."""
    return is_known(license_id) and not restricts_use(license_id)


@cache
def is_known(license_id: str) -> bool:
    """Whether anything is known of the licence by this id: on SPDX's list, AboutCode's, or in OSADL's tables."""
    return license_id in aliases.known() or license_id in osadl.copyleft()
