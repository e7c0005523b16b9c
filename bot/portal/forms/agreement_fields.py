"""The fields that an agreement asks for besides a name and an address: in a form, and as they are shown afterwards."""

from collections.abc import Callable, Mapping, Sequence

from babel import Locale
from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm  # type: ignore[import-untyped]  # it ships no types
from wtforms import Field as FormField  # type: ignore[import-untyped]  # it ships no types
from wtforms import Form, StringField
from wtforms.validators import ValidationError  # type: ignore[import-untyped]  # it ships no types

from agreements import form_fields
from agreements.form_fields import AgreementField
from bot.portal.text.languages import LOCALES, Language

PREFIX = "field-"
"""The beginning of the name of such a field in a form; behind it stands its name in the declaration."""

_NO_COUNTRIES = frozenset({"AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"})
"""Territories of Babel's list that ISO 3166 does not have."""

_OF_OTHERS = {
    "Your title in the company": {"en": "Signer's title in the company", "zh": "签署人在公司的职务"},
}
"""The label for other readers in place of a released one that speaks to the signer, by its English words."""

_BESIDE = {
    # The text that asked for it, and labelled it, may have left the catalog.
    "country": (AgreementField("country", {"en": "Country or region", "zh": "国家或地区"}, kind="country"),),
    # agreements.store.companies.paper_agreements: an administrator recorded the agreement.
    "recorded-by": (
        AgreementField("recorder", {"en": "Recorded by", "zh": "登记人"}),
        AgreementField("recorded-by", {"en": "Recorded by account number", "zh": "登记人的账号编号"}),
        AgreementField("service", {"en": "How it was signed", "zh": "签署方式"}),
    ),
    # agreements.store.imports.imported: it came from another tool's list.
    "source-format": (
        AgreementField("source-format", {"en": "Imported from a list of the form", "zh": "导入名单的格式"}),
        AgreementField("source-place", {"en": "Its place in the list", "zh": "在名单中的位置"}),
        AgreementField("source-login", {"en": "Login in the list", "zh": "名单中的用户名"}),
        AgreementField("source-date", {"en": "Where the date is from", "zh": "日期的来源"}),
        AgreementField("source-notes", {"en": "What else the list says", "zh": "名单中的其他内容"}),
        AgreementField("source-sha256", {"en": "SHA-256 of the list", "zh": "名单的 SHA-256"}),
        AgreementField("confirmed-because", {"en": "Why an administrator confirmed it", "zh": "管理员确认的理由"}),
    ),
}
"""The fields beside those that the text declares, by the name that tells that they are there."""
_VALUES = {
    ("service", "paper"): {"en": "On paper", "zh": "纸质"},
    ("service", "other"): {"en": "With another signature service", "zh": "通过其他签署服务"},
    ("source-date", "of the list"): {"en": "the list", "zh": "名单"},
    ("source-date", "given by whoever imported the list"): {"en": "whoever imported the list", "zh": "导入名单的人"},
}
"""Words for values of these fields that are one of a few."""

FIELD_ERRORS = {
    "missing": _("Fill in this field."),
    "unprintable": _("This contains a character that cannot be displayed. Type it again instead of pasting it."),
    "unseen": _("Enter at least one letter or number."),
    "no-country": _("Choose a country or region."),
    "no-date": _("Enter the date as year-month-day, such as 2026-01-31."),
}


def with_fields(form: type[FlaskForm], asked: Sequence[AgreementField]) -> type[FlaskForm]:
    """The form with a field for each thing asked for."""
    # A class of its own each time: a field that is set on the shared one would stay there.
    made: type[FlaskForm] = type(form.__name__, (form,), {})
    for field in asked:
        setattr(made, PREFIX + field.name, StringField(filters=[form_fields.normalized], validators=[_right(field)]))
    return made


def answers(form: FlaskForm, asked: Sequence[AgreementField]) -> dict[str, str]:
    """The answers by the field's name in the declaration; what was left empty is left out."""
    filled = {field.name: form[PREFIX + field.name].data for field in asked}
    return {name: value for name, value in filled.items() if value}


def countries(language: Language) -> list[tuple[str, str]]:
    """ISO 3166 codes and names in that language, by name."""
    named = Locale.parse(LOCALES[language]).territories.items()
    found = [(code, name) for code, name in named if len(code) == 2 and code.isalpha() and code not in _NO_COUNTRIES]
    # The common characters of GB 18030 are in the order of Pinyin, as Chinese readers look for a name.
    return sorted(found, key=lambda pair: pair[1].encode("gb18030") if language == "zh" else pair[1])


def shown(
    asked: Sequence[AgreementField], filled: Mapping[str, str], language: Language, *, own: bool = True
) -> list[tuple[str, str]]:
    """Labels and values as declared, then what is no longer declared; `own` False: another person reads them."""
    beside = {
        field.name: field for name, some in _BESIDE.items() if name in filled for field in some if field.name in filled
    }
    declared = {field.name: field for field in asked}
    by_name = declared | beside | declared  # The text's own label counts, and its fields come first.
    ordered = [*(name for name in by_name if name in filled), *(name for name in filled if name not in by_name)]
    worded = {name: _VALUES.get((name, filled[name]), {}).get(language) for name in beside}
    lines = []
    for name in ordered:
        field, label, value = by_name.get(name), name, filled[name]
        if field is not None:
            of_others = None if own else _OF_OTHERS.get(field.called("en"))
            label = of_others[language] if of_others else field.called(language)
        if field is not None and field.kind == "country":
            country = Locale.parse(LOCALES[language]).territories.get(value)
            beside_name = {"en": f"{country} ({value})", "zh": f"{country}（{value}）"}
            value = beside_name[language] if country else value
        lines.append((label, worded.get(name) or value))
    return lines


def _right(asked: AgreementField) -> Callable[[Form, FormField], None]:
    def check(_form: Form, field: FormField) -> None:
        found = form_fields.validation_error(asked, field.data or "")
        if found == "too-long":
            raise ValidationError(_("Use at most %(most)s characters.", most=asked.longest))
        if found is not None:
            raise ValidationError(FIELD_ERRORS[found])

    return check
