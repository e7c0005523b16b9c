"""Licence notices in headers, by their own words; a mention is no notice."""

import time

import pytest

from audit.texts.license_notices import notices


def said(words, comment="# "):
    """What a header in such comments names, with the line."""
    content = "".join(f"{comment}{line}\n" for line in words.split("\n")) + "\nx = 1\n"
    return [f"{notice.expression}:{notice.line}" for notice in notices(content)]


GPL = "This program is free software; you can redistribute it and/or modify\nit under the terms of the GNU General Public License as published by\nthe Free Software Foundation; either version 2 of the License, or\n(at your option) any later version."


@pytest.mark.parametrize(
    ("words", "expression"),
    [
        (GPL, "GPL-2.0-or-later"),
        (GPL.replace("either version 2 of the License, or\n(at your option) any later version", "version 2"), "GPL-2.0-only"),
        (GPL.replace("General", "Lesser General").replace("version 2", "version 2.1"), "LGPL-2.1-or-later"),
        (GPL.replace("General", "Affero General").replace("version 2", "version 3"), "AGPL-3.0-or-later"),
        ("Distributed under the GNU GPL v3.", "GPL-3.0-only"),
        ("This file is released under the GPL.", "GPL"),
        ("This work is licensed under a Creative Commons Attribution-NonCommercial 4.0 International License.", "CC-BY-NC-4.0"),
        ("Licensed under the Creative Commons Attribution-NonCommercial-ShareAlike 3.0 Unported License", "CC-BY-NC-SA-3.0"),
        ("Use of this software is governed by the Business Source License included in the LICENSE file.", "BUSL-1.1"),
        ('Licensed under the Apache License, Version 2.0 (the "License");\nyou may not use this file except in compliance.', "Apache-2.0"),
        ("This Source Code Form is subject to the terms of the Mozilla Public\nLicense, v. 2.0. If a copy of the MPL was not distributed with this\nfile, You can obtain one.", "MPL-2.0"),
        ("All rights reserved. This program and the accompanying materials\nare made available under the terms of the Eclipse Public License v1.0", "EPL-1.0"),
        ("are made available under the terms of the Eclipse Public License 2.0", "EPL-2.0"),
        ("The contents of this file are subject to the terms of the Common Development\nand Distribution License (the License).", "CDDL-1.0"),
        ("Licensed under the EUPL, Version 1.2", "EUPL-1.2"),
        ("Use of this software is governed by the Business Source License 1.1", "BUSL-1.1"),
        ("under the terms of the Server Side Public License, version 1,", "SSPL-1.0"),
        ("Foo is licensed under Mulan PSL v2.", "MulanPSL-2.0"),
        ("Distributed under the Boost Software License, Version 1.0.", "BSL-1.0"),
        ("Released under the MIT license.", "MIT"),
        ('Foo, "the library", is released under the MIT license, see "LICENSE".', "MIT"),
        ('"Foo is released under the MIT license"', "MIT"),
        ("@license Apache-2.0", "Apache-2.0"),
        ("License: GPL-3.0-or-later", "GPL-3.0-or-later"),
        ("This work is licensed under a Creative Commons licence:\nhttps://creativecommons.org/licenses/by-nc-sa/4.0/", "CC-BY-NC-SA-4.0"),
        ("Version: MPL 1.1/GPL 2.0\nThe contents of this file are subject to the Mozilla Public License Version\n1.1. Alternatively, the contents may be used under the terms of the GNU General Public License Version 2", "GPL-2.0-only OR MPL-1.1"),
        ("Dual licensed under the MIT or GPL Version 2 licenses.", "GPL-2.0-only OR MIT"),
        # An exception may change the licence in any way; one that code throws does not.
        (f"{GPL}\nAs a special exception, you may link it.", "GPL-2.0-or-later WITH an exception in words"),
        ("Released under the GPL with a linking exception.", "GPL WITH an exception in words"),
        ("Licensed under the Apache License, Version 2.0 with LLVM Exceptions.", "Apache-2.0 WITH an exception in words"),
        ("Dual licensed under the MIT or GPL Version 2 licenses, with an exception.", "GPL-2.0-only WITH an exception in words OR MIT WITH an exception in words"),
        (f"exception.h - exceptions of the parser\n{GPL}", "GPL-2.0-or-later"),
        ("Copyright (c) 2019 Foo Corp. All rights reserved.\nConfidential and proprietary.", "LicenseRef-Proprietary"),
        ("Copyright 2020 Foo. Unauthorized copying of this file, via any medium, is strictly prohibited.", "LicenseRef-Proprietary"),
    ],
)  # fmt: skip
def test_a_notice_gives_the_licence_with_its_named_version(words, expression):
    assert [line.rpartition(":")[0] for line in said(words)] == [expression]


@pytest.mark.parametrize("comment", ["// ", " * ", "-- ", ";; ", '" ', "% ", "! ", "dnl ", ".. ", "@REM "])
def test_a_notice_is_read_in_every_kind_of_comment(comment):
    start, end = ("/*\n", " */\n") if comment == " * " else ("", "")
    content = start + "".join(f"{comment}{line}\n" for line in GPL.split("\n")) + end
    (notice,) = notices(content)
    assert (str(notice.expression), notice.line) == ("GPL-2.0-or-later", 3 if start else 2)


@pytest.mark.parametrize(
    "above",
    ["#!/usr/bin/perl\n", "<?php\n", '<?xml version="1.0"?>\n', "<!DOCTYPE html>\n<html>\n", "package a.b;\n\n", '"use strict";\n', "@charset 'utf-8';\n"],
)  # fmt: skip
def test_lines_above_a_header_do_not_hide_it(above):
    opening, closing = ("<!--\n", "-->\n") if "<!D" in above or "<?xml" in above else ("/*\n", "*/\n")
    assert [str(notice.expression) for notice in notices(above + opening + GPL + "\n" + closing)] == [
        "GPL-2.0-or-later"
    ]


@pytest.mark.parametrize(
    "words",
    [
        "Uses the GNU General Public License, version 2, of another program.",
        "Rejects packages licensed under the GPL.",
        f"{GPL}\nAs a special exception, if you distribute this file with a configuration script generated by Autoconf, do as you like.",
        f"{GPL}\nAs a special exception you may use the same terms that you use for the rest of that program.",
        "The rest of Foo is licensed under the terms of the GNU General Public\nLicense, version 2.",
        "This is not licensed under the GNU General Public License version 2.",
        "Compatible with code under the terms of the GNU General Public License version 2.",
        "Alternatively, under the terms of the GNU General Public License version 2; ask us about the others.",
        "See http://www.FreeRTOS.org",
        "gpl(); generic_list<T> gpl;",
        "Icons by X, https://creativecommons.org/by/4.0 pictures",
        "Licence to be chosen",
        'A sentence of a licence file, "Foo is released under the MIT license" (of the text beside), is known.',
        "License: see LICENSE",
    ],
)
def test_a_mention_or_a_build_script_s_exception_is_no_notice(words):
    assert said(words) == []


def test_a_whole_text_in_a_header_is_left_to_comparison():
    text = "Copyright (c) 2020 Ada\n\nPermission is hereby granted, free of charge, to any person obtaining a copy"
    (notice,) = notices("".join(f"// {line}\n" for line in text.split("\n")))
    assert (notice.expression, notice.line, notice.families) == (None, 3, ("MIT", "X11"))
    assert notice.text == text


def test_code_ends_the_header():
    assert notices(f"x = 1\n# {GPL}") == ()


@pytest.mark.parametrize(
    "header",
    [
        "# under " * 2_000, "# " + "under the gnu general public license " * 400, "# license" + " " * 15_000 + "x", "/*license" + "\n \n" * 5_000, "# license " + "not " * 4_000,
        "# license " + ". " * 7_000, "# under " + "mozilla public license " * 600, "# license creativecommons.org/licenses/by" + "-nc" * 4_000, "/*\n" + ("*" * 200 + "\n") * 70 + "license",
    ],
)  # fmt: skip
def test_hostile_headers_are_read_in_time(header):
    start = time.process_time()
    notices(header)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("banner", "expression"),
    [
        ("/*! Editor v2.1 | (c) 2020 E | GPL-3.0 */", "GPL-3.0-only"), ("/*! a.css v8.0.1 | MIT License | github.com/a/a.css */", "MIT"), ("/** @license MIT | A */", "MIT"),
        ("/*! A v3 | (c) B and other contributors | a.org/license */", None), ("/*! A | MIT | GPL-3.0 */", None), ("/*! MIT */", None), ("/** Tree | list */", None),
    ],
)  # fmt: skip
def test_the_one_licence_field_of_a_bundle_s_banner_counts(banner, expression):
    assert [str(notice.expression) for notice in notices(f"{banner}\n!function(){{}}();\n")] == (
        [expression] if expression else []
    )
