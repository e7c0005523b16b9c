"""The judgement of a stored repository: its facts are decrypted, what registries state is added, rules are applied."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from hashlib import sha256
from typing import Final

import structlog

from agreements.vault import DecryptionFailed
from audit.facts import Cell, Finding, Place, Repository, RepositoryAudit
from audit.licenses.osadl import Matrix
from audit.scan.serialization import CannotUnpack, unpack
from audit.store import repositories, sealed
from audit.store.repositories import Row
from audit.verdict.repository_verdict import Judge
from bot.flows.flow_services import Services
from bot.github.ports import RuleFile
from bot.licenses import remote_repository, sealed_files
from bot.licenses.applied_rules import AppliedRules, OrganizationRules, organization
from bot.licenses.registry_lookup import LicenseLookup
from bot.store import owners

_NOT_YET: Final = "the newest commit has not been read yet"
KEPT_FOR: Final = timedelta(days=7)  # A verdict is kept at most so long while all that it came from is the same.

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class JudgedRepository:
    """The repository of a `row` as `audited` by the rules `applied`.

    `is_read`: its facts are stored and can be decrypted; without them nothing is known of it.
    `doubtful`: registries that should have been asked could not be, so that what is unknown may be known tomorrow.
    `lasts`: nothing that it came from ends within KEPT_FOR, no waiver and no registry's answer, and the newest commit
    was read.
    """

    row: Row
    audited: RepositoryAudit
    applied: AppliedRules
    is_read: bool = True
    doubtful: bool = False
    lasts: bool = False

    @property
    def failing(self) -> tuple[Cell, ...]:
        """The violations by the rules of this repository."""
        return tuple(cell for cell in self.audited.cells if cell.fails(self.applied.policy.fail_on))

    @property
    def own_unknown(self) -> Finding | None:
        """The finding that its own licence is not known, where that is a violation by these rules."""
        return self.audited.own_license_violation(self.applied.policy.fail_on)


@dataclass(frozen=True, slots=True)
class Bench:
    """The `rules`, licence `data` and `learner` that an account's repositories are judged by in one job, `today`.

    `inputs` is a digest of these, and of the week.
    """

    rules: OrganizationRules
    data: Matrix
    learner: LicenseLookup
    today: date = field(kw_only=True)
    inputs: str = field(kw_only=True)

    def inputs_of(self, row: Row) -> str:
        """A digest of all that the verdict on that repository comes from."""
        # What ends by itself is in no digest, see `lasts`: so none needs a date of expiry.
        read = (row.head_sha, row.fingerprint, row.read_at, row.wanted_sha, row.why)
        return digest(self.inputs, row.repository_id, row.owner, row.name, row.archived, row.fork, read)

    def judged(self, row: Row, repository: Repository, own: str | None) -> JudgedRepository:
        """The repository under its present name; `own` is its own rulebook."""
        applied = self.rules.applied(f"{row.owner}/{row.name}", own)
        judge = Judge(applied.policy, self.data, self.today, remembered=0)
        # A rename costs no reading: the facts are kept by id.
        named = replace(repository, name=f"{row.owner}/{row.name}", head=row.head_sha)
        learnt = self.learner.learned(named, judge)
        found = judge.audited(learnt.repository)
        unread = tuple(_unread(row))
        findings = (*found.findings, *applied.findings, *unread)
        kept_until = self.today + KEPT_FOR
        ends = any(self.today < waiver.until <= kept_until for waiver in applied.policy.waivers)
        lasts = not (ends or unread or learnt.failed) and learnt.until.date() > kept_until
        audited = replace(found, findings=findings)
        return JudgedRepository(row, audited, applied, doubtful=bool(learnt.failed), lasts=lasts)

    def unread(self, row: Row, why: str) -> JudgedRepository:
        """A repository without facts: in the report it must not look as if nothing were wrong with it."""
        name = f"{row.owner}/{row.name}"
        applied = self.rules.applied(name, None)
        said = Finding("repository/unread", Place("."), f"nothing of it could be judged: {why}")
        nothing = Repository(name=name, delivery=applied.policy.delivery, head=row.head_sha)
        return JudgedRepository(row, RepositoryAudit(nothing, (), (said, *applied.findings)), applied, is_read=False)


def bench(owner_id: int, services: Services) -> Bench | None:
    """The rules as last read and the data in use; None where no rules want an audit.

    Raises DocumentInvalid, MatrixInvalid, OSError.
    """
    found = rules(owner_id, services)
    if found is None or not found.wants_audits:
        return None
    data, learner, today = services.licenses(), services.learner(), services.clock().date()
    # All of an account's repositories are judged in the first night of its week, which begins on any day.
    week = (today.toordinal() + owner_id) // KEPT_FOR.days
    matrix = (data.timestamp, sorted(data.names.items()), data.rows, data.kinds)
    inputs = digest(remote_repository.reader(), found.file.path, found.file.text, matrix, learner.scope, week)
    return Bench(found, data, learner, today=today, inputs=inputs)


def digest(*of: object) -> str:
    """SHA-256 in hexadecimal of these values."""
    return sha256(repr(of).encode("utf-8", "surrogatepass")).hexdigest()


def rules(owner_id: int, services: Services) -> OrganizationRules | None:
    """An account's rules as last read; None where it has none. Raises DocumentInvalid."""
    if services.organization_file:
        return organization(RuleFile(*services.organization_file))
    with services.sessions() as session:
        return organization(RuleFile(".github/countersign.yml", owners.rules(session, owner_id)))


def rows(owner_id: int, services: Services) -> list[Row]:
    """An account's repositories by name; those without any commit are left out."""
    with services.sessions() as session:
        listed = repositories.of(session, owner_id)
    found = [
        repository
        for repository in listed
        if repository.head_sha is not None or repository.wanted_sha is not None or repository.why
    ]
    return sorted(
        found,
        key=lambda repository: (repository.owner.casefold(), repository.name.casefold(), repository.repository_id),
    )


def read(row: Row, on: Bench, services: Services) -> JudgedRepository:
    """The repository as it is judged now."""
    name = repositories.name(row.repository_id)
    with services.sessions() as session:
        held = sealed.get(session, name)
    if held is None:
        return on.unread(row, row.why or _NOT_YET)
    try:
        kept = unpack(sealed_files.decrypt(services.vault, name, held))
    except (DecryptionFailed, CannotUnpack) as error:  # Read anew the next night.
        log.warning("night.facts-unreadable", repository=f"{row.owner}/{row.name}", why=type(error).__name__)
        why = "its stored data cannot be decrypted, so the repository is read again"
        with services.sessions() as session:
            repositories.mark_damaged(session, row.repository_id, why)
        return on.unread(row, why)
    return on.judged(row, kept.repository, kept.rulebook)


def _unread(row: Row) -> Iterator[Finding]:
    if row.wanted_sha is not None or row.why:  # Older results are better than none, if they say so.
        why = row.why or _NOT_YET
        yield Finding(
            "repository/unread",
            Place("."),
            f"these results are for commit {(row.head_sha or '')[:12]}, not the newest: {why}",
        )
