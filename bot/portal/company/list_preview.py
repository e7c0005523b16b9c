"""The preview of a list of people: what will happen with each line, signed, so that the next page carries out just that."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from flask import abort, current_app, request
from flask_babel import gettext as _
from itsdangerous import BadSignature, TimestampSigner, URLSafeTimedSerializer

from agreements.facts import Entry
from bot.portal.company.people_list import PeopleListLine
from bot.portal.forms.form_action import FormRefused
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in

_MAX_AGE_SECONDS: Final = 30 * 60


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """The `outcome` of a `line`, and `why` it is so; `entry` is there when it can be added.

    `domain` is the company's domain that covers the person without this entry, "" for none.
    """

    line: PeopleListLine
    outcome: str
    why: str = ""
    entry: Entry | None = field(default=None, repr=False)
    domain: str = ""


@dataclass(frozen=True, slots=True)
class ListPreview:
    """The `text` of a list, and in `lines` what happens with each line, once they were looked through.

    `good` are the lines that can be carried out, `known` what GitHub has answered, and `refused` the lines that need
    work, each signed for the next page.
    `problem` says why GitHub was not asked about all of them.
    """

    text: str = field(default="", repr=False)
    lines: Sequence[LineOutcome] = ()
    good: str = field(default="", repr=False)
    known: str = field(default="", repr=False)
    refused: str = field(default="", repr=False)
    problem: str = ""

    @property
    def counts(self) -> Counter[str]:
        """The number of lines with each outcome."""
        return Counter(line.outcome for line in self.lines)

    @property
    def covered(self) -> Counter[str]:
        """The number of lines to be added whose people each domain covers already."""
        return Counter(line.domain for line in self.lines if line.outcome == "add" and line.domain)


class _Signer(TimestampSigner):
    """The library's own would ask this machine for the time."""

    def get_timestamp(self) -> int:
        return int(portal_services().clock().timestamp())


def sign(purpose: str, company_id: str, content: object) -> str:
    """The content as a word for a hidden field; the reader of the page can read it, but not change it."""
    return str(_serializer(purpose, company_id).dumps(content))


def read(purpose: str, company_id: str, word: str) -> Any:
    """The value that `sign` got for this purpose, company and person; None if changed or too old."""
    try:
        return _serializer(purpose, company_id).loads(word, max_age=_MAX_AGE_SECONDS)
    except BadSignature:  # Changed, or more than 30 minutes old.
        return None


def looked_through(purpose: str, company_id: str, field: str) -> Any:
    """The lines that were looked through, from that field of the form. Raises FormRefused when that was too long ago."""
    lines = read(purpose, company_id, request.form.get(field, ""))
    if lines is None:
        raise FormRefused({"list": _("The preview is more than 30 minutes old. Check the list again.")}, 409)
    return lines


def _serializer(purpose: str, company_id: str) -> URLSafeTimedSerializer:
    # A list that was looked through for one purpose, company and person is good for no other.
    salt = f"{purpose} {company_id} {signed_in().account.id}"
    return URLSafeTimedSerializer(current_app.secret_key or abort(500), salt=salt, signer=_Signer)


def skipped(reasons: Sequence[str]) -> list[str]:
    """The sentence about entries that were refused after the preview; `reasons` are empty for those that were added."""
    count = len(reasons) - reasons.count("")
    said = _("Skipped, because the records have changed since the preview: %(count)s.", count=count)
    return [said] if count else []
