"""Judges all that was read of an account's repositories, compares it with the night before, and keeps the report."""

import json
from dataclasses import replace
from typing import Any, Final

import structlog

from agreements.vault import DecryptionFailed
from audit.facts import Cell, Dependency, RepositoryAudit
from audit.licenses.osadl import MatrixInvalid
from audit.output import nightly_changes
from audit.output.audit_run import build as in_order
from audit.output.nightly_changes import ReportUnreadable
from audit.store import accounts, nights, totals
from audit.store.nights import Counts
from bot.flows.flow_services import Services
from bot.flows.licenses import issue_publisher, stored_repository
from bot.job_queue import Job
from bot.licenses import sealed_files
from bot.licenses.report_files import REPORT, ReportFiles, ReportFilesWriter
from bot.notifications import payloads
from bot.rulebook.yaml_document import DocumentInvalid

MAX_SHOWN_CHANGES: Final = 2_000
"""Changes of one night that are told one by one."""

log = structlog.get_logger()


def judge_account(owner_id: int, services: Services) -> None:
    """Judge all anew, without asking GitHub; keep what is otherwise than before; queue what has to be told there."""
    try:
        on = stored_repository.bench(owner_id, services)
    except (DocumentInvalid, MatrixInvalid, OSError) as error:
        log.warning("night.not-judged", owner=owner_id, why=type(error).__name__)
        with services.sessions() as session:
            accounts.failed(session, owner_id, "the rulebook or the licence data cannot be used")
        return
    if on is None:
        return
    at = services.clock()
    report_files = ReportFilesWriter(owner_id, services.vault, services.sessions, at)
    before = _before(report_files)
    found: list[RepositoryAudit] = []
    due: list[Job] = []
    for one in stored_repository.each(owner_id, on, services):
        report_files.folder(one.audited, one.row.repository_id, one.applied.policy.fail_on)
        due += issue_publisher.due(one, services)
        found.append(_without_texts(one.audited))
    with services.sessions() as session:
        earlier = totals.of(session, owner_id)
    whole = in_order(found, at, on.rules.rulebook.policy.fail_on, earlier=earlier)
    report_files.top(whole)
    changed = _night(owner_id, before, _report(report_files), services)
    issue_publisher.queue(due, services)
    counted = whole.totals()
    with services.sessions() as session:
        totals.purge(session, owner_id, before=at - totals.TOTALS_RETENTION)
        totals.add(session, owner_id, counted)
        accounts.judged(session, owner_id, counts=(counted.repositories, counted.violations), at=at)
    log.info(
        "night.judged",
        owner=owner_id,
        repositories=counted.repositories,
        violations=counted.violations,
        changes=changed,
        told=len(due),
    )


def _without_texts(audited: RepositoryAudit) -> RepositoryAudit:
    """What the pages about all of them need: of a thousand repositories the texts would be too much at once."""
    cells = tuple(Cell(_bare(one.dependency), one.judgement, one.waiver) for one in audited.cells)
    repository = replace(audited.repository, dependencies=(), licenses=(), notices=())
    return replace(audited, repository=repository, cells=cells)


def _bare(one: Dependency) -> Dependency:
    kept = one.licenses or one.notices or one.needs or one.checksums or one.download
    return replace(one, licenses=(), notices=(), needs=(), checksums=(), download=None) if kept else one


def _before(report_files: ReportFiles) -> dict[str, Any] | None:
    """The report of the night before, with its repositories under their present names; None where there is none."""
    report, renamed = _report(report_files), report_files.renamed()
    for one in report["repositories"] if report and renamed else ():
        one["name"] = renamed.get(one["name"], one["name"])
    return report


def _report(report_files: ReportFiles) -> dict[str, Any] | None:
    try:
        data = report_files.opened(REPORT)
        return None if data is None else json.loads(data)
    except (DecryptionFailed, ValueError):
        return None


def _night(owner_id: int, before: dict[str, Any] | None, after: dict[str, Any] | None, services: Services) -> int:
    """Keep what changed; how much. The first run has nothing to be compared with."""
    at = services.clock()
    try:
        found = nightly_changes.changes(before, after) if before is not None and after is not None else ()
    except ReportUnreadable as error:
        log.warning("night.not-compared", owner=owner_id, why=str(error))
        found = ()
    counts = Counts(len(found), sum(one.is_new_violation for one in found), sum(one.is_mended for one in found))
    with services.sessions() as session:
        nights.purge(session, owner_id, before=at - nights.NIGHT_RETENTION)
        if found:
            night_id = services.new_id()
            sealed = sealed_files.encrypt(
                services.vault, nights.name(night_id), nightly_changes.markdown(found, MAX_SHOWN_CHANGES).encode()
            )
            nights.add(session, night_id, owner_id, counts, sealed, at=at)
            services.notify(session, payloads.of_night(owner_id, found, at=at))
    return len(found)
