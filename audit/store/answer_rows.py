"""Registries' statements of packages' licences, by package URL: one that was made stays, a missing one may come tomorrow.

The same table is in the server's database and in a file of the command line. It holds names of public packages alone:
about others no registry is asked.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, select
from sqlmodel import Field, Session, SQLModel, col

from audit.facts import Source
from audit.licenses.declared_license import DeclaredLicense
from audit.sources.answers import RANGE_SEPARATOR, Answer
from audit.store import sealed
from audit.store.columns import Instant
from audit.store.upserts import insert

# A version that was published does not change, but what a registry tells of it may be mended.
STATED_LICENSE_LIFETIME: Final = timedelta(days=180)
# Tomorrow a licence may be stated, or another version be the newest of a range.
VOLATILE_ANSWER_LIFETIME: Final = timedelta(days=1)


class AskedLicense(SQLModel, table=True):
    """One package's answer; `expression` is None where no licence is stated."""

    __tablename__ = "asked_license"

    purl: str = Field(primary_key=True)
    expression: str | None = None
    note: str = ""
    source: str
    address: str
    asked_at: datetime = Field(sa_type=Instant, index=True)


def known(session: Session, purls: Collection[str], *, at: datetime) -> dict[str, Answer]:
    """The answers that are still good at that moment."""
    row = AskedLicense
    names = (row.purl, row.expression, row.note, row.source, row.address, row.asked_at)
    query = select(*map(col, names)).where(col(row.asked_at) > at - STATED_LICENSE_LIFETIME)
    found: dict[str, Answer] = {}
    for lot in sealed.lots(sorted(purls)):
        for purl, expression, note, source, address, asked_at in session.execute(query.where(col(row.purl).in_(lot))):
            is_lasting = expression is not None and RANGE_SEPARATOR not in purl  # A range's newest version changes.
            until = asked_at + (STATED_LICENSE_LIFETIME if is_lasting else VOLATILE_ANSWER_LIFETIME)
            if until > at:
                found[purl] = Answer(DeclaredLicense(expression, note), Source(source), address, until=until)
    return found


def keep(session: Session, purl: str, answer: Answer, *, at: datetime) -> None:
    """Have this answer in place of an older one, also if another process writes one just now."""
    stated = answer.stated
    new = AskedLicense(
        purl=purl,
        expression=stated.expression,
        note=stated.note,
        source=answer.source.value,
        address=answer.address,
        asked_at=at,
    )
    session.execute(
        insert(session, new).on_conflict_do_update(index_elements=["purl"], set_=new.model_dump(exclude={"purl"}))
    )


def purge(session: Session, *, at: datetime, most: int | None = None) -> int:
    """Delete answers that are too old to be believed, the oldest first; how many, at most `most` (None: all)."""
    old = select(col(AskedLicense.purl)).where(col(AskedLicense.asked_at) <= at - STATED_LICENSE_LIFETIME)
    lot = old.order_by(col(AskedLicense.asked_at)).limit(most)
    done = session.execute(
        delete(AskedLicense).where(col(AskedLicense.purl).in_(lot)).returning(col(AskedLicense.purl)),
        execution_options={"synchronize_session": False},  # The session holds none of them.
    )
    return len(done.all())
