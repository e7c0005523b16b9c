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


def test_something_must_be_passed_on():
    """A new file, or below the words that are there."""
    made = change(work(VENDORED))
    assert made.path == "NOTICE"
    assert b"Netty" in made.content
    kept = change(work(VENDORED, notice=OWN))
    assert kept.content.decode().startswith(OWN.strip())
    assert HEADING.encode() in kept.content


def test_it_is_as_it_should_be():
    """What was merged is not proposed again; what people write above it stays."""
    merged = change(work(VENDORED, notice=OWN)).content.decode()
    assert change(work(VENDORED, notice=merged)) is None
    more = merged.replace("Ada Example", "Ada Example and others")
    assert change(work(VENDORED, notice=more)) is None


def test_what_is_not_needed_any_more():
    """Only what we wrote is taken back; a file of people's own is never touched, however it is written."""
    merged = change(work(VENDORED, notice=OWN)).content.decode()
    assert change(work(notice=merged)).content.decode() == OWN
    for theirs in (OWN, "  Odd \r\n\r\nlines\t\n\n\n", ""):
        assert change(work(notice=theirs)) is None


@pytest.mark.parametrize("dependencies", [(), (READLINE,), (LEFT_PAD,), (LINKED,)])
def test_nothing_to_pass_on(dependencies):
    """Of the tree alone: other licences, and what is only linked when it is built, ask for nothing here."""
    assert change(work(*dependencies)) is None


def test_under_its_own_name():
    """The file that is there is the one that is brought up to date."""
    assert change(work(VENDORED, notice=OWN, path="NOTICE.txt")).path == "NOTICE.txt"


def test_the_pull_request():
    """One branch, one mark, the file; another byte is another digest."""
    one = change(work(VENDORED, notice=OWN))
    made = proposal(one, "both")
    assert (made.branch, made.marker, made.files) == ("countersign/notice", MARKER, {"NOTICE": one.content})
    assert made.marker in made.body
    assert "`NOTICE`" in made.body
    assert "更新" in made.title
    assert one.digest != change(work(VENDORED)).digest
