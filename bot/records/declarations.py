"""The sentences that people declare: each wording has an id for good; a new wording gets a new id, so old evidence keeps its meaning."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from agreements.catalog import Catalog
from agreements.store.people.revocations import SignatureDetails
from agreements.store.people.signatures import SignatureDraft
from bot.records import agreement_view

AUTHORITY_ID = "authority-1"
"""Names the wording of AUTHORITY, which a company's representative declares."""
AUTHORITY: Mapping[str, str] = {
    "en": "I have read the {title}, version {version}. I am authorised to act for the company named above. I agree to it"
    " on behalf of that company, and I sign it in electronic form.",
    "zh": "我已阅读《{title}》（版本 {version}）。我有权代表上述公司行事。我代表该公司同意该协议，并以电子形式签署。",
}
RECORDED_ID = "recorded-1"
"""Names the wording of RECORDED, which an administrator declares of an agreement on paper."""
RECORDED: Mapping[str, str] = {
    "en": "I have seen the signed agreement. It was signed by, or for, whom I name here, and the file is a true copy of it.",
    "zh": "我已亲自查看这份已签署的协议。它由我在此填写的个人或公司签署，所附文件与原件一致。",
}
WORDINGS: Mapping[str, Mapping[str, str]] = {
    agreement_view.STATEMENT_ID: agreement_view.STATEMENTS,
    AUTHORITY_ID: AUTHORITY,
    RECORDED_ID: RECORDED,
}
"""By id and language; a wording that is no longer shown stays here."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """The words, their language, and whether an administrator declared them for the one who signed."""

    words: str
    language: str
    by_administrator: bool


def declared(catalog: Catalog, signature: SignatureDraft | SignatureDetails) -> Declaration | None:
    """What was declared with a signature: the words whose hash it holds; None when there are none of that hash."""
    signed = signature.row if isinstance(signature, SignatureDetails) else signature
    title = agreement_view.title(catalog, signed.agreement, signed.version, signed.language)
    for language, wording in WORDINGS.get(signed.statement_id, {}).items():
        words = wording.format(title=title, version=signed.version)
        if sha256(words.encode()).hexdigest() == signed.statement_sha256:
            return Declaration(words, language, by_administrator=signed.statement_id == RECORDED_ID)
    return None
