"""The forms are derived from the texts alone, and the shipped data are up to date."""

import json
from importlib import resources

import pytest

from audit.licenses import spdx
from audit.texts.identification import detect
from tests.audit.build_index import NOTICES, current, derive

FORMS = (resources.files("audit") / "data/license-forms.json").read_text(encoding="utf-8")
ROWS = json.loads(FORMS)
LISTS = spdx.lists()


@pytest.mark.slow
def test_the_shipped_forms_are_derived_from_the_texts():
    """After a change of how texts are read, `make data` derives them anew."""
    made = derive(spdx.texts(), LISTS.licenses, LISTS.deprecated)
    assert made == FORMS


def test_every_text_of_a_current_licence_is_in_the_index():
    known = {row[0] for row in ROWS} | {other for row in ROWS for other in row[7]}
    assert {text for text in spdx.texts() if text not in LISTS.deprecated} <= known


def test_no_two_licences_have_the_same_form():
    owners = {}
    for row in ROWS:
        owners.setdefault(row[4], set()).add(row[0])
    assert [] == [sorted(ids) for ids in owners.values() if len(ids) > 1]


def test_a_text_of_several_ids_has_the_id_that_says_least():
    others = {row[0]: set(row[7]) for row in ROWS if row[7]}
    assert "GPL-3.0-or-later" in others["GPL-3.0-only"] | {
        license_id for row in ROWS if row[0] == "GPL-3.0-only" for license_id in row[7]
    }
    assert {"OFL-1.1-RFN", "OFL-1.1-no-RFN"} == others["OFL-1.1"]
    assert {"MPL-2.0-no-copyleft-exception"} == others["MPL-2.0"]
    assert "GFDL-1.3-only" in others
    assert not {row[0] for row in ROWS} & LISTS.deprecated


def test_a_deprecated_id_becomes_its_one_current_id():
    assert current("GPL-2.0+", spdx.texts(), LISTS.deprecated) == "GPL-2.0-only"
    assert current("BSD-2-Clause-FreeBSD", spdx.texts(), LISTS.deprecated) == "BSD-2-Clause-Views"
    assert current("GPL-2.0-with-font-exception", spdx.texts(), LISTS.deprecated) is None
    assert current("MIT", spdx.texts(), LISTS.deprecated) == "MIT"


def test_titles_and_tails_of_texts_are_cut_off():
    rows = {row[0]: row for row in ROWS}
    assert rows["MIT"][5] == "mit license"
    assert rows["Apache-2.0"][5] == "apache license version 2 0 january 2004 www apache org licenses"
    assert len(rows["Apache-2.0"][6]) == 2
    assert rows["LGPL-3.0-only"][6]


def test_every_notice_was_found_in_its_licence_s_text():
    assert {row[0] for row in ROWS if row[8]} == set(NOTICES)


def test_optional_parts_of_texts_are_known():
    unicode, hpnd = spdx.texts()["Unicode-DFS-2016"], spdx.texts()["HPND"]
    start = unicode.index("Permission is hereby granted")
    assert detect(unicode[start:]).spdx == "Unicode-DFS-2016"
    assert detect(hpnd[: hpnd.index("DISCLAIMS ALL")].rpartition("<copyright holder>")[0]).spdx == "HPND"
