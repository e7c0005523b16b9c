"""When something that covers people next begins or ends by time alone."""

from collections.abc import Iterator
from datetime import datetime

from agreements.facts import Facts


def next_change(facts: Facts, proofs_until: datetime | None = None) -> datetime | None:
    """The first moment after `facts.now` at which the same facts may lead to another verdict; None when time changes nothing.

    `proofs_until` is when the first proof behind `facts.emails` ends, which the addresses themselves do not tell.
    """
    return min((moment for moment in _moments(facts, proofs_until) if moment and moment > facts.now), default=None)


def _moments(facts: Facts, proofs_until: datetime | None) -> Iterator[datetime | None]:
    yield proofs_until
    yield from (accepted.until for versions in facts.rules.accept.values() for accepted in versions)
    for signature in facts.signatures:
        yield from (signature.signed_at, signature.withdrawn_at)
    for company in facts.companies:
        yield from (company.signed_at, company.ended_at)
        for entry in (*company.covers, *company.excludes):
            yield from (entry.since, entry.until)
