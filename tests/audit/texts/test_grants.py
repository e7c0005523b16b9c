"""Headers of sources complete a text's licence; where they differ, the least is taken."""

from collections import Counter

import pytest

from audit.licenses.expression import read
from audit.texts.grants import granted, grants

LATER = """/*
 * This library is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 *
 * You should have received a copy of the GNU Lesser General Public License along with it; if not, write to the FSF.
 */"""
ONLY = "// under the terms of the GNU General Public License version 2 as published by the Free Software Foundation."
SELECT = " * in the COPYING file in the root directory of this source tree).\n * You may select, at your option, one of the above-listed licenses.\n"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (LATER, {("LGPL-2.1", True)}),
        (LATER.replace("Lesser ", "").replace("2.1", "2"), {("GPL-2.0", True)}),
        (ONLY, {("GPL-2.0", False)}),
        ("# GNU Affero General Public License, version 3 or later", {("AGPL-3.0", True)}),
        ("# GNU General Public License v3.0", {("GPL-3.0", False)}),
        ("// SPDX-License-Identifier: GPL-2.0-or-later\n", {("GPL-2.0", True)}),
        ("/* SPDX-License-Identifier: LGPL-2.1+ */\n", {("LGPL-2.1", True)}),
        ("// SPDX-License-Identifier: GPL-2.0\n", {("GPL-2.0", False)}),
        ("/* SPDX-License-Identifier: GPL-2.0 */ int x;\n", {("GPL-2.0", False)}),
        ("// SPDX-License-Identifier: GPL-2.0-or-later OR MIT\n", set()),
        ("You should have received a copy of the GNU General Public License", set()),
        (SELECT, {("choice", True)}),
        (
            f"{ONLY[:-47]}2 dated June, 1991, or\n// (at your option) version 3 dated 29 June, 2007.",
            {("GPL-2.0/GPL-3.0", False)},
        ),
        ("x" * 9_000 + ONLY, set()),
        ("", set()),
    ],
)
def test_a_header_gives_licence_version_and_or_later(source, found):
    assert grants(source) == found


@pytest.mark.parametrize(
    ("text", "found", "licence"),
    [
        ("LGPL-2.1-only", [("LGPL-2.1", True)] * 3, "LGPL-2.1-or-later"),
        ("LGPL-2.1-only", [("LGPL-2.1", True), ("LGPL-2.1", False)], "LGPL-2.1-only"),
        ("LGPL-2.1-only", [("GPL-2.0", True)], "LGPL-2.1-only"),
        ("GPL-2.0-only", [], "GPL-2.0-only"),
        ("MIT", [("GPL-2.0", True)], "MIT"),
        ("GPL-2.0-only AND BSD-3-Clause", [("choice", True)], "GPL-2.0-only OR BSD-3-Clause"),
        ("GPL-2.0-only AND BSD-3-Clause", [("GPL-2.0", True)], "GPL-2.0-or-later AND BSD-3-Clause"),
        (
            "GPL-2.0-only AND BSD-3-Clause",
            [("choice", True), *[("GPL-2.0", True)] * 3],
            "GPL-2.0-or-later AND BSD-3-Clause",
        ),
        ("GPL-2.0-only AND GPL-3.0-only", [("GPL-2.0/GPL-3.0", False)] * 2, "GPL-2.0-only OR GPL-3.0-only"),
        (
            "GPL-2.0-only AND GPL-3.0-only",
            [("GPL-2.0/GPL-3.0", False), *[("GPL-2.0", False)] * 3],
            "GPL-2.0-only AND GPL-3.0-only",
        ),
        ("GPL-2.0-only AND MIT", [("GPL-2.0/GPL-3.0", False)], "GPL-2.0-only AND MIT"),
        ("GPL-2.0-only OR MIT", [("GPL-2.0", True)], "GPL-2.0-only OR MIT"),
    ],
)
def test_the_headers_complete_the_licence_of_the_work_s_text(text, found, licence):
    assert str(granted(read(text), Counter(found))) == licence
