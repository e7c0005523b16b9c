"""THIRD-PARTY-LICENSES: each text once, the works under it, and missing texts."""

from pathlib import Path

import pytest

from audit.facts import Finding, Place, Usage
from audit.output.third_party import third_party
from tests.audit.runs import ALL, LEFT_PAD, MYSTERY, audited, text, used

GOLDEN = Path(__file__).parents[2] / "cases/licenses"


def test_the_whole_file_is_as_kept():
    bare = used("bare", None, Usage.VENDORED)
    apart = used("x", "GPL-2.0-only WITH Classpath-exception-2.0", Usage.BUNDLED)
    found = third_party(audited(LEFT_PAD, ALL[-1], bare, apart))
    start, sep, rest = found.partition("GNU GENERAL PUBLIC LICENSE")

    assert sep
    assert (GOLDEN / "THIRD-PARTY-LICENSES.txt").read_text() == start + "…\n" + rest[rest.rindex("======\nMIT\n") :]


def test_each_licence_text_stands_once():
    found = third_party(audited(*ALL))

    assert found.count("\nTERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION\n") == 1


def test_copyright_lines_of_a_licence_text_are_not_the_work_s():
    """The Free Software Foundation wrote the GPL's text, and nothing else in such a work."""
    gpl = "Copyright (C) 2007 Free Software Foundation, Inc. <https://fsf.org/>\n\nCopyright 2021 Eve\n"
    found = third_party(audited(used("x", "GPL-3.0-or-later", Usage.BUNDLED, licenses=(text("COPYING", gpl),))))

    assert "    Copyright 2021 Eve\n" in found
    assert "    Copyright (C) 2007" not in found


def test_a_work_that_ships_nothing_of_others_says_so():
    assert (
        third_party(audited(MYSTERY))
        == "Works by others that are part of org/work, and their licences.\n\nThere are none.\n"
    )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("file/broken", "None was found in the files that could be read. The findings of the audit list the rest."),
        (
            "license/nested",
            "Only folders of unknown origin were found. The findings of the audit list them.",
        ),
        ("license/altered", "There are none."),
    ],
)
def test_the_file_says_none_only_if_nothing_is_open(code, said):
    found = third_party(audited(findings=(Finding(code, Place("x/LICENSE"), "why"),)))
    assert found.endswith(f"\n\n{said}\n")
