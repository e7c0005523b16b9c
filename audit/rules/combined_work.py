"""Works whose licence covers all that is linked with them (GPL, AGPL): the meaning of OSADL's No, and the ways out of it.

How far the inbound reaches does not help then: the outbound takes the library in, and must be allowed to. docs/reference/into-gpl.csv
lists every refused cell with what comes out and why.
"""

from collections.abc import Mapping
from typing import Final

from audit.facts import LicenseVerdict, Usage
from audit.licenses import strength
from audit.licenses.exceptions import OF_ANOTHER_LIST
from audit.licenses.expression import Atom
from audit.licenses.osadl import Matrix, OsadlAnswer
from audit.licenses.strength import Strength
from audit.rules.ruling import Ruling

DYNAMIC: Final = frozenset({Usage.DYNAMIC_LINK, Usage.RUNTIME_IMPORT, Usage.HEADER_ONLY})
STATIC: Final = frozenset({Usage.STATIC_LINK, Usage.BUNDLED})
LINKED: Final = DYNAMIC | STATIC  # Two works become one when they run.
# A vendored copy is there to be built into the work. Data beside a program is an aggregate.
USAGES_PART_OF_WORK: Final = LINKED | {Usage.VENDORED, Usage.GENERATED_OUTPUT}

SEPARABLE: Final[Mapping[str, str]] = (  # Strong copyleft that ends at a link, with the reason. For counsel to confirm.
    dict.fromkeys(("EUPL-1.0", "EUPL-1.1", "EUPL-1.2"), "which, as the European Commission reads it, leaves out works that are only linked")
    | dict.fromkeys(
        ("OSL-1.0", "OSL-1.1", "OSL-2.0", "OSL-2.1", "OSL-3.0", "NPOSL-3.0"),
        "which, as its author reads it, leaves out works that are only linked",
    )
    | {"Sleepycat": "and works that use it, but not what it uses itself"}
)  # fmt: skip

_LATER_LGPL: Final = (
    "LGPL-3.0-or-later", "LGPL-3.0-only", "GPL-2.0-or-later", "GPL-3.0-or-later", "GPL-2.0-only", "GPL-3.0-only",
)  # fmt: skip
# Licences that the whole may have, the least change first. "Or later" allows each of its versions alone, too: the FSF
# gives GPL-2.0-only for a library of that in GPL-2.0-or-later work (gnu.org/licenses/gpl-faq.html#AllCompatibility).
# LGPL allows GPL by its section 3 (2.0, 2.1), or is GPL with further permissions (3.0).
_EFFECTIVE: Final[Mapping[str, tuple[str, ...]]] = {
    "AGPL-1.0-or-later": ("AGPL-3.0-or-later", "AGPL-3.0-only"),
    "AGPL-3.0-or-later": ("AGPL-3.0-only",),
    "EUPL-1.1": ("EUPL-1.2",),
    "GPL-1.0-or-later": ("GPL-2.0-or-later", "GPL-3.0-or-later", "GPL-1.0-only", "GPL-2.0-only", "GPL-3.0-only"),
    "GPL-2.0-or-later": ("GPL-3.0-or-later", "GPL-2.0-only", "GPL-3.0-only"),
    "GPL-3.0-or-later": ("GPL-3.0-only",),
    "LGPL-2.0-only": ("GPL-2.0-only", "GPL-3.0-only"),
    "LGPL-2.0-or-later": ("LGPL-2.0-only", "LGPL-2.1-only", *_LATER_LGPL),
    "LGPL-2.1-only": ("GPL-2.0-only", "GPL-3.0-only"),
    "LGPL-2.1-or-later": ("LGPL-2.1-only", *_LATER_LGPL),
    "LGPL-3.0-only": ("GPL-3.0-only",),
    "LGPL-3.0-or-later": ("LGPL-3.0-only", "GPL-3.0-or-later", "GPL-3.0-only"),
}
# A copy of the library may be taken under one of these instead: section 3, "or a newer version".
_CONVERTED: Final[Mapping[str, tuple[str, ...]]] = {
    "LGPL-2.0-only": ("GPL-2.0-only", "GPL-3.0-only"),
    "LGPL-2.0-or-later": ("GPL-3.0-or-later", "GPL-2.0-or-later"),
    "LGPL-2.1-only": ("GPL-2.0-only", "GPL-3.0-only"),
    "LGPL-2.1-or-later": ("GPL-3.0-or-later", "GPL-2.0-or-later"),
}

_ADVERTISING = "its advertising clause is a further restriction"
_CREDIT = "the credit that it requires is a further restriction"
_PATENTS = "its terms on patents and indemnity are further restrictions for versions before 3"
_LAW = "its choice of law and its own copyleft are further restrictions"
_CDDL = "its section 3.1 requires its source to stay under the CDDL"
_OWN = "it requires the whole work to be under it"
# After the FSF's list (gnu.org/licenses/license-list.html), OSADL's explanations, the licences; for counsel to confirm.
REASONS: Final[Mapping[str, str]] = {
    "AGPL-3.0-only": "its section 13 allows only GPL version 3",
    "AGPL-3.0-or-later": "its section 13 allows only GPL version 3",
    "Apache-1.0": "its advertising clause and its terms on names are further restrictions",
    "Apache-1.1": "its terms on names are a further restriction",
    "Apache-2.0": _PATENTS,
    "BSD-4-Clause": _ADVERTISING,
    "BSD-4-Clause-UC": _ADVERTISING,
    "BSD-4.3TAHOE": _ADVERTISING,
    "CDDL-1.0": _CDDL,
    "CDDL-1.1": _CDDL,
    "CPL-1.0": _LAW,
    "ECL-2.0": _PATENTS,
    "EPL-1.0": _LAW,
    "EPL-2.0": "it is compatible only if its notice names the GPL as a Secondary License, which is written EPL-2.0 OR GPL-2.0-or-later",
    "EUPL-1.1": "its appendix lists only GPL version 2",
    "EUPL-1.2": "its appendix lists only GPL versions 2 and 3, and AGPL version 3",
    "FTL": "OSADL counts the credit that it requires as a further restriction, and the FSF does not for version 3; FreeType itself is FTL OR GPL-2.0-or-later",
    "GPL-1.0-only": "it allows only version 1",
    "GPL-2.0-only": "it allows only version 2",
    "GPL-2.0-or-later": "it allows only version 2 or later",
    "GPL-3.0-only": "it allows only version 3",
    "GPL-3.0-or-later": "it allows only version 3 or later",
    "IJG": "OSADL counts the credit that it requires as a further restriction; the FSF disagrees",
    "IPL-1.0": "its choice of law is a further restriction",
    "LGPL-2.0-only": "its section 3 allows only GPL version 2 or later",
    "LGPL-2.0-or-later": "its section 3 allows only GPL version 2 or later",
    "LGPL-2.1-only": "its section 3 allows only GPL version 2 or later",
    "LGPL-2.1-or-later": "its section 3 allows only GPL version 2 or later",
    "LGPL-3.0-only": "it is GPL version 3 with additional permissions",
    "LGPL-3.0-or-later": "it is GPL version 3 with additional permissions",
    "LicenseRef-scancode-bsla-no-advert": _CREDIT,
    "Minpack": _CREDIT,
    "MPL-1.1": "it is compatible only if its notice says so by section 13, which is written MPL-1.1 OR GPL-2.0-or-later",
    "MPL-2.0": "its Secondary Licenses start with GPL version 2",
    "MPL-2.0-no-copyleft-exception": "its notice (Exhibit B) excludes the Secondary Licenses",
    "MS-RL": "its section 3(A) requires its files to stay under it",
    "OpenSSL": "its advertising clauses are further restrictions, and SSLeay's part forbids any other licence",
    "OSL-3.0": _OWN,
    "PHP-3.01": "its terms on the name PHP are a further restriction",
    "Python-2.0": "OSADL counts the summary of changes that it requires as a further restriction; the FSF disagrees for Python 2.0.1 and later",
    "Sleepycat": "OSADL finds no permission to distribute it under another copyleft licence; the FSF disagrees",
    "XFree86-1.1": "OSADL counts the credit that it requires as a further restriction for versions before 3; the FSF disagrees",
    "zlib-acknowledgement": _CREDIT,
}  # fmt: skip


def takes_in(outbound: Atom, usage: Usage) -> bool:
    """Whether a work under `outbound` takes in what has this usage, and so must be allowed to license it alike."""
    return usage in USAGES_PART_OF_WORK and strength.scope(outbound.license) is Strength.STRONG


def ruling(outbound: Atom, inbound: Atom, usage: Usage, data: Matrix) -> Ruling:
    """The meaning of OSADL's No for a part of such a work: No, unless there is another way to license it."""
    return (
        _separable(outbound, inbound)
        or _upgraded(outbound, inbound, usage, data)
        or conversion(outbound, inbound, usage, data)
        or _refused(outbound, inbound, usage)
    )


def _separable(outbound: Atom, inbound: Atom) -> Ruling | None:
    """The outbound's copyleft ends at a link, and the inbound's does, too."""
    why = SEPARABLE.get(outbound.license)
    if why is None or strength.scope(inbound.license, inbound.exception) not in (Strength.FILE, Strength.WEAK):
        return None
    reason = f"{outbound} covers works derived from it, {why}: keep {inbound} a separate work under its own licence, and provide its source"
    return Ruling(LicenseVerdict.CONDITIONAL, "copyleft/separable", "osadl", reason)


def effective(outbound: Atom, inbound: str, usage: Usage, data: Matrix) -> str | None:
    """The licence under which the whole may have `inbound` in it, where the written one may not; None without one."""
    choices = _EFFECTIVE.get(outbound.license, ())
    # An exception may be removed from the work (GPL-3.0, section 7).
    if outbound.exception is not None and str(outbound) in data.names:
        choices = (outbound.license, *choices)
    for later in choices:
        if data.answer(later, inbound) in (OsadlAnswer.YES, OsadlAnswer.SAME):
            return later
    # "Check dependency" is enough where the two are only linked.
    linked = (choice for choice in choices if usage in LINKED and data.answer(choice, inbound) is OsadlAnswer.CHECK)
    return next((choice for choice in linked if not needs_another(choice, inbound, data)), None)


def needs_another(outbound: str, inbound: str, data: Matrix) -> bool:
    """Whether OSADL's "Check dependency" means: first choose another licence for the work itself."""
    # So it is for "or later" whose first version alone is refused, and for LGPL, which would have to be taken as GPL.
    first = outbound.replace("-or-later", "-only")
    return outbound.startswith("LGPL-") or (first != outbound and data.answer(first, inbound) is OsadlAnswer.NO)


def _upgraded(outbound: Atom, inbound: Atom, usage: Usage, data: Matrix) -> Ruling | None:
    name = str(inbound) if str(inbound) in data.names else inbound.license  # The matrix knows few exceptions.
    whole = effective(outbound, name, usage, data)
    return None if whole is None else upgrade(outbound, inbound, whole)


def upgrade(outbound: Atom, inbound: Atom, whole: str, basis: str = "osadl") -> Ruling:
    """The ruling that the whole is then under another licence which the written one allows."""
    reason = f"{inbound} cannot be included in work under {outbound}, but it can under {whole}: release the whole work under {whole}"
    return Ruling(LicenseVerdict.CONDITIONAL, "copyleft/upgrade", basis, reason)


def converted(outbound: Atom, inbound: Atom, usage: Usage, data: Matrix) -> str | None:
    """The licence under which a copy of an LGPL library may be taken instead, so that it goes in; None: there is none."""
    good = {OsadlAnswer.YES, OsadlAnswer.SAME} | ({OsadlAnswer.CHECK} if usage in LINKED else set())
    return next(
        (
            license_id
            for license_id in _CONVERTED.get(inbound.license, ())
            if data.answer(outbound.license, license_id) in good
        ),
        None,
    )


def conversion(outbound: Atom, inbound: Atom, usage: Usage, data: Matrix) -> Ruling | None:
    """The ruling that a copy goes in once it is taken under another licence; None where there is none."""
    taken = converted(outbound, inbound, usage, data)
    if taken is None:
        return None
    reason = f"{inbound} cannot be included in work under {outbound}, but its section 3 allows you to take this copy under {taken}, which can: say so in its notices"
    return Ruling(LicenseVerdict.CONDITIONAL, "copyleft/conversion", "osadl", reason)


def _refused(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling:
    is_gnu = outbound.license.startswith(("GPL-", "AGPL-"))
    why = (is_gnu and REASONS.get(inbound.license)) or "OSADL finds no permission for this"
    reach = strength.scope(inbound.license, inbound.exception)
    # Strong copyleft is not what an exception for libraries is about.
    if outbound.exception is not None and reach is not Strength.STRONG:
        named = outbound.exception in OF_ANOTHER_LIST
        what = "lists what it may be linked with: check whether this is listed" if named else "does not allow this use"
        why = f"{why}; the work's own {outbound.exception} {what}"
    # GPL-2.0, section 3; GPL-3.0, section 1.
    if is_gnu and usage is Usage.DYNAMIC_LINK and reach is not Strength.STRONG:
        why = f"{why}; the GPL makes an exception only for operating system libraries that are not distributed with the work"
    if reach in (Strength.NONE, Strength.STRONG):
        reason = f"{inbound} cannot be included in work under {outbound}: {why}"
        return Ruling(LicenseVerdict.INCOMPATIBLE, "osadl/incompatible", "osadl", reason)
    reason = f"{outbound} covers everything linked with it, and {inbound} cannot be included in it: {why}"
    return Ruling(LicenseVerdict.INCOMPATIBLE, "copyleft/combined", "osadl", reason)
