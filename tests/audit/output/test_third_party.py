"""THIRD-PARTY-LICENSES: each text once, whose works they are, and what is missing."""

from pathlib import Path

import pytest

from audit.facts import Finding, Place, Usage
from audit.output.third_party import third_party
from tests.audit.runs import ALL, LEFT_PAD, MYSTERY, audited, text, used

GOLDEN = Path(__file__).parents[2] / "cases/licenses"


def test_the_whole_file():
    """Works with their copyright lines, SPDX's texts by id, exceptions, the texts that came with own terms, and what is missing."""
    bare = used("bare", None, Usage.VENDORED)
    apart = used("x", "GPL-2.0-only WITH Classpath-exception-2.0", Usage.BUNDLED)
    found = third_party(audited(LEFT_PAD, ALL[-1], bare, apart))
    start, sep, rest = found.partition("GNU GENERAL PUBLIC LICENSE")

    assert sep
    assert (GOLDEN / "THIRD-PARTY-LICENSES.txt").read_text() == start + "…\n" + rest[rest.rindex("======\nMIT\n") :]


def test_a_text_stands_once():
    """However many works are under a licence."""
    found = third_party(audited(*ALL))

    assert found.count("\nTERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION\n") == 1


def test_the_holders_of_a_licence_are_not_those_of_the_work():
    """The Free Software Foundation wrote the GPL's text, and nothing else here."""
    gpl = "Copyright (C) 2007 Free Software Foundation, Inc. <https://fsf.org/>\n\nCopyright 2021 Eve\n"
    found = third_party(audited(used("x", "GPL-3.0-or-later", Usage.BUNDLED, licenses=(text("COPYING", gpl),))))

    assert "    Copyright 2021 Eve\n" in found
    assert "    Copyright (C) 2007" not in found


def test_nothing_goes_out():
    """The file says so."""
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
def test_none_is_said_only_where_nothing_is_open(code, said):
    """A broken lock file, or a text of nobody knows what, is no proof that there are none."""
    found = third_party(audited(findings=(Finding(code, Place("x/LICENSE"), "why"),)))
    assert found.endswith(f"\n\n{said}\n")
