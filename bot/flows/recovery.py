"""The queue for all that waited for GitHub, once it answers again."""

from typing import Any, Final

import structlog
from sqlalchemy import ColumnElement

from bot.db import Sessions
from bot.flows.flow_services import Services
from bot.job_queue import Engine, Job
from bot.store import inbox
from bot.store.license_checks import LICENSE_CHECKS
from bot.store.mailbox import BATCH_SUBJECTS, Mailbox, lots
from bot.store.merge_groups import MERGE_GROUPS
from bot.store.pulls.review_mailbox import REVIEWS, of_installation

_ALL_INSTALLATIONS: Final = 0

log = structlog.get_logger()


def queue(sessions: Sessions, engine: Engine, installation: int | None) -> None:
    """Queue the job that wakes all that waits for that installation, or (None) for any."""
    with sessions() as session:
        # As a job: the thread whose call was answered has its own work to do.
        engine.enqueue(session, Job("recovery", (installation or _ALL_INSTALLATIONS,), "now"))


def wake(installation: int, services: Services) -> int:
    """Queue reviews, licence checks, merge groups and events that were given up while GitHub was away; how many."""
    mine = None if installation == _ALL_INSTALLATIONS else of_installation(installation)
    woken = _wake_all(REVIEWS, services, of=mine)
    woken += sum(_wake_all(mailbox, services) for mailbox in (LICENSE_CHECKS, MERGE_GROUPS))
    with services.sessions() as session:
        guids = inbox.postponed(session)
    for some in lots(guids):
        with services.sessions() as session:
            for guid in some:  # One more job does no harm: the first one that succeeds ends it.
                services.engine.enqueue(session, Job("event", (guid,), "now"))
    woken += len(guids)
    log.info("github.recovered", installation=installation or None, woken=woken)
    return woken


def _wake_all(mailbox: Mailbox[Any, Any, Any], services: Services, *, of: ColumnElement[bool] | None = None) -> int:
    woken, lot = 0, BATCH_SUBJECTS
    while lot == BATCH_SUBJECTS:  # Lot by lot: deliveries that come in meanwhile have their turn.
        with services.sessions() as session:
            lot = mailbox.wake(session, services.engine, of=of, limit=BATCH_SUBJECTS)
        woken += lot
    return woken
