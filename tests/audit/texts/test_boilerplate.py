"""Sentences around a text are read whole or not at all; none of them narrows a licence."""

import pytest

from audit.licenses import spdx
from audit.texts.boilerplate import MAX_WORDS, is_boilerplate
from audit.texts.identification import detect
from audit.texts.normalization import normalize

TITLES = frozenset(["mit", "license", "expat"])


def _is(sentence, *, opens=False, titles=TITLES):
    words = normalize(f"x {sentence}").form.split()[1:]
    return is_boilerplate(words, titles, lambda some: set(some) <= {"the", "mit", "license", "expat"}, opens=opens)


@pytest.mark.parametrize(
    "sentence",
    [
        "Foo is released under the MIT license:",
        "This software is under the MIT License.",
        "This project is free software released under the MIT license.",
        "Licensed under the terms of the Expat License",
        "All contributions towards Foo are MIT licensed. The MIT License (MIT)",
        "cloudpickle was extracted from the cloud package, developed by PiCloud, Inc.",
        "Foo incorporates code from the html5lib library, which is also made available under the MIT license.",
        '"python-foo" Copyright (c) 2010 Ada Lovelace',
        "2009-2026 (c) Ada Lovelace",
        "foo original work Copyright (c) 2015 Ada & Original Contributors",
        "Foo -- A C parser in Python",
        "Unless otherwise noted, the files in Foo are under the following MIT license:",
        "This license applies to parts of Node.js originating from the https://github.com/joyent/node repository:",
        (
            "-- NOTE: Third party dependency used by this software -- This software depends on the fmt lib (MIT License), and users must comply to its "
            "license: https://raw.githubusercontent.com/fmtlib/fmt/master/LICENSE"
        ),
        "END LICENSE BLOCK",
        "Markdown",
    ],
)
def test_harmless_sentences_may_stand_around_a_text(sentence):
    assert _is(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Foo is released under the MIT license except for its tests:",
        "Foo is released under the MIT license to students:",
        "Foo is released under the Apache license:",
        "Foo, which nobody may sell, is released under the MIT license:",
        "Foo is based on code that you may not sell.",
        "Copyright (c) 2010 Ada Lovelace, for evaluation only",
        "Foo is a library for academics",
        "All contributions towards Foo are Apache licensed.",
        "Unless otherwise agreed, the files in Foo are under the following MIT license:",
        "This license applies to parts of Foo.",
        "-- NOTE: Third party dependency used by this software -- This software depends on the fmt lib (MIT License), and users must pay",
        "END LICENSE BLOCK You must pay",
        "Apache",
        "Noncommercial",
        "Foo is released under the",
        "Foo " * (MAX_WORDS + 1),
    ],
)
def test_sentences_that_narrow_a_licence_may_not_stand_around_it(sentence):
    assert not _is(sentence)


def test_a_work_is_named_only_where_a_file_begins():
    assert _is("Foo Bar The MIT License", opens=True)
    assert not _is("Foo Bar The MIT License")
    assert not _is("ISC MIT License", opens=True)


LUA = """Lua License
-----------
Lua is licensed under the terms of the MIT license reproduced below.
This means that Lua is free software and can be used for both academic
and commercial purposes at absolutely no cost.{more}
For details and rationale, see http://www.lua.org/license.html .
===============
Copyright (C) 1994-2012 Lua.org, PUC-Rio.

{text}
===============
(end of COPYRIGHT)
"""


@pytest.mark.parametrize(
    ("more", "found"),
    [("", "MIT"), (" This holds for teaching alone.", None), (" It must not be sold.", None)],
)
def test_lua_s_explained_licence_is_known_and_one_sentence_more_is_not(more, found):
    text = spdx.texts()["MIT"]
    text = text[text.index("Permission") :]
    assert detect(LUA.format(more=more, text=text)).spdx == found
