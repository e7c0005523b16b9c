"""The texts that may be signed here: those of files and those released in the portal."""

from datetime import UTC, datetime
from hashlib import sha256

import pytest

from agreements.catalog import AgreementText, CatalogBroken
from agreements.store.people import texts as released
from agreements.store.tables.records import ReleasedText
from bot.records.agreement_texts import Library
from bot.rulebook import effective
from bot.rulebook.text_files import shipped
from bot.rulebook.yaml_document import DocumentInvalid

SOURCE = "# Ours\n\nNew words for {organization}.\n"
AT = datetime(2026, 11, 21, tzinfo=UTC)
RULES = "version: 1\nagreements: {individual: {text: icla, version: '3.0'}}\n"


def text(version="3.0", digest=None):
    """An ICLA of that version."""
    return AgreementText("icla", version, "en", SOURCE, digest or sha256(SOURCE.encode()).hexdigest())


def test_a_text_that_another_process_released_is_known_without_a_restart(sessions):
    library = Library(shipped, sessions)
    assert library().versions("icla") == ("2.0",)
    assert library() is library(), "nothing is read again while nothing is new"
    with sessions() as session:
        released.release(session, [text()], by=90, at=AT)

    assert library().versions("icla") == ("2.0", "3.0")
    assert library().get("icla", "3.0", "en").source == SOURCE
    assert effective.parse_rulebook(RULES, library).rules.individual.version == "3.0"
    with pytest.raises(DocumentInvalid, match=r"icla 3.0 was not released; choose from 2.0"):
        effective.parse_rulebook(RULES)
    assert shipped().versions("icla") == ("2.0",)


def test_a_released_text_that_changed_breaks_the_catalog_and_the_rulebook(sessions):
    library = Library(shipped, sessions)
    with sessions() as session:
        session.add(
            ReleasedText(
                name="icla",
                version="3.0",
                language="en",
                source=SOURCE,
                sha256="0" * 64,
                released_at=AT,
                released_by=90,
            )
        )

    with pytest.raises(CatalogBroken, match=r"icla/3\.0/en: a released text changed"):
        library()
    with pytest.raises(DocumentInvalid, match=r"agreements: icla/3\.0/en: a released text changed"):
        effective.parse_rulebook(RULES, library)
