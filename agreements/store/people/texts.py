"""Agreement texts released in the portal: written once, read into the catalog, counted by who signed them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

import sqlalchemy
from sqlalchemy import func
from sqlmodel import Session, col, select

from agreements.catalog import AgreementText
from agreements.store.lookup import account_key, text_key
from agreements.store.people.signatures import TextKey
from agreements.store.tables.records import ReleasedText, SignatureRecord, Withdrawal

_COUNT: Final = sqlalchemy.select(func.count()).select_from(ReleasedText)


def release(session: Session, texts: Iterable[AgreementText], *, by: int, at: datetime) -> tuple[ReleasedText, ...]:
    """Store the texts for good, and return the rows for the log. Raises ValueError for a blank value."""
    rows = tuple(
        ReleasedText(
            name=text_key(text.name),
            version=text_key(text.version),
            language=text_key(text.language),
            source=text.source,
            sha256=text_key(text.sha256),
            released_at=at,
            released_by=account_key(by),
        )
        for text in texts
    )
    # Triggers in the database refuse to change them, and the key refuses one that is there already.
    session.add_all(rows)
    session.flush()
    return rows


def count(session: Session) -> int:
    """The number of released texts."""
    # They never change, so an equal number means that a cached catalog is current.
    return int(session.connection().execute(_COUNT).scalar_one())


def released(session: Session) -> tuple[AgreementText, ...]:
    """All released texts, for `Catalog.with_texts`, which checks the hashes."""
    query = select(ReleasedText).order_by(col(ReleasedText.name), col(ReleasedText.version), col(ReleasedText.language))
    return tuple(
        AgreementText(row.name, row.version, row.language, row.source, row.sha256) for row in session.exec(query)
    )


def dates(session: Session) -> dict[tuple[str, str, str], datetime]:
    """The moments of release by name, version and language."""
    return {(row.name, row.version, row.language): row.released_at for row in session.exec(select(ReleasedText))}


def signed(session: Session) -> dict[TextKey, int]:
    """The number of people with a signature of each text in force; unsigned texts are left out."""
    words = (
        col(SignatureRecord.agreement),
        col(SignatureRecord.version),
        col(SignatureRecord.language),
        col(SignatureRecord.source_sha256),
    )
    query = (
        # A person may have signed a text with several parties.
        sqlalchemy.select(*words, func.count(func.distinct(col(SignatureRecord.account_id))))
        .join(Withdrawal, isouter=True)
        .where(col(Withdrawal.signature_id).is_(None))
        .group_by(*words)
    )
    return {
        (name, version, language, sha256): number for name, version, language, sha256, number in session.execute(query)
    }
