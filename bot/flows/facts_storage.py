"""Stores the facts of a verdict beside it, encrypted; an error here never costs the verdict."""

from collections.abc import Callable
from dataclasses import replace

import structlog
from sqlmodel import Session

from agreements.facts import Facts
from bot.flows.flow_services import Services
from bot.github.ports import PullRequestSnapshot, RuleFile, RuleFiles
from bot.rulebook.recorded_facts import HeadBranch, pack
from bot.store.pulls import stored_facts
from bot.telemetry.logs import where

log = structlog.get_logger()


def prepared(
    pull_id: int, snapshot: PullRequestSnapshot, facts: Facts | None, services: Services
) -> Callable[[Session], None]:
    """What stores the facts in the verdict's own transaction; all that takes time or may fail is done before.

    Without facts (there was no rulebook to judge by) those of the last verdict stay. Facts that could not be sealed
    take the older ones with them, which would be taken for the newest.
    """
    if facts is None:
        return lambda _session: None
    try:
        packed = pack(facts, _rule_files(snapshot, services), HeadBranch(snapshot.head_repository, snapshot.head))
        sealed = stored_facts.encrypt(services.vault, pull_id, packed)
    except Exception as error:  # noqa: BLE001 - the verdict counts, also without its facts
        log.error("facts.not-stored", pull=pull_id, why=type(error).__name__, at=where(error))  # noqa: TRY400 - a trace may hold values
        return lambda session: stored_facts.forget(session, pull_id)
    at = services.clock()
    return lambda session: stored_facts.keep(session, pull_id, snapshot.head_sha, sealed, at=at)


def _rule_files(snapshot: PullRequestSnapshot, services: Services) -> RuleFiles:
    """Those that were in force: a rulebook given as a file stands in for the organisation's."""
    file = services.organization_file
    return replace(snapshot.rule_files, organization=RuleFile(*file)) if file else snapshot.rule_files
