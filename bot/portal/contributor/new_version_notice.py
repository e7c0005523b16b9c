"""Tells a person of a newer version of what they signed: what is different, and how long theirs still counts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from agreements import versions
from agreements.cla.coverage import validity
from agreements.cla.party import Parties
from agreements.rulebook.rules import Rules
from agreements.store.people.signatures import OwnSignature
from bot.portal.portal_services import portal_services
from bot.portal.text import text_differences
from bot.portal.text.languages import language
from bot.portal.text.text_differences import Hunk
from bot.records import agreement_view


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """A newer `version` of an `agreement`: `title`, `language`, `changes`; the `signed` one `counts`, `until` then (None: for good)."""

    agreement: str
    title: str
    version: str
    signed: str
    counts: bool
    until: datetime | None
    language: str
    changes: tuple[Hunk, ...]


def waiting(mine: Iterable[OwnSignature], rules: Rules, parties: Parties) -> NewVersion | None:
    """The version that the rules ask the person of these signatures for, if they signed only an older one with their party; else None."""
    wanted = rules.individual
    own = [
        signature
        for signature in mine
        if signature.agreement == wanted.text
        and signature.withdrawn_at is None
        and not signature.for_company
        and signature.party is not None
        and parties.admit(signature.party)
    ]
    than = versions.sort_key(wanted.version)
    # A signature of a newer version is enough, where a rulebook went back to an older one.
    if not own or any(versions.sort_key(signature.version) >= than for signature in own):
        return None
    return _new_version(own[0], rules)


def _new_version(signed: OwnSignature, rules: Rules) -> NewVersion | None:
    catalog, wanted = portal_services().catalog, rules.individual
    there = set(catalog.languages(wanted.text, wanted.version))
    chosen = next((candidate for candidate in (language(), signed.language, "en") if candidate in there), None)
    text = catalog.get(wanted.text, wanted.version, chosen) if chosen else None
    if text is None:
        return None
    old = catalog.get(signed.agreement, signed.version, text.language)
    counts, until = validity(signed.version, rules.individual, rules, portal_services().clock())
    return NewVersion(
        agreement=text.name,
        title=agreement_view.of(text, rules.organization).title,
        version=text.version,
        signed=signed.version,
        counts=counts,
        until=until,
        language=text.language,
        changes=text_differences.compare(old.terms, text.terms) if old else (),  # The catalog may lack the old text.
    )
