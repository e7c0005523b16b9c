"""Ends the agreements of companies whose signature was revoked by a release that let them go on covering their staff."""

from dataclasses import dataclass
from datetime import timedelta

import structlog

from agreements.store.companies import company_agreements, company_requests
from agreements.vault import DecryptionFailed
from bot.job_queue import Engine
from bot.records.record_access import RecordAccess
from bot.store.pulls import rejudge

log = structlog.get_logger()

END_INTERVAL = timedelta(hours=1)
"""The pause between two looks: a process of the release before may still revoke such a signature."""


@dataclass(frozen=True, slots=True)
class RevokedCompanies:
    """Ends them, so that every list and page says what a decision says already."""

    records: RecordAccess
    engine: Engine

    def round(self) -> None:
        """End each in a transaction of its own, and have the pull requests of its people judged again."""
        with self.records.change() as context:
            found = company_agreements.revoked(context.session)
        for company_id in found:
            try:
                with self.records.change() as context:
                    has_ended = company_requests.end_revoked(context, company_id)
                    if has_ended:
                        rejudge.company(context.session, self.engine, company_id, now=context.at)
            except DecryptionFailed:  # Decisions take its agreement for ended all the same.
                has_ended = False
            if not has_ended:
                log.warning("company.not-ended", company=company_id)
