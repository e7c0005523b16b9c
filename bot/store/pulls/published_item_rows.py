"""What we made at GitHub: the intent is stored before the request, so that a crash in between is noticed."""

from datetime import datetime
from typing import Final, Literal

from sqlalchemy import bindparam, update
from sqlmodel import Session

from bot.store.records import PublishedItemRow
from bot.store.statements import Upsert, change, read, run, table

Kind = Literal["check", "comment", "licenses"]

_row = table(PublishedItemRow).c
_INTEND: Final = Upsert(PublishedItemRow, lambda insert: insert.on_conflict_do_nothing().returning(_row.pull_id))
_TAKE_UP: Final = (
    update(table(PublishedItemRow))
    .where(*(_row[name] == bindparam(f"key_{name}") for name in ("pull_id", "kind", "head_sha")))
    .where(_row.intended_at == bindparam("since"))
    .values(intended_at=bindparam("at"))
    .returning(_row.pull_id)
)


def intend(session: Session, pull_id: int, kind: Kind, head_sha: str, *, at: datetime) -> bool:
    """Write down that one is about to be made; False when that was written before. A comment has head ""."""
    row = {"pull_id": pull_id, "kind": kind, "head_sha": head_sha, "digest": "", "intended_at": at}
    return run(session, _INTEND, row).first() is not None


def intend_again(session: Session, pull_id: int, kind: Kind, head_sha: str, *, since: datetime, at: datetime) -> bool:
    """Take up the intent of `since` that nobody confirmed; False when somebody else did so first."""
    key = {"key_pull_id": pull_id, "key_kind": kind, "key_head_sha": head_sha}
    return run(session, _TAKE_UP, {**key, "since": since, "at": at}).first() is not None


def unsettle(session: Session, pull_id: int, kind: Kind, head_sha: str) -> None:
    """It is about to show something else: what it shows is not known until that is confirmed."""
    change(session, PublishedItemRow, {"pull_id": pull_id, "kind": kind, "head_sha": head_sha}, digest="")


def confirm(session: Session, pull_id: int, kind: Kind, head_sha: str, *, remote_id: int, digest: str) -> None:
    """It is there, under GitHub's id, and shows the content with that digest."""
    key = {"pull_id": pull_id, "kind": kind, "head_sha": head_sha}
    change(session, PublishedItemRow, key, remote_id=remote_id, digest=digest)


def get(session: Session, pull_id: int, kind: Kind, head_sha: str) -> PublishedItemRow | None:
    """What is known of it; `remote_id` None means intended, and perhaps made."""
    return read(session, PublishedItemRow, pull_id=pull_id, kind=kind, head_sha=head_sha)


def forget_digests(session: Session, pull_id: int) -> None:
    """Have everything of ours on that pull request written anew at its next review, also when it shows the same."""
    change(session, PublishedItemRow, {"pull_id": pull_id}, digest="")
