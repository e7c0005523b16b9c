"""Texts are found word by word, at any place of a form, in linear time."""

import time
from itertools import pairwise

import pytest

from audit.licenses import spdx
from audit.texts.normalization import normalize
from audit.texts.text_index import TextFingerprint, TextIndex, digest, is_title, text_index

NAMES = spdx.lists().licenses


def form(*ids):
    """The form of these licences' texts, one below the other."""
    return normalize("\n\n".join(spdx.texts()[spdx_id] for spdx_id in ids)).form


OF_ANOTHER_ID = [
    "BSD-2-Clause-NetBSD", "GPL-2.0-with-GCC-exception", "GPL-2.0-with-autoconf-exception", "GPL-2.0-with-bison-exception",
    "GPL-2.0-with-classpath-exception", "GPL-2.0-with-font-exception", "GPL-3.0-with-GCC-exception",
    "GPL-3.0-with-autoconf-exception", "Net-SNMP", "bzip2-1.0.5", "eCos-2.0", "wxWindows",
]  # fmt: skip
"""Deprecated ids, whose texts stand under another id or are an exception now, and one that is made of several texts."""


@pytest.mark.slow
def test_every_text_is_found_in_itself():
    missed = []
    for license_id, text in spdx.texts().items():
        first = next(iter(text_index().found(normalize(text).form)), None)
        if first is None or first.form not in text_index().of(license_id):
            missed.append(license_id)

    assert missed == OF_ANOTHER_ID


def test_several_texts_in_one_form_are_found_in_order():
    found = list(text_index().found(form("MIT", "Apache-2.0", "BSD-3-Clause")))
    assert [match.form.license for match in found] == ["MIT", "Apache-2.0", "BSD-3-Clause"]
    assert all(before.end <= after.start + 1 for before, after in pairwise(found))


def test_the_longest_text_that_fits_counts():
    found = [match.form.license for match in text_index().found(form("BSD-2-Clause-Views"))]
    assert found == ["BSD-2-Clause-Views"]


def test_a_whole_form_is_one_text_and_nothing_else():
    whole = text_index().whole(form("BSD-3-Clause"))
    assert whole is not None
    assert whole.license == "BSD-3-Clause"
    assert text_index().whole(" mit ") is None


def test_ids_of_one_text_lead_to_the_same_forms():
    assert text_index().of("GPL-3.0-or-later")
    assert text_index().of("GPL-2.0")
    assert text_index().title("ISC") == "isc license"
    assert text_index().title("no-such") == ""


@pytest.mark.parametrize(
    ("license_id", "title", "is_one"),
    [
        ("MIT", "the mit license mit", True), ("MIT", "mit license", True), ("MIT", "license", True), ("MIT", "", True),
        ("MIT", "mit no license", False), ("MIT", "bsd license", False), ("MIT", "apache license", False),
        ("Apache-2.0", "apache license version 2 0 january 2004", True), ("Apache-2.0", "apache license 2 0", True),
        ("Apache-2.0", "apache license version 3 0 january 2004", False),
        ("GPL-3.0-only", "gnu general public license version 3 june 2007", False),
        ("BSD-3-Clause", "the new bsd license", True), ("BSD-3-Clause", "bsd 4 clause license", False),
    ],
)  # fmt: skip
def test_a_title_is_the_licence_s_name_in_usual_ways(license_id, title, is_one):
    assert is_title(title.split(), text_index().of(license_id)[0], NAMES[license_id]) is is_one


def test_repeated_beginnings_take_linear_time():
    start = time.process_time()
    assert not list(text_index().found(" redistribution and use in source and binary forms" * 20_000 + " "))
    assert time.process_time() - start < 5
    text = f" {'a b c d e ' * 30}"
    hostile = TextIndex([TextFingerprint("X", "a b c d e", 101, "d e ", digest("other"), "", (), (), notice=False)])
    assert not list(hostile.found(text * 50))


def test_digests_of_one_text_are_bounded():
    long = max(text_index().all, key=lambda entry: entry.length)
    piece = f" {long.first} {long.last.strip()}"
    form = f"{piece * (3 * long.length // len(piece))} "
    start = time.process_time()
    assert list(text_index().found(form)) == []
    assert time.process_time() - start < 5
