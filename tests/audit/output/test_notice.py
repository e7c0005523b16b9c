"""A NOTICE holds each notice that must be passed on, once, and nothing else."""

from pathlib import Path

import pytest

from audit.facts import Delivery, Usage
from audit.licenses import spdx
from audit.output import notice
from tests.audit.runs import ALL, ASF, LANG, NETTIES, audited, text, used

GOLDEN = Path(__file__).parents[2] / "cases/licenses"
ASKS = '"notice" text file'


def test_a_notice_of_a_binary_has_own_words_and_then_each_block_once():
    work = audited(*ALL, notices=(text("NOTICE", "Work\nCopyright 2026 The Authors\n"),))

    assert (GOLDEN / "NOTICE.txt").read_text() == notice.notice(work)


def test_a_notice_of_the_source_has_no_notices_of_linked_packages():
    work = audited(*ALL, notices=(text("NOTICE", "Work\nCopyright 2026 The Authors\n"),))

    assert notice.notice(work, Delivery.SOURCE) == "Work\nCopyright 2026 The Authors\n"


def test_a_notice_written_again_is_the_same():
    first = notice.notice(audited(*ALL, notices=(text("NOTICE", "Work\n\nBy hand: keep me.\n"),)))
    again = notice.notice(audited(*ALL, notices=(text("NOTICE", first), text("vendor/NOTICE", "another"))))

    assert first == again
    assert "By hand: keep me." in again


def test_a_work_without_a_notice_has_its_name_and_copyright_lines():
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
def test_boilerplate_of_the_asf_is_left_out_only_in_its_own_works(text, left):
    assert left == list(notice.relevant(text))


def test_the_asf_s_copyright_line_is_not_repeated_in_an_asf_work():
    work = audited(LANG, notices=(text("NOTICE", "Apache Work\nCopyright 2026 The Apache Software Foundation\n"),))

    assert notice.notice(work) == "Apache Work\nCopyright 2026 The Apache Software Foundation\n"


def test_a_block_that_the_own_notice_has_is_not_repeated():
    own = "Work\n\nApache Commons Lang\nCopyright 2001-2021  The Apache Software Foundation\n"

    assert notice.sections(audited(LANG, notices=(text("NOTICE", own),))) == []


def test_the_licences_that_ask_for_notices_are_those_whose_text_does():
    """The ESA's licences ask for less and are left out."""
    asking = {
        name
        for name, words in spdx.texts().items()
        if ASKS in " ".join(words.lower().replace("“", '"').replace("”", '"').split())
    }

    assert asking == notice.NOTICE_FILE_LICENSES | {
        f"ESA-PL-{kind}-2.4" for kind in ("permissive", "weak-copyleft", "strong-copyleft")
    }


def test_a_long_notice_is_written_in_linear_time():
    package = used(
        "big", "Apache-2.0", Usage.BUNDLED, notices=(text("NOTICE", "copyright \n \t" * 90_000 + " \n" * 90_000),)
    )

    assert notice.notice(audited(package, *NETTIES))


def test_lines_that_licences_of_models_ask_for_stand_there_once():
    llama = "LicenseRef-scancode-llama-3.1-license-2024"
    line = "Llama 3.1 is licensed under the Llama 3.1 Community License, Copyright © Meta Platforms, Inc. All Rights Reserved."
    weights = [used(name, llama, Usage.MODEL_WEIGHTS) for name in ("a", "b")]
    found = notice.notice(audited(*weights))

    assert found.count(line) == 1
    assert "a 1.2.0 (pkg:npm/a@1.2.0)\nb 1.2.0 (pkg:npm/b@1.2.0)\n\n" in found
    assert notice.notice(audited(*weights, notices=(text("NOTICE", f"Work\n\n{line}\n"),))).count(line) == 1
    assert line not in notice.notice(audited(used("a", llama, Usage.BUNDLED)))
