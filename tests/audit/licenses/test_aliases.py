"""The tables of names hold together: each leads to something that is known, and no two disagree."""

import pytest

from audit.licenses import aliases, spdx, strength
from audit.licenses.expression import atoms, read


def test_all_that_is_meant_is_known():
    """Every expression that a name stands for is of licences that are known, or a family."""
    for meant in {*aliases.RENAMED_IDS.values(), *aliases._MEANT}:
        if meant in spdx.lists().exceptions:
            continue
        for atom in atoms(read(meant)):
            assert strength.is_known(atom.license) or atom.license in aliases.FAMILIES, meant
            assert atom.exception is None or atom.exception in spdx.lists().exceptions


def test_families_are_of_current_licences():
    """Whose members are known, and whose name is no id."""
    for family, members in aliases.FAMILIES.items():
        assert set(members) <= aliases.known()
        assert family not in spdx.lists().licenses


def test_no_words_mean_two_things():
    """But for what our own table decides over SPDX's names."""
    said = {}
    for meant, words in aliases._MEANT.items():
        for one in words.split("; "):
            assert said.setdefault(aliases.plain(one), meant) == meant, one


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Apache License, Version 2.0", "apache 2"), ("GPLv2+", "gpl 2+"), ("GPL (>= 2.0)", "gpl 2+"), ("MIT/X11", "mit / x11"),
        ("MIT*", "mit*"), ("Python 2.0.1", "python 2.0.1"), ("BSD_3_Clause", "bsd 3 clause"), ("a, b", "a, b"), ("", ""),
    ],
)  # fmt: skip
def test_plain_words(text, words):
    """What makes no difference goes, what might stays."""
    assert aliases.plain(text) == (words if words != "a, b" else "a, b")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("classpath-exception-2.0", "Classpath-exception-2.0"), ("GCC Runtime Library exception 3.1", "GCC-exception-3.1"),
     ("Commons-Clause", "LicenseRef-scancode-commons-clause"), ("Nobody-exception", None)],
)  # fmt: skip
def test_exceptions(written, meant):
    """By id in any case, or by name."""
    assert aliases.exception_of(written) == meant


def test_what_became_of_deprecated_ids():
    """GNU's by their suffix, others by the table."""
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
def test_slips_of_the_pen(written, nearest):
    """The id that is most like it; none for somebody's own reference or words like no id."""
    assert aliases.nearest(written) == nearest
