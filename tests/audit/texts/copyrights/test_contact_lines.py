"""Lines of names, addresses and keywords are no part of a licence text; a sentence is."""

import pytest

from audit.licenses.spdx import texts
from audit.texts.copyrights.contact_lines import contacts
from audit.texts.identification import detect


@pytest.mark.parametrize(
    "line",
    [
        "  Ada-maria Lovelace        Grace Hopper\n  ada@example.org          grace@example.org",
        "Ada Lovelace <ada@example.org>",
        "$Id: COPYING,v 1.11 2022/01/01 12:00:00 ada Exp $",
        "$OpenBSD: LICENCE,v 1.20 2017/04/30 23:26:16 ada Exp $",
        "-- vile:txtmode fc=72",
        "/* -*- mode: text -*- */",
        "vim: set ts=4:",
        "^L",
    ],
)
def test_names_addresses_and_keywords_below_a_licence_are_ignored(line):
    spans = list(contacts(f"\n\n{line}\n\n"))
    left = "".join(sign for at, sign in enumerate(f"\n\n{line}\n\n") if not any(a <= at < b for a, b in spans))
    assert not any(map(str.isalnum, left))
    assert detect(f"{texts()['Zlib']}\n\n{line}\n", is_license=True).spdx == "Zlib"


@pytest.mark.parametrize(
    "line",
    [
        "Ada Lovelace <ada@example.org> forbids its sale",
        "Write to ada@example.org before you sell it.",
        "Nonfree",
        "vim: set for non-commercial use:",
        "$Id: for non-commercial use only",
        "Ada Lovelace\nFor Private Use Only\nada@example.org",
    ],
)
def test_a_condition_among_contact_lines_leaves_the_text_unknown(line):
    assert detect(f"{texts()['Zlib']}\n\n{line}\n", is_license=True).spdx is None


def test_a_million_addresses_are_read_in_linear_time():
    assert sum(1 for _ in contacts("a@example.org b c\n" * 30_000)) < 30_000
