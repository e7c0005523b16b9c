"""Queues jobs again that got lost: a row says that one waits, and none is there. Nothing else would ever queue it.

The row and its job are written together, so this is what an earlier release left, or a job that failed for the last time.
"""

from typing import Any, Final

import structlog

from bot.flows.flow_services import Services
from bot.store.license_checks import LICENSE_CHECKS
from bot.store.mailbox import Mailbox
from bot.store.merge_groups import MERGE_GROUPS
from bot.store.pulls.review_mailbox import REVIEWS
from bot.telemetry import metrics

MAILBOXES: Final[tuple[Mailbox[Any, Any, Any], ...]] = (REVIEWS, LICENSE_CHECKS, MERGE_GROUPS)

log = structlog.get_logger()


def requeue(services: Services) -> int:
    """Queue what was lost; how many.

    The rows are read before the jobs: a job that is missing has ended since, or never was. In doubt there is one more,
    which finds nothing to do.
    """
    with services.sessions() as session:
        waiting = [(mailbox, ids) for mailbox in MAILBOXES for ids in mailbox.queued(session)]
    there = services.engine.unfinished() if waiting else frozenset()
    lost = [(mailbox, ids) for mailbox, ids in waiting if (mailbox.job, ids) not in there]
    with services.sessions() as session:
        found = sum(mailbox.queue_lost(session, services.engine, ids) for mailbox, ids in lost)
    if found:
        metrics.JOBS_RECOVERED.inc(found)
        log.warning("sweep.lost-jobs", jobs=found)
    return found
