"""The sentences that people declared: each wording has an id for good, so that a receipt can say what was declared."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from agreements.catalog import Catalog
from agreements.store.people.revocations import Standing
from agreements.store.people.signatures import SignatureDraft
from bot.portal import papers
from bot.portal.admin import paper_form
from bot.portal.company import requesting

WORDINGS: Mapping[str, Mapping[str, str]] = {
    papers.STATEMENT_ID: papers.STATEMENTS,
    requesting.AUTHORITY_ID: requesting.AUTHORITY,
    paper_form.STATEMENT_ID: paper_form.STATEMENTS,
}
"""By id and language; a wording that is no longer shown stays here."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The words, their language, and whether an administrator declared them for the one who signed."""

    words: str
    language: str
    by_administrator: bool


def declared(catalog: Catalog, given: SignatureDraft | Standing) -> Declared | None:
    """What was declared with a signature: the words whose hash it holds; None when there are none of that hash."""
    signed = given.row if isinstance(given, Standing) else given
    title = papers.title(catalog, signed.agreement, signed.version, signed.language)
    for language, wording in WORDINGS.get(signed.statement_id, {}).items():
        words = wording.format(title=title, version=signed.version)
        if sha256(words.encode()).hexdigest() == signed.statement_sha256:
            return Declared(words, language, by_administrator=signed.statement_id == paper_form.STATEMENT_ID)
    return None
