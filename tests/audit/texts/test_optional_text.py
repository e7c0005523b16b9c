"""What SPDX calls optional may be missing, and nothing else may."""

import json
from importlib import resources

from audit.licenses.spdx import texts
from audit.texts.normalization import normal
from audit.texts.optional_text import FILE, without_missing

TABLE = json.loads((resources.files("audit") / FILE).read_text(encoding="utf-8"))


def test_each_part_stands_once_in_its_text():
    """In the form in which it is compared; whoever changes how texts are read runs `make data`."""
    forms = {one: normal(texts()[one]).form for one in TABLE}
    assert [] == [(one, part) for one, parts in TABLE.items() for part in parts if forms[one].count(f" {part} ") != 1]
    assert len(TABLE) > 300


def test_a_part_is_left_out_where_the_text_has_none():
    """And stays where it has; the other words stay in any case."""
    licence = ("without", "specific", "prior", "written", "permission")
    assert without_missing("BSD-3-Clause", licence, ("without", "prior", "written", "permission")) == (
        "without",
        "prior",
        "written",
        "permission",
    )
    assert without_missing("BSD-3-Clause", licence, licence) == licence
    assert without_missing("BSD-3-Clause", licence, ("without", "permission"))[1:] == ("prior", "written", "permission")
    assert without_missing("no-such-id", licence, ()) == licence


def test_a_part_that_was_altered_is_not_left_out():
    """It is there or not; what is there with a word less is neither."""
    title = "glwt good luck with that public license".split()  # noqa: SIM905 - words as they stand in a form
    licence = (*title, "everyone", "is", "permitted")
    assert without_missing("GLWTPL", licence, ("everyone", "is", "permitted")) == ("everyone", "is", "permitted")
    for gone in range(len(title)):
        assert without_missing("GLWTPL", licence, (*title[:gone], *title[gone + 1 :], "everyone")) == licence
