"""A NOTICE holds what must be passed on, once, traced, and nothing else."""

from pathlib import Path

import pytest

from audit.facts import Delivery, Usage
from audit.licenses import spdx
from audit.output import notice
from tests.audit.runs import ALL, ASF, LANG, NETTIES, audited, text, used

GOLDEN = Path(__file__).parents[2] / "cases/licenses"
ASKS = '"notice" text file'


def test_a_notice_of_a_binary():
    """Own words first; then each block once, with every package that brings it; MIT, tools and what is linked at run time are not there."""
    one = audited(*ALL, notices=(text("NOTICE", "Work\nCopyright 2026 The Authors\n"),))

    assert (GOLDEN / "NOTICE.txt").read_text() == notice.notice(one)


def test_a_notice_of_the_source():
    """What is linked in does not stand in the tree, so its notices do not either."""
    one = audited(*ALL, notices=(text("NOTICE", "Work\nCopyright 2026 The Authors\n"),))

    assert notice.notice(one, Delivery.SOURCE) == "Work\nCopyright 2026 The Authors\n"


def test_written_again_it_is_the_same():
    """What Countersign wrote is cut off from the repository's own NOTICE before it is written anew."""
    first = notice.notice(audited(*ALL, notices=(text("NOTICE", "Work\n\nBy hand: keep me.\n"),)))
    again = notice.notice(audited(*ALL, notices=(text("NOTICE", first), text("vendor/NOTICE", "another"))))

    assert first == again
    assert "By hand: keep me." in again


def test_without_a_notice_the_name_and_the_copyright_lines_stand_there():
    """A blank form of a copyright line says nothing, so it is left out."""
    licence = "Copyright (c) 2020 Ada Example\n\nCopyright [yyyy] [name of copyright owner]\n"

    assert notice.notice(audited(licenses=(text("LICENSE", licence),))) == "work\nCopyright (c) 2020 Ada Example\n"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (ASF, ["Apache Commons Lang\nCopyright 2001-2021 The Apache Software Foundation"]),
        ("Guice\nCopyright 2010 Google\n\nThis product includes software developed at The Apache Software Foundation.\n",
         ["Guice\nCopyright 2010 Google", "This product includes software developed at The Apache Software Foundation."]),
        ("X\n\n-----\n\nYou may obtain a copy of the License at\n\n  http://www.apache.org/licenses/LICENSE-2.0\n", ["X"]),
        ("", []),
        ("\x00\r\n \r\n", []),
    ],
)  # fmt: skip
def test_boilerplate_goes(text, left):
    """The ASF's standing sentence goes where the ASF speaks, and stays where another gives credit; terms and lines always go."""
    assert left == list(notice.relevant(text))


def test_within_the_asf_its_copyright_line_is_there_already():
    """Of an ASF work's ASF dependency only what is more than the standing header."""
    one = audited(LANG, notices=(text("NOTICE", "Apache Work\nCopyright 2026 The Apache Software Foundation\n"),))

    assert notice.notice(one) == "Apache Work\nCopyright 2026 The Apache Software Foundation\n"


def test_what_stands_there_by_hand_is_not_said_twice():
    """A block that the repository's own NOTICE has is not passed on again."""
    own = "Work\n\nApache Commons Lang\nCopyright 2001-2021  The Apache Software Foundation\n"

    assert notice.sections(audited(LANG, notices=(text("NOTICE", own),))) == []


def test_the_licences_that_ask_for_it_are_those_whose_text_does():
    """Each text of SPDX's that asks for the contents of a NOTICE file to be kept, but for the ESA's, which ask for less."""
    asking = {
        name
        for name, words in spdx.texts().items()
        if ASKS in " ".join(words.lower().replace("“", '"').replace("”", '"').split())
    }

    assert asking == notice.NOTICE_FILE_LICENSES | {
        f"ESA-PL-{kind}-2.4" for kind in ("permissive", "weak-copyleft", "strong-copyleft")
    }


def test_a_long_notice_takes_time_in_proportion():
    """A megabyte of anything is read at once."""
    one = used(
        "big", "Apache-2.0", Usage.BUNDLED, notices=(text("NOTICE", "copyright \n \t" * 90_000 + " \n" * 90_000),)
    )

    assert notice.notice(audited(one, *NETTIES))


def test_lines_that_licences_of_models_ask_for():
    """Stand there once, with every model that brings them; of weights alone, and not where the repository's own words have them."""
    llama = "LicenseRef-scancode-llama-3.1-license-2024"
    line = "Llama 3.1 is licensed under the Llama 3.1 Community License, Copyright © Meta Platforms, Inc. All Rights Reserved."
    weights = [used(name, llama, Usage.MODEL_WEIGHTS) for name in ("a", "b")]
    found = notice.notice(audited(*weights))

    assert found.count(line) == 1
    assert "a 1.2.0 (pkg:npm/a@1.2.0)\nb 1.2.0 (pkg:npm/b@1.2.0)\n\n" in found
    assert notice.notice(audited(*weights, notices=(text("NOTICE", f"Work\n\n{line}\n"),))).count(line) == 1
    assert line not in notice.notice(audited(used("a", llama, Usage.BUNDLED)))
