"""The tables of licence names: each name leads to a known licence, and no two disagree."""

import pytest

from audit.licenses import aliases, spdx, strength
from audit.licenses.expression import atoms, read


def test_every_meaning_of_a_name_is_a_known_licence_or_family():
    for meant in {*aliases.RENAMED_IDS.values(), *aliases._MEANT}:
        if meant in spdx.lists().exceptions:
            continue
        for atom in atoms(read(meant)):
            assert strength.is_known(atom.license) or atom.license in aliases.FAMILIES, meant
            assert atom.exception is None or atom.exception in spdx.lists().exceptions


def test_every_member_of_a_family_is_a_known_licence():
    for family, members in aliases.FAMILIES.items():
        assert set(members) <= aliases.known()
        assert family not in spdx.lists().licenses


def test_no_words_mean_two_licences():
    said = {}
    for meant, words in aliases._MEANT.items():
        for part in words.split("; "):
            assert said.setdefault(aliases.plain(part), meant) == meant, part


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Apache License, Version 2.0", "apache 2"), ("GPLv2+", "gpl 2+"), ("GPL (>= 2.0)", "gpl 2+"), ("MIT/X11", "mit / x11"),
        ("MIT*", "mit*"), ("Python 2.0.1", "python 2.0.1"), ("BSD_3_Clause", "bsd 3 clause"), ("the a, b", "a, b"), ("", ""),
    ],
)  # fmt: skip
def test_plain_words_drop_articles_and_words_for_version(text, words):
    assert aliases.plain(text) == words


@pytest.mark.parametrize(
    ("written", "meant"),
    [("classpath-exception-2.0", "Classpath-exception-2.0"), ("GCC Runtime Library exception 3.1", "GCC-exception-3.1"),
     ("Commons-Clause", "LicenseRef-scancode-commons-clause"), ("Nobody-exception", None)],
)  # fmt: skip
def test_an_exception_is_found_by_id_in_any_case_or_by_name(written, meant):
    assert aliases.exception_of(written) == meant


def test_deprecated_ids_become_current_ones():
    assert aliases.became("LGPL-2.1+") == "LGPL-2.1-or-later"
    assert aliases.became("AGPL-3.0") == "AGPL-3.0-only"
    assert aliases.became("Nunit") == "Nunit"
    assert aliases.became("MIT") == "MIT"


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("Apach-2.0", "Apache-2.0"), ("apache-2.1", "Apache-2.0"), ("GPL-2.0-olny", "GPL-2.0-only"), ("Nobody", None),
        ("LicenseRef-MIT", None), ("MIT-" * 50, None), ("", None),
    ],
)  # fmt: skip
def test_a_misspelled_id_has_a_nearest_known_id(written, nearest):
    assert aliases.nearest(written) == nearest
