"""A file has the wanted header, lacks it, or has another header, which is never taken for a missing header."""

import pytest

from audit.facts import Finding, Place
from audit.headers.header_rule import HeaderRule
from audit.headers.license_headers import FileHeader, HeaderStatus, check_header, findings, is_asked, left_out

TAG = HeaderRule(spdx="Apache-2.0")
HELD = HeaderRule(spdx="Apache-2.0", holder="The Example Authors")
TEXT = HeaderRule(
    text="Copyright {years} {holder}\n\nLicensed under the Apache License, Version 2.0; see LICENSE.\n",
    holder="The Example Authors",
)
WORDS = "Copyright 2019 The Example Authors\n\nLicensed under the Apache License,\nVersion 2.0; see LICENSE."
SPDX = "SPDX-License-Identifier: Apache-2.0"
MIT_WORDS = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files"


def commented(words, sign="#"):
    """The words as comments, and a line of code."""
    return "".join(f"{sign} {line}".rstrip() + "\n" for line in words.split("\n")) + "\ncode()\n"


@pytest.mark.parametrize(
    ("path", "text", "header", "kind", "message"),
    [
        # SPDX's tag.
        ("a.py", commented(SPDX), TAG, "present", ""), ("a.c", f"/* {SPDX} */\nint x;\n", TAG, "present", ""), ("a.py", "x = 1\n", TAG, "missing", "lacks SPDX-License-Identifier: Apache-2.0"),
        ("a.py", commented("SPDX-License-Identifier: apache-2.0"), TAG, "present", ""), ("a.html", f"<!--\n  {SPDX}\n-->\n<p>\n", TAG, "present", ""),
        ("a.py", commented("SPDX-License-Identifier: MIT"), TAG, "other", "its header says MIT"),
        ("a.py", commented("SPDX-License-Identifier: Apache-2.0 OR MIT"), TAG, "other", "its header says Apache-2.0 OR MIT"),
        ("a.py", 'x = "SPDX-License-Identifier: Apache-2.0"\n', TAG, "missing", "lacks SPDX-License-Identifier: Apache-2.0"),
        ("a.py", commented(f"{SPDX}\nSPDX-License-Identifier: MIT"), TAG, "present", ""),
        ("a.py", commented("SPDX-License-Identifier: See COPYING.gpl"), TAG, "other", "its header says “See COPYING.gpl”"),
        ("a.py", commented("SPDX-License-Identifier: Foo-9"), TAG, "other", "its header says Foo-9"),
        # With a copyright line of any holder.
        ("a.py", commented(f"SPDX-FileCopyrightText: 2020 Ann\n{SPDX}"), HELD, "present", ""), ("a.py", commented(f"Copyright (c) Ann\n{SPDX}"), HELD, "present", ""),
        ("a.py", commented(SPDX), HELD, "missing", "lacks SPDX-FileCopyrightText"),
        ("a.py", "x\n", HELD, "missing", "lacks SPDX-FileCopyrightText and SPDX-License-Identifier: Apache-2.0"),
        ("a.py", commented("Copyright 2019 The Example  Authors"), HELD, "missing", "lacks SPDX-License-Identifier: Apache-2.0"),
        # Of another holder.
        ("a.py", commented("Copyright 2019 Somebody Else"), HELD, "other", "its header names another holder"),
        ("a.py", commented("Copyright 2019 Somebody Else"), TAG, "missing", "lacks SPDX-License-Identifier: Apache-2.0"),
        ("a.py", commented(MIT_WORDS), TAG, "other", "its header states a licence in other words than the rulebook requires"),
        ("a.py", commented("This file is free software"), TAG, "other", "its header states a licence in other words than the rulebook requires"),
        ("a.py", "x = 1\n" + commented("Licensed under the MIT license"), TAG, "missing", "lacks SPDX-License-Identifier: Apache-2.0"),
        ("a.py", commented("A module that compares licences."), TAG, "missing", "lacks SPDX-License-Identifier: Apache-2.0"),
        # A text: its words must be the same; its signs, lines and years may differ.
        ("a.py", commented(WORDS), TEXT, "present", ""), ("a.c", "/*\n * " + WORDS.replace("\n", "\n * ") + "\n */\n", TEXT, "present", ""),
        ("a.py", commented(WORDS.replace("2019", "2019-2021, 2024")), TEXT, "present", ""), ("a.py", commented(WORDS.replace("2019 ", "")), TEXT, "present", ""),
        ("a.py", commented(WORDS.replace("The Example", "Other")), TEXT, "other", "its header names another holder"),
        ("a.py", commented(WORDS.replace("Version 2.0", "Version 3.0")), TEXT, "other", "its header states a licence in other words than the rulebook requires"),
        ("a.py", "x\n", TEXT, "missing", "lacks the licence header"), ("a.py", f'x = """\n{WORDS}\n"""\n', TEXT, "missing", "lacks the licence header"),
        ("a.py", f'"""{WORDS}\n"""\n', TEXT, "present", ""),
        ("a.py", commented(SPDX), HeaderRule(text=f"Copyright X\n{SPDX}"), "other", "its header is not the text that the rulebook requires"),
    ],
)  # fmt: skip
def test_a_file_has_its_header_lacks_it_or_bears_another(path, text, header, kind, message):
    found = check_header(path, text, header)
    assert (found.kind, found.message) == (kind, message)
    assert bool(found.lacks) == (found.kind is HeaderStatus.MISSING)


def test_the_line_of_another_header_counts_from_the_first_line_of_the_file():
    assert check_header("a.sh", "#!/bin/sh\n\n# Copyright 2019 Somebody Else\n", HELD).line == 3
    assert check_header("a.php", "<?php\n// Licensed under the GPL\n", TAG).line == 2
    assert check_header("a.py", "# Copyright 2019 Somebody Else\n# -*- coding: koi8-r -*-\n", HELD).line == 1
    assert check_header("a.sh", "#!/bin/sh\n# SPDX-License-Identifier: MIT\n", TAG).line == 2


def test_a_licence_in_words_gets_its_tag_if_the_tag_names_that_licence():
    notice = 'Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the License.\nYou may obtain a copy of the License at\n\nhttp://www.apache.org/licenses/LICENSE-2.0\n\nUnless required by applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and limitations under the License.'
    assert check_header("a.py", commented(notice), TAG).lacks == (SPDX,)
    assert (
        check_header("a.py", commented(notice), HeaderRule(spdx="MIT")).message
        == "its header states a licence Apache-2.0 in other words than the rulebook requires"
    )


@pytest.mark.parametrize(
    ("path", "header", "expected"),
    [
        ("src/a.py", {}, True), ("README.md", {}, False), ("data.json", {}, False), ("pom.xml", {}, False), ("config.yml", {}, False), ("package-lock.json", {}, False),
        ("config.yml", {"paths": ("**/*.yml",)}, True), ("src/a.py", {"paths": ("lib/**",)}, False), ("src/a.py", {"exclude": ("src",)}, False),
        ("third_party/a.c", {}, False), ("x/vendor/y/a.go", {"paths": ("x/**",)}, False), ("node_modules/a/a.js", {}, False), ("vendor.py", {}, True),
        ("data.json", {"paths": ("*.json",)}, False),
    ],
)  # fmt: skip
def test_own_source_code_and_named_files_are_asked_for_a_header(path, header, expected):
    assert is_asked(path, HeaderRule(spdx="MIT", **header)) is expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"), (" \n\t\n", "empty"), ("\0ELF", "binary"), ("// Code generated by protoc-gen-go. DO NOT EDIT.\npackage x\n", "generated"),
        ("/* @generated by x */\n", "generated"), ("// Please do not edit the table below by hand.\n", ""), ("package x\n// Code generated by x. DO NOT EDIT.\n", ""),
        ("package x\n", ""),
    ],
)  # fmt: skip
def test_empty_binary_and_generated_files_are_left_out(text, why):
    assert left_out(text, "a.go") == why


def test_each_file_is_one_finding_and_those_beyond_the_bound_are_one_more():
    missing, other = FileHeader(HeaderStatus.MISSING, "lacks it"), FileHeader(HeaderStatus.OTHER, "says MIT", 3)
    states = [("a.c", missing), ("b.c", FileHeader(HeaderStatus.PRESENT)), ("c.c", other), ("d.c", missing)]
    assert findings(states, 3) == (
        Finding("header/missing", Place("a.c"), "lacks it"),
        Finding("header/other", Place("c.c", 3), "says MIT"),
        Finding("header/missing", Place("d.c"), "lacks it"),
    )
    assert findings(states, 1)[1:] == (
        Finding("header/missing", Place("."), "2 more files without the licence header"),
    )


def test_repeated_header_words_and_endless_comments_are_read_fast():
    header = HeaderRule(text="a {years} " + "a " * 400 + "b")
    assert check_header("a.py", "# " + "a " * 30_000, header).kind is HeaderStatus.MISSING
    assert check_header("a.c", "/* " * 30_000, TEXT).kind is HeaderStatus.MISSING
