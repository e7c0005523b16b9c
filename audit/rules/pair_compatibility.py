"""One licence into another, used in one way: the rules from first to last, the first that fits decides.

docs/reference/license-rules.csv has every rule by its id. OSADL's matrix answers for source that is merged; how a thing is used,
exceptions, strength and categories do the rest.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

from audit.facts import Delivery, LicenseVerdict, Usage
from audit.licenses import license_review, strength
from audit.licenses.aliases import FAMILIES
from audit.licenses.exceptions import LIFTS, RESTRICTING, is_listed, is_made_for
from audit.licenses.expression import Atom
from audit.licenses.osadl import Matrix, OsadlAnswer
from audit.licenses.strength import Strength
from audit.rules import (
    closed_work,
    combined_work,
    copyleft_reach,
    models_and_data,
    outbound_exception,
    published_answer,
    unlisted_license,
)
from audit.rules.combined_work import LINKED
from audit.rules.copyleft_reach import APART, INCLUDED
from audit.rules.ruling import Ruling
from audit.rules.unlisted_license import why_unknown
from audit.usage import MODELS_AND_DATA, NOT_SHIPPED

# Lets pass what has no known licence and no say in the work: it is listed apart.
NO_LICENSE: Final = "usage/no-license"
_UNDISTRIBUTED: Final = frozenset({Delivery.HOSTED, Delivery.INTERNAL})

_GNU: Final = ("GPL-", "LGPL-", "AGPL-")
# GNU's licences without a version mean any that the FSF ever published, by their own words: GPL-1.0 section 7, GPL-2.0
# section 9, GPL-3.0 and AGPL-3.0 section 14, LGPL-2.0 and LGPL-2.1 section 13, LGPL-3.0 section 6.
UNVERSIONED: Final[Mapping[str, tuple[str, ...]]] = {
    "AGPL": ("AGPL-3.0-or-later",),
    "GPL": ("GPL-1.0-or-later", "GPL-2.0-or-later", "GPL-3.0-or-later"),
    "LGPL": ("LGPL-2.0-or-later", "LGPL-2.1-or-later", "LGPL-3.0-or-later"),
}
_GPL = ("GPL-2.0-or-later", "GPL-3.0-or-later")
_LGPL = ("LGPL-2.1-or-later", "LGPL-3.0-or-later")
# Later versions under which an outbound licence may be used, too: EUPL, MPL and GPL as OSADL's
# `licenseupgraderules.json` (OSLOC2JSON), LGPL and AGPL by the same words in their notices.
UPGRADES: Final[Mapping[str, tuple[str, ...]]] = {
    "AGPL-1.0-or-later": ("AGPL-3.0-or-later",),
    "EUPL-1.1": ("EUPL-1.2",),
    "GPL-1.0-or-later": _GPL,
    "GPL-2.0-or-later": _GPL[1:],
    "LGPL-2.0-or-later": _LGPL,
    "LGPL-2.1-or-later": _LGPL[1:],
    "MPL-1.1": ("MPL-2.0",),
}


@lru_cache(maxsize=2**15)  # The same few pairs come again in each repository.
def pair(outbound: Atom | None, inbound: Atom, usage: Usage, delivery: Delivery, data: Matrix) -> Ruling:
    """The ruling on this `usage` of `inbound` in a work under `outbound` (None: not known): every question has one."""
    if usage in MODELS_AND_DATA:
        as_data = partial(pair, outbound, inbound, Usage.DATA_OR_DOC, delivery, data)
        return models_and_data.ruling(outbound, inbound, usage, as_data)
    if inbound.license in UNVERSIONED:
        return _unnamed(outbound, inbound, usage, delivery, data)
    if inbound.license in FAMILIES:
        return _family(outbound, inbound, usage, delivery, data)
    is_closed = strength.is_closed(inbound.license)
    # A closed work may restrict its use as a tool, also by those of its words that no list has.
    if not strength.is_known(inbound.license) and not is_closed:
        return unlicensed_tool(usage, why_unknown(inbound.license)) or _unknown(inbound)
    # A use that keeps a thing out of the work is asked about first: then its terms do not matter to the work.
    found = (
        _by_usage(outbound, inbound, usage, delivery, data)
        or (_unknown(inbound) if is_closed else None)
        or _by_delivery(outbound, inbound, delivery)
        or _aggregate(inbound, usage)
        or _outbound_family(outbound, inbound, usage, delivery, data)
        or _by_license(outbound, inbound, usage, data)
    )
    return _with_exception(outbound, inbound, usage, found)


def _unknown(inbound: Atom) -> Ruling:
    return Ruling(LicenseVerdict.UNKNOWN_LICENSE, "license/unknown", "none", why_unknown(inbound.license))


def unlicensed_tool(usage: Usage, why: str) -> Ruling | None:
    """The ruling on a tool or a separate program without a known licence: it has no say in the work. Else None."""
    if usage not in NOT_SHIPPED and usage is not Usage.SEPARATE_PROCESS:
        return None
    reason = f"{why}; as {_a(usage)} it does not affect the work, but check that you may use it"
    return Ruling(LicenseVerdict.NOT_APPLICABLE, NO_LICENSE, "usage", reason)


def _unnamed(outbound: Atom | None, inbound: Atom, usage: Usage, delivery: Delivery, data: Matrix) -> Ruling:
    """One of GNU's licences without a version: the recipient may choose the version."""
    versions = [replace(inbound, license=license_id) for license_id in UNVERSIONED[inbound.license]]
    # The best may be chosen.
    found = min(
        (pair(outbound, version, usage, delivery, data) for version in versions), key=lambda ruling: ruling.verdict.rank
    )
    return found._replace(reason=f"{inbound.license} names no version, so you may choose any: {found.reason}")


def _family(outbound: Atom | None, inbound: Atom, usage: Usage, delivery: Delivery, data: Matrix) -> Ruling:
    """A name that several licences share is known as far as they come out the same."""
    members = FAMILIES[inbound.license]
    found = [pair(outbound, replace(inbound, license=member), usage, delivery, data) for member in members]
    return _same("license/family", f"{inbound.license} may be {', '.join(members)}", found)


def _outbound_family(
    outbound: Atom | None, inbound: Atom, usage: Usage, delivery: Delivery, data: Matrix
) -> Ruling | None:
    if outbound is None or outbound.license not in FAMILIES:
        return None
    members = FAMILIES[outbound.license]
    found = [pair(replace(outbound, license=member), inbound, usage, delivery, data) for member in members]
    return _same("outbound/family", f"the work's own licence {outbound.license} may be {', '.join(members)}", found)


def _same(rule: str, which: str, found: list[Ruling]) -> Ruling:
    worst, best = (of(found, key=lambda ruling: ruling.verdict.rank) for of in (max, min))
    if worst.verdict is best.verdict:
        return worst._replace(reason=f"{which}; the result is the same for each: {worst.reason}")
    reason = f"{which}: results range from {best.verdict} to {worst.verdict}, so find out which it is"
    return Ruling(LicenseVerdict.UNKNOWN_LICENSE, rule, "none", reason)


def _by_usage(outbound: Atom | None, inbound: Atom, usage: Usage, delivery: Delivery, data: Matrix) -> Ruling | None:
    """Tools, other processes, services, and unknown usages."""
    if usage is Usage.UNKNOWN:
        merged = pair(outbound, inbound, Usage.SOURCE_MERGED, delivery, data)
        linked = pair(outbound, inbound, Usage.DYNAMIC_LINK, delivery, data)
        # These are the two ends: where they agree, so does all between them.
        if merged.verdict is linked.verdict:
            return merged
        reason = f"it is not known how it is linked: {merged.verdict} if merged, {linked.verdict} if linked dynamically"
        return Ruling(LicenseVerdict.CONDITIONAL, "usage/unknown", "usage", reason)
    if usage not in NOT_SHIPPED and usage not in (Usage.SEPARATE_PROCESS, Usage.NETWORK_SERVICE):
        return None
    if strength.restricts_use(inbound.license):
        reason = f"{inbound} may restrict its use ({_restriction(inbound)}): read its terms"
        return Ruling(LicenseVerdict.REVIEW, "usage/restricted", "category", reason)
    if usage is Usage.NETWORK_SERVICE and strength.of(inbound.license) is Strength.NETWORK:
        reason = f"{inbound} has duties for use over a network: find out whether this service is offered to others"
        return Ruling(LicenseVerdict.REVIEW, "usage/network-copyleft", "usage", reason)
    rule = "usage/tool" if usage in NOT_SHIPPED else f"usage/{usage.value.partition('-')[0]}"
    reason = (
        f"{inbound} does not affect the work: it is used only as {_a(usage)}, and no part of it ends up in the work"
    )
    return Ruling(LicenseVerdict.NOT_APPLICABLE, rule, "usage", reason)


def _restriction(inbound: Atom) -> str:
    limit = license_review.limit(inbound.license)
    return f"it {limit}" if limit else strength.category(inbound.license) or "category not known"


def _by_delivery(outbound: Atom | None, inbound: Atom, delivery: Delivery) -> Ruling | None:
    """Copyleft asks for nothing as long as nothing is handed on, but where it or the work's own reaches over a network."""
    reach = strength.of(inbound.license)
    if (
        delivery not in _UNDISTRIBUTED
        or reach in (Strength.NONE, Strength.NETWORK)
        or strength.restricts_use(inbound.license)
        # Who uses the work over a network may have its whole source, under its own licence (AGPL-3.0, section 13).
        or (outbound is not None and strength.of(outbound.license) is Strength.NETWORK)
    ):
        return None
    reason = f"{inbound} has duties only when the work is distributed, and {delivery} work is not"
    return Ruling(LicenseVerdict.NOT_APPLICABLE, "delivery/kept", "usage", reason)


def _aggregate(inbound: Atom, usage: Usage) -> Ruling | None:
    """The ruling on a thing handed on beside the work, which has no say in it (GPL-2.0, section 2, last paragraph)."""
    if usage is not Usage.AGGREGATE:
        return None
    if strength.restricts_use(inbound.license):
        reason = f"{inbound} may restrict distribution in an image ({_restriction(inbound)}): read its terms"
        return Ruling(LicenseVerdict.REVIEW, "usage/restricted", "category", reason)
    read = license_review.of(inbound.license)
    if read is not None and read.grade is license_review.Grade.UNCLEAR:
        reason = f"{inbound} {read.condition}: ask its owner, or replace it"
        return Ruling(LicenseVerdict.REVIEW, "category/unclear", "review", reason)
    if strength.of(inbound.license, inbound.exception) is Strength.NONE:
        reason = f"{inbound} requires its notices in the image, and does not affect the work next to it"
        return Ruling(LicenseVerdict.COMPATIBLE, "usage/aggregate", "usage", reason)
    reason = f"{inbound} does not affect the work next to it in the image; provide its text and source with the image"
    return Ruling(LicenseVerdict.OBLIGATIONS, "usage/aggregate-copyleft", "usage", reason)


def _with_exception(outbound: Atom | None, inbound: Atom, usage: Usage, found: Ruling) -> Ruling:
    """An exception may free this use, never make it worse; further terms that call themselves one are read by a person."""
    if inbound.exception is None:
        return found
    if inbound.exception in RESTRICTING or not is_made_for(inbound.exception, inbound.license):
        return _not_an_exception(inbound, found)
    # An unknown usage was judged for two known ones, the exception considered.
    if found.verdict.rank < LicenseVerdict.OBLIGATIONS.rank or usage is Usage.UNKNOWN:
        return found
    lift = LIFTS.get(inbound.exception)
    if (
        lift is not None
        and usage in lift.usages
        and (not lift.free_only or (outbound and strength.is_free(outbound.license)))
    ):
        reason = f"{inbound.exception}: {lift.reason}; include its notices and provide its own source"
        return Ruling(LicenseVerdict.OBLIGATIONS, "exception/lifted", "exception", reason)
    if found.verdict is LicenseVerdict.OBLIGATIONS:
        return found
    why = "changes nothing: Countersign has no rule for it" if lift is None else f"does not change this: {lift.reason}"
    return found._replace(reason=f"{found.reason} ({inbound.exception} {why})")


def _not_an_exception(inbound: Atom, found: Ruling) -> Ruling:
    """Words behind WITH may be any terms: nothing passes by them, and nothing is lifted."""
    rule, kind = "exception/unknown", "is not on SPDX's list of exceptions"
    if inbound.exception in RESTRICTING:
        rule, kind = "exception/restricts", f"adds terms to {inbound.license}"
    elif is_listed(inbound.exception or ""):
        kind = f"was not made for {inbound.license}"
    if found.verdict.rank >= LicenseVerdict.REVIEW.rank:
        return found._replace(reason=f"{found.reason} ({inbound.exception} {kind}, and changes nothing)")
    return Ruling(LicenseVerdict.REVIEW, rule, "exception", f"{inbound.exception} {kind}: read its terms")


def _by_license(outbound: Atom | None, inbound: Atom, usage: Usage, data: Matrix) -> Ruling:
    if outbound is None:
        return Ruling(LicenseVerdict.UNKNOWN_LICENSE, "outbound/unknown", "none", "the work's own licence is not known")
    # The matrix knows few exceptions, no usages and no closed works: these rules come before it.
    early = (
        outbound_exception.restricted(outbound, inbound)
        or published_answer.beside(inbound, usage)
        or closed_work.ruling(outbound, inbound, usage)
    )
    if early is not None:
        return early
    answer = data.answer(_name(outbound, data), _name(inbound, data))
    if answer is None:
        return unlisted_license.ruling(outbound, inbound, usage, data, _by_answer)
    return _by_answer(outbound, inbound, usage, data, answer)


def _by_answer(outbound: Atom, inbound: Atom, usage: Usage, data: Matrix, answer: OsadlAnswer) -> Ruling:
    if answer is OsadlAnswer.CHECK:
        return _depends(outbound, inbound, usage, data)
    if answer is OsadlAnswer.NO:
        return _refused(outbound, inbound, usage, data)
    if answer is OsadlAnswer.UNKNOWN:
        said = published_answer.where_osadl_knows_none(outbound, inbound, usage)
        if said is not None:
            return said
        reason = f"OSADL does not say whether {inbound} may be included in work under {outbound}"
        return Ruling(LicenseVerdict.REVIEW, "osadl/unknown", "osadl", reason)
    reach = strength.of(inbound.license, inbound.exception)
    if reach is Strength.NONE:
        reason = f"{inbound} may be included in work under {outbound}; keep its notices"
        return Ruling(LicenseVerdict.COMPATIBLE, "osadl/compatible", "osadl", reason)
    reason = f"{inbound} may be included in work under {outbound}, but is copyleft: its own part stays under it, and you must provide its source"
    if reach is Strength.UNCLEAR:
        reason = f"{inbound} may be included in work under {outbound}; follow its terms, because OSADL is not sure whether they are copyleft"
    return Ruling(LicenseVerdict.OBLIGATIONS, "osadl/obligations", "osadl", reason)


def _name(atom: Atom, data: Matrix) -> str:
    """The exception is left out of the look-up, unless the matrix speaks of just this pair."""
    return str(atom) if atom.exception is not None and str(atom) in data.names else atom.license


def _depends(outbound: Atom, inbound: Atom, usage: Usage, data: Matrix) -> Ruling:
    """OSADL: it must not be inserted into the code, but can be linked or combined with it."""
    if usage in LINKED:
        lifted = outbound_exception.lifted(outbound, inbound, usage)
        if lifted is not None:
            return lifted
        name = _name(inbound, data)
        if combined_work.needs_another(outbound.license, name, data):
            whole = combined_work.effective(outbound, name, usage, data)
            if whole is not None:
                return combined_work.upgrade(outbound, inbound, whole)
        reason = f"{inbound} may be linked with work under {outbound}, but not merged into it; provide its source"
        return Ruling(LicenseVerdict.OBLIGATIONS, "osadl/linked", "osadl", reason)
    if usage in APART:
        reason = f"{inbound} may be kept in separate files next to work under {outbound}, but not merged into it"
        return Ruling(LicenseVerdict.CONDITIONAL, "osadl/apart", "osadl", reason)
    taken = combined_work.conversion(outbound, inbound, usage, data)
    if taken is not None:
        return taken
    reason = f"{inbound} may be linked with work under {outbound}, but not merged into it"
    return Ruling(LicenseVerdict.INCOMPATIBLE, "osadl/merged", "osadl", reason)


def _refused(outbound: Atom, inbound: Atom, usage: Usage, data: Matrix) -> Ruling:
    """OSADL: no. That is about merged source; weaker copyleft and later versions may leave a way."""
    lifted = outbound_exception.lifted(outbound, inbound, usage)
    if lifted is not None:
        return lifted
    # By OSADL's own word on a licence with its exception, a copy of it may be linked like the library itself.
    bare, whole_reach = strength.scope(inbound.license), strength.scope(inbound.license, inbound.exception)
    is_weak = whole_reach is Strength.WEAK and bare is Strength.STRONG  # By its exception.
    is_copy = usage is Usage.VENDORED and inbound.exception is not None and is_weak
    if combined_work.takes_in(outbound, usage) and not is_copy:
        return combined_work.ruling(outbound, inbound, usage, data)
    found = copyleft_reach.ruling(outbound, inbound, usage, "osadl")
    if found is not None:
        return found
    for later in UPGRADES.get(outbound.license, ()):
        if data.answer(later, _name(inbound, data)) in (OsadlAnswer.YES, OsadlAnswer.SAME):
            return combined_work.upgrade(outbound, inbound, later)
    # Only GNU's licences give way to each other so.
    if inbound.license.startswith(_GNU) and outbound.license.startswith(_GNU):
        whole = combined_work.effective(outbound, _name(inbound, data), usage, data)
        if whole is not None:
            return combined_work.upgrade(outbound, inbound, whole)
    reason = f"{inbound} cannot be {INCLUDED[usage]} work under {outbound}"
    return Ruling(LicenseVerdict.INCOMPATIBLE, "osadl/incompatible", "osadl", reason)


def _a(usage: Usage) -> str:
    return {Usage.DEV_TOOL: "a development tool", Usage.TEST_ONLY: "a test dependency"}.get(
        usage, f"a {usage.value.replace('-', ' ')}"
    )
