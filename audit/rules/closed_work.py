"""Works that are closed or restrict their use: permissive parts may go in, and copyleft that leaves the rest alone."""

from typing import Final

from audit.facts import LicenseVerdict, Usage
from audit.licenses import license_review, strength
from audit.licenses.expression import Atom
from audit.licenses.strength import Strength
from audit.rules.combined_work import LINKED, STATIC
from audit.rules.ruling import Ruling, permissive

# These let derived works have further terms, as long as their own restriction stays: https://mariadb.com/bsl11/,
# https://www.elastic.co/licensing/elastic-license.
_SOURCE_AVAILABLE: Final = frozenset({"BUSL-1.1", "Elastic-2.0"})


def ruling(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling | None:
    """The ruling on parts of a closed or source-available work; None for others, and where this does not decide."""
    if not strength.is_closed(outbound.license) and outbound.license not in _SOURCE_AVAILABLE:
        return None
    if strength.is_permissive(inbound.license):
        return _permissive(outbound, inbound)
    refused = _strong(outbound, inbound)
    # What restricts its use itself, and what has no class, is read by a person.
    return refused if refused or strength.restricts_use(inbound.license) else _parts(outbound, inbound, usage)


def _permissive(outbound: Atom, inbound: Atom) -> Ruling:
    said = f"{inbound} is permissive and may be included in work under {outbound}; keep its notices"
    return permissive(inbound, "closed/permissive", said)


def _strong(outbound: Atom, inbound: Atom) -> Ruling | None:
    """The refusal of a part that requires the whole work to be under it; None for any other part."""
    read = license_review.of(inbound.license)
    if read is not None and read.grade is license_review.Grade.COPYLEFT_STRONG:
        return _refused(outbound, inbound, f"it {read.condition}")
    is_free = not strength.restricts_use(inbound.license)
    if is_free and strength.scope(inbound.license, inbound.exception) is Strength.STRONG:
        return _refused(outbound, inbound, "its copyleft requires the whole work to be under it")
    return None


def _parts(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling | None:
    reach = strength.scope(inbound.license, inbound.exception)
    if not strength.is_copyleft_of_parts(inbound.license):
        return None
    # Only merged or generated text has parts of it in files of the work.
    if usage in (Usage.SOURCE_MERGED, Usage.GENERATED_OUTPUT):
        return _refused(outbound, inbound, "files that contain parts of it must be under it, with their source")
    if reach is Strength.UNCLEAR:
        return None
    if reach is Strength.WEAK:
        return _library(outbound, inbound, usage)
    reason = f"{inbound} covers only its own files: they stay under it, with their source, in work under {outbound}"
    return Ruling(LicenseVerdict.OBLIGATIONS, "copyleft/file", "category", reason)


def _library(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling:
    # LGPL-2.1, section 6; LGPL-3.0, section 4.
    if usage in STATIC:
        reason = (
            f"{inbound} allows this if users can relink the work with a changed library "
            "and reverse engineer it for debugging: provide object files, or link dynamically"
        )
        return Ruling(LicenseVerdict.CONDITIONAL, "copyleft/static", "category", reason)
    if usage in LINKED:
        reason = (
            f"{inbound} covers only the library: provide its text, notices and source, let users replace it, "
            f"and do not let {outbound} forbid reverse engineering for that"
        )
        return Ruling(LicenseVerdict.OBLIGATIONS, "copyleft/dynamic", "category", reason)
    reason = f"{inbound} allows this if it stays in separate files and users can replace what is built from them"
    return Ruling(LicenseVerdict.CONDITIONAL, "copyleft/apart", "category", reason)


def _refused(outbound: Atom, inbound: Atom, why: str) -> Ruling:
    reason = f"{inbound} cannot be included in work under {outbound}: {why}"
    return Ruling(LicenseVerdict.INCOMPATIBLE, "closed/copyleft", "category", reason)


def unlisted(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling | None:
    """The ruling on licences that restrict use, without a look at OSADL's matrix; None for any other pair."""
    category = strength.category(outbound.license)
    is_named = category not in (None, "Unstated License")  # AboutCode's word for no stated terms.
    is_limited = is_named and strength.restricts_use(outbound.license)
    if is_limited and strength.is_permissive(inbound.license):
        return _permissive(outbound, inbound)
    refused = _strong(outbound, inbound) if is_limited and inbound.license != outbound.license else None
    return refused or restricted(outbound, inbound, usage)


def restricted(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling | None:
    """A part that limits use or change, in a work that promises both to those who take it; None for any other pair."""
    limit = license_review.limit(inbound.license)
    # Creative Commons' documents beside the code are a collection: a person reads what that means for their limits.
    if (
        not limit
        or not strength.is_free(outbound.license)
        or (usage is Usage.DATA_OR_DOC and inbound.license.startswith("CC-"))
    ):
        return None
    read = license_review.of(inbound.license)
    what = "use" if read is not None and read.grade is license_review.Grade.USE else "change"
    reason = f"{outbound} allows every {what} of the work, but {inbound} does not: it {limit}"
    return Ruling(LicenseVerdict.INCOMPATIBLE, "closed/restricted", "review", reason)
