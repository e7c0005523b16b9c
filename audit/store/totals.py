"""The counts of an organisation's audits from night to night, for a year."""

from collections import Counter
from datetime import datetime, timedelta

from sqlalchemy import delete, func
from sqlmodel import Session, col, select

from audit.facts import LicenseVerdict
from audit.output.audit_run import Totals
from audit.store.records import AuditTotals

TOTALS_RETENTION = timedelta(days=366)  # A night's counts are kept so long; the newest stays.


def add(session: Session, owner_id: int, night: Totals) -> None:
    """Keep a night's counts, unless they are those of the night before."""
    if any(not night.differs(before) for before in of(session, owner_id)[-1:]):  # Most nights are the same.
        return
    uses = {verdict.value: night.uses[verdict] for verdict in LicenseVerdict}
    row = AuditTotals(
        owner_id=owner_id, at=night.at, repositories=night.repositories, violations=night.violations, uses=uses
    )
    session.merge(row)  # A second job of the same night writes the same row.
    session.flush()


def of(session: Session, owner_id: int) -> list[Totals]:
    """An account's nights, the oldest first."""
    query = select(AuditTotals).where(col(AuditTotals.owner_id) == owner_id).order_by(col(AuditTotals.at))
    return [
        Totals(
            row.at,
            row.repositories,
            row.violations,
            Counter({LicenseVerdict(name): uses for name, uses in row.uses.items()}),
        )
        for row in session.exec(query)
    ]


def purge(session: Session, owner_id: int, *, before: datetime | None = None) -> None:
    """Delete an account's nights of before that moment, but for the newest of all; all of them when it is None."""
    ours = col(AuditTotals.owner_id) == owner_id
    chosen = delete(AuditTotals).where(ours)
    if before is not None:
        # The next night is compared with the newest.
        newest = select(func.max(col(AuditTotals.at))).where(ours).scalar_subquery()
        chosen = chosen.where(col(AuditTotals.at) < before, col(AuditTotals.at) != newest)
    session.execute(chosen)
