"""Fields are derived from SPDX's templates: their place in the licence, and the words that fill them."""

import json
import re
from importlib import resources

from audit.licenses import spdx
from audit.texts.template_fields import PLACEHOLDER, marked_form
from tests.audit.build_fields import derive_fields

TEXT = "You may copy the software if you credit the Foo project. The Foo project is not liable for the use of it."
PATTERN = (
    r"[ ]*you may copy the[ ]*(?P<what>software|work)[ ]*if you credit[ ]*(?P<who>.+)[ ]*\.",
    r"[ ]*(?P<holder>.+)[ ]*(?P<be>is|are)[ ]*not liable for the use of it\.",
)
SHIPPED = json.loads((resources.files("audit") / "data/license-fields.json").read_text(encoding="utf-8"))


def test_a_field_for_a_name_is_zero_and_a_choice_has_its_number():
    made = json.loads(derive_fields({"Foo": TEXT}, {"Foo": PATTERN}))
    words = marked_form(TEXT).split()
    said = [
        (" ".join(words[start:end]), made["choices"][number - 1] if number else "")
        for start, end, number in made["fields"]["Foo"]
    ]
    assert ("software", "software|work") in said
    assert all(choice or not words.isdigit() for words, choice in said)


def test_a_licence_without_a_pattern_has_no_fields():
    assert json.loads(derive_fields({"Foo": TEXT}, {})) == {"choices": [], "fields": {}}
    assert derive_fields({"Foo": TEXT}, {"Foo": PATTERN}) == derive_fields({"Foo": TEXT}, {"Foo": PATTERN})


def test_the_shipped_fields_fit_into_their_texts():
    for license_id, fields in SHIPPED["fields"].items():
        words = marked_form(spdx.texts()[license_id]).split()
        end = 0
        for start, stop, number in fields:
            assert end <= start < stop <= len(words), license_id
            assert 0 <= number <= len(SHIPPED["choices"])
            assert PLACEHOLDER not in " ".join(words[start:stop])
            end = stop
    assert not any(re.search(r"[A-Z*(]", choice) for choice in SHIPPED["choices"])
