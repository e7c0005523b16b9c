"""The stored rows of a pull request and its head that a review needs: read by one query, as of one moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, bindparam, select
from sqlmodel import Session, SQLModel

from agreements.store.lookup import BatchQuery, Question
from agreements.store.tables.records import PortalSignoffRecord
from bot.github.ports import PullRequestSnapshot
from bot.store.license_checks import LicenseCheck
from bot.store.owners import Owner
from bot.store.pulls.cover_choices import CoverChoice
from bot.store.pulls.heads import CheckRunOwner, HeadRow
from bot.store.pulls.overrides import OverrideRow
from bot.store.pulls.paused_items import PausedItem, PausedItems
from bot.store.pulls.published_item_rows import KnownItem
from bot.store.pulls.pushes import PushHistory
from bot.store.pulls.why_questions import QuestionRecord
from bot.store.records import (
    DeliveryRecord,
    FirstSeen,
    Participant,
    PublishedItemRow,
    PullRecord,
    PushRecord,
    VerdictRecord,
)
from bot.store.statements import table
from bot.store.sweeps import Sweep


@dataclass(frozen=True, slots=True)
class ReviewCase:
    """The stored rows of a pull request, `pull`, and its head: `keeper` of its check run, `overrides`, `has_licenses`.

    `items` are what we made, by kind and head, `last` the verdict given last; `is_new_head`: this head was never
    judged. `signoffs` are those given in the portal. `owner` is the account's rulebook as last read, `restored_at` when the
    database came back from a backup; `pushes`, `participants` (account ids), `choices` of cover, the `question` of a person
    and `paused` items are the pull request's. `squash` is as of the newest `PullRequestChanged`.
    """

    pull: PullRecord
    pushes: PushHistory
    participants: frozenset[int]
    overrides: tuple[OverrideRow, ...]
    signoffs: tuple[PortalSignoffRecord, ...]
    choices: tuple[CoverChoice, ...]
    keeper: CheckRunOwner | None
    items: Mapping[tuple[str, str], KnownItem]
    last: VerdictRecord | None
    is_new_head: bool
    question: QuestionRecord | None
    paused: PausedItems
    owner: Owner | None
    has_licenses: bool
    restored_at: datetime | None
    squash: str


def read(session: Session, pull_id: int, snapshot: PullRequestSnapshot) -> ReviewCase:
    """Read all that is stored of a pull request that has a row, at the head that GitHub shows now."""
    session.flush()  # The query runs on the connection, past the session.
    values = {
        "pull": pull_id,
        "repository": snapshot.place.repository_id,
        "head": snapshot.head_sha,
        "owner": snapshot.owner_id,
        "number": snapshot.number,
    }
    answers = _query().rows(session.connection(), values)
    # Not strict: the last four answers are of no model.
    found = dict(zip(_MODELS, answers, strict=False))
    keeper, judged, licenses, changed = answers[len(_MODELS) :]
    (pull,) = found[PullRecord]
    batches = {row.sequence: frozenset(row.shas) for row in found[FirstSeen]}
    restored = _only(found[Sweep])
    return ReviewCase(
        pull=pull,
        # Sorted here: a UNION ALL promises no order.
        pushes=PushHistory(tuple(sorted(found[PushRecord], key=attrgetter("sequence"))), batches, pull.attributed),
        participants=frozenset(row.account_id for row in found[Participant]),
        overrides=tuple(sorted(found[OverrideRow], key=attrgetter("at", "id"))),
        signoffs=tuple(found[PortalSignoffRecord]),
        choices=tuple(found[CoverChoice]),
        keeper=CheckRunOwner(keeper[0].id, keeper[0].number) if keeper else None,
        items={
            (row.kind, row.head_sha): KnownItem(row.intended_at, row.remote_id, row.digest)
            for row in found[PublishedItemRow]
        },
        last=_only(found[VerdictRecord]),
        is_new_head=not judged,
        question=_only(found[QuestionRecord]),
        paused=PausedItems({(row.kind, row.reason): row for row in found[PausedItem]}),
        owner=_only(found[Owner]),
        has_licenses=bool(licenses),
        restored_at=restored.restored_at if restored is not None else None,
        squash=str(changed[0].ids.get("squash", "")) if changed else "",
    )


_PULL: BindParameter[int] = bindparam("pull")
_REPOSITORY: BindParameter[int] = bindparam("repository")
_HEAD: BindParameter[str] = bindparam("head")
_OWNER: BindParameter[int] = bindparam("owner")
_NUMBER: BindParameter[int] = bindparam("number")


def _wanted() -> dict[type[SQLModel], tuple[ColumnElement[bool], ...]]:
    judged = table(VerdictRecord).c
    newest = select(judged.id).where(judged.pull_id == _PULL).order_by(judged.judged_at.desc(), judged.id.desc())
    override, signoff = table(OverrideRow).c, table(PortalSignoffRecord).c
    of_pull = (FirstSeen, PushRecord, Participant, PublishedItemRow, QuestionRecord, PausedItem, CoverChoice)
    return {
        PullRecord: (table(PullRecord).c.id == _PULL,),
        VerdictRecord: (judged.id == newest.limit(1).scalar_subquery(),),
        OverrideRow: (override.pull_id == _PULL, override.head_sha == _HEAD),
        PortalSignoffRecord: (signoff.repository_id == _REPOSITORY, signoff.number == _NUMBER),
        Owner: (table(Owner).c.account_id == _OWNER,),
        Sweep: (),  # The table has one row.
        **{model: (table(model).c.pull_id == _PULL,) for model in of_pull},
    }


_MODELS = tuple(_wanted())


@cache
def _query() -> BatchQuery:
    head, keeper, licenses = table(HeadRow).c, table(PullRecord).alias().c, table(LicenseCheck).c
    judged = table(VerdictRecord).c
    keeps = select(keeper.id, keeper.number).where(
        keeper.id == head.pull_id, head.repository_id == _REPOSITORY, head.head_sha == _HEAD
    )
    is_judged = select(judged.id).where(judged.pull_id == _PULL, judged.head_sha == _HEAD)
    has_licenses = select(licenses.head_sha).where(licenses.repository_id == _REPOSITORY, licenses.head_sha == _HEAD)
    told = table(DeliveryRecord).c
    newest = select(told.guid).where(told.pull_id == _PULL, told.event == "pull_request")
    changed = select(told.ids).where(told.guid == newest.order_by(told.sequence.desc()).limit(1).scalar_subquery())
    rows: list[Question] = [select(*table(model).c).where(*where) for model, where in _wanted().items()]
    return BatchQuery(*rows, keeps, is_judged, has_licenses, changed)


def _only(rows: Sequence[Any]) -> Any:
    return rows[0] if rows else None
