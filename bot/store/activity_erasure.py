"""Forgetting an account in the bot's own tables: mail, webhooks, sessions, stored facts, logins as labels."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import String, cast, delete, update
from sqlmodel import Session, col, or_, select

import bot.store.logged_tables  # noqa: F401 - with it every table is known, and none is forgotten
from agreements.store.lookup import account_key
from agreements.store.tables.declarations import declared, table_of
from bot.store.pulls.cover_choices import CoverChoice
from bot.store.pulls.overrides import OverrideRow
from bot.store.pulls.stored_facts import StoredFacts
from bot.store.records import DeliveryRecord, Participant, PullRecord, PushRecord

ERASED_LOGIN = "erased"
"""Takes the place of an erased login."""


def evidence(session: Session, account_id: int) -> int:
    """The number of overrides by that account or for it, and of its choices of cover: evidence of why something passed stays."""
    wanted = account_key(account_id)
    about = or_(col(OverrideRow.account_id) == wanted, col(OverrideRow.by_account_id) == wanted)
    chosen = select(CoverChoice.id).where(col(CoverChoice.account_id) == wanted)
    return len(session.execute(select(OverrideRow.id).where(about).union_all(chosen)).all())


def forget(session: Session, account_id: int) -> None:
    """Delete mail, wishes for mail, outgoing webhooks, sessions, and the facts of the account's pull requests."""
    for model in declared(lambda said: said.erased == "account"):
        session.execute(delete(model).where(table_of(model).c.account_id == account_key(account_id)))
    took_part = select(Participant.pull_id).where(col(Participant.account_id) == account_key(account_id))
    pulls = took_part.union(select(PushRecord.pull_id).where(col(PushRecord.sender_id) == account_id))
    # Facts are sealed, and about several people: nothing can be taken out of them.
    session.execute(delete(StoredFacts).where(col(StoredFacts.pull_id).in_(pulls)))


def unname(session: Session, account_id: int) -> None:
    """Take the login away where it is a label, and the account off closed pull requests."""
    # An open pull request is judged by who pushed to it, which GitHub shows there, too: it keeps number and login. So
    # does an override, whose row never changes.
    closed = select(PullRecord.id).where(col(PullRecord.open).is_(False))
    mine = (col(PushRecord.sender_id) == account_key(account_id), col(PushRecord.pull_id).in_(closed))
    session.execute(update(PushRecord).where(*mine).values(sender_login=ERASED_LOGIN))
    session.execute(
        delete(Participant).where(col(Participant.account_id) == account_id, col(Participant.pull_id).in_(closed))
    )
    # Of what came in and was acted on, only the number is left; JSON is searched as it is written, then looked into.
    holds = cast(col(DeliveryRecord.ids), String).like(f'%"id": {account_id},%')
    for row in session.exec(select(DeliveryRecord).where(holds, col(DeliveryRecord.state) != "received")):
        row.ids = _without(row.ids, account_id)
    session.flush()


def _without(stored: Mapping[str, Any], account_id: int) -> dict[str, Any]:
    found = {key: _without(value, account_id) if isinstance(value, Mapping) else value for key, value in stored.items()}
    return found | {"login": ERASED_LOGIN} if found.get("id") == account_id and "login" in found else found
