"""The first page of the administration, what waits for a decision; and numbers over time: signatures, verdicts, the time to green."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Final

from flask.typing import ResponseReturnValue
from sqlmodel import Session

from agreements.store import admin_lists, admin_search, parties
from agreements.store.admin_lists import ListFilter
from agreements.store.companies import company_agreements, company_requests, domain_claims, renewals
from agreements.store.people import texts
from bot import verdict_codes
from bot.portal import organizations
from bot.portal.admin.page_context import render
from bot.portal.admin.texts import unreviewed
from bot.portal.portal_services import portal_services, reading
from bot.portal.text.languages import language
from bot.records import party_derivation
from bot.store import outbox
from bot.store.pulls import red_pulls
from bot.store.pulls.red_pulls import RedFilter

MONTHS_SHOWN: Final = 12
MAX_RED_PULLS: Final = 2000
"""Red pull requests whose reasons are counted: those that are red since last."""

MAX_REASONS: Final = 4
"""Reasons that have a picture of their own, and those of today that are not folded."""

_ONE_HOUR: Final = timedelta(hours=1)


def overview() -> ResponseReturnValue:
    """The page with each thing that waits, the way to it, and what there is."""
    accepted = portal_services().catalog.accepted()
    with reading() as (records, vault, at):
        missing = company_agreements.without_text(records, accepted=accepted)
        uncovering = admin_lists.company_ids(
            records, ListFilter(state="text missing"), missing=missing, at=at, skip=0, most=len(missing)
        )
        return render(
            "admin/overview.html",
            rulebooks=organizations.rulebooks_to_correct(),
            stopped=red_pulls.repositories_with(records, "rulebook/invalid"),
            unreviewed=len(unreviewed(texts.dates(records))),
            waiting=admin_search.waiting(records, at=at),
            requests=len(company_requests.waiting(records)),
            texts_missing=len(uncovering),
            claims=len(domain_claims.pending(records, vault, at=at)),
            # One whose text is missing is counted there alone.
            overdue=sum(key not in missing for key, _name, _day in renewals.overdue(records, at=at)),
            parties=parties.count(records) + len(party_derivation.unlisted(records, organizations.counting())),
            failed=outbox.EMAILS.counts(records).get("failed", 0),
        )


@dataclass(frozen=True, slots=True)
class Month:
    """A month from `since` on: its `signatures`, its `verdicts`, and in `hours` the median time to green (None: none turned green)."""

    since: datetime
    signatures: int
    verdicts: int
    hours: float | None


def numbers_page() -> str:
    """Each month in numbers, and the reasons, the most frequent first."""
    with reading() as (records, _vault, at):
        months, over_time = _months(records, at), _reasons_over_time(records, at)
        red = red_pulls.listed(records, RedFilter(), skip=0, most=MAX_RED_PULLS + 1)  # One more: it is cut.
    counted = red_pulls.reasons(red[:MAX_RED_PULLS])
    short = verdict_codes.each("short", language())
    reasons = [(short[code], code, number) for code, number in counted.most_common() if code in short]
    return render(
        "admin/numbers.html",
        months=months,
        reasons=reasons,
        red=len(red[:MAX_RED_PULLS]),
        is_cut=len(red) > MAX_RED_PULLS,
        over_time=over_time,
        most=MAX_REASONS,
    )


def _reasons_over_time(records: Session, now: datetime) -> list[tuple[str, list[int]]]:
    """The reasons that most pull requests were red for, and how many each month; each counts once a month."""
    begins = month_starts(now)
    short = verdict_codes.each("short", language())
    counted: dict[str, list[set[int]]] = {}
    for at, pull_id, codes in red_pulls.red_by_reason(records, begins[0]):
        month = bisect_right(begins, at) - 1
        for code in codes & short.keys():
            counted.setdefault(code, [set() for _ in begins])[month].add(pull_id)
    numbers = {code: [len(month) for month in months] for code, months in counted.items()}
    # By code where numbers are equal, so that the order stays when the page is loaded again.
    most = sorted(numbers, key=lambda code: (-sum(numbers[code]), code))[:MAX_REASONS]
    return [(short[code], numbers[code]) for code in most]


def _months(records: Session, now: datetime) -> list[Month]:
    begins = month_starts(now)
    greens = [*red_pulls.times_to_green(records, begins[0])]
    # A second more, so that the present one counts.
    spans, found = list(zip(begins, [*begins[1:], now + timedelta(seconds=1)], strict=True)), []
    numbers = zip(admin_lists.signed_between(records, *spans), red_pulls.judged_between(records, *spans), strict=True)
    for (since, until), (signed, judged) in zip(spans, numbers, strict=True):
        took = [time / _ONE_HOUR for at, time in greens if since <= at < until]
        # A mean would follow the few pull requests that waited for months.
        found.append(Month(since, signed, judged, median(took) if took else None))
    return found


def month_starts(now: datetime) -> list[datetime]:
    """When each of the last MONTHS_SHOWN months began, UTC; the present one comes last."""
    number = now.year * 12 + now.month - 1
    first = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return [
        first.replace(year=month // 12, month=month % 12 + 1) for month in range(number - MONTHS_SHOWN + 1, number + 1)
    ]
