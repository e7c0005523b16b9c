"""The data that the bot's own tables hold about an account, for its owner: pull requests, overrides, sessions, mail."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from sqlmodel import Session, col, or_, select

from agreements import moments
from agreements.store.companies import company_rows
from agreements.store.lookup import account_key
from agreements.vault import Vault
from bot.store.notifications import NotificationPreference
from bot.store.outbox import Mail
from bot.store.outgoing_webhooks import OutgoingWebhook
from bot.store.portal_sessions import AccountSettings, PortalSession
from bot.store.pulls import overrides, small_changes
from bot.store.pulls.cover_choices import CoverChoice
from bot.store.pulls.overrides import OverrideRow
from bot.store.records import Participant, PullRecord, PushRecord, VerdictRecord

Plain = dict[str, Any]


def everything(session: Session, vault: Vault, account_id: int) -> Mapping[str, list[Plain]]:
    """By kind: verdicts and pushes, overrides about the account or by it, small changes, choices of cover, settings, sessions, mail, webhooks."""
    account_key(account_id)  # Checked once: no account must never mean all rows.
    return {
        "pull_requests": [*_pulls(session, account_id)],
        "pushes": [*_pushes(session, account_id)],
        "overrides": [*_overrides(session, vault, account_id)],
        "small_changes": [*_small_changes(session, account_id)],
        "cover_choices": [*_choices(session, account_id)],
        "settings": [*_settings(session, account_id)],
        "visits": [*_portal_sessions(session, account_id)],
        "mail": [*_sent(session, Mail, account_id, "kind")],
        "notifications": [*_notifications(session, account_id)],
        "outgoing_webhooks": [*_sent(session, OutgoingWebhook, account_id, "event")],
    }


def _pulls(session: Session, account_id: int) -> Iterable[Plain]:
    query = select(PullRecord).join(Participant, col(Participant.pull_id) == col(PullRecord.id))
    for pull in session.exec(query.where(col(Participant.account_id) == account_id).order_by(col(PullRecord.id))):
        judgements = select(VerdictRecord).where(col(VerdictRecord.pull_id) == pull.id).order_by(col(VerdictRecord.id))
        yield {
            "pull_request": _name(pull),
            "open": pull.open,
            "verdicts": [
                {"at": moments.text(verdict.judged_at), "head_sha": verdict.head_sha, "about_you": mine}
                for verdict in session.exec(judgements)
                # Other lines are about other people.
                if (mine := [entry for entry in verdict.codes if entry.get("account") == account_id])
            ],
        }


def _pushes(session: Session, account_id: int) -> Iterable[Plain]:
    query = (
        select(PushRecord, PullRecord)
        .join(PullRecord, col(PullRecord.id) == col(PushRecord.pull_id))
        .where(col(PushRecord.sender_id) == account_id)
    )
    for push, pull in session.exec(query.order_by(col(PushRecord.id))):
        yield {"pull_request": _name(pull), "login": push.sender_login, "after": push.after, "before": push.before}


def _overrides(session: Session, vault: Vault, account_id: int) -> Iterable[Plain]:
    # About both: a reason speaks of the one, and is the words of the other.
    mine = or_(col(OverrideRow.account_id) == account_id, col(OverrideRow.by_account_id) == account_id)
    query = select(OverrideRow, PullRecord).join(PullRecord, col(PullRecord.id) == col(OverrideRow.pull_id)).where(mine)
    for row, pull in session.exec(query.order_by(col(OverrideRow.at), col(OverrideRow.id))):
        yield {
            "pull_request": _name(pull),
            "kind": row.kind,
            "head_sha": row.head_sha,
            "about_you": row.account_id == account_id,
            "by_you": row.by_account_id == account_id,
            "by": row.by_login,
            "reason": overrides.reason(vault, row),
            "at": moments.text(row.at),
        }


def _small_changes(session: Session, account_id: int) -> Iterable[Plain]:
    for row, pull in small_changes.of_account(session, account_id):
        yield {"pull_request": _name(pull), "lines": row.lines, "counts": row.counts, "at": moments.text(row.at)}


def _choices(session: Session, account_id: int) -> Iterable[Plain]:
    query = select(CoverChoice, PullRecord).join(PullRecord, col(PullRecord.id) == col(CoverChoice.pull_id))
    mine = query.where(col(CoverChoice.account_id) == account_id).order_by(col(CoverChoice.at), col(CoverChoice.id))
    found = session.exec(mine).all()
    names = company_rows.names(session, {row.company_id for row, _ in found if row.company_id is not None})
    for row, pull in found:
        company = names.get(row.company_id) if row.company_id is not None else None
        yield {"pull_request": _name(pull), "company": company, "at": moments.text(row.at)}


def _settings(session: Session, account_id: int) -> Iterable[Plain]:
    row = session.get(AccountSettings, account_id)
    if row is not None:
        yield {"time_zone": row.time_zone}


def _portal_sessions(session: Session, account_id: int) -> Iterable[Plain]:
    query = (
        select(PortalSession).where(col(PortalSession.account_id) == account_id).order_by(col(PortalSession.created_at))
    )
    for portal_session in session.exec(query):
        # Times only: what a session remembers ends with it.
        yield _times(
            began_at=portal_session.created_at, seen_at=portal_session.seen_at, ends_at=portal_session.expires_at
        )


def _sent(
    session: Session, table: type[Mail] | type[OutgoingWebhook], account_id: int, what: Literal["kind", "event"]
) -> Iterable[Plain]:
    """The messages that were sent because of the account, oldest first; `what` is the column that names their kind."""
    query = select(table).where(col(table.account_id) == account_id).order_by(col(table.made_at), col(table.id))
    for row in session.exec(query):
        yield {what: getattr(row, what), "state": row.state, **_times(made_at=row.made_at, sent_at=row.sent_at)}


def _notifications(session: Session, account_id: int) -> Iterable[Plain]:
    row = session.get(NotificationPreference, account_id)
    if row is not None:  # Other accounts have none.
        yield {"often": row.often, "told_entry": row.told_entry, **_times(told_at=row.told_at)}


def _name(pull: PullRecord) -> str:
    return f"{pull.owner}/{pull.name}#{pull.number}"


def _times(**when: datetime | None) -> Plain:
    return {name: None if at is None else moments.text(at) for name, at in when.items()}
