"""What an administrator fills in about an agreement that was signed elsewhere, read and checked; nothing is stored here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import PurePath
from typing import Literal

from flask import request
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types
from werkzeug.datastructures import FileStorage

from agreements import form_fields
from agreements.catalog import Text
from agreements.domains.domains import canonical_address
from agreements.store.people import documents
from agreements.store.people.documents import DocumentDraft
from agreements.store.people.signatures import SignatureDraft
from bot.portal.forms.typed_values import day_start
from bot.records.declarations import RECORDED, RECORDED_ID

SERVICES = ("paper", "other")
"""How an agreement may have been signed: by hand, or with somebody else's signature service."""

Whom = Literal["person", "company"]
LONGEST_NAME = 200
_ENDINGS = {"application/pdf": (".pdf",), "image/png": (".png",), "image/jpeg": (".jpg", ".jpeg")}
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})", re.ASCII)


@dataclass(slots=True)
class PaperForm:
    """The form as it was sent. `errors` has a line for each field that is wrong; then the rest must not be used."""

    values: dict[str, str]
    errors: dict[str, str] = field(default_factory=dict)
    text: Text | None = None
    signed_at: datetime | None = None
    document: DocumentDraft | None = field(default=None, repr=False)

    def draft(self) -> SignatureDraft:
        """The evidence; call it when there are no errors. The form has the statement in every language: the text's is kept."""
        if self.text is None or self.document is None:
            raise ValueError("the form has errors")
        statement = RECORDED.get(self.text.language, RECORDED["en"])
        return SignatureDraft(
            agreement=self.text.name,
            version=self.text.version,
            language=self.text.language,
            source_sha256=self.text.sha256,
            shown_sha256=self.document.sha256,
            statement_id=RECORDED_ID,
            statement_sha256=sha256(statement.encode()).hexdigest(),
            identity_proof="administrator",
            name=self.values["signer"],
            email=self.values["email"],
        )


def read(whom: Whom, offered: Mapping[str, Text], now: datetime) -> PaperForm:
    """The form for a person's or a company's agreement. `offered` are the texts that may be chosen, by key."""
    names = ("login", "company", "first", "second", "signer", "email", "text", "signed_on", "service", "agree")
    filled = PaperForm({name: form_fields.written(request.form.get(name)) for name in names})
    _whom(filled, whom)
    _signer(filled)
    filled.text = offered.get(filled.values["text"])
    if filled.text is None:
        filled.errors["text"] = _("Choose which agreement was signed.")
    filled.signed_at = _day(filled.values["signed_on"], now)
    if filled.signed_at is None:
        filled.errors["signed_on"] = _("Write the day of the signature, not later than today, such as 2026-01-31.")
    service_and_file(filled)
    if not filled.values["agree"]:
        filled.errors["agree"] = _("Tick the box if the sentence is true.")
    return filled


def service_and_file(filled: PaperForm) -> None:
    """How it was signed, and the file that proves it."""
    service = filled.values["service"]
    if service not in SERVICES:
        filled.errors["service"] = _("Choose how it was signed.")
    sent = request.files.get("file")
    content = sent.read() if sent else b""
    kind = documents.kind_of(content)
    if not content:
        filled.errors["file"] = _("Choose the file with the signed agreement.")
    elif len(content) > documents.LARGEST:
        filled.errors["file"] = _("The file is larger than 10 MB.")
    elif kind is None:
        filled.errors["file"] = _("The file is no PDF, PNG or JPEG; its content counts, not its name.")
    elif service in SERVICES:
        filled.document = DocumentDraft(service=service, name=_name(sent, kind), media_type=kind, content=content)


def is_login(text: str) -> bool:
    """Whether a person's account may have that login."""
    return _LOGIN.fullmatch(text) is not None


def _whom(filled: PaperForm, whom: Whom) -> None:
    for name in ("login",) if whom == "person" else ("first", "second"):
        filled.values[name] = filled.values[name].removeprefix("@")
        if not is_login(filled.values[name]):
            filled.errors[name] = _("Write the GitHub login of a person.")
    if whom == "company":
        name = filled.values["company"]
        if not _is_name(name):
            filled.errors["company"] = _("Write the company's name, in at most 200 characters.")


def _signer(filled: PaperForm) -> None:
    name, email = filled.values["signer"], filled.values["email"]
    if not _is_name(name):
        filled.errors["signer"] = _("Write the name of who signed, in at most 200 characters.")
    if email and canonical_address(email) is None:
        filled.errors["email"] = _("This is no e-mail address. Leave it empty if the agreement has none.")


def _is_name(name: str) -> bool:
    return len(name) <= LONGEST_NAME and form_fields.printable(name) and bool(form_fields.seen(name))


def _day(text: str, now: datetime) -> datetime | None:
    """The beginning of that day, UTC; None for what is no day or lies ahead."""
    day = day_start(text)
    return day if day and day <= now and day.year >= 1990 else None


def _name(sent: FileStorage | None, kind: str) -> str:
    """The file's own name, without a path and what cannot be printed, and with an ending that its content has."""
    name = PurePath((sent.filename or "" if sent else "").replace("\\", "/")).name
    shown = "".join(letter for letter in form_fields.written(name) if letter.isprintable())
    shown = shown.strip(". ") or "agreement"
    endings = _ENDINGS[kind]
    fits = shown.lower().endswith(endings) and len(shown) <= LONGEST_NAME
    return shown if fits else shown[: LONGEST_NAME - len(endings[0])] + endings[0]
