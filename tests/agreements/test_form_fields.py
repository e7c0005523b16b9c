"""Form fields of an agreement: their declaration, and the check of each value."""

from time import process_time

import pytest

from agreements import form_fields
from agreements.form_fields import AgreementField

PLAIN = '[[field]]\nname = "x"\nlabel = {en = "X"}\n'


def test_a_declaration_has_defaults_except_for_name_and_label():
    whole = (
        PLAIN + '[[field]]\nname = "b-2"\nlabel = {en = "B", zh = "乙"}\nkind = "date"\nrequired = false\nlongest = 10'
    )

    assert form_fields.read(whole) == (
        AgreementField("x", {"en": "X"}, required=True, longest=200, kind="text"),
        AgreementField("b-2", {"en": "B", "zh": "乙"}, required=False, longest=10, kind="date"),
    )


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "1 to 20"),
        ("[[field]]\n" * 21, "1 to 20"),
        ("field = 1", "1 to 20"),
        ("field = [1]", "field 1: needs name and label"),
        (PLAIN + "more = 1", "field 1: needs name and label"),
        ("title = 1\n" + PLAIN, "nothing else"),
        ("[[field]]\nname = 'x'", "field 1: needs name and label"),
        (PLAIN.replace('"x"', '"X"'), "the name is"),
        (PLAIN.replace('"x"', "7"), "the name is"),
        (PLAIN.replace("en =", "zh ="), "with one for en"),
        (PLAIN.replace('"X"', '""'), "the label is"),
        (PLAIN + 'kind = "number"', "text, country, date"),
        (PLAIN + 'required = "yes"', "true or false"),
        (PLAIN + "longest = 0", "from 1 to 1000"),
        (PLAIN + 'longest = "9"', "from 1 to 1000"),
        (PLAIN + PLAIN, "the same name"),
        ("[[field", "array declaration"),
    ],
)
def test_a_mistake_in_a_declaration_is_one_line_with_the_field_and_the_fault(source, says):
    with pytest.raises(ValueError, match=says):
        form_fields.read(source)


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [
        ("text", "Huawei 华为", None),
        ("text", "", "missing"),
        ("text", "x" * 21, "too-long"),
        ("text", "a\u202eb", "unprintable"),
        ("text", "a\ufffdb", "unprintable"),
        ("text", "\u3164 \u115f", "unseen"),
        ("text", "-", "unseen"),
        ("text", "360", None),
        ("country", "CN", None),
        ("country", "cn", "no-country"),
        ("country", "CHN", "no-country"),
        ("date", "2026-02-28", None),
        ("date", "2026-02-30", "no-date"),
        ("date", "20260228", "no-date"),
    ],
)
def test_a_value_is_refused_if_missing_too_long_unprintable_or_of_the_wrong_kind(kind, value, says):
    assert form_fields.validation_error(AgreementField("x", {"en": "X"}, longest=20, kind=kind), value) == says


def test_an_optional_field_takes_an_empty_answer_of_any_kind():
    assert form_fields.validation_error(AgreementField("x", {"en": "X"}, required=False, kind="date"), "") is None


def test_a_value_is_kept_in_nfc_with_single_spaces():
    assert form_fields.normalized("  Cafe\u0301 \u3000 𠮷野 ") == "Café 𠮷野"
    assert form_fields.normalized(None) == ""
    assert form_fields.printable("𠮷 䶮 می\u200cخواهم")


@pytest.mark.parametrize(
    "text", ["\u3164", "\uffa0\u1160", "\u2800", "\u034f", "\u180b\u180f", "\ufe00", "\U000e0100", "...", "\uffff"]
)
def test_fillers_selectors_and_signs_have_no_visible_characters(text):
    assert form_fields.visible_characters(text) == ""


@pytest.mark.parametrize("text", ["می\u200cخواهم", "ශ්\u200dරී", "葛\U000e0100城", "\u3164A", "3M", "\U00031350"])
def test_joiners_and_selectors_beside_letters_leave_them_visible(text):
    assert form_fields.visible_characters(text)


def test_a_label_is_in_the_asked_language_or_else_in_english():
    both = AgreementField("x", {"en": "Name", "zh": "名称"})

    assert (both.called("zh"), both.called("en"), both.called("fr")) == ("名称", "Name", "Name")


def test_a_far_too_long_value_takes_no_time():
    """Sorting the marks above one letter takes the square of their number."""
    marks = "a" + "\u0345\u0334" * 40_000
    began = process_time()

    assert form_fields.normalized(f"  {marks} ") == marks
    assert process_time() - began < 0.5
    assert (
        form_fields.normalized("e\u0301" * form_fields.MAX_ANSWER_CHARACTERS) == "é" * form_fields.MAX_ANSWER_CHARACTERS
    )
