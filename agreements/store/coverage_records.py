"""The records that a decision needs: signatures, proven addresses and companies, read by one query."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection

from agreements import facts
from agreements.domains.domains import canonical_address
from agreements.store.companies import companies
from agreements.store.lookup.batch_query import BatchQuery
from agreements.store.people import emails, signatures
from agreements.store.people.signatures import TextKey
from agreements.vault import Vault


@dataclass(frozen=True, slots=True)
class Records:
    """What is recorded of some accounts: what they signed, the addresses that they have proven, who names them.

    `proofs_until` is when the first of those proofs ends; None when none does.
    """

    signatures: tuple[facts.Signature, ...]
    emails: Mapping[int, tuple[str, ...]]
    companies: tuple[facts.Company, ...]
    proofs_until: datetime | None = None


def records(  # noqa: PLR0913 - the connection and the vault come first everywhere, the rest is one question
    connection: Connection,
    vault: Vault,
    account_ids: Collection[int],
    addresses: Collection[str],
    *,
    accepted: Collection[TextKey],
    how: Collection[str],
    at: datetime,
    now: datetime,
) -> Records:
    """As `signatures.of`, `emails.proven` and `companies.relevant` say, each for all of these accounts.

    What stands after `now` was written by a clock that was ahead. It has happened, and it counts as now.
    Companies are found by the `addresses` and by those that are proven in one of the ways `how`, for which the database
    is asked once more only where they are others.
    """
    found: tuple[list[Sequence[Any]], ...] = ([], [], [])
    for lot in companies.keys(vault, account_ids, addresses):
        for kind, rows in enumerate(
            _asked(connection.dialect.name, *lot).rows(connection, {**lot, "at": at, "how": sorted(how)})
        ):
            found[kind].extend(rows)
    naming, signed, proven = found
    known = emails.answer(vault, proven)
    others = set().union(*known.values()) - {canonical_address(address) for address in addresses}
    for lot in companies.keys(vault, (), others):
        naming += _asked(connection.dialect.name, *lot).rows(connection, lot)[0]
    return Records(
        signatures=tuple(_happened(one, now) for one in signatures.answer(signed, accepted=accepted)),
        emails=known,
        companies=tuple(companies.answer(vault, naming, accepted=accepted).values()),
        proofs_until=min((until for *_, until in proven if until is not None), default=None),
    )


def _happened(signature: facts.Signature, now: datetime) -> facts.Signature:
    ended = signature.withdrawn_at and min(signature.withdrawn_at, now)
    return replace(signature, signed_at=min(signature.signed_at, now), withdrawn_at=ended)


@cache
def _asked(dialect: str, *kinds: str) -> BatchQuery:
    """Companies by these kinds of keys; with accounts among them, what these signed and proved."""
    named = companies.question(dialect, *kinds)
    if "accounts" not in kinds:
        return BatchQuery(named)
    return BatchQuery(named, signatures.question(dialect), emails.question(dialect, so=True))
