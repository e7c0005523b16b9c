"""Verifies people against what else is recorded of them: so what was changed before the log named them is found, too."""

from collections.abc import Iterator

from sqlalchemy import Connection, or_, select
from sqlmodel import col

from agreements.store.erasures import RESTRICTED
from agreements.store.tables.records import Erasure, PersonRecord, Proof, SignatureRecord


def astray(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Table and id of each row that names a person of another account, or none, and what is wrong with it."""
    for table in (SignatureRecord, Proof):
        query = (
            select(col(table.id))
            .join(PersonRecord, col(PersonRecord.id) == col(table.person_id), isouter=True)
            .where(or_(col(PersonRecord.id).is_(None), col(PersonRecord.account_id) != col(table.account_id)))
        )
        name = str(table.__tablename__)
        for (row_id,) in connection.execute(query):
            what = f"the person of the row {name} {row_id} that it names has another account, or does not exist"
            yield name, row_id, what


def wrongly_restricted(connection: Connection) -> Iterator[str]:
    """What is wrong with each person who is restricted although no erasure says so, or is not although one does."""
    restriction = select(col(Erasure.id)).where(
        col(Erasure.account_id) == col(PersonRecord.account_id), col(Erasure.state) == RESTRICTED
    )
    query = select(col(PersonRecord.id)).where(col(PersonRecord.restricted_at).is_not(None), ~restriction.exists())
    for (person_id,) in connection.execute(query):
        yield f"the person {person_id} was restricted: no erasure says so"
    lifted = (
        select(col(Erasure.id))
        .join(PersonRecord, col(PersonRecord.account_id) == col(Erasure.account_id))
        .where(col(Erasure.state) == RESTRICTED, col(PersonRecord.restricted_at).is_(None))
    )
    for (erasure_id,) in connection.execute(lifted):
        yield f"the restriction of the person of the erasure {erasure_id} was lifted"
