"""Agreements signed on paper or by another service: recording one with its file, and giving the file to who may read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import PurePath
from typing import Literal

from flask import Response, abort, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext
from werkzeug.datastructures import FileStorage

from agreements import form_fields
from agreements.catalog import AgreementText
from agreements.domains.canonical_form import canonical_address
from agreements.facts import Account
from agreements.github_server import is_login
from agreements.store.companies import paper_agreements
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.companies.paper_agreements import Paper
from agreements.store.people import documents, texts
from agreements.store.people.documents import DocumentContent, DocumentDraft
from agreements.store.people.signatures import SignatureDraft
from agreements.vault import receipt_number
from bot.portal import organizations
from bot.portal.admin.page_context import render
from bot.portal.downloads import named_download
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.typed_values import account, day_start
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import language
from bot.records.agreement_view import RECORDED, RECORDED_ID, NamedParty
from bot.store.pulls import rejudge

MAX_PAPER_FORM_BYTES = documents.MAX_DOCUMENT_BYTES + 64 * 1024
"""Bytes of the one form that may carry a file: the file and what stands around it."""

_DOCUMENTS_SHOWN = 20
_SANDBOX = "sandbox; default-src 'none'"  # For a browser that shows the file all the same.

RECORD_REFUSALS = {
    "signed": (
        "login",
        lazy_gettext("This account has already signed this text, and the signature is in force."),
    ),
    "own": ("login", lazy_gettext("You cannot record your own agreement. Another administrator can.")),
    "already": ("second", lazy_gettext("A company needs two different managers.")),
    "other": ("first", lazy_gettext("This account cannot manage a company.")),
}
"""The field and the sentence for what the records did not take."""

_NO_LOGIN = {
    "login": lazy_gettext("Enter the GitHub login of a person."),
    "first": lazy_gettext("Enter the GitHub login of the first manager."),
    "second": lazy_gettext("Enter the GitHub login of a second manager."),
}

SERVICES = ("paper", "other")
"""The ways in which an agreement may have been signed: by hand, or with another signature service."""

Whom = Literal["person", "company"]
MAX_NAME_CHARACTERS = 200
_ENDINGS = {"application/pdf": (".pdf",), "image/png": (".png",), "image/jpeg": (".jpg", ".jpeg")}


@dataclass(slots=True)
class PaperForm:
    """The sent form: `values` as typed; `text`, `party`, `signed_at`, `document` as read, valid only without `errors` (by field)."""

    values: dict[str, str]
    errors: dict[str, str] = field(default_factory=dict)
    text: AgreementText | None = None
    party: NamedParty | None = None
    signed_at: datetime | None = None
    document: DocumentDraft | None = field(default=None, repr=False)

    def paper(self, recorder: Account) -> Paper:
        """The record to store; call it when there are no errors."""
        if self.text is None or self.party is None or self.signed_at is None or self.document is None:
            raise ValueError("the form has errors")
        statement = RECORDED[self.values["declared"]]
        draft = SignatureDraft(
            agreement=self.text.name,
            version=self.text.version,
            language=self.text.language,
            source_sha256=self.text.sha256,
            shown_sha256=self.document.sha256,  # Of the paper itself, which the signer saw.
            statement_id=RECORDED_ID,
            statement_sha256=sha256(statement.encode()).hexdigest(),
            identity_proof="administrator",
            party=self.party.id,
            name=self.values["signer"],
            email=self.values["email"],
        )
        return Paper(draft=draft, signed_at=self.signed_at, document=self.document, recorder=recorder)


def papers_page(whom: Whom | None = None, filled: PaperForm | None = None) -> str:
    """The files recorded last, and for administrators the forms."""
    with reading() as (records, vault, _at):
        newest = documents.newest(records, vault, most=_DOCUMENTS_SHOWN)
    return render(
        "admin/papers.html",
        newest=newest,
        named=[document.recorded_by for document in newest],
        whom=whom,
        filled=filled or PaperForm({}),
        parties=organizations.all_parties(),
        offered={"person": _offered("person"), "company": _offered("company")},
        statement=RECORDED[language()],
        declared=language(),
        services=SERVICES,
    )


@form_action(papers_page)
def record_paper() -> ResponseReturnValue:
    """Record a person's or a company's agreement."""
    whom: Whom = "company" if request.form.get("whom") == "company" else "person"
    filled = read_form(whom, _offered(whom), portal_services().clock(), organizations.all_parties())
    # GitHub is asked only about a form that is right otherwise.
    accounts = {} if filled.errors else _accounts(filled, ("login",) if whom == "person" else ("first", "second"))
    if filled.errors:
        raise FormRefused(filled.errors, whom=whom, filled=filled)
    try:
        shown = _company(filled, accounts) if whom == "company" else _person(filled, accounts["login"])
    except CompanyRefused as error:
        where, why = RECORD_REFUSALS.get(error.reason, RECORD_REFUSALS["other"])
        raise FormRefused({where: str(why)}, 409, whom=whom, filled=filled) from None
    return done(shown, *_of_release(filled))


def _of_release(filled: PaperForm) -> list[str]:
    # A text that came here only after it was signed may be another version, or the same before it came.
    text, signed_at = filled.text, filled.signed_at
    with reading() as (records, _vault, _at):
        released = texts.dates(records).get((text.name, text.version, text.language)) if text else None
    if not released or not signed_at or signed_at.date() >= released.date():
        return []
    day = f"{released:%Y-%m-%d} UTC"
    return [_("This version was released here on %(day)s, after it was signed. Check that this is the text that was signed.", day=day)]  # fmt: skip


def download(document_id: str) -> ResponseReturnValue:
    """The file itself; of a restricted person a page with a button that opens it."""
    with reading() as (records, vault, _at):
        restricted = documents.restricted_owner(records, document_id) is not None
        found = documents.opened(records, vault, document_id) or abort(404)
    # A link may be followed by mistake, and each opening is an entry in the log.
    return render("admin/papers_restricted.html", id=document_id) if restricted else _file(found)


def open_document(document_id: str) -> ResponseReturnValue:
    """The file of a restricted person, opened once: the log says by whom."""
    with change() as context:
        found = documents.opened(context.session, context.vault, document_id) or abort(404)
        whose = documents.restricted_owner(context.session, document_id)
        if whose is not None:  # Who asked to be erased was promised that it is opened only in a dispute.
            context.log("document.opened", whose, details={"document": document_id})
    return _file(found)


def _file(found: DocumentContent) -> Response:
    # Saved, never shown in the browser: its author could have put a page into it.
    answer = named_download(found.content, found.media_type, found.name)
    answer.headers["Content-Security-Policy"] = _SANDBOX
    return answer


def _offered(whom: Whom) -> Mapping[str, AgreementText]:
    """The released texts that a person, or a company, may have signed, newest version first."""
    corporate = portal_services().rules(None).corporate.text
    found = [
        text
        for text in portal_services().catalog.texts()
        if text.signable and (text.name == corporate) == (whom == "company")
    ]
    # By numbers: 2.10 is newer than 2.9.
    found.sort(key=lambda text: (text.name, [-int(part) for part in text.version.split(".")], text.language))
    return {f"{text.name}/{text.version}/{text.language}": text for text in found}


def _accounts(filled: PaperForm, names: tuple[str, ...]) -> dict[str, Account]:
    found = {}
    for name in names:
        try:
            found[name] = account(filled.values[name], name)
        except FormRefused as refused:
            filled.errors |= refused.errors
    return found


def _person(filled: PaperForm, signer: Account) -> str:
    receipt = receipt_number()
    with portal_services().change(signed_in().account.id) as context:
        rejudge.people(context.session, portal_services().engine, [signer.id])
        paper_agreements.record(context, signer, filled.paper(signed_in().account), receipt=receipt)
    return f"/admin/signatures/{receipt}"


def _company(filled: PaperForm, accounts: Mapping[str, Account]) -> str:
    """Record a company's agreement, which then waits for its countersignature; where it is shown."""
    pair, recorder = (accounts["first"], accounts["second"]), signed_in().account
    with portal_services().change(recorder.id) as context:
        company_id = paper_agreements.record_company(
            context, filled.values["company"], pair, filled.paper(recorder), receipt=receipt_number()
        )
    return f"/admin/companies/{company_id}"


def read_form(
    whom: Whom, offered: Mapping[str, AgreementText], now: datetime, parties: Sequence[NamedParty]
) -> PaperForm:
    """The form for a person's or a company's agreement. `offered`: the texts by key; `parties`: the other sides."""
    names = ("login", "company", "first", "second", "signer", "email", "text", "party", "signed_on", "service", "agree")
    values = {name: form_fields.normalized(request.form.get(name)) for name in names}
    # The language in which the form had the statement: the reader may have switched before it was sent.
    declared = request.form.get("declared", "")
    values["declared"] = declared if declared in RECORDED else language()
    # Where there is one party alone the page does not ask.
    party = parties[0].id if len(parties) == 1 and not values["party"] else values["party"]
    day = day_start(values["signed_on"])
    filled = PaperForm(
        values,
        text=offered.get(values["text"]),
        party=next((named_party for named_party in parties if named_party.id == party), None),
        signed_at=day if day and day <= now and day.year >= 1990 else None,
    )
    _people(filled, whom)
    if filled.text is None:
        filled.errors["text"] = _("Choose which agreement was signed.")
    if filled.party is None:
        filled.errors["party"] = _("Choose with whom it was signed.")
    if filled.signed_at is None:
        filled.errors["signed_on"] = _("Enter the date of the signature, from 1990 to today, such as 2026-01-31.")
    service_and_file(filled)
    if not values["agree"]:
        filled.errors["agree"] = _("Tick the box to confirm the statement.")
    return filled


def _people(filled: PaperForm, whom: Whom) -> None:
    """Check the signer and the people for whom they signed."""
    values, errors = filled.values, filled.errors
    for name in ("login",) if whom == "person" else ("first", "second"):
        values[name] = values[name].removeprefix("@")
        if not is_login(values[name]):
            errors[name] = str(_NO_LOGIN[name])
    if whom == "company" and not _is_name(values["company"]):
        errors["company"] = _("Enter the company's name, in at most 200 characters.")
    if not _is_name(values["signer"]):
        errors["signer"] = _("Enter the name of the signer, in at most 200 characters.")
    if values["email"] and canonical_address(values["email"]) is None:
        errors["email"] = _("Enter a valid e-mail address, or leave this empty if the agreement has none.")


def service_and_file(filled: PaperForm) -> None:
    """Read how it was signed, and the file that proves it."""
    service = filled.values["service"]
    if service not in SERVICES:
        filled.errors["service"] = _("Choose how it was signed.")
    sent = request.files.get("file")
    content = sent.read() if sent else b""
    kind = documents.kind_of(content)  # The name and the media type are the sender's words.
    if not content:
        filled.errors["file"] = _("Choose the file with the signed agreement.")
    elif len(content) > documents.MAX_DOCUMENT_BYTES:
        filled.errors["file"] = _("The file is larger than 10 MB.")
    elif kind is None:
        filled.errors["file"] = _("The file must be a PDF, PNG or JPEG. We check its content, not its name.")
    elif service in SERVICES:
        filled.document = DocumentDraft(service=service, name=_name(sent, kind), media_type=kind, content=content)


def _is_name(name: str) -> bool:
    return (
        len(name) <= MAX_NAME_CHARACTERS and form_fields.printable(name) and bool(form_fields.visible_characters(name))
    )


def _name(sent: FileStorage | None, kind: str) -> str:
    """The file's own name, without a path and what cannot be printed, and with an ending that its content has."""
    # A browser on Windows may send a whole path.
    name = PurePath((sent.filename or "" if sent else "").replace("\\", "/")).name
    shown = "".join(letter for letter in form_fields.normalized(name) if letter.isprintable())
    shown = shown.strip(". ") or "agreement"  # Windows drops a dot at the end, and one in front hides a file.
    endings = _ENDINGS[kind]
    fits = shown.lower().endswith(endings) and len(shown) <= MAX_NAME_CHARACTERS
    return shown if fits else shown[: MAX_NAME_CHARACTERS - len(endings[0])] + endings[0]
