"""Small changes in a review: their lines are asked for where no agreement covers a person, and counted before it passes."""

from dataclasses import replace

import structlog

from agreements.cla.small_changes import counted_lines
from agreements.facts import Facts
from agreements.judge import small_matters
from agreements.rulebook.rules import for_repository
from agreements.store.record_context import RecordContext
from bot.flows.flow_services import Services
from bot.github.ports import Missing, PullRequestSnapshot, Refused
from bot.records import row_codes
from bot.store.pulls import rejudge, small_changes
from bot.store.pulls.small_changes import CountedLines, SmallChangeDraft

log = structlog.get_logger()


def with_lines(facts: Facts, pull_id: int, snapshot: PullRequestSnapshot, services: Services) -> Facts:
    """The facts with changed lines, and those that its people have elsewhere, where a verdict depends on them. Raises HubError.

    If the pull request passes by them, its own lines count from now on.
    """
    rule, people = for_repository(facts.rules, facts.repository), small_matters(facts)
    if rule.small is None or not people:  # The usual case costs no request.
        return facts
    try:
        changes = services.hub.changes(snapshot)
    except (Missing, Refused) as error:  # It stays so: the people need an agreement.
        log.warning("small-change.not-looked-up", why=str(error))
        return facts
    found = replace(facts, pull_request=replace(facts.pull_request, changes=changes))
    lines = counted_lines(found)
    if lines is None or rule.mode == "shadow":  # Where nothing is shown, nothing passes by it.
        return found
    draft = SmallChangeDraft(
        pull_id=pull_id,
        owner_id=snapshot.owner_id,
        account_ids=frozenset(person.id for person in people),
        lines=lines,
        total=rule.small.total,
    )
    counted = row_codes.checked(
        services.sessions, services.vault, lambda: _reserved(draft, services), lambda tally: tally.unlogged
    ).lines
    is_counted = all(counted.get(account_id, 0) + lines <= rule.small.total for account_id in draft.account_ids)
    log.info("small-change.judged", pull=pull_id, lines=lines, counted=is_counted)
    # Also those who have none: under other rules a missing number is not known.
    return replace(
        found, small_lines={account_id: counted.get(account_id, 0) for account_id in sorted(draft.account_ids)}
    )


def _reserved(draft: SmallChangeDraft, services: Services) -> CountedLines:
    # Committed before the verdict: a verdict on another pull request of theirs sees these lines, or this one sees its.
    with services.change() as context:
        return small_changes.reserve(context, draft)


def end(context: RecordContext, pull_id: int, state: str, services: Services) -> None:
    """Store that a pull request is no longer `open`; where its lines count no longer, its people's others are judged again."""
    if state == "open":  # Its account is no longer served.
        return
    merged = state == "merged"
    rows = small_changes.end(context, pull_id, merged=merged)
    if rows and not merged:
        rejudge.people(context.session, services.engine, [row.account_id for row in rows], queue="later")
    if rows:  # Last: others wait for the log, and may hold what is queued above.
        context.log("lines.counted" if merged else "lines.released", rows=rows)
