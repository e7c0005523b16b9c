"""Pairs that OSADL's matrix does not hold, and on which whoever keeps one of the two licences has published an answer."""

import re
from collections.abc import Mapping
from typing import Final

from audit.facts import LicenseVerdict, Usage
from audit.licenses.expression import Atom
from audit.licenses.osadl import Matrix, OsadlAnswer
from audit.rules.ruling import Ruling

_FSF: Final = "https://www.gnu.org/licenses/license-list.html"
_CC: Final = "https://wiki.creativecommons.org/wiki/ShareAlike_compatibility:_GPLv3"
_GPL: Final = ("GPL-", "LGPL-", "AGPL-")

INTO_GNU: Final[Mapping[str, str]] = {
    "BSD-3-Clause-Clear": f"{_FSF}#clearbsd",
    "CC-BY-4.0": f"{_FSF}#ccby",
    "CC-PDDC": f"{_FSF}#PublicDomain",
    "CC0-1.0": f"{_FSF}#CC0",
    "LicenseRef-scancode-public-domain": f"{_FSF}#PublicDomain",
    "MIT-0": "https://opensource.org/license/mit-0",
    "PSF-2.0": f"{_FSF}#Python",
    "Python-2.0.1": f"{_FSF}#Python",
    "Unicode-3.0": f"{_FSF}#Unicode",
}
"""Permissive licences that go into GPL, LGPL and AGPL of every version, and who says so.

MIT-0 is MIT without its only condition, and Unicode-3.0 the terms of Unicode-DFS in other words. OSADL's data count first
where they hold a licence: newer ones refuse PSF-2.0, whose summary of changes they take for a further restriction.
"""
NO_MORE_THAN: Final[Mapping[str, str]] = {
    "BSD-3-Clause-Clear": "BSD-3-Clause",
    "CC-PDDC": "MIT",
    "CC0-1.0": "MIT",
    "LicenseRef-scancode-public-domain": "MIT",
    "MIT-0": "MIT",
    "PSF-2.0": "Python-2.0",
    "Python-2.0.1": "Python-2.0",
    "Unicode-3.0": "Unicode-DFS-2016",
}
"""Licences that ask for no more than another one, which the matrix holds: where that goes, they go. For counsel to confirm."""
FONT_LICENSES: Final = ("OFL-1.0", "OFL-1.0-RFN", "OFL-1.0-no-RFN", "OFL-1.1", "OFL-1.1-RFN", "OFL-1.1-no-RFN")
_CREATIVE_COMMONS: Final = re.compile(r"CC-BY-(SA-)?[1-9][0-9.]*(?:-[A-Z]+)?")
_ASK_FONTS: Final = "include its copyright line and its text, and do not sell the font by itself (openfontlicense.org, conditions 1 and 2)"
_ASK_BY: Final = "credit its authors, name its licence, and say what was changed (creativecommons.org/faq)"
_ASK_SA: Final = (
    "credit its authors, name its licence, and keep adaptations under it; code next to it keeps its own licence "
    "(creativecommons.org/faq)"
)


def beside(inbound: Atom, usage: Usage) -> Ruling | None:
    """Data, documents and fonts that stand beside the code: a collection, which these licences leave alone."""
    if usage is not Usage.DATA_OR_DOC:
        return None
    shared = _CREATIVE_COMMONS.fullmatch(inbound.license)
    if shared is None and inbound.license not in FONT_LICENSES:
        return None
    said = f"{inbound} may be kept next to code under any licence"
    if shared is not None and not shared[1]:
        return Ruling(LicenseVerdict.COMPATIBLE, "data/attribution", "published", f"{said}: {_ASK_BY}")
    reason = f"{said}: {_ASK_FONTS if shared is None else _ASK_SA}"
    return Ruling(LicenseVerdict.OBLIGATIONS, "data/beside", "published", reason)


def ruling(outbound: Atom, inbound: Atom, data: Matrix) -> Ruling | None:
    """The published answer for a pair; None where nobody whom we know of has published one."""
    source = INTO_GNU.get(inbound.license)
    if source is not None and outbound.license.startswith(_GPL):
        reason = f"{inbound} may be included in work under {outbound}, according to {source.removeprefix('https://')}; keep its notices"
        return Ruling(LicenseVerdict.COMPATIBLE, "published/compatible", "published", reason)
    like = NO_MORE_THAN.get(inbound.license)
    if like is not None and data.answer(outbound.license, like) in (OsadlAnswer.YES, OsadlAnswer.SAME):
        reason = (
            f"{inbound} asks for no more than {like}, which may be included in work under {outbound}; keep its notices"
        )
        return Ruling(LicenseVerdict.COMPATIBLE, "published/compatible", "published", reason)
    return _share_alike(outbound, inbound)


def _share_alike(outbound: Atom, inbound: Atom) -> Ruling | None:
    """What Creative Commons says of CC-BY-SA-4.0 and GPL version 3."""
    if inbound.license != "CC-BY-SA-4.0":
        return None
    if outbound.license == "GPL-3.0-only":
        reason = f"{inbound} may be included in work under {outbound}, according to {_CC.removeprefix('https://')}; credit its authors"
        return Ruling(LicenseVerdict.OBLIGATIONS, "published/obligations", "published", reason)
    if outbound.license in ("GPL-1.0-or-later", "GPL-2.0-or-later", "GPL-3.0-or-later"):
        reason = f"{inbound} cannot be included in work under {outbound}, but it can under GPL-3.0-only: release the whole work under GPL-3.0-only"
        return Ruling(LicenseVerdict.CONDITIONAL, "copyleft/upgrade", "published", reason)
    return None
