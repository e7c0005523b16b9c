"""The page for the first day: what happens to the pull requests that are open already, in numbers, and what to do about it."""

import json
from collections.abc import Iterator
from datetime import timedelta

from agreements.rulebook.rules import Rules
from agreements.store.people import campaigns
from bot import verdict_codes
from bot.portal import organizations
from bot.portal.admin.overview import MAX_RED_PULLS
from bot.portal.admin.page_context import render
from bot.portal.portal_services import reading
from bot.portal.text.languages import language
from bot.store.pulls import red_pulls
from bot.store.pulls.red_pulls import RedFilter


def first_day_page() -> str:
    """The numbers of the organisation that the address names, and the lines, commands and links for what can be done."""
    rules, owner_id, parties = organizations.rules(), organizations.owner_id(), organizations.parties().counting
    wanted = rules.individual
    with reading() as (records, _vault, at):
        totals = red_pulls.open_totals(records, owner_id)
        red = red_pulls.listed(
            records, RedFilter(owner_id=owner_id), skip=0, most=MAX_RED_PULLS + 1
        )  # One more: it is cut.
        people, signed = campaigns.count_signed(
            records, red_pulls.people_of_open(owner_id), wanted.text, wanted.version, parties=parties
        )
        progress = campaigns.progress(records, wanted.text, wanted.version, parties=parties)
    short = verdict_codes.each("short", language())
    counted = red_pulls.reasons(red[:MAX_RED_PULLS])
    return render(
        "admin/first_day.html",
        totals=totals,
        unchecked=totals.known - totals.red - totals.passing,
        reasons=[(short[code], code, number) for code, number in counted.most_common() if code in short],
        is_cut=len(red) > MAX_RED_PULLS,
        counted=len(red[:MAX_RED_PULLS]),
        people=people,
        signed=signed,
        asks_for_cla=any(rule.require in ("cla", "both", "either") for rule in rules.repositories),
        since=rules.since,
        # Of the day after, so that no pull request of today is opened on or after it.
        proposed_since=at + timedelta(days=1),
        shadow_lines="\n".join(_shadow_lines(rules)),
        waiting=progress.waiting,
    )


def _shadow_lines(rules: Rules) -> Iterator[str]:
    """The rulebook's lines for repositories as they stand, but in shadow mode, ready to copy."""
    yield "repositories:"
    lines = [(rule.match, rule.require) for rule in rules.repositories]
    if not any("*" in match for match, _ in lines):  # Else the others would be asked for a sign-off, and shown it.
        lines.append((("*",), "dco"))
    for match, require in lines:
        patterns = ", ".join(json.dumps(pattern, ensure_ascii=False) for pattern in match)
        yield f"  - {{match: [{patterns}], require: {require}, mode: shadow}}"
