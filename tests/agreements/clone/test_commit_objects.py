"""Whatever bytes a commit object holds, they become a commit that is judged; nothing fails, nothing is made up."""

import time
from datetime import UTC, datetime

import pytest

from agreements.clone import commit_objects
from agreements.facts import Coauthor, Identity

SHA = "a" * 40
HEAD = (
    b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
    b"parent 1111111111111111111111111111111111111111\n"
    b"author Ada <ada@huawei.com> 1700000000 +0800\n"
    b"committer Bo <bo@x.org> 1700000001 -0500\n"
)


def read(data):
    return commit_objects.read(SHA, data)


def test_the_usual_commit():
    """Every header becomes its fact, and the co-authors come from the message."""
    commit = read(HEAD + b"\nAdd\n\nCo-authored-by: Eve <eve@x.org>\n")
    assert (commit.sha, commit.parents) == (SHA, ("1" * 40,))
    assert (commit.author, commit.committer) == (Identity("Ada", "ada@huawei.com"), Identity("Bo", "bo@x.org"))
    assert commit.authored_at == datetime.fromtimestamp(1700000000, UTC)
    assert commit.message == "Add\n\nCo-authored-by: Eve <eve@x.org>\n"
    assert commit.coauthors == (Coauthor("Eve", "eve@x.org"),)
    assert (commit.verified, commit.author_account, commit.committer_account) == (None, None, None)


def test_a_signature_is_one_header():
    """The lines of a signature belong to it, whatever they say."""
    signed = HEAD + b"gpgsig -----BEGIN\n \n author Eve <eve@x.org> 1 +0000\n -----END\n\nAdd\n"
    assert read(signed).author == Identity("Ada", "ada@huawei.com")
    assert read(signed).message == "Add\n"


def test_the_first_author_counts():
    """A second author header is nobody's, as for git."""
    assert read(HEAD + b"author Eve <eve@x.org> 1 +0000\n\nAdd\n").author == Identity("Ada", "ada@huawei.com")


@pytest.mark.parametrize(
    ("line", "identity"),
    [
        (b"Ada <ada@x.org> 1 +0000", Identity("Ada", "ada@x.org")),
        (b" <ada@x.org> 1 +0000", Identity("", "ada@x.org")),
        (b"Ada <> 1 +0000", Identity("Ada", "")),
        (b"Ada", Identity("Ada", "")),
        (b"Ada <ada@x.org", Identity("Ada", "")),
        (b"A <x> <ada@x.org> 1 +0000", Identity("A", "x")),
        (b"\xff\xfe <a@x.org> 1 +0000", Identity("\udcff\udcfe", "a@x.org")),
        (b"Ren\xe9 <r\xe9@x.org> 1 +0000", Identity("Ren\udce9", "r\udce9@x.org")),
        (b"\xed\xb3\xa9 <a@x.org> 1 +0000", Identity("\udced\udcb3\udca9", "a@x.org")),
    ],
)
def test_identities(line, identity):
    """Name and address are cut where git cuts them; half an address is none."""
    assert read(b"tree x\nauthor " + line + b"\n\nAdd\n").author == identity


def test_without_author_and_committer():
    """A commit that names nobody names nobody."""
    commit = read(b"tree x\n\nAdd\n")
    assert (commit.author, commit.committer, commit.authored_at) == (None, None, None)


@pytest.mark.parametrize("seconds", [b"99999999999999999999", b"x", b"-99999999999999999"])
def test_times_that_no_calendar_has(seconds):
    """They are not known."""
    assert read(b"author Ada <a@x.org> " + seconds + b" +0000\n\n").authored_at is None


@pytest.mark.parametrize(
    ("charset", "text"), [("gbk", "贡献"), ("ISO-8859-1", "Jörg"), ("utf-8", "İlker"), ("EUC-JP", "日本")]
)
def test_encodings(charset, text):
    """Names and message are read in the charset that the commit names."""
    encoded = text.encode(charset)
    commit = read(
        b"author " + encoded + b" <a@x.org> 1 +0000\nencoding " + charset.encode() + b"\n\n" + encoded + b"\n"
    )
    assert (commit.author.name, commit.message) == (text, text + "\n")


@pytest.mark.parametrize(
    "charset",
    [b"nonsense", b"hex", b"rot13", b"utf-7", b"punycode", b"idna", b"unicode_escape", b"\xff", b"a\0b", b"..x"],
)
def test_what_is_no_charset_is_utf8(charset):
    """A name that git does not know, or that only Python knows, changes nothing."""
    assert read(b"encoding " + charset + b"\n\nAdd \xc3\xa9 +AGE- \\x61\n").message == "Add é +AGE- \\x61\n"


@pytest.mark.parametrize(
    "charset", [b"", b"encoding utf-8\n", b"encoding gbk\n", b"encoding iso2022_jp\n", b"encoding nonsense\n"]
)
def test_bytes_that_are_no_text_stay_apart(charset):
    """The same ones are the same in headers and message, others are others."""
    commit = read(b"author Ren\xff <a@x.org> 1 +0000\n" + charset + b"\nSigned-off-by: Ren\xff <a@x.org>\n")
    assert f"Signed-off-by: {commit.author.name} <a@x.org>\n" == commit.message
    assert commit.author.name != read(b"author Ren\xfe <a@x.org> 1 +0000\n" + charset + b"\n").author.name


@pytest.mark.parametrize("charset", [b"utf-16", b"iso2022_jp"])
def test_ascii_that_is_no_text(charset):
    """Half a letter, half an escape sequence: read, whatever becomes of it."""
    assert "\ufffd" in read(b"author A <a@x.org> 1 +0000\nencoding " + charset + b"\n\nAB\x1b").message


def test_the_message_ends_at_a_nul():
    """What git shows to nobody certifies nothing."""
    assert read(HEAD + b"\nAdd\0\nSigned-off-by: Ada <ada@huawei.com>\n").message == "Add"


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n", b"tree", b"author", b"parent\n\n", b" x\n\n", b"\0"])
def test_anything_is_read(data):
    """No bytes make it fail."""
    assert read(data).sha == SHA


def test_a_giant_commit_takes_no_time():
    """5 MB of headers and as much message in well under a second."""
    start = time.process_time()
    read(b"author " + b"<" * 5_000_000 + b"\nencoding gbk\n\n" + b"\x81 Signed-off-by: " * 300_000)
    assert time.process_time() - start < 2
