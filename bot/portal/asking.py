"""What an agreement asks for besides a name and an address, as fields of a form and as they are shown afterwards."""

from collections.abc import Callable, Mapping, Sequence

from babel import Locale
from flask_babel import lazy_gettext as _  # type: ignore[import-untyped]  # it ships no types
from flask_wtf import FlaskForm  # type: ignore[import-untyped]  # it ships no types
from wtforms import Field as FormField  # type: ignore[import-untyped]  # it ships no types
from wtforms import Form, StringField
from wtforms.validators import ValidationError  # type: ignore[import-untyped]  # it ships no types

from agreements import fields
from agreements.fields import Field
from bot.portal.languages import LOCALES, Language

PREFIX = "field-"
"""What the name of such a field begins with in a form; behind it stands its name in the declaration."""

_NO_COUNTRIES = frozenset({"AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"})
"""What Babel's list of territories has and ISO 3166 does not."""

_OF_OTHERS = {
    "Your title in the company": {"en": "Title in the company of who signed", "zh": "签署人在公司的职务"},
}
"""What a released label that speaks to the signer is called where somebody else reads the answer, by its English words."""

_SERVICE = Field("service", {"en": "How it was signed", "zh": "签署方式"})
_SERVICES = {
    "paper": {"en": "On paper", "zh": "纸质"},
    "other": {"en": "With another signature service", "zh": "通过其他签署服务"},
}
_RECORDED_BY = "recorded-by"
_RECORDED = (
    Field("recorder", {"en": "Recorded by", "zh": "登记人"}),
    Field(_RECORDED_BY, {"en": "Recorded by account number", "zh": "登记人的账号编号"}),
    _SERVICE,
)
"""What stands beside the answers where an administrator recorded an agreement (agreements.store.paper_agreements)."""

SAYS = {
    "missing": _("Fill in this field."),
    "unprintable": _("This contains a character that cannot be printed. Type it again by hand."),
    "unseen": _("Write at least one letter or number."),
    "no-country": _("Choose a country or region."),
    "no-date": _("Write the date as year, month, day, such as 2026-01-31."),
}


def with_fields(form: type[FlaskForm], asked: Sequence[Field]) -> type[FlaskForm]:
    """That form with a field for each thing asked for."""
    made: type[FlaskForm] = type(form.__name__, (form,), {})
    for one in asked:
        setattr(made, PREFIX + one.name, StringField(filters=[fields.written], validators=[_right(one)]))
    return made


def answers(form: FlaskForm, asked: Sequence[Field]) -> dict[str, str]:
    """What was filled in, by the field's name in the declaration; what was left empty is left out."""
    filled = {one.name: form[PREFIX + one.name].data for one in asked}
    return {name: value for name, value in filled.items() if value}


def countries(language: Language) -> list[tuple[str, str]]:
    """ISO 3166 codes and names in that language, by name."""
    named = Locale.parse(LOCALES[language]).territories.items()
    found = [(code, name) for code, name in named if len(code) == 2 and code.isalpha() and code not in _NO_COUNTRIES]
    return sorted(found, key=lambda pair: pair[1])


def shown(
    asked: Sequence[Field], given: Mapping[str, str], language: Language, *, own: bool = True
) -> list[tuple[str, str]]:
    """Labels and values in the order of the declaration; what it no longer declares comes last, under its own name.

    `own` False: somebody else reads it than who filled it in.
    """
    recorded = _RECORDED if _RECORDED_BY in given else ()
    by_name = {one.name: one for one in asked} | {one.name: one for one in recorded}
    ordered = [*(name for name in by_name if name in given), *(name for name in given if name not in by_name)]
    return [_told(by_name.get(name), name, given[name], language, own=own) for name in ordered]


def _told(field: Field | None, name: str, value: str, language: Language, *, own: bool) -> tuple[str, str]:
    if field is None:
        return name, value
    if field.kind == "country":
        value = f"{Locale.parse(LOCALES[language]).territories.get(value, value)} ({value})"
    if field is _SERVICE and value in _SERVICES:
        value = _SERVICES[value][language]
    of_others = None if own else _OF_OTHERS.get(field.called("en"))
    return of_others[language] if of_others else field.called(language), value


def _right(asked: Field) -> Callable[[Form, FormField], None]:
    def check(_form: Form, field: FormField) -> None:
        found = fields.wrong(asked, field.data or "")
        if found == "too-long":
            raise ValidationError(_("This is too long: %(most)s characters at most.", most=asked.longest))
        if found is not None:
            raise ValidationError(SAYS[found])

    return check
