"""Agreement texts in the portal: which there are, how they differ, and releasing a new version for good."""

import re
import unicodedata
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from flask import abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from sqlalchemy.exc import IntegrityError

from agreements import versions
from agreements.catalog import AgreementText, Catalog
from agreements.store.people import texts
from bot.portal import organizations
from bot.portal.admin.page_context import render
from bot.portal.forms.form_action import FormRefused, change, form_action
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services, reading
from bot.portal.text import text_differences
from bot.portal.text.languages import NAMES
from bot.portal.text.text_differences import Hunk
from bot.records import agreement_view
from bot.records.agreement_view import AgreementView
from bot.store.pulls import review_mailbox

MAX_TEXT_CHARACTERS = 20_000
"""Characters of one language of a text."""
_FAR_TOO_LONG = 4 * MAX_TEXT_CHARACTERS
"""A longer text is refused before it is normalized: sorting combining marks takes time by the square of their number."""
MAX_TEXT_FORM_BYTES = len(NAMES) * MAX_TEXT_CHARACTERS * 12 + 64 * 1024
"""Bytes of the form with every language at its longest: percent-encoded, a character is up to twelve of them."""

_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}", re.ASCII)
_VERSION = re.compile(r"(?:0|[1-9][0-9]{0,5})(?:\.(?:0|[1-9][0-9]{0,5})){0,3}", re.ASCII)
_NUMBERS = re.compile(r"(?:version|版本)[ \t]{0,3}v?([0-9]{1,6}(?:\.[0-9]{1,6}){0,3})", re.IGNORECASE)
"""Where a text names a version: its own, or one that it replaces."""
_NO_AGREEMENT = "dco"  # Each commit certifies it: it is never signed here.


@dataclass(frozen=True, slots=True)
class TextDraft:
    """A `version` of the agreement `name` about to be released: its `sources` by language, without those that were left empty."""

    name: str
    version: str
    sources: Mapping[str, str]

    @property
    def texts(self) -> tuple[AgreementText, ...]:
        """The texts as they will be released."""
        return tuple(
            AgreementText(self.name, self.version, language, source, sha256(source.encode()).hexdigest())
            for language, source in self.sources.items()
        )

    @property
    def seen(self) -> str:
        """One hash of all of it: what is released is what was looked at."""
        parts = (self.name, self.version, *(text.language + text.sha256 for text in self.texts))
        return sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Preview:
    """One language as contributors will see it (`paper`), and its `changes` from the version `before`, None if there is none."""

    paper: AgreementView
    before: str | None
    changes: tuple[Hunk, ...]


def released() -> ResponseReturnValue:
    """All texts that may be signed."""
    catalog = portal_services().catalog
    with reading() as (records, _vault, _at):
        signed, since = texts.signed(records), texts.dates(records)
    rules = portal_services().rules(None)
    asked = {(rules.individual.text, rules.individual.version), (rules.corporate.text, rules.corporate.version)}
    found = [text for text in catalog.texts() if text.signable]
    return render(
        "admin/texts.html",
        texts=found,
        templates=unreviewed(since),
        names=list(dict.fromkeys(text.name for text in found)),
        signed=signed,
        since=since,
        asked=asked,
        languages=NAMES,
    )


def unreviewed(released_here: Container[tuple[str, str, str]]) -> list[AgreementText]:
    """The texts that a rulebook asks for, or that were released here, although counsel has not reviewed them."""
    asked = organizations.unreviewed_texts()
    return [
        text
        for text in portal_services().catalog.texts()
        if text in asked or (text.is_template and (text.name, text.version, text.language) in released_here)
    ]


def text_page(name: str, version: str, language: str) -> ResponseReturnValue:
    """The page of one released text, with its differences from the version before."""
    catalog = portal_services().catalog
    text = catalog.get(name, version, language)
    if text is None or not text.signable:  # The DCO has a page of its own.
        abort(404)
    return render(
        "admin/texts_one.html",
        shown=_preview(catalog, text),
        text=text,
        rules=portal_services().rules(None),
        languages=NAMES,
    )


def _page(draft: TextDraft | None = None, *, shown: bool = False) -> str:
    catalog, draft = portal_services().catalog, draft or _draft()
    known = catalog.versions(draft.name)
    newest = set(catalog.languages(draft.name, known[-1])) if known else set()
    return render(
        "admin/texts_new.html",
        draft=draft,
        known=known,
        previews=[_preview(catalog, text) for text in draft.texts] if shown else [],
        missing=sorted(newest - set(draft.sources)) if shown else [],
        languages=NAMES,
    )


def begin() -> str:
    """An empty form, for an agreement that there was not before."""
    return _page(TextDraft("", "1.0", {}))


def go_on(name: str) -> ResponseReturnValue:
    """The form with the newest version of that agreement to be changed."""
    catalog = portal_services().catalog
    known = catalog.versions(name)
    if not known or name == _NO_AGREEMENT:
        abort(404)
    newest = {language: catalog.get(name, known[-1], language) for language in catalog.languages(name, known[-1])}
    return _page(TextDraft(name, "", {language: text.source for language, text in newest.items() if text}))


@form_action(_page)
def preview() -> ResponseReturnValue:
    """The preview of a release, as contributors will see it; nothing is stored."""
    return _page(_checked(), shown=True)


@form_action(_page)
def release() -> ResponseReturnValue:
    """Release exactly what was looked at; anything else is shown again first."""
    draft = _checked()
    # The hash of what the preview showed: nothing else is released.
    if request.form.get("seen") != draft.seen:
        message = _("The text was changed after the preview. Check it again, then release it.")
        raise FormRefused({"text": message}, 409, shown=True)
    try:
        with change() as context:
            rows = texts.release(context.session, draft.texts, by=context.actor, at=context.at)
            review_mailbox.make_due(context.session, at=context.at)  # A rulebook may name it already.
            details = {"name": draft.name, "version": draft.version, "languages": sorted(draft.sources)}
            context.log("text.released", rows=rows, details=details)
    except IntegrityError:  # Both passed the check of the version.
        raise FormRefused({"version": _("Someone else has just released this version.")}, 409) from None
    return redirect(f"/admin/texts/{draft.name}/{draft.version}/{draft.texts[0].language}")


def _checked() -> TextDraft:
    draft = _draft()
    if errors := _wrong(portal_services().catalog, draft):
        raise FormRefused(errors)
    return draft


def _draft() -> TextDraft:
    sources = {language: _written(request.form.get(f"source-{language}", "")) for language in NAMES}
    return TextDraft(
        field("name"),
        field("version"),
        {language: source for language, source in sources.items() if source},
    )


def _written(source: str) -> str:
    if len(source) <= _FAR_TOO_LONG:  # Else it is refused anyway, and sorting its marks may take long.
        source = unicodedata.normalize("NFC", source)
    # Spelled as it is stored: the hash is of these bytes.
    lines = [line.rstrip() for line in source.splitlines()]
    return "\n".join(lines).strip("\n") + "\n" if any(lines) else ""


def _wrong(catalog: Catalog, draft: TextDraft) -> dict[str, str]:
    errors: dict[str, str] = {}
    if not _NAME.fullmatch(draft.name) or draft.name == _NO_AGREEMENT:
        errors["name"] = _("Enter a short name in lower-case letters, digits and hyphens, such as icla.")
    known = catalog.versions(draft.name)
    if not _VERSION.fullmatch(draft.version):
        errors["version"] = _("Enter the version as numbers separated by dots, such as 2.1.")
    elif known and not _later(draft.version, known[-1]):
        errors["version"] = _("The version must be higher than %(newest)s, the newest one.", newest=known[-1])
    for language in NAMES:
        wrong = _wrong_source(draft.sources.get(language, ""), needed=language == "en")
        if wrong:
            errors[f"source-{language}"] = wrong
    return errors or _unchanged(catalog, draft) or _other_numbers(draft)


def _unchanged(catalog: Catalog, draft: TextDraft) -> dict[str, str]:
    """The languages that still have the text of the version before: if only some changed, the texts contradict."""
    old = {language: _before(catalog, draft.name, catalog.versions(draft.name), language) for language in draft.sources}
    same = {language: text for language, text in old.items() if text and text.source == draft.sources[language]}
    changed = [language for language, text in old.items() if text and language not in same]
    # A version that only adds a language may leave the others as they were.
    if not changed and len(same) < len(draft.sources):
        return {}
    unchanged = _("This text is identical to version %(version)s. Change it here as well.")
    or_none = _("Or leave it empty. Readers of this language then see the English text.")
    return {
        f"source-{language}": (unchanged % {"version": text.version}) + ("" if language == "en" else f" {or_none}")
        for language, text in same.items()
    }


def _wrong_source(source: str, *, needed: bool) -> str | None:
    if not source:
        return str(_("Enter the English text. Other languages are optional.")) if needed else None
    if len(source) > MAX_TEXT_CHARACTERS:
        return str(_("This text can have at most %(most)s characters.", most=MAX_TEXT_CHARACTERS))
    # Signers must see all that they sign: marks of direction, for one, can turn a sentence round.
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co") for letter in source if letter != "\n"):
        return str(_("This text contains invisible characters. Remove them."))
    if AgreementText("", "", "", source, "").is_template:
        return str(_("This text says that it is a template to be reviewed by a lawyer. Have it reviewed, then remove that paragraph."))  # fmt: skip
    if not any(line.startswith("# ") for line in source.splitlines()):  # Pages and receipts call the agreement by it.
        return str(_("The text needs a title: a line that starts with # and a space."))
    return None


def _other_numbers(draft: TextDraft) -> dict[str, str]:
    """The languages that name versions, but not the one to be released: their signers would read the wrong one."""
    said = {language: _NUMBERS.findall(source) for language, source in draft.sources.items()}
    wrong = _("This text says that it is version %(said)s, but you are releasing it as version %(version)s. Correct the number in the text.")  # fmt: skip
    return {
        f"source-{language}": wrong % {"said": numbers[0], "version": draft.version}
        for language, numbers in said.items()
        if numbers and draft.version not in numbers
    }


def _later(version: str, than: str) -> bool:
    return versions.sort_key(version) > versions.sort_key(than)


def _preview(catalog: Catalog, text: AgreementText) -> Preview:
    earlier = [version for version in catalog.versions(text.name) if _later(text.version, version)]
    old = _before(catalog, text.name, earlier, text.language)
    with_whom = portal_services().party(None)
    paper = agreement_view.of(text, with_whom.name if with_whom else "")
    return Preview(
        paper, old.version if old else None, text_differences.compare(old.source, text.source) if old else ()
    )


def _before(catalog: Catalog, name: str, earlier: Sequence[str], language: str) -> AgreementText | None:
    """The text of the newest of those versions that has the language."""
    return next((found for version in reversed(earlier) if (found := catalog.get(name, version, language))), None)
