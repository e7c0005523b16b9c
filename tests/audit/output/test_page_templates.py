"""Templates of the pages: what is put into them is made safe, and what is missing is an error."""

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from audit.output import page_templates


def shown(template, **words):
    """The page of that template, in which words are made safe by brackets."""
    made = page_templates.environment(lambda words, longest=9: Markup(f"[{str(words)[:longest]}]"))
    return made.from_string(template).render(words)


@pytest.mark.parametrize(
    ("template", "page"),
    [
        ("{{ words }}", "[<b>]"), ("{{ words | upto(2) }}", "[<b]"), ("{{ number }}", "12345"), ("{{ number | thousands }}", "[12,345]"),
        ("{{ part }}", "1.5"), ("{{ safe }}", "<i>"), ("{{ nothing }}", "[None]"), ("  {% if words %}\nx\n  {% endif %}\n", "x\n"),
    ],
)  # fmt: skip
def test_all_but_numbers_and_what_is_safe_is_made_safe(template, page):
    assert shown(template, words="<b>", number=12_345, part=1.5, safe=Markup("<i>"), nothing=None) == page


def test_a_mistake_in_a_template_is_an_error():
    with pytest.raises(UndefinedError):
        shown("{{ wrods }}")


def test_a_page_s_template_is_read_as_it_is():
    assert page_templates.shipped("compatibility_page.md.jinja").startswith("{#")
