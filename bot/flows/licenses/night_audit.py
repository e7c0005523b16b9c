"""The judgement of an account's night: what is not as it was is judged, compared with the night before, reported."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import structlog
from sqlmodel import Session

from agreements.vault import DecryptionFailed
from audit.facts import Cell, RepositoryAudit
from audit.licenses import data_age
from audit.licenses.osadl import MatrixInvalid
from audit.output import all_reports, nightly_changes
from audit.output.audit_run import build as in_order
from audit.output.nightly_changes import ReportUnreadable, RepositoryChange
from audit.store import account_states, nights, totals
from audit.store.nights import Counts
from audit.store.repositories import Row
from audit.store.sealed import Sealed
from bot.flows.flow_services import Services
from bot.flows.licenses import issue_publisher, stored_repository
from bot.flows.licenses.stored_repository import Bench, JudgedRepository
from bot.job_queue import Job
from bot.licenses import sealed_files
from bot.licenses.report_files import REPORT, ReportFilesWriter
from bot.notifications import payloads
from bot.report import night_changes
from bot.rulebook.yaml_document import DocumentInvalid

MAX_SHOWN_CHANGES: Final = 2_000  # Told one by one, of one night.
# Marks inputs that count for this night alone: the next night judges the repository again even if they are the same.
_TONIGHT: Final = "tonight "

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Night:
    """The night of the account `owner_id`, begun `at`: its `rows`, judged `on` rules and data, into `report_files`.

    `inputs` are those of each one's verdict, `same` the ids of those that have a verdict from the same inputs, `kept`
    the inputs of the files about all that are kept (None: not known).
    """

    owner_id: int
    at: datetime
    on: Bench
    report_files: ReportFilesWriter
    rows: list[Row]
    inputs: Mapping[int, str]
    same: Collection[int]
    kept: str | None

    def is_unchanged(self, session: Session) -> bool:
        """True if the files about all would say just what they say."""
        return len(self.same) == len(self.rows) and self.kept == self.inputs_of_all(session)

    def inputs_of_all(self, session: Session) -> str:
        """A digest of what the files about all repositories come from."""
        dates = (self.on.data.date,)
        age = (data_age.said(dates, self.at), data_age.outdated(dates, self.at))
        earlier = totals.of(session, self.owner_id)
        return stored_repository.digest(self.on.inputs, sorted(self.inputs.items()), age, earlier)

    def inputs_to_keep(self, repository: JudgedRepository, due: Collection[Job]) -> str:
        """The inputs with which its files are kept: where something is due or ends soon, for this night alone."""
        inputs = self.inputs[repository.row.repository_id]
        return inputs if repository.lasts and not due else _TONIGHT + inputs


def judge_account(owner_id: int, services: Services) -> None:
    """Judge what may be judged otherwise than before, without asking GitHub; queue what has to be told there."""
    try:
        on = stored_repository.bench(owner_id, services)
    except (DocumentInvalid, MatrixInvalid, OSError) as error:
        log.warning("night.not-judged", owner=owner_id, why=type(error).__name__)
        with services.sessions() as session:
            account_states.failed(session, owner_id, "the rulebook or the licence data cannot be used")
        return
    if on is None:
        return
    at = services.clock()
    with services.sessions() as session:
        account = account_states.get(session, owner_id)
        nights.purge(session, owner_id, before=at - nights.NIGHT_RETENTION)
        totals.purge(session, owner_id, before=at - totals.TOTALS_RETENTION)
    if account is None:  # The App left meanwhile.
        return
    is_done = account.judged_at is not None and account.judged_at >= account.began_at
    # What is stored does not count after a night that failed.
    report_files = ReportFilesWriter(account.owner_id, services.vault, services.sessions, at)
    kept = {} if account.why else report_files.made_from()
    rows = stored_repository.rows(account.owner_id, services)
    inputs = {row.repository_id: on.inputs_of(row) for row in rows}
    # A repository of which all inputs are the same keeps its files, and what was told of it.
    same = {
        key
        for key, digest in inputs.items()
        if kept.get(key) in ((digest, _TONIGHT + digest) if is_done else (digest,))
    }
    night = _Night(account.owner_id, at, on, report_files, rows, inputs, same, kept.get(None))
    counts, skipped = (account.repositories, account.violations), len(night.same)
    with services.sessions() as session:
        stays = night.is_unchanged(session)
        if stays and not is_done:
            account_states.judged(session, owner_id, counts=counts, skipped=skipped, at=at)
    if not stays:
        _judge(night, services)
    elif not is_done:  # Judged in this very night: a second job has nothing to say.
        _log(owner_id, counts, skipped=skipped)


def _judge(night: _Night, services: Services) -> None:
    before = _before(night)
    found: list[RepositoryAudit] = []
    due: list[Job] = []
    skipped, unread = 0, set[str]()
    for row in night.rows:
        repository = stored_repository.read(row, night.on, services)
        unread |= set() if repository.is_read else {repository.audited.repository.name}
        found.append(_without_texts(repository.audited))
        if repository.is_read and row.repository_id in night.same:
            night.report_files.keep(repository.audited.repository.name)
            skipped += 1
            continue
        jobs = list(issue_publisher.due(repository, services)) if repository.is_read else []
        inputs = night.inputs_to_keep(repository, jobs)
        night.report_files.folder(repository.audited, row.repository_id, repository.applied.policy.fail_on, inputs)
        due += jobs
    with services.sessions() as session:
        earlier = totals.of(session, night.owner_id)
    whole = in_order(found, night.at, night.on.rules.rulebook.policy.fail_on, earlier=earlier)
    files = dict(all_reports.on_top(whole))
    # Nothing is mended in a repository only because its facts cannot be read.
    changes = [
        change
        for change in _changes(night.owner_id, before, json.loads(files[REPORT]))
        if change.repository not in unread
    ]
    keep = night.report_files.top(files)
    counted = whole.totals()
    counts = (counted.repositories, counted.violations)
    # In one transaction: a night that is killed before compares with the same report again.
    with services.sessions() as session:
        totals.add(session, night.owner_id, counted)
        keep(session, night.inputs_of_all(session))
        _tell(session, night, changes, services)
        issue_publisher.queue(session, due, services)
        account_states.judged(session, night.owner_id, counts=counts, skipped=skipped, at=night.at)
    _log(night.owner_id, counts, changes=len(changes), told=len(due), skipped=skipped)


def _log(owner_id: int, counts: tuple[int, int], *, changes: int = 0, told: int = 0, skipped: int) -> None:
    repositories, violations = counts
    log.info(
        "night.judged",
        owner=owner_id,
        repositories=repositories,
        violations=violations,
        skipped=skipped,
        changes=changes,
        told=told,
    )


def _without_texts(audited: RepositoryAudit) -> RepositoryAudit:
    cells = []  # Of a thousand repositories the texts would be too much at once.
    for cell in audited.cells:
        dependency = cell.dependency
        if dependency.licenses or dependency.notices or dependency.needs or dependency.checksums or dependency.download:
            dependency = replace(dependency, licenses=(), notices=(), needs=(), checksums=(), download=None)
        cells.append(Cell(dependency, cell.judgement, cell.waiver))
    repository = replace(audited.repository, dependencies=(), licenses=(), notices=())
    return replace(audited, repository=repository, cells=tuple(cells))


def _before(night: _Night) -> dict[str, Any] | None:
    """The report of the night before, with its repositories under their present names; None where there is none."""
    try:
        data = night.report_files.opened(REPORT)
        report: dict[str, Any] | None = None if data is None else json.loads(data)
    except (DecryptionFailed, ValueError) as error:
        log.warning("night.not-compared", owner=night.owner_id, why=type(error).__name__)
        return None
    renamed = night.report_files.renamed()  # Else a rename would read as one gone and one new.
    for repository in report["repositories"] if report and renamed else ():
        repository["name"] = renamed.get(repository["name"], repository["name"])
    return report


def _changes(owner_id: int, before: dict[str, Any] | None, after: dict[str, Any]) -> tuple[RepositoryChange, ...]:
    try:
        return nightly_changes.changes(before, after) if before is not None else ()  # The first night: no change.
    except ReportUnreadable as error:
        log.warning("night.not-compared", owner=owner_id, why=str(error))
        return ()


def _tell(session: Session, night: _Night, found: Sequence[RepositoryChange], services: Services) -> None:
    if not found:
        return
    counts = Counts(
        len(found), sum(change.is_new_violation for change in found), sum(change.is_mended for change in found)
    )
    night_id = services.new_id()
    told: dict[str, Sealed] = {}
    for language in nights.LANGUAGES:
        name = nights.name(night_id, language)
        text = night_changes.markdown(found, language, MAX_SHOWN_CHANGES).encode()
        told[name] = sealed_files.encrypt(services.vault, name, text)
    nights.add(session, night_id, night.owner_id, counts, told, at=night.at)
    services.notify(session, payloads.of_night(night.owner_id, found, at=night.at))
