"""The changes of a night of the licence audit as a list in Markdown, in one language."""

from collections.abc import Sequence
from functools import partial

from audit.display_text import markdown as shown
from audit.output.nightly_changes import CellSnapshot, RepositoryChange
from bot.report.license_tables import named
from bot.report.words import licenses as words
from bot.report.words.templates import Language, listed


def markdown(found: Sequence[RepositoryChange], language: Language, most: int = 100) -> str:
    """The changes as a list, cut after so many; empty when there are none."""
    lines = [_line(change, language) for change in found[:most]]
    if len(found) > most:
        lines.append(words.night(language, "more", count=f"{len(found) - most:,}"))
    return "".join(f"- {line}\n" for line in lines)


def _line(change: RepositoryChange, language: Language) -> str:
    say, before, after = partial(words.night, language), change.before, change.after
    name = say("own") if change.is_of_own_license else shown(change.name)
    where = say("where", repository=shown(change.repository), name=name)
    if change.is_of_own_license and after:
        reason = shown(after.reason, 600) if language == "en" else named(after.reason, 600)
        return say("violation") + say("own-unknown", where=where, reason=reason)
    if change.is_of_own_license:
        return say("mended") + say("own-known", where=where)
    if after is None:
        return say("gone", where=where, version=shown(before.version)) if before else where
    mark = say("violation") if change.is_new_violation else say("mended") if change.is_mended else ""
    now = say("now", verdict=_verdict(after, language), reason=_reason(after, language))
    if before is None:
        return mark + say("new", where=where, version=shown(after.version), now=now)
    values = {"before": _verdict(before, language), "now": now, "cause": say(f"cause-{change.cause}")}
    return mark + say("changed", where=where, moves=_moves(before, after, language), **values)


def _verdict(cell: CellSnapshot, language: Language) -> str:
    # Without its sign, in the middle of a sentence.
    return cell.verdict if language == "en" else words.word(language, "verdict", cell.verdict).partition(" ")[2]


def _reason(cell: CellSnapshot, language: Language) -> str:
    unknown = words.phrase(language, "unknown")
    inbound, outbound = named(cell.license) or unknown, named(cell.own) or unknown
    own = shown(cell.reason, 300) if language == "en" else named(cell.reason, 300)
    return words.reason(language, cell, inbound, outbound, own=own)


def _moves(before: CellSnapshot, after: CellSnapshot, language: Language) -> str:
    say = partial(words.night, language)
    usages = [cell.usage if language == "en" else words.word(language, "usage", cell.usage) for cell in (before, after)]
    pairs = (
        ("version", before.version, after.version),
        ("license", before.license, after.license),
        ("usage", *usages),
        ("own", before.own, after.own),
        ("delivery", say(f"delivery-{before.delivery}"), say(f"delivery-{after.delivery}")),
        ("data", before.data_version, after.data_version),
    )
    found = [
        say("move", name=say(f"part-{name}"), before=shown(old or say("none")), after=shown(new or say("none")))
        for name, old, new in pairs
        if old != new
    ]
    return say("moves", moves=listed(found, language)) if found else ""
