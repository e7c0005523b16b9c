"""What an agreement asks for besides a name and an address: declared in a file beside its text, checked when filled in."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, get_args

from agreements.domains.invisible import INVISIBLE_CHARACTERS

FieldKind = Literal["text", "country", "date"]
Wrong = Literal["missing", "too-long", "unprintable", "unseen", "no-country", "no-date"]
"""The mistakes that a value may have."""

MAX_ANSWER_CHARACTERS = 1000
"""Characters that a field may ask for at most."""

_FAR_TOO_LONG = 4 * MAX_ANSWER_CHARACTERS  # NFC makes one character of four at most
_MAX_FIELDS = 20
_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_COUNTRY = re.compile(r"[A-Z]{2}")
_KEYS = {"name", "label", "required", "longest", "kind"}
_UNPRINTED = {"Cc", "Cf", "Co", "Cs"}  # not Cn: rare Han characters are newer than the tables of an older Python
_REPLACED = "\ufffd"  # stands where something was sent that is no UTF-8
_JOINERS = {"\u200c", "\u200d"}  # part of names in Persian and in scripts of India


@dataclass(frozen=True, slots=True)
class AgreementField:
    """One thing that is asked for. `label` by language; a country is an ISO 3166 code of two letters, a date ISO 8601."""

    name: str
    label: Mapping[str, str]
    required: bool = True
    longest: int = 200
    kind: FieldKind = "text"

    def called(self, language: str) -> str:
        """The label in that language, else in English, else in any."""
        return self.label.get(language) or self.label.get("en") or next(iter(self.label.values()))


def read(source: str) -> tuple[AgreementField, ...]:
    """The fields that a `fields.toml` declares, in its order. Raises ValueError with one line that says what is wrong."""
    declared = tomllib.loads(source)
    rows = declared.get("field")
    if set(declared) != {"field"} or not isinstance(rows, list) or not rows or len(rows) > _MAX_FIELDS:
        raise ValueError(f"it must hold 1 to {_MAX_FIELDS} [[field]] tables and nothing else")
    fields = tuple(_field(row, number) for number, row in enumerate(rows, 1))
    if len({field.name for field in fields}) < len(fields):
        raise ValueError("two fields have the same name")
    return fields


def normalized(text: str | None) -> str:
    """The value as it will be kept: NFC, without white space around it, one space where several stood.

    What is too long for any field stays as it is: sorting its marks would take time by the square of their number.
    """
    text = " ".join((text or "").split())
    return text if len(text) > _FAR_TOO_LONG else " ".join(unicodedata.normalize("NFC", text).split())


def printable(text: str) -> bool:
    """Control, format, private and unreadable characters have no place on a document."""
    return _REPLACED not in text and all(c in _JOINERS or unicodedata.category(c) not in _UNPRINTED for c in text)


def visible_characters(text: str) -> str:
    """The letters and numbers of a text that show: a name has one at least.

    Unassigned characters count as letters: rare Han characters are newer than the tables of an older Python.
    """
    kinds = ((char, unicodedata.category(char)) for char in text if char not in INVISIBLE_CHARACTERS)
    return "".join(char for char, kind in kinds if kind[0] in "LN" or kind == "Cn")


def validation_error(field: AgreementField, value: str) -> Wrong | None:
    """The mistake in a `normalized` value; None when it is as the field asks, which an empty one is unless required."""
    if not value:
        return "missing" if field.required else None
    if len(value) > field.longest:
        return "too-long"
    if not printable(value):
        return "unprintable"
    if not visible_characters(value):
        return "unseen"
    if field.kind == "country" and not _COUNTRY.fullmatch(value):
        return "no-country"
    return "no-date" if field.kind == "date" and not _is_date(value) else None


def _is_date(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _field(row: Any, number: int) -> AgreementField:
    """One declared field. Raises ValueError naming its place and the key."""
    here = f"field {number}"
    if not isinstance(row, dict) or not {"name", "label"} <= set(row) <= _KEYS:
        raise ValueError(f"{here}: needs name and label, and may have required, longest and kind")
    name, label, kind = row["name"], row["label"], row.get("kind", "text")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"{here}: the name is 1 to 32 small letters, digits and dashes")
    if not isinstance(label, dict) or "en" not in label or not all(isinstance(v, str) and v for v in label.values()):
        raise ValueError(f"{here}: the label is a text for each language, with one for en")
    if kind not in get_args(FieldKind):
        raise ValueError(f"{here}: the kind is {', '.join(get_args(FieldKind))}")
    required, longest = row.get("required", True), row.get("longest", 200)
    if required not in (True, False):
        raise ValueError(f"{here}: required is true or false")
    if not isinstance(longest, int) or not 1 <= longest <= MAX_ANSWER_CHARACTERS:
        raise ValueError(f"{here}: longest is a number from 1 to {MAX_ANSWER_CHARACTERS}")
    return AgreementField(name, dict(label), bool(required), longest, kind)
