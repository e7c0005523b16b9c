"""The legal text in the head of a source."""

import pytest

from audit.texts.source_header import legal_text

MIT = "Copyright (c) 2020 Ada\nPermission is hereby granted"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("/* Copyright (c) 2020 Ada\n * Permission is hereby granted\n */\nint a;", MIT),
        ("/* x.c -- a thing\n * at http://x\n * -------\n * Copyright (c) 2020 Ada\n * Permission is hereby granted\n * -------\n * References:\n */", MIT),
        ("// Copyright (c) 2020 Ada\n// Permission is hereby granted\n#include <a.h>\n// TODO", MIT),
        ("#!/bin/sh\n# Copyright (c) 2020 Ada\n# Permission is hereby granted\nset -e", MIT),
        ("#ifndef A_H\n#define A_H\n/*\n** Copyright (c) 2020 Ada\n** Permission is hereby granted\n*/", MIT),
        ("/*\n * Copyright (c) 2020 Ada\n * Permission is hereby granted\n */\n\n/* TODO: a licence for x */", MIT),
        ("/* Copyright (c) 2020 Ada */\n/* Permission is hereby granted */\nint a;", MIT),
        ("/* Copyright (c) 2020 Ada */\nint a;", "Copyright (c) 2020 Ada"),
        ('"""A module.\n\nSPDX-License-Identifier: MIT\n"""', "SPDX-License-Identifier: MIT"),
        ("int a; /* Copyright (c) 2020 Ada */", ""),
        ("/* what it does */\nint a;", ""),
        ("", ""),
        ("/* Copyright (c) 2020 Ada", "Copyright (c) 2020 Ada"),
    ],
)  # fmt: skip
def test_legal_text_is_read_from_the_copyright_to_the_end_of_its_comment(source, expected):
    assert legal_text(source) == expected
    assert legal_text(source.replace("\n", "\r\n")) == expected


def test_only_the_beginning_of_a_source_is_read():
    assert legal_text("\n" * 20_000 + "// Copyright (c) 2020 Ada") == ""
    assert len(legal_text("/* Copyright\n" * 100_000)) < 20_000
