"""The reach of the inbound's copyleft into works that are not combined with everything they use."""

from collections.abc import Mapping
from typing import Final

from audit.facts import LicenseVerdict, Usage
from audit.licenses import strength
from audit.licenses.expression import Atom
from audit.licenses.strength import Strength
from audit.rules.combined_work import DYNAMIC, STATIC
from audit.rules.ruling import Ruling

APART: Final = frozenset({Usage.VENDORED, Usage.DATA_OR_DOC})  # In files of its own.
INCLUDED: Final[Mapping[Usage, str]] = {  # Completes "it cannot be …".
    Usage.SOURCE_MERGED: "merged into",
    Usage.VENDORED: "copied into",
    Usage.STATIC_LINK: "statically linked into",
    Usage.BUNDLED: "bundled with",
    Usage.DYNAMIC_LINK: "dynamically linked with",
    Usage.RUNTIME_IMPORT: "imported by",
    Usage.HEADER_ONLY: "included as headers in",
    Usage.GENERATED_OUTPUT: "in the generated output of",
    Usage.DATA_OR_DOC: "shipped as data or documents with",
}


def ruling(outbound: Atom, inbound: Atom, usage: Usage, basis: str) -> Ruling | None:
    """The ruling by the reach of the inbound's copyleft; None: it reaches as far as the thing is used."""
    reach = strength.scope(inbound.license, inbound.exception)
    if reach is Strength.UNCLEAR and usage is not Usage.SOURCE_MERGED:
        reason = f"{inbound} cannot be merged into work under {outbound}, and OSADL is not sure how far its copyleft reaches: read its terms"
        return Ruling(LicenseVerdict.REVIEW, "copyleft/unclear", basis, reason)
    # Merged, it has no files of its own.
    if reach is Strength.FILE and usage is not Usage.SOURCE_MERGED:
        reason = f"{inbound} covers only its own files: they stay under it, and you must provide their source"
        return Ruling(LicenseVerdict.OBLIGATIONS, "copyleft/file", basis, reason)
    return _library(inbound, usage, basis) if reach is Strength.WEAK else None


def _library(inbound: Atom, usage: Usage, basis: str) -> Ruling | None:
    """Copyleft that covers a library, and no work that is linked with it; None where the two are one."""
    if usage in DYNAMIC:
        reason = f"{inbound} covers only the library: provide its text, notices and source, and let users replace it"
        return Ruling(LicenseVerdict.OBLIGATIONS, "copyleft/dynamic", basis, reason)
    # LGPL-2.1, section 6; LGPL-3.0, section 4.
    if usage in STATIC:
        reason = f"{inbound} allows this if users can relink the work with a changed library: provide object files, or link dynamically"
        return Ruling(LicenseVerdict.CONDITIONAL, "copyleft/static", basis, reason)
    if usage in APART:
        reason = f"{inbound} allows this if it stays in separate files and users can replace what is built from them"
        return Ruling(LicenseVerdict.CONDITIONAL, "copyleft/apart", basis, reason)
    return None
