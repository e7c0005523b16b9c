"""The contents of webhooks: ids and what the check shows anyway, never a name of a person or an e-mail address; pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from agreements import moments
from agreements.domains.masking import masked_text
from agreements.facts import Verdict
from bot.store.outgoing_webhooks import RecordChange
from bot.verdict_codes import public_codes

if TYPE_CHECKING:
    from audit.output.nightly_changes import RepositoryChange

Event = Literal["signed", "withdrawn", "company-changed", "verdict-changed", "license-violation", "attention-needed"]

SCHEMA_VERSION: Final = 1
"""The version of the bodies (docs/reference/outgoing-webhooks.schema.json); a field may be added to it, none changes its meaning."""
MAX_VIOLATIONS: Final = 100
"""New violations of one repository that are told one by one; `count` is of all."""

SIGNED: Final = frozenset({"signature.added", "signature.recorded", "signature.imported", "login.confirmed"})
WITHDRAWN: Final = frozenset({"signature.withdrawn", "signature.revoked"})
COMPANY: Final = frozenset(
    {
        *(f"company.{what}" for what in ("changed", "countersigned", "ended", "imported", "refused", "renewed", "requested")),
        *(f"domain.{what}" for what in ("claimed", "missing", "proven", "refused", "returned")),
        *(f"entry.{what}" for what in ("added", "changed", "ended")),
        *(f"manager.{what}" for what in ("appointed", "left")),
    }
)  # fmt: skip
"""Kinds of entries of the log (docs/reference/ledger.md) by what is told of them."""

ATTENTION: Final = {
    "company.requested": "/admin/companies",
    "domain.claimed": "/admin/domains",
    "erasure.asked": "/admin/erasures",
}
"""Kinds after which something waits for administrators, and the page on which they decide."""
UNDELIVERED: Final = "mail.failed"
"""The change that `attention-needed` names where no entry of the log stands for it: an e-mail could not be delivered."""


@dataclass(frozen=True, slots=True)
class Notification:
    """An `event` of the moment `at` with the `values` of its body; `account_id` is whom it is about, so that it can be deleted with them."""

    event: Event
    values: Mapping[str, Any] = field(repr=False)
    at: datetime
    account_id: int | None = None

    @property
    def body(self) -> bytes:
        """The JSON that is signed and sent, byte for byte."""
        whole = {"schema": SCHEMA_VERSION, "event": self.event, "occurred_at": moments.text(self.at), **self.values}
        return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()


def of_records(change: RecordChange) -> Iterator[Notification]:
    """The notification about an entry of the log; without people who were erased meanwhile."""
    if change.kind in ATTENTION:
        yield Notification("attention-needed", {"change": change.kind, "page": ATTENTION[change.kind]}, change.at)
    company = change.company
    # A signature for a company is a change of the company, no person's.
    if company is not None and change.kind in COMPANY | SIGNED:
        values = {
            "change": change.kind,
            "company": {"id": company.id, "name": masked_text(company.name)},  # A company may be called by an address.
            "agreement": {"name": company.agreement, "version": company.version},
        }
        yield Notification("company-changed", values, change.at)
    elif change.kind in SIGNED | WITHDRAWN:
        event: Event = "signed" if change.kind in SIGNED else "withdrawn"
        for signature in change.signatures:
            if login := change.logins.get(signature.account_id):  # None: erased meanwhile.
                values = {
                    "change": change.kind,
                    "account": {"id": signature.account_id, "login": login},
                    "agreement": {"name": signature.agreement, "version": signature.version},
                }
                yield Notification(event, values, change.at, signature.account_id)


def of_mail(at: datetime) -> Notification:
    """The notification that an e-mail was given up; to whom it was, and what it said, is not told."""
    return Notification("attention-needed", {"change": UNDELIVERED, "page": "/admin"}, at)


def of_verdict(
    verdict: Verdict, *, repository: Mapping[str, Any], number: int, head: str, before: str | None, at: datetime
) -> Notification | None:
    """The verdict on a pull request, if it differs from the one `before`; reasons as the check's public codes."""
    conclusion = verdict.conclusion.value
    if conclusion == before:  # Judged again with the same result: no news.
        return None
    values = {
        "repository": dict(repository),
        "number": number,
        "head": head,
        "conclusion": conclusion,
        "previous": before,
        "reasons": public_codes(verdict),
    }
    return Notification("verdict-changed", values, at)


def of_night(owner_id: int, found: Sequence["RepositoryChange"], *, at: datetime) -> Iterator[Notification]:
    """For each repository what the night found to violate the rules that did not before."""
    by_repository: dict[str, list[RepositoryChange]] = {}
    for change in found:
        if change.is_new_violation:
            by_repository.setdefault(change.repository, []).append(change)
    for name, violations in by_repository.items():
        listed = [_violation(violation) for violation in violations[:MAX_VIOLATIONS]]
        values = {
            "owner": {"id": owner_id},
            "repository": {"name": name},
            "count": len(violations),
            "violations": listed,
        }
        yield Notification("license-violation", values, at)


def _violation(change: "RepositoryChange") -> dict[str, str]:
    seen = change.after
    assert seen is not None  # What is gone violates nothing.
    return {
        "dependency": masked_text(seen.name),
        "version": seen.version,
        "license": masked_text(seen.license),
        "rule": seen.rule,
    }
