"""How often each administrator is written to about what is new, and up to where they have been told."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, cast, get_args

from sqlalchemy import CheckConstraint, func
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.store.companies import company_requests, domain_claims
from agreements.store.ledger import stored_ledger
from agreements.store.lookup import account_key
from agreements.store.people.erasure_requests import ASKED
from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import declare
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import Erasure
from agreements.vault import Vault
from bot.store.outbox import Mail
from bot.store.pulls import commit_findings
from bot.store.statements import Upsert, run

Often = Literal["at-once", "daily", "never"]
CHOICES: Final[tuple[Often, ...]] = get_args(Often)

DIGEST_PERIOD: Final = timedelta(days=1)

CONTACT_ACCOUNT_ID: Final = 0  # No account of GitHub has this id.
"""In place of an account: the contact of the settings, which is written to while no administrator has an address."""

NOTHING_TOLD: Final = -1
"""Before the log's first entry."""

KIND: Final = "admin-notification"
"""The kind of these e-mails; one of them that failed is nothing to write about."""


class NotificationPreference(SQLModel, table=True):
    """A recipient's choice of e-mails; they know all up to the log's entry `told_entry` and the moment `told_at`."""

    __tablename__ = "notification"
    __table_args__ = (
        CheckConstraint("often IN ('at-once', 'daily', 'never')", name="notification_often_known"),
        declare(erased="account"),
    )

    account_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    often: str = "at-once"
    told_entry: int = Field(sa_type=BigId)
    told_at: datetime = Field(sa_type=Moment)


_BEGIN: Final = Upsert.unless_there(NotificationPreference)


@dataclass(frozen=True, slots=True)
class NotificationCounts:
    """The news since a recipient was last told: `companies`, `domains`, `erasures` that wait, `emails` that failed.

    `commits` are those in protected branches that no checked pull request brought.
    """

    companies: int = 0
    domains: int = 0
    erasures: int = 0
    emails: int = 0
    commits: int = 0

    @property
    def total(self) -> int:
        """All together; 0 is nothing to write about."""
        return self.companies + self.domains + self.erasures + self.emails + self.commits


def often(session: Session, account_id: int) -> Often:
    """The administrator's choice; at once without one."""
    row = session.get(NotificationPreference, account_key(account_id))
    return "at-once" if row is None else cast("Often", row.often)


def choose(session: Session, account_id: int, chosen: Often, *, at: datetime) -> None:
    """From now on they are written to so often."""
    of(session, account_key(account_id), at=at).often = chosen


def of(session: Session, account_id: int, *, at: datetime) -> NotificationPreference:
    """The row of that account, or of CONTACT_ACCOUNT_ID."""
    # A new one begins before all that still waits: else no mail would tell of what came before an address.
    new = {"account_id": account_id, "often": "at-once", "told_entry": NOTHING_TOLD, "told_at": at}
    run(session, _BEGIN, new)  # Several replicas may begin it at the same moment.
    query = select(NotificationPreference).where(col(NotificationPreference.account_id) == account_id)
    return session.exec(query.with_for_update()).one()  # One replica writes to them at a time.


def news(session: Session, vault: Vault, row: NotificationPreference, *, at: datetime) -> NotificationCounts:
    """The counts of what came since the row's owner was told and still waits for a decision."""
    waits: Mapping[str, Callable[[], int]] = {
        "company.requested": lambda: len(company_requests.waiting(session)),
        "domain.claimed": lambda: len(domain_claims.pending(session, vault, at=at)),
        "erasure.asked": lambda: session.exec(select(func.count()).where(col(Erasure.state) == ASKED)).one(),
    }
    counted = select(LedgerEntry.kind, func.count()).where(col(LedgerEntry.number) > row.told_entry)
    came = dict(session.exec(counted.where(col(LedgerEntry.kind).in_(list(waits))).group_by(LedgerEntry.kind)).all())
    # What was decided since waits no longer: never more than do wait.
    companies, domains, erasures = (min(came[kind], count()) if kind in came else 0 for kind, count in waits.items())
    # An e-mail that failed keeps the end of its last lease: one that is being sent now is counted when that has ended.
    over = (col(Mail.state) == "failed", col(Mail.kind) != KIND)
    failed = select(func.count()).where(*over, col(Mail.not_before) > row.told_at, col(Mail.not_before) <= at)
    commits = commit_findings.count_news(session, row.told_at, at)
    return NotificationCounts(companies, domains, erasures, session.exec(failed).one(), commits)


def mark_notified(session: Session, row: NotificationPreference, *, at: datetime) -> None:
    """All that `news` found is told."""
    row.told_entry, row.told_at = stored_ledger.extent(session).entries - 1, at
    session.add(row)
