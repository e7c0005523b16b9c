"""The fields of an agreement besides name and address: declared in a file beside its text, checked when filled in."""

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
"""The most characters that a field may ask for."""

_FAR_TOO_LONG = 4 * MAX_ANSWER_CHARACTERS  # NFC makes one character of four at most.
_MAX_FIELDS = 20
_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_COUNTRY = re.compile(r"[A-Z]{2}")
_KEYS = {"name", "label", "required", "longest", "kind"}
_UNPRINTED = {"Cc", "Cf", "Co", "Cs"}  # Not Cn: rare Han characters are newer than the tables of an older Python.
_REPLACED = "\ufffd"  # Stands where bytes were sent that are not UTF-8.
_JOINERS = {"\u200c", "\u200d"}  # Part of names in Persian and in scripts of India.


@dataclass(frozen=True, slots=True)
class AgreementField:
    """A field `name`: its `label` by language, whether it is `required`, at most `longest` characters, of a `kind`.

    A country is an ISO 3166 code of two letters, a date ISO 8601.
    """

    name: str
    label: Mapping[str, str]
    required: bool = True
    longest: int = 200
    kind: FieldKind = "text"

    def called(self, language: str) -> str:
        """The label in that language, else in English, else in any."""
        return self.label.get(language) or self.label.get("en") or next(iter(self.label.values()))


def read(source: str) -> tuple[AgreementField, ...]:
    """The fields that a `fields.toml` declares, in its order. Raises ValueError, which names the mistake."""
    declared = tomllib.loads(source)
    rows = declared.get("field")
    if set(declared) != {"field"} or not isinstance(rows, list) or not rows or len(rows) > _MAX_FIELDS:
        raise ValueError(f"it must hold 1 to {_MAX_FIELDS} [[field]] tables and nothing else")
    fields = tuple(_field(row, number) for number, row in enumerate(rows, 1))
    if len({field.name for field in fields}) < len(fields):
        raise ValueError("two fields have the same name")
    return fields


def normalized(text: str | None) -> str:
    """The value as it will be kept: NFC, without white space around it, with one space where several stood."""
    text = " ".join((text or "").split())
    # Too long for any field: it is refused anyway, and sorting its marks takes time by the square of their number.
    return text if len(text) > _FAR_TOO_LONG else " ".join(unicodedata.normalize("NFC", text).split())


def printable(text: str) -> bool:
    """Whether a text has no control, format, private or unreadable characters."""
    return _REPLACED not in text and all(c in _JOINERS or unicodedata.category(c) not in _UNPRINTED for c in text)


def visible_characters(text: str) -> str:
    """The letters and numbers of a text that show: a name has one at least."""
    kinds = ((char, unicodedata.category(char)) for char in text if char not in INVISIBLE_CHARACTERS)
    return "".join(char for char, kind in kinds if kind[0] in "LN" or kind == "Cn")  # Cn: see `_UNPRINTED`


def validation_error(field: AgreementField, value: str) -> Wrong | None:
    """The mistake in a `normalized` value; None when it is as the field asks."""
    if not value:
        return "missing" if field.required else None
    if len(value) > field.longest:
        return "too-long"
    if not printable(value):
        return "unprintable"
    if not visible_characters(value):  # Only invisible characters: it would look empty.
        return "unseen"
    if field.kind == "country" and not _COUNTRY.fullmatch(value):
        return "no-country"
    return "no-date" if field.kind == "date" and not _is_date(value) else None


def _is_date(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value  # `fromisoformat` also takes `20260131`.
    except ValueError:
        return False


def _field(row: Any, number: int) -> AgreementField:
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
