"""Names fill the fields of a licence; words of conditions never do."""

import pytest

from audit.texts.replaceable_fields import FIELDS, is_name


@pytest.mark.parametrize(
    "words",
    [
        "the copyright holders and contributors", "the author", "the regents or contributors", "google inc", "ada lovelace",
        "the apache software foundation or its contributors", "the copyright holder or google", "django nor the names",
        "the pallets project contributors", "isc",
    ],
)  # fmt: skip
def test_holders_phrases_and_names_fill_a_field(words):
    assert is_name(words)


@pytest.mark.parametrize(
    "words",
    [
        "the", "", "not the authors", "the copyright", "the holders", "the authors copyright holders", "the copyright holder or",
        "anybody who pays a fee", "the banana holder", "copyright banana", "users for commercial purposes", "the copyright holder not",
    ],
)  # fmt: skip
def test_broken_phrases_and_conditions_fill_no_field(words):
    assert not is_name(words)


def test_the_hint_of_each_field_stands_in_its_pattern():
    assert all(field.hint.strip() for field in FIELDS)
    assert all(word in field.pattern.pattern for field in FIELDS for word in field.hint.split()[-1:])
