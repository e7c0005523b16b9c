"""The question to GitHub whose imported logins are now, a few at a time; the records say whether that is enough."""

from collections.abc import Sequence
from datetime import timedelta

from sqlmodel import Session

from agreements.store.imports import import_decisions
from bot.flows.flow_services import Services
from bot.github.ports import AccountWithAge, Missing
from bot.job_queue import Engine, Job
from bot.store.pulls import rejudge

BATCH_LOGINS = 20  # Logins that one job asks for.

DELAY_BETWEEN_BATCHES = timedelta(minutes=1)  # GitHub's limits are for people who wait, not for this.


def queue(session: Session, engine: Engine, entry_ids: Sequence[str], *, behind: int = 0) -> None:
    """Have the logins of these entries resolved, in lots; `behind` so many entries that were queued just before."""
    for start in range(0, len(entry_ids), BATCH_LOGINS):
        delay = DELAY_BETWEEN_BATCHES * ((behind + start) // BATCH_LOGINS)
        engine.enqueue(
            session, Job("resolve", tuple(entry_ids[start : start + BATCH_LOGINS]), queue="later", delay=delay)
        )


def resolve(entry_ids: Sequence[str], services: Services) -> None:
    """Ask for each login that still waits, and settle it. Raises HubError: the job is tried again."""
    for entry_id in entry_ids:
        with services.sessions() as session:
            login = import_decisions.login_of(session, entry_id)
        if login is not None:
            try:
                account = services.hub.account_with_age(login)
            except Missing:  # Renamed or deleted: the login counts for no account.
                account = None
            _store_decision(entry_id, account, services)  # One by one: what is settled stays if GitHub goes away.


def _store_decision(entry_id: str, found: AccountWithAge | None, services: Services) -> None:
    account, since = (found.account, found.created_at) if found else (None, None)
    with services.change() as context:
        if account is not None:
            rejudge.people(context.session, services.engine, [account.id], queue="later")
        import_decisions.settle(context, entry_id, account, since)
