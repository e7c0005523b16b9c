"""One entry of the log about a change that a page makes, in the transaction of that change."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlmodel import Session, SQLModel

from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import SERVER, Change, Subject
from agreements.store.people import subjects
from bot.portal.portal_services import PortalServices


def log_change(  # noqa: PLR0913 - each is one thing that an entry says
    services: PortalServices,
    records: Session,
    kind: str,
    about: int | Subject = SERVER,
    *,
    by: int,
    at: datetime,
    rows: Sequence[SQLModel] = (),
    deleted: Sequence[tuple[str, str]] = (),
    details: Mapping[str, object] | None = None,
) -> None:
    """Write it, with `details` sealed for whom it is `about`: an account's number, a subject, else this site.

    Call it last in a transaction: what is locked after it could be locked by somebody who waits for it.
    """
    subject = about if isinstance(about, Subject) else subjects.of_account(records, services.vault, about)
    change = Change(kind=kind, actor_id=by, subject=subject, rows=rows, deleted=deleted, told=details or {})
    ledger.append(records, services.vault, change, at=at, new_id=services.new_id())
