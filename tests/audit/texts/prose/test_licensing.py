"""Whole files of prose: choices, parts, lists; an unread sentence leaves them unknown."""

import time

import pytest

from audit.texts.prose.licensing import licensing, opening, quoted

DUAL = """Kiwi LICENSE
------------

Kiwi: the quick, green fruit.
Copyright (C) 1999-2015, Kiwi.example. All rights reserved.

This program and the accompanying materials are dual-licensed under
either the terms of the Eclipse Public License v1.0 as published by
the Eclipse Foundation

  or (per the licensee's choosing)

under the terms of the GNU Lesser General Public License version 2.1
as published by the Free Software Foundation.
"""
MUST_CHOOSE = """KIWI LICENSES
-------------

This means that *you* must choose *one* of the two licenses described
below, then obey all its terms and conditions when using Kiwi 2 in any of
your projects or products.

  - The FreeType License, found in the file `docs/FTL.TXT`, which asks you
    to name the project in your product's documentation.

    Note that this license is compatible to the GNU General Public
    License version 3, but not version 2.

  - The GNU General Public License version 2, found in `docs/GPLv2.TXT`
    (any later version can be used also), for programs which already use the GPL.

The contributed drivers come with a license similar to that of the X Window
System. It is compatible to the above two licenses.
"""
EITHER = """Licensed under either of

 * Apache License, Version 2.0 ([LICENSE-APACHE](LICENSE-APACHE) or http://www.apache.org/licenses/LICENSE-2.0)
 * MIT license ([LICENSE-MIT](LICENSE-MIT) or http://opensource.org/licenses/MIT)

at your option.
"""
BY_FOLDER = """This repository uses 2 different licenses:
- all files in the `lib` directory use a BSD 2-Clause license
- all other files use a GPLv2 license, unless explicitly stated otherwise

Relevant license is reminded at the top of each source file.
"""
BY_OPTION = """# License

Most files in Kiwi are under the GNU Lesser General Public License version 2.1
or later (LGPL v2.1+). Read the file `COPYING.LGPLv2.1` for details. Some other
files have MIT/X11/BSD-style licenses. In combination the LGPL v2.1+ applies to
Kiwi.

Some optional parts of Kiwi are licensed under the GNU General Public License
version 2 or later (GPL v2+). None of these parts are used by default, you have
to explicitly pass `--enable-gpl` to configure to activate them.

There are a handful of files under other licensing terms, namely:

* The files `a.c` and `b.c` are taken from libold, see the top of the files for
  licensing details. Specifically note that you must credit its authors.
* `tests/reference.pnm` is under the expat license.

## External libraries

The following libraries are under GPL version 2:
- libfrob
When combining them with Kiwi, Kiwi needs to be licensed as GPL as well.
"""
EITHER_WORDS = """Kiwi is free software.

Every source file in the implementation of kiwi is available to be
redistributed and/or modified under the terms of either the GNU Lesser
General Public License (LGPL) version 2.1 or the Mozilla Public License
(MPL) version 1.1.  Some files are available under more liberal terms,
but we believe that in all cases, each file may be used under either
the LGPL or the MPL.

See the following files in this directory for the precise terms and
conditions of either license:

\tCOPYING-LGPL-2.1
\tCOPYING-MPL-1.1
"""
APPLICATIONS = """The core library is released under the GNU Lesser General Public License (LGPL) version 2.1 or later
(see doc/COPYING.LESSER for the license terms).

The GNU LGPL applies to the main kiwi library, while the
included applications are under the GNU GPL version 3. The documentation in doc/ is
under the GNU FDL license 1.3.
"""
TESTS = """Copyright (c) 1991 Ada Lovelace <ada@example.org>
All rights reserved.

kiwi is free software; you can redistribute it and/or modify it
under the terms of the GNU Lesser General Public License as published
by the Free Software Foundation; either version 2.1 of the License,
or (at your option) any later version.

kiwi is distributed in the hope that it will be useful, but
WITHOUT ANY WARRANTY; without even the implied warranty of MERCHANTABILITY
or FITNESS FOR A PARTICULAR PURPOSE.  See LGPL-2.1-or-later for more details.

kiwi test suite is provided under the terms of the GNU General Public License
version 2 or later, see tests/COPYING for more details.
"""
NARROWED = """ While most of this project is under the GPL (see COPYING), the green/
 library and some libc code from compat/ are licensed under the
 GNU LGPL, version 2.1 or (at your option) any later version and some
 other files are under other licenses.  Check the individual files to
 be sure.

----------------------------------------

                  GNU LESSER GENERAL PUBLIC LICENSE
                       Version 2.1, February 1999
"""


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        (DUAL, "EPL-1.0 OR LGPL-2.1-only"),
        (MUST_CHOOSE, "FTL OR GPL-2.0-or-later"),
        (EITHER, "Apache-2.0 OR MIT"),
        (EITHER_WORDS, "LGPL-2.1-only OR MPL-1.1"),
        ("Kiwi may be used under one of the following licenses:\n\n- GPL-2.0-or-later\n- MIT\n", "GPL-2.0-or-later OR MIT"),
        ("Kiwi is distributed under the MPL 2.0 or the LGPL 2.1 or later.", "MPL-2.0 OR LGPL-2.1-or-later"),
        ("Kiwi is released under the MIT license and the Apache License 2.0.", "MIT AND Apache-2.0"),
        (BY_FOLDER, "BSD-2-Clause AND GPL-2.0-only"),
        (BY_OPTION, "LGPL-2.1-or-later"),
        (APPLICATIONS, "LGPL-2.1-or-later"),
        (TESTS, "LGPL-2.1-or-later"),
        ("Everything in src/ is under the Apache License 2.0. The documentation in doc/ is under CC0-1.0.", "Apache-2.0 AND CC0-1.0"),
        ("The library (libkiwi/) is licensed under the LGPL v2.1 or later.\nThe tools (tools/) are licensed under the GPL v2 or later.\n", "LGPL-2.1-or-later AND GPL-2.0-or-later"),
        ("The kernel module is under GPLv2; the rest is under the MIT license.", "GPL-2.0-only AND MIT"),
        ("The server is under the AGPL v3. The client library is under the MIT license.", "AGPL-3.0-only AND MIT"),
    ],
)  # fmt: skip
def test_prose_gives_a_choice_only_where_it_says_so(text, expression):
    said = licensing(text)
    assert said.is_read, [sentence.text for sentence in said.unread]
    assert str(said.expression) == expression


@pytest.mark.parametrize(
    "text",
    [
        "Kiwi is under the MIT license. You may not sell it.",
        "Kiwi is under the MIT license. All of the above is void in Freedonia.",
        "Kiwi 1 was released under the MIT license. Kiwi 2 is released under our own terms.",
        "Kiwi is under the GPL.",
        "Kiwi is under a license.",
        BY_FOLDER + "\nCommercial users need another licence.\n",
        DUAL.replace("per the licensee's choosing", "if you bought it"),
        EITHER.replace("MIT license", "MIT license, for personal use"),
        EITHER.replace(" * Apache", " * our own license\n * Apache"),
        MUST_CHOOSE.replace("for programs which", "for non-profit programs which").replace("non-profit", "nonprofit"),
        BY_OPTION.replace("In combination the LGPL v2.1+ applies to", "You must not ship"),
        "We like green. The moon is far.",
        "",
        "x" * 30_000,
    ],
)  # fmt: skip
def test_prose_with_a_duty_or_an_unknown_licence_is_not_read(text):
    assert not licensing(text).is_read


def test_parts_and_options_are_quoted_as_they_stand():
    found = list(quoted(licensing(BY_OPTION).remarks))
    assert found[0][1] == 3
    assert "--enable-gpl" in found[0][0]
    assert any("credit its authors" in text for text, _, _ in found)
    assert list(quoted(licensing(DUAL).remarks)) == []


def test_files_that_the_prose_names_are_told():
    assert licensing(EITHER_WORDS).files == {"COPYING-LGPL-2.1", "COPYING-MPL-1.1"}


@pytest.mark.parametrize(
    ("text", "is_of_parts"),
    [
        (NARROWED, True),
        (
            "The files in compat/ are under the following license.\n\nThe compat/ folder is under the ISC license.\n\nISC License\n",
            True,
        ),
        ("Only the fonts are under this license.\n\nSIL OPEN FONT LICENSE\n", False),
        ("GNU GENERAL PUBLIC LICENSE\nVersion 2, June 1991\n", False),
        ("Kiwi is under the MIT license.\n\nMIT License\n", False),
        ("All other files are under the MIT license.\n\nMIT License\n", False),
    ],
)
def test_an_opening_above_a_text_may_speak_of_parts(text, is_of_parts):
    assert opening(text).is_of_parts is is_of_parts


@pytest.mark.parametrize(
    "piece",
    ["Foo bar baz. ", "under ", "the all some other ", "Foo is under the MIT license. ", ". ", "other ", "-", "# ", "'", " ", "is taken from of ", "a/", "- MIT\n", "under one of the ", "[a](b", "gnu "],
)  # fmt: skip
def test_hostile_prose_is_read_in_linear_time(piece):
    text = piece * (20_000 // len(piece))
    start = time.process_time()
    licensing(text)
    opening(text)
    assert time.process_time() - start < 3
