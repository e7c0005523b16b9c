"""One licence into another, used in one way: the rules from first to last, the first that fits decides.

docs/license-rules.md has every rule by its id. OSADL's matrix answers for source that is merged; how a thing is used,
exceptions, strength and categories do the rest.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from audit import strength
from audit.aliases import FAMILIES, nearest
from audit.exceptions import LIFTS, RESTRICTING
from audit.expression import Atom
from audit.facts import Delivery, Judgement, Usage, Verdict
from audit.osadl import Answer, Matrix
from audit.strength import Strength

TOOLS: Final = frozenset({Usage.BUILD_TOOL, Usage.DEV_TOOL, Usage.TEST_ONLY})
"""Nothing of them is handed on."""
_DYNAMIC: Final = frozenset({Usage.DYNAMIC_LINK, Usage.RUNTIME_IMPORT, Usage.HEADER_ONLY})
_STATIC: Final = frozenset({Usage.STATIC_LINK, Usage.BUNDLED})
_APART: Final = frozenset({Usage.VENDORED, Usage.DATA_OR_DOC})
_UNDISTRIBUTED: Final = frozenset({Delivery.HOSTED, Delivery.INTERNAL})

_GPL = ("GPL-2.0-or-later", "GPL-3.0-or-later")
_LGPL = ("LGPL-2.1-or-later", "LGPL-3.0-or-later")
UPGRADES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "AGPL-1.0-or-later": ("AGPL-3.0-or-later",),
        "EUPL-1.1": ("EUPL-1.2",),
        "GPL-1.0-or-later": _GPL,
        "GPL-2.0-or-later": _GPL[1:],
        "LGPL-2.0-or-later": _LGPL,
        "LGPL-2.1-or-later": _LGPL[1:],
        "MPL-1.1": ("MPL-2.0",),
    }
)
"""Later versions under which an outbound licence may be used, too.

EUPL, MPL and GPL as OSADL's `licenseupgraderules.json` (OSLOC2JSON); LGPL and AGPL by the same words in their notices.
"""

Asked = tuple[Atom | None, Atom, Usage, Delivery, Matrix]
"""Outbound (None: not known), inbound, usage, delivery, data."""


@lru_cache(maxsize=2**15)
def pair(outbound: Atom | None, inbound: Atom, usage: Usage, delivery: Delivery, data: Matrix) -> Judgement:
    """What follows when `inbound` is used so in a work under `outbound`. Total: it knows an answer for every question."""
    asked: Asked = (outbound, inbound, usage, delivery, data)
    if inbound.license in FAMILIES:
        return _family(asked)
    if not strength.is_known(inbound.license):
        return _said(
            asked,
            Verdict.UNKNOWN_LICENSE,
            "license/unknown",
            "none",
            nobody_knows(inbound.license),
        )
    found = _by_usage(asked) or _by_delivery(asked)
    if found is None and outbound is not None and outbound.license in FAMILIES:
        found = _outbound_family(asked)
    return _with_exception(asked, found or _by_license(asked))


def nobody_knows(license_id: str) -> str:
    """That nothing is known of it, and which id it may be a slip of."""
    meant = nearest(license_id)
    return f"nothing is known of a licence {license_id}" + (f"; the nearest id is {meant}" if meant else "")


def _said(asked: Asked, verdict: Verdict, rule: str, basis: str, reason: str) -> Judgement:
    return Judgement(verdict=verdict, rule=rule, basis=basis, reason=reason, data_version=asked[4].date)


def _family(asked: Asked) -> Judgement:
    """A name that several licences share is known as far as they come out the same."""
    outbound, inbound, usage, delivery, data = asked
    members = FAMILIES[inbound.license]
    found = [pair(outbound, replace(inbound, license=one), usage, delivery, data) for one in members]
    return _same(asked, "license/family", f"{inbound.license} may be {', '.join(members)}", found)


def _outbound_family(asked: Asked) -> Judgement:
    outbound, inbound, usage, delivery, data = asked
    assert outbound is not None  # asked only then
    members = FAMILIES[outbound.license]
    found = [pair(Atom(one), inbound, usage, delivery, data) for one in members]
    return _same(
        asked, "outbound/family", f"the work's own licence {outbound.license} may be {', '.join(members)}", found
    )


def _same(asked: Asked, rule: str, which: str, found: list[Judgement]) -> Judgement:
    worst, best = (of(found, key=lambda one: one.verdict.rank) for of in (max, min))
    if worst.verdict is best.verdict:
        return replace(worst, reason=f"{which}, and whichever it is: {worst.reason}")
    reason = f"{which}: that ranges from {best.verdict} to {worst.verdict}, so find out which it is"
    return _said(asked, Verdict.UNKNOWN_LICENSE, rule, "none", reason)


def _by_usage(asked: Asked) -> Judgement | None:
    """Tools, other processes, services, and what nobody said."""
    outbound, inbound, usage, delivery, data = asked
    if usage is Usage.UNKNOWN:
        merged = pair(outbound, inbound, Usage.SOURCE_MERGED, delivery, data)
        linked = pair(outbound, inbound, Usage.DYNAMIC_LINK, delivery, data)
        if merged.verdict is linked.verdict:
            return merged
        reason = f"it depends on linkage, which is not known: {merged.verdict} when merged, {linked.verdict} when linked dynamically"
        return _said(asked, Verdict.CONDITIONAL, "usage/unknown", "usage", reason)
    if usage not in TOOLS and usage not in (Usage.SEPARATE_PROCESS, Usage.NETWORK_SERVICE):
        return None
    if strength.restricts_use(inbound.license):
        kind = strength.category(inbound.license) or "no known category"
        return _said(
            asked,
            Verdict.REVIEW,
            "usage/restricted",
            "category",
            f"{inbound} may restrict even its use ({kind}): read it",
        )
    if usage is Usage.NETWORK_SERVICE and strength.of(inbound.license) is Strength.NETWORK:
        reason = f"the duties of {inbound} reach over a network: find out whether this service is offered to others"
        return _said(asked, Verdict.REVIEW, "usage/network-copyleft", "usage", reason)
    rule = "usage/tool" if usage in TOOLS else f"usage/{usage.value.partition('-')[0]}"
    reason = f"as {_a(usage)}, {inbound} has no say in the work: nothing of it is taken in"
    return _said(asked, Verdict.NOT_APPLICABLE, rule, "usage", reason)


def _by_delivery(asked: Asked) -> Judgement | None:
    """Copyleft asks for nothing as long as nothing is handed on, but where it reaches over a network."""
    _, inbound, _, delivery, _ = asked
    reach = strength.of(inbound.license)
    if (
        delivery not in _UNDISTRIBUTED
        or reach in (Strength.NONE, Strength.NETWORK)
        or strength.restricts_use(inbound.license)
    ):
        return None
    reason = f"{inbound} asks for something when the work is handed on, and {delivery} work is not"
    return _said(asked, Verdict.NOT_APPLICABLE, "delivery/kept", "usage", reason)


def _with_exception(asked: Asked, found: Judgement) -> Judgement:
    """An exception may free this use, never make it worse; further terms that call themselves one are read by somebody."""
    _, inbound, usage, *_ = asked
    if inbound.exception is None:
        return found
    if inbound.exception in RESTRICTING and found.verdict.rank < Verdict.REVIEW.rank:
        reason = f"{inbound.exception} adds terms to {inbound.license}: read them"
        return _said(asked, Verdict.REVIEW, "exception/restricts", "exception", reason)
    # An unknown usage was judged for two known ones, the exception considered.
    if found.verdict.rank < Verdict.OBLIGATIONS.rank or usage is Usage.UNKNOWN:
        return found
    lift = LIFTS.get(inbound.exception)
    if lift is not None and usage in lift.usages and (not lift.free_only or _is_free(asked[0])):
        reason = f"{inbound.exception}: {lift.reason}; its notices and its own source are owed"
        return _said(asked, Verdict.OBLIGATIONS, "exception/lifted", "exception", reason)
    if found.verdict is Verdict.OBLIGATIONS:
        return found
    why = "is not in our table and lifts nothing" if lift is None else f"does not lift this: {lift.reason}"
    return replace(found, reason=f"{found.reason} ({inbound.exception} {why})")


def _is_free(outbound: Atom | None) -> bool:
    return outbound is not None and strength.is_known(outbound.license) and not strength.restricts_use(outbound.license)


def _by_license(asked: Asked) -> Judgement:
    outbound, inbound, _, _, data = asked
    if outbound is None:
        return _said(asked, Verdict.UNKNOWN_LICENSE, "outbound/unknown", "none", "the work's own licence is not known")
    answer = data.answer(_name(outbound, data), _name(inbound, data))
    if answer is None:
        return _by_category(asked, outbound)
    if answer in (Answer.SAME, Answer.YES):
        if strength.of(inbound.license, inbound.exception) is Strength.NONE:
            return _said(
                asked,
                Verdict.COMPATIBLE,
                "osadl/compatible",
                "osadl",
                f"{inbound} goes into {outbound}; keep its notices",
            )
        reason = f"{inbound} goes into {outbound}, but is copyleft: its own part stays under it, with source"
        return _said(asked, Verdict.OBLIGATIONS, "osadl/obligations", "osadl", reason)
    if answer is Answer.UNKNOWN:
        return _said(
            asked,
            Verdict.REVIEW,
            "osadl/unknown",
            "osadl",
            f"OSADL does not know whether {inbound} goes into {outbound}",
        )
    return _depends(asked, outbound) if answer is Answer.CHECK else _refused(asked, outbound)


def _name(atom: Atom, data: Matrix) -> str:
    """The exception is left out of the look-up, unless the matrix speaks of just this pair."""
    return str(atom) if atom.exception is not None and str(atom) in data.names else atom.license


def _depends(asked: Asked, outbound: Atom) -> Judgement:
    """OSADL: it must not be inserted into the code, but can be linked or combined with it."""
    _, inbound, usage, *_ = asked
    if usage in _DYNAMIC | _STATIC:
        reason = f"{inbound} may be linked with {outbound}, not merged into it; its source is owed"
        return _said(asked, Verdict.OBLIGATIONS, "osadl/linked", "osadl", reason)
    if usage in _APART:
        reason = f"{inbound} may stand beside {outbound} in files of its own, not be merged into it"
        return _said(asked, Verdict.CONDITIONAL, "osadl/apart", "osadl", reason)
    return _said(
        asked,
        Verdict.INCOMPATIBLE,
        "osadl/merged",
        "osadl",
        f"{inbound} may be linked with {outbound}, but not be merged into it",
    )


def _refused(asked: Asked, outbound: Atom) -> Judgement:
    """OSADL: no. That is about merged source; weaker copyleft and later versions may leave a way."""
    _, inbound, usage, _, data = asked
    reach = strength.scope(inbound.license, inbound.exception)
    if reach is Strength.FILE and usage is not Usage.SOURCE_MERGED:
        reason = f"{inbound} covers its own files alone: they stay under it, with their source"
        return _said(asked, Verdict.OBLIGATIONS, "copyleft/file", "osadl", reason)
    if reach is Strength.WEAK and usage in _DYNAMIC:
        reason = (
            f"{inbound} covers the library alone, which others may replace: give its text, its notices and its source"
        )
        return _said(asked, Verdict.OBLIGATIONS, "copyleft/dynamic", "osadl", reason)
    if reach is Strength.WEAK and usage in _STATIC:
        reason = f"{inbound} allows this when others can link the work anew with a changed library: give object files, or link dynamically"
        return _said(asked, Verdict.CONDITIONAL, "copyleft/static", "osadl", reason)
    if reach is Strength.WEAK and usage in _APART:
        reason = (
            f"{inbound} allows this as long as it stays in files of its own, and what is built of them can be replaced"
        )
        return _said(asked, Verdict.CONDITIONAL, "copyleft/apart", "osadl", reason)
    for later in UPGRADES.get(outbound.license, ()):
        if data.answer(later, _name(inbound, data)) in (Answer.YES, Answer.SAME):
            reason = f"{inbound} does not go into {outbound}, but into {later}: the whole is then under {later}"
            return _said(asked, Verdict.CONDITIONAL, "copyleft/upgrade", "osadl", reason)
    reason = f"{inbound} does not go into {outbound}, used as {_a(usage)}"
    return _said(asked, Verdict.INCOMPATIBLE, "osadl/incompatible", "osadl", reason)


def _by_category(asked: Asked, outbound: Atom) -> Judgement:
    """OSADL does not know one of the two: only between permissive licences the categories are enough."""
    _, inbound, *_ = asked
    if not strength.is_known(outbound.license) and "LicenseRef-" not in outbound.license:
        reason = f"the work's own licence: {nobody_knows(outbound.license)}"
        return _said(asked, Verdict.UNKNOWN_LICENSE, "outbound/unknown", "none", reason)
    if strength.is_permissive(inbound.license) and strength.is_permissive(outbound.license):
        reason = f"{inbound} and {outbound} are both permissive; keep the notices"
        return _said(asked, Verdict.COMPATIBLE, "category/permissive", "category", reason)
    unknown = [str(one) for one in (inbound, outbound) if _name(one, asked[4]) not in asked[4].names]
    reason = f"OSADL's matrix does not hold {' and '.join(dict.fromkeys(unknown))}, and the two are not both permissive: read them"
    return _said(asked, Verdict.REVIEW, "category/review", "category", reason)


_WORDS: Final[Mapping[Usage, str]] = MappingProxyType(
    {
        Usage.SOURCE_MERGED: "merged source",
        Usage.VENDORED: "a vendored copy",
        Usage.DATA_OR_DOC: "data or documents",
        Usage.HEADER_ONLY: "headers alone",
        Usage.TEST_ONLY: "a thing of the tests alone",
    }
)


def _a(usage: Usage) -> str:
    return _WORDS.get(usage, f"a {usage.value.replace('-', ' ')}")
