"""What an agreement asks for: declared with care, and each value as it was asked for or refused."""

from time import process_time

import pytest

from agreements import form_fields
from agreements.form_fields import AgreementField

PLAIN = '[[field]]\nname = "x"\nlabel = {en = "X"}\n'


def test_a_declaration():
    """Everything but name and label has a default; the order is the file's."""
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
def test_a_mistake_in_a_declaration(source, says):
    """One line says which field and what is wrong with it."""
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
def test_a_value(kind, value, says):
    """Required, not longer than asked for, printable, and of its kind."""
    assert form_fields.validation_error(AgreementField("x", {"en": "X"}, longest=20, kind=kind), value) == says


def test_what_may_be_left_out():
    """A field that is not required takes nothing for an answer, whatever its kind."""
    assert form_fields.validation_error(AgreementField("x", {"en": "X"}, required=False, kind="date"), "") is None


def test_how_a_value_is_kept():
    """NFC, one space where several stood; a rare character survives."""
    assert form_fields.normalized("  Cafe\u0301 \u3000 𠮷野 ") == "Café 𠮷野"
    assert form_fields.normalized(None) == ""
    assert form_fields.printable("𠮷 䶮 می\u200cخواهم")


@pytest.mark.parametrize(
    "text", ["\u3164", "\uffa0\u1160", "\u2800", "\u034f", "\u180b\u180f", "\ufe00", "\U000e0100", "...", "\uffff"]
)
def test_nothing_to_be_seen(text):
    """Fillers, selectors and signs alone are nobody's name."""
    assert form_fields.visible_characters(text) == ""


@pytest.mark.parametrize("text", ["می\u200cخواهم", "ශ්\u200dරී", "葛\U000e0100城", "\u3164A", "3M", "\U00031350"])
def test_something_to_be_seen(text):
    """A joiner or a selector takes nothing from the letters around it."""
    assert form_fields.visible_characters(text)


def test_the_label_in_a_language():
    """The asked language, else English."""
    both = AgreementField("x", {"en": "Name", "zh": "名称"})

    assert (both.called("zh"), both.called("en"), both.called("fr")) == ("名称", "Name", "Name")


def test_what_is_far_too_long_takes_no_time():
    """Sorting the marks above one letter takes the square of their number; a form may hold tens of thousands of them."""
    marks = "a" + "\u0345\u0334" * 40_000
    began = process_time()

    assert form_fields.normalized(f"  {marks} ") == marks
    assert process_time() - began < 0.5
    assert (
        form_fields.normalized("e\u0301" * form_fields.MAX_ANSWER_CHARACTERS) == "é" * form_fields.MAX_ANSWER_CHARACTERS
    )
