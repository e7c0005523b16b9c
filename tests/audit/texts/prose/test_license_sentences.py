"""One sentence states a licence of the whole work or of a part."""

import pytest

from audit.texts.prose.license_names import worded
from audit.texts.prose.license_sentences import is_plain, is_pointer, statements


def read(sentence, *, item=False):
    """The statements, in short; None where it is not read."""
    found = statements(worded(sentence), item=item)
    return None if found is None else [f"{statement.kind}: {statement.expression}" for statement in found]


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Kiwi is licensed under the MIT license.", ["whole: MIT"]),
        ("This program and the accompanying materials are made available under the terms of the Eclipse Public License 2.0.", ["whole: EPL-2.0"]),
        ("Kiwi is free software; you can redistribute it and/or modify it under the terms of the GNU General Public License version 2.", ["whole: GPL-2.0-only"]),
        ("You may use Kiwi under the terms of either the Apache License 2.0 or the GPL version 2, at your option.", ["whole: Apache-2.0 OR GPL-2.0-only"]),
        ("libkiwi is dual licensed under the MIT License and the GPL v3 or later.", ["whole: MIT OR GPL-3.0-or-later"]),
        ("Kiwi is released under both the MIT license and the Apache License 2.0.", ["whole: MIT AND Apache-2.0"]),
        ("Kiwi is under the BSD 3-Clause license and the zlib license.", ["whole: BSD-3-Clause AND Zlib"]),
        ("Unless otherwise noted, all files in this repository are under the ISC license.", ["whole: ISC"]),
        ("Most files in Kiwi are under the LGPL v2.1+.", ["most: LGPL-2.1-or-later"]),
        ("All other files use the GPLv2 license, unless explicitly stated otherwise.", ["rest: GPL-2.0-only"]),
        ("All files in the lib directory use a BSD 2-Clause license.", ["part: BSD-2-Clause"]),
        ("The documentation in doc/ is under CC0-1.0.", ["part: CC0-1.0"]),
        ("Some files have MIT/X11/BSD-style licenses.", ["part: None"]),
        ("In combination the LGPL v2.1+ applies to Kiwi.", ["whole: LGPL-2.1-or-later"]),
        ("While most of this project is under the GPL v2 (see COPYING), the diff/ library and some code from compat/ are licensed under the LGPL v2.1.",
         ["most: GPL-2.0-only", "part: LGPL-2.1-only"]),
        ("Kiwi is under the MIT license, except for the files in contrib/ which are under the GPL v2.", ["whole: MIT", "part: GPL-2.0-only"]),
        ("COPYING.GPLv2: GNU General Public License version 2", []),
    ],
)  # fmt: skip
def test_a_sentence_states_a_licence_of_the_whole_or_a_part(sentence, found):
    assert read(sentence) == found


@pytest.mark.parametrize(
    "sentence",
    [
        "Kiwi is not under the MIT license.", "Kiwi is free for academic use under the MIT license.", "If you pay us, Kiwi is under the MIT license.",
        "Kiwi is under the MIT license with the Commons Clause.", "Kiwi was under the MIT license until 2020.", "Kiwi is under the MIT license for students.",
        "Kiwi is under a license similar to the MIT license.", "Kiwi is under the MIT license unless you are a company.", "Kiwi is compatible with the MIT license.",
        "Kiwi is under the GPL-3.0-or-later with an exception for linking.", "Kiwi is under the MIT license and must be returned.", "You may use Kiwi at home under the MIT license.",
        "Kiwi is under the MIT license or, for companies, a paid license.", "The documentation is under the MIT license, which you may not change.", "Kiwi is like the MIT license.", "Kiwi is in the MIT license.",
        "Kiwi is licensed under the MIT license, except for contrib/, which you must buy.",
    ],
)  # fmt: skip
def test_a_sentence_that_narrows_or_negates_is_not_read(sentence):
    assert read(sentence) is None


def test_an_entry_of_a_list_states_a_licence_without_a_verb():
    assert read("`vf_x.c` (GPL version 3 or later)", item=True) == ["part: GPL-3.0-or-later"]
    assert read("`vf_x.c` (GPL version 3 or later)") is None


def test_pointers_and_plain_sentences_state_nothing():
    assert is_pointer(worded("See the file COPYING for details."))
    assert not is_pointer(worded("See the file COPYING for what you must pay."))
    assert is_plain(worded("Kiwi is a fruit, and green."))
    assert not is_plain(worded("You must not sell Kiwi."))


def test_a_long_sentence_is_not_read():
    assert read("the other and some " * 5_000 + "under the MIT license") is None
