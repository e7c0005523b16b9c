"""A NOTICE is proposed where something must be passed on that it doesn't say; what people wrote stays, and is all that stays."""

import pytest

from audit.facts import Usage
from audit.output.notice import HEADING
from bot.licenses.notice_change import MARKER, change, proposal
from tests.audit.runs import LEFT_PAD, NETTY, READLINE, audited, text, used

VENDORED = used("netty", "Apache-2.0", Usage.VENDORED, notices=(text("NOTICE", NETTY),))
LINKED = used("netty", "Apache-2.0", Usage.STATIC_LINK, notices=(text("NOTICE", NETTY),))
OWN = "Work\nCopyright 2026 Ada Example\n"


def work(*dependencies, notice=None, path="NOTICE"):
    return audited(*dependencies, notices=() if notice is None else (text(path, notice),))


def test_a_needed_notice_is_a_new_file_or_goes_below_the_words_there():
    made = change(work(VENDORED))
    assert made.path == "NOTICE"
    assert b"Netty" in made.content
    kept = change(work(VENDORED, notice=OWN))
    assert kept.content.decode().startswith(OWN.strip())
    assert HEADING.encode() in kept.content


def test_a_merged_notice_is_not_proposed_again():
    merged = change(work(VENDORED, notice=OWN)).content.decode()
    assert change(work(VENDORED, notice=merged)) is None
    more = merged.replace("Ada Example", "Ada Example and others")
    assert change(work(VENDORED, notice=more)) is None


def test_only_our_own_part_of_a_notice_is_taken_back():
    merged = change(work(VENDORED, notice=OWN)).content.decode()
    assert change(work(notice=merged)).content.decode() == OWN
    for theirs in (OWN, "  Odd \r\n\r\nlines\t\n\n\n", ""):
        assert change(work(notice=theirs)) is None


@pytest.mark.parametrize("dependencies", [(), (READLINE,), (LEFT_PAD,), (LINKED,)])
def test_dependencies_that_ask_for_no_notice_change_nothing(dependencies):
    assert change(work(*dependencies)) is None


def test_an_existing_notice_keeps_its_name():
    assert change(work(VENDORED, notice=OWN, path="NOTICE.txt")).path == "NOTICE.txt"


def test_the_pull_request_has_one_branch_one_mark_and_a_digest_of_its_file():
    file_change = change(work(VENDORED, notice=OWN))
    made = proposal(file_change, "both")
    assert (made.branch, made.marker, made.files) == ("countersign/notice", MARKER, {"NOTICE": file_change.content})
    assert made.marker in made.body
    assert "`NOTICE`" in made.body
    assert "更新" in made.title
    assert file_change.digest != change(work(VENDORED)).digest
