"""What registries said of packages' licences, by package URL: what was stated stays so, what was not may be tomorrow.

The same table in the server's database and in a file of whoever audits on the command line. It holds names of public
packages alone: about others nobody is asked.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Field, Session, SQLModel, col

from audit.facts import Source
from audit.licenses.declared_license import DeclaredLicense
from audit.sources.answers import RANGE_SEPARATOR, Answer
from audit.store import sealed
from audit.store.columns import Instant

STATED_LICENSE_LIFETIME: Final = timedelta(days=180)
"""How long a licence is remembered: a version that was published doesn't change, what a registry tells of it may be mended."""
VOLATILE_ANSWER_LIFETIME: Final = timedelta(days=1)
"""How long it is remembered that nobody states one, and which version is the newest of a range: tomorrow there may be another."""


class AskedLicense(SQLModel, table=True):
    """One package's answer; `expression` is None where nobody states a licence."""

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
            is_lasting = expression is not None and RANGE_SEPARATOR not in purl
            until = asked_at + (STATED_LICENSE_LIFETIME if is_lasting else VOLATILE_ANSWER_LIFETIME)
            if until > at:
                found[purl] = Answer(DeclaredLicense(expression, note), Source(source), address, until=until)
    return found


def keep(session: Session, purl: str, answer: Answer, *, at: datetime) -> None:
    """Have this answer in place of an older one, also when somebody else writes one just now."""
    values = {
        "expression": answer.stated.expression,
        "note": answer.stated.note,
        "source": answer.source.value,
        "address": answer.address,
        "asked_at": at,
    }
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    statement = insert(AskedLicense).values(purl=purl, **values)
    session.execute(statement.on_conflict_do_update(index_elements=["purl"], set_=values))


def purge(session: Session, *, at: datetime, most: int | None = None) -> int:
    """Delete what is too old to be believed, the oldest first; how many, at most `most` (None: all)."""
    old = select(col(AskedLicense.purl)).where(col(AskedLicense.asked_at) <= at - STATED_LICENSE_LIFETIME)
    lot = old.order_by(col(AskedLicense.asked_at)).limit(most)
    done = session.execute(
        delete(AskedLicense).where(col(AskedLicense.purl).in_(lot)).returning(col(AskedLicense.purl)),
        execution_options={"synchronize_session": False},
    )
    return len(done.all())
